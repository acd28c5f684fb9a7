import Foundation
import Hongyan

/// The chat of one account: what arrives is printed, what the user types is done.
actor ChatManager {
    private let session: Session
    private let account: JID
    private let folder: String
    private var partner: JID?
    /// Where each contact was last seen, so that only changes are told.
    private var sections: [JID: Contact.Section] = [:]

    init(session: Session, account: JID, folder: String) {
        self.session = session
        self.account = account
        self.folder = folder
    }

    /// Runs until the user types `/quit` or the input ends.
    func run(lines: AsyncStream<String>) async throws {
        let messages = session.events(.messages)
        let contacts = await roster?.events()
        try await session.send(Presence())
        say("Online as \(account). /help lists the commands.")
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for await batch in messages { await self.show(batch) } }
            group.addTask { if let contacts { for await batch in contacts { await self.show(batch) } } }
            for await line in lines {
                guard line != "/quit" else { break }
                do { try await perform(line) } catch { say("! \(error)") }
            }
            group.cancelAll()
        }
    }

    private func perform(_ line: String) async throws {
        let parts = line.split(separator: " ", maxSplits: 1).map(String.init)
        let rest = parts.dropFirst().first
        switch (parts.first, rest) {
        case (nil, _): break
        case ("/help", _):
            say("/contacts, /add WHO, /accept WHO, /chat WHO, /picture FILE, /voice FILE, /quit; or a text")
        case ("/contacts", _): await showContacts()
        case ("/add", let who?): _ = try await roster?.add(address(who))
        case ("/accept", let who?): try await roster?.accept(address(who))
        case ("/chat", let who?): try await open(address(who))
        case ("/picture", let file?): try await send(file, as: .picture)
        case ("/voice", let file?): try await send(file, as: .voice)
        case (let word?, _) where word.hasPrefix("/"): say("? \(word) – /help lists the commands.")
        default: try await send(line)
        }
    }

    // MARK: Contacts

    private var roster: Roster? { session[Roster.self] }

    /// An address as the user types it: without `@` it belongs to the server of the account.
    private func address(_ text: String) throws -> JID {
        try JID(text.contains("@") ? text : "\(text)@\(account.domain)").bare
    }

    private func showContacts() async {
        let contacts = await roster?.contacts.sorted(by: Contact.precedes) ?? []
        for section in Contact.Section.allCases {
            let members = contacts.filter { $0.section == section }
            guard !members.isEmpty else { continue }
            say("\(section) (\(members.count))")
            for contact in members { say("  \(contact.displayName)\(contact.status.map { " – \($0)" } ?? "")") }
        }
        for request in await roster?.requests ?? [] { say("\(request) wants to add you: /accept \(request)") }
    }

    private func show(_ events: [RosterEvent]) {
        for event in events {
            switch event {
            case .request(let who, let text):
                say("\(who) wants to add you\(text.map { ": \($0)" } ?? ""): /accept \(who)")
            case .approved(let who): say("\(who) has accepted you.")
            case .changed(let contact) where contact.section != (sections[contact.address] ?? .offline):
                sections[contact.address] = contact.section
                say("\(contact.displayName) is \(contact.section).")
            default: break
            }
        }
    }

    // MARK: The conversation

    /// Opens a conversation, and shows its last messages from the server's archive.
    private func open(_ who: JID) async throws {
        partner = who
        say("--- \(who) ---")
        guard let archive = session[MessageArchive.self] else { return }
        let page = try await archive.page(filter: ArchiveFilter(with: who), page: .newest(20))
        for kept in page.messages { if let message = kept.message { show(message, at: kept.stamp) } }
    }

    private func send(_ text: String) async throws {
        guard let partner else { return say("Open a conversation first: /chat WHO") }
        let token = try await session.send(.chat(to: partner, body: text))
        // The server answers in order: what it has not refused by now, it has.
        try await session.ping()
        if let failure = token.failure { throw failure }
        say("me: \(text)")
    }

    private func show(_ events: [SessionEvent]) async {
        for case .message(let received) in events {
            // What another device of this account sent or received comes inside a message.
            let message = Carbon(in: received, for: account)?.message ?? received
            show(message, at: nil)
            await fetch(message)
        }
    }

    private func show(_ message: Message, at stamp: Timestamp?) {
        guard message.type == .chat, let sender = message.from, let body = message.body else { return }
        let name = sender.bare == account ? "me" : sender.local ?? sender.description
        say("\(stamp.map { "\($0) " } ?? "")\(name): \(body)")
    }

    // MARK: Pictures and voice

    private func send(_ path: String, as kind: FileKind) async throws {
        guard let partner else { return say("Open a conversation first: /chat WHO") }
        guard let files = session[FileSharing.self] else { return }
        let file = LocalFile(path, kind: kind)
        _ = try await files.send(file, to: partner)
        say("me: \(kind) \(file.name)")
    }

    /// Downloads a file that came with a message. Its name is made safe, its size is bounded, and its hash is checked.
    private func fetch(_ message: Message) async {
        guard let files = session[FileSharing.self], let sender = message.from, await isKnown(sender) else { return }
        do {
            guard let offer = try FileOffer(in: message) else { return }
            let file = try await files.fetch(offer, into: folder, limit: 20 << 20)
            say("\(sender.local ?? ""): \(file.byteCount) bytes in \(file.path)")
        } catch {
            say("! \(error)")
        }
    }

    /// Nothing is downloaded from strangers: the request would tell them that the message was read, and from which address.
    private func isKnown(_ sender: JID) async -> Bool { await roster?.contact(sender.bare) != nil }

    private func say(_ text: String) {
        // Control characters of others would move the cursor or change colours.
        let harmless = String(text.unicodeScalars.filter { $0.properties.generalCategory != .control || $0 == "\n" })
        // Further lines are indented, so that nobody can write a line that looks like a message of another person.
        FileHandle.standardOutput.write(Data((harmless.replacing("\n", with: "\n    ") + "\n").utf8))
    }
}
