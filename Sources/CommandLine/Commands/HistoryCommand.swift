internal import Automation
internal import ChatModel
internal import ChatStore
internal import JSONRPC
internal import Localization
internal import MessageFeatures
internal import TerminalApp
internal import UserProfile
internal import XMPPAddress

extension Command {
    static let history = Command(
        name: "history", synopsis: "[ADDRESS]", summary: "show the message history, even without a network",
        options: [
            .init("before", value: "TIME|ID", "only messages before a day, a time or a message"),
            .init("limit", value: "NUMBER", "the maximum number of messages (50)"),
            .init("search", value: "WORDS", "only messages with all of these words"),
            .init("fetch", "first load missing messages from the server's archive"),
        ], usesProfile: true
    ) { invocation in
        guard invocation.arguments.count <= 1 else { throw CommandError.usage(localized("Give one address.")) }
        var request = HistoryQuery()
        request.searchText = invocation.options["search"]?.trimmed
        request.before = try invocation.options["before"].map { text throws(CommandError) in try HistoryPoint(text) }
        if let text = invocation.options["limit"] {
            guard let number = Int(text), HistoryQuery.limits.contains(number) else {
                throw CommandError.usage(localized("“%@” is not a number of messages.", text))
            }
            request.limit = number
        }
        let account = try invocation.storedAccount()
        if let name = invocation.arguments.first {
            request.address = try invocation.partner(name, account: account)
        } else if request.searchText == nil {
            return try await listConversations(invocation, account: account)
        }
        if invocation.options.has("fetch") {
            guard let peer = request.address else { throw CommandError.usage(localized("Give one address.")) }
            let signIn = try await SignIn(invocation.connection)
            let (profile, count) = (invocation.profile, request.limit + 1)
            try await profile.withStore(for: .writing) { store in
                try await HistoryFetching(signIn: signIn, profile: profile, store: store).fetch(
                    with: peer, until: count)
            }
        }
        let wanted = request
        try await invocation.withStoreToRead { store in
            let (page, owner) = try await store.read { store throws(StoreError) -> (HistoryPage?, JID?) in
                guard let account = try store.account(meant: account) else {
                    return (HistoryPage(), nil)
                }
                return (try wanted.read(of: account.id, in: store), account.address)
            }
            guard let page else {
                throw CommandError.failed(localized("There is no such message to start from."))
            }
            let folder = owner.map { invocation.profile.mediaFolder(of: $0) }
            show(page, wanted, invocation) { file in
                guard let folder, let hash = file.contentHash.flatMap({ ChatStore.ContentHash($0) }) else { return nil }
                return MediaCache.file(of: hash, in: folder)
            }
        }
    }

    private static func show(
        _ page: HistoryPage, _ request: HistoryQuery, _ invocation: Invocation, files path: (Attachment) -> String?
    ) {
        if page.lines.isEmpty {
            return invocation.showText(
                request.searchText == nil ? localized("There is no such history.") : localized("Nothing was found."))
        }
        // Of the shown ones: what came before is not read for it.
        var encrypted: Set<ConversationKey> = []
        for line in page.lines {
            let mark = ProtectionMark(line.message, isAfterEncryption: encrypted.contains(line.key))
            if line.message.protection.isSealed { encrypted.insert(line.key) }
            invocation.show(
                text(of: line, mark, request, files: path), json: line.message.json(in: line.key, files: path))
        }
        guard let next = page.next else { return }
        StandardOutput.report(localized("There is more: --before %@", next.rawValue))
    }

    /// `2026-11-21 14:05  🔒 Nurse: text  (edited) 👍`, further lines of the text below it, and the devices that cannot
    /// read it.
    private static func text(
        of line: HistoryPage.Line, _ mark: ProtectionMark?, _ request: HistoryQuery,
        files path: (Attachment) -> String?
    ) -> String {
        let message = line.message
        let time = message.time.timestamp
        var author = TerminalText.harmless(line.author)
        // If the output mixes several conversations, each line names the other side.
        if request.address == nil, message.isOutgoing || line.key.kind == .room {
            author += " → \(line.key.address)"
        }
        var text = TerminalText.harmless(message.plainText(files: path), keepingLines: true)
            .replacing("\n", with: "\n" + String(repeating: " ", count: 4))
        if let remarks = message.remarks { text += "  " + TerminalText.harmless(remarks) }
        if message.isOutgoing { text += "  " + message.state.mark }
        for recipient in message.unreadable {
            text += "\n    " + localized("Not readable for %@", Wording.unreadable(recipient))
        }
        return "\(time.dayText) \(time.clockText)  \(ProtectionMark.prefix(mark))\(author): \(text)"
    }

    private static func listConversations(_ invocation: Invocation, account: JID?) async throws {
        try await invocation.withStoreToRead { store in
            let (conversations, book) = try await store.read { store throws(StoreError) in
                guard let account = try store.account(meant: account) else {
                    return ([Conversation](), AddressBook())
                }
                return (
                    try store.conversations().filter { $0.key.account == account.id },
                    try AddressBook(store, of: account.id)
                )
            }
            if conversations.isEmpty { invocation.showText(localized("No conversations yet.")) }
            for conversation in conversations {
                invocation.show(
                    text(of: conversation, book),
                    json: conversation.json(name: book.title(of: conversation.key)))
            }
        }
    }

    /// `Nurse <nurse@example.org> | 2 unread | 2026-11-21 14:05 | me: tea at five`.
    private static func text(of conversation: Conversation, _ book: AddressBook) -> String {
        let name = TerminalText.harmless(book.title(of: conversation.key))
        var line = "\(name) <\(conversation.key.address)>"
        if conversation.unreadCount > 0 {
            line += " | " + localized("%@ unread", plural: "%@ unread", count: conversation.unreadCount)
        }
        guard let last = conversation.lastMessage else { return line }
        let time = last.time.timestamp
        let words = last.author(in: conversation.key, book) + ": " + last.plainText
        return line + " | \(time.dayText) \(time.clockText) | "
            + DisplayWidth.truncate(TerminalText.harmless(words), to: 60)
    }
}

extension JID {
    /// The address of a conversation of this account, as the user types it.
    func partner(_ text: String) throws(CommandError) -> JID {
        do throws(ContactAddress.Refusal) {
            return try ContactAddress.parse(text, for: self)
        } catch {
            throw .usage(Wording.refusal(error, of: TerminalText.harmless(text)))
        }
    }
}

extension Invocation {
    /// The account whose conversations are read; `nil` if it is the only one in the store. No password is requested.
    func storedAccount() throws(CommandError) -> JID? {
        if let address = connection.address { return address.bare }
        return try CommandError.inProfile { () throws(ProfileFailure) in try AccountFile() }.current?.address
    }

    /// The address of a conversation. Without `@`, the domain of the account is added.
    func partner(_ text: String, account: JID?) throws(CommandError) -> JID {
        if let account { return try account.partner(text) }
        guard text.contains("@"), let address = try? JID(text.trimmed) else {
            throw .usage(localized("“%@” is not an address; write it as user@domain.", TerminalText.harmless(text)))
        }
        return address
    }

    /// Opens the store for reading. If there is none, the result is empty, which is not an error.
    nonisolated(nonsending) func withStoreToRead(_ body: (any LocalStore) async throws -> Void) async throws {
        guard profile.hasStore else {
            return showText(localized("There is no history yet; `hongyan chat` stores messages."))
        }
        try await profile.withStore(for: .reading) { try await body($0) }
    }
}
