internal import Automation
internal import ChatEngine
internal import ChatModel
internal import ChatStore
internal import FileSharing
internal import JSONRPC
internal import Localization
internal import Roster
internal import Synchronization
internal import TerminalApp
internal import UserProfile
internal import XMPPAddress
internal import XMPPClient

/// One event as `listen` prints it.
struct ListenedLine: Codable, Sendable {
    var text: String
    /// The JSON object.
    var json: String
    /// Whether `--count` counts it.
    var isCounted = false
    /// Whether it is about a message in a room, which is shown only with `--rooms`.
    var isInRoom: Bool?
}

extension ListenedLine {
    /// The line of a message without files, of a correction, a retraction or reactions; `nil` if it says nothing. One that could
    /// not be opened has no body.
    ///
    /// - Parameter target: the number of the message that it refers to, if that is stored.
    init?(_ copy: MessageCopy, _ origin: ListenedOrigin, target: MessageID?) {
        let notOpened = Wording.notOpened(copy.protection)
        let body = copy.content.text?.body.withoutFileKeys ?? ""
        let words = notOpened.map { "[\($0)]" } ?? body
        let bodyMember: [(String, JSONValue)] = [("body", notOpened == nil ? .string(body) : .null)]
        let targetMembers: [(String, JSONValue)] = [
            ("target", .count(target?.rawValue)), ("targetId", .text(copy.content.target?.id)),
        ]
        var (text, event, members) = ("\(origin.name): \(words)", "message", bodyMember)
        switch copy.content {
        case .text(let content):
            guard notOpened != nil || !body.isEmpty else { return nil }
            if let reply = content.reply {
                members += [("reply", .count(target?.rawValue)), ("replyId", .string(reply.id))]
            }
        case .correction:
            text = localized("%@ has changed a message to: %@", origin.name, words)
            (event, members) = ("correction", bodyMember + targetMembers)
        case .retraction:
            text = localized("%@ has retracted a message", origin.name)
            (event, members) = ("retraction", targetMembers)
        case .reactions(_, let emojis):
            text =
                emojis.isEmpty
                ? localized("%@ has removed the reactions to a message", origin.name)
                : localized("%@ reacts with %@", origin.name, emojis.joined(separator: " "))
            (event, members) = ("reactions", targetMembers + [("emojis", .array(emojis.map(JSONValue.string)))])
        }
        self.init(
            text: TerminalText.harmless(text),
            json: JSONValue([("event", .string(event))] + origin.members + members).description,
            isCounted: event == "message", isInRoom: origin.isInRoom)
    }
}

extension ListenedOrigin {
    /// - Parameter id: the number under which a message is stored; that of its change is of no use.
    init(_ copy: MessageCopy, _ id: MessageID, in key: ConversationKey) {
        var members: [(String, JSONValue)] = [("from", .text(copy.sender)), ("id", .text(copy.wireID))]
        if case .text = copy.content { members.append(("message", .integer(Int(id.rawValue)))) }
        members += [
            ("with", .text(key.address)), ("kind", .string(key.kind.word)), ("time", .text(copy.time.timestamp)),
            ("protection", copy.protection.json),
        ]
        self.init(
            name: copy.protection.prefix + TerminalText.harmless(copy.sender.description), members: members,
            isInRoom: key.kind == .room)
    }
}

extension MessageContent {
    /// The message that it changes or replies to.
    fileprivate var target: TargetReference? {
        switch self {
        case .text(let text): text.reply
        case .correction(let target, _), .retraction(let target), .reactions(let target, _): target
        }
    }
}

/// Formats each event of an account as a line: for the output of `listen`, and for programs that listen through the one
/// that uses the profile.
final class Listener: Sendable {
    enum Fetching: String, Sendable {
        case contacts, all, none

        /// Earlier versions said `friends`.
        init?(word: String) { self.init(rawValue: word == "friends" ? "contacts" : word) }
    }

    private struct Subscribers {
        var count = 0
        var requests: [Int: ProfileRequest] = [:]
        /// Reports to a new subscriber that the account is online.
        var online: ListenedLine?
    }

    private let fetching: Fetching
    private let folder: FileFolder
    let joinsRooms: Bool
    private let output: (@Sendable (ListenedLine) -> Void)?
    private let files = ListenedFiles()
    private let subscribers = Mutex(Subscribers())
    private let account = Mutex<ChatAccount?>(nil)

    /// - Parameters:
    ///   - folder: the folder for downloaded files.
    ///   - joinsRooms: whether its account joins its rooms if nothing else uses them.
    ///   - output: called with each line; `nil` for a program that only serves others.
    init(
        _ fetching: Fetching = .contacts, folder: FileFolder, joinsRooms: Bool = true,
        output: (@Sendable (ListenedLine) -> Void)? = nil
    ) {
        self.fetching = fetching
        self.joinsRooms = joinsRooms
        self.folder = folder
        self.output = output
    }

    /// Whether it prints nothing itself, and only serves other programs.
    var isSilent: Bool { output == nil }

    /// `listen`: reports each event to a program that asks for it, until its connection ends.
    var method: ProfileMethod {
        ProfileMethod("listen") { [weak self] (_: [String: String], request) async throws(JSONRPCError) -> Bool in
            guard let number = self?.add(request) else { throw .disconnected }
            // The end of the connection cancels this.
            while (try? await Task.sleep(for: .seconds(3600))) != nil {}
            self?.subscribers.withLock { $0.requests[number] = nil }
            return true
        }
    }

    private func add(_ request: ProfileRequest) -> Int {
        subscribers.withLock { subscribers in
            subscribers.count += 1
            subscribers.requests[subscribers.count] = request
            if let online = subscribers.online { request.notify("event", online) }
            return subscribers.count
        }
    }

    private func show(_ text: String, _ json: JSONValue, isCounted: Bool = false, isInRoom: Bool? = nil) {
        show(
            ListenedLine(
                text: TerminalText.harmless(text), json: json.description, isCounted: isCounted, isInRoom: isInRoom))
    }

    private func show(_ line: ListenedLine) {
        output?(line)
        for request in subscribers.withLock({ $0.requests.values.map(\.self) }) { request.notify("event", line) }
    }

    // MARK: Events

    /// Sets the account of the events; called before the first one.
    func attach(_ account: ChatAccount) { self.account.withLock { $0 = account } }

    func hear(_ event: HeardEvent) async {
        switch event {
        case .online(let address): online(address)
        case .disconnected(let error, let pause): disconnected(error, pause)
        case .contact(let event): report(event)
        case .answer(let answer, let address): report(answer, of: address)
        case .report(let report, let key): self.report(report, in: key)
        case .typing(let sender, let state):
            show(
                "\(sender): \(state.rawValue)",
                ["event": "typing", "from": .text(sender), "state": .string(state.rawValue)])
        case .message(let id, let copy, let key):
            guard let account = account.withLock(\.self),
                output != nil || subscribers.withLock({ !$0.requests.isEmpty })
            else { return }
            await report(copy, id, in: key, of: account)
        }
    }

    private func online(_ address: JID) {
        let line = ListenedLine(
            text: localized("online as %@", address),
            json: JSONValue([("event", "connection"), ("state", "online"), ("address", .text(address))]).description)
        subscribers.withLock { $0.online = line }
        show(line)
    }

    private func report(_ event: RosterEvent) {
        switch event {
        case .request(let address, let text):
            show(
                localized("%@ wants to add you", address) + (text.map { ": " + $0 } ?? ""),
                ["event": "request", "address": .text(address), "text": .text(text)])
        case .changed(let contact):
            show(ContactLine.text(contact), JSONValue([("event", "contact"), ("contact", ContactLine.json(contact))]))
        case .removed(let address):
            show(localized("%@ is removed", address), ["event": "removed", "address": .text(address)])
        case .requestsOmitted(let count):
            show(
                localized("there are too many contact requests: %@ are not shown", String(count)),
                ["event": "requests-omitted", "count": .integer(count)])
        case .unsubscribed(let address):
            show(localized("%@ has removed you", address), ["event": "unsubscribed", "address": .text(address)])
        case .approved, .refused, .populating, .item, .populated: break
        }
    }

    private func report(_ answer: ContactAnswer, of address: JID) {
        show(
            Wording.answer(answer, of: address.description),
            ["event": answer == .accepted ? "approved" : "refused", "address": .text(address)])
    }

    private func disconnected(_ error: ClientError, _ pause: Duration?) {
        subscribers.withLock { $0.online = nil }
        show(
            Wording.ended(error, retryAfter: pause),
            [
                "event": "connection", "state": "offline", "reason": .text(CommandError(error)),
                "retry": .count(pause?.components.seconds), "cause": error.streamFailure?.causeFacts ?? .null,
            ])
    }

    /// What became of one of our messages.
    private func report(_ report: StateReport, in key: ConversationKey) {
        let (sender, id) = (TerminalText.harmless(report.sender.description), report.target.id)
        let isInRoom = key.kind == .room
        switch report.kind {
        case .delivered:
            show(
                localized("%@ has received %@", sender, id),
                ["event": "receipt", "from": .text(report.sender), "id": .string(id)], isInRoom: isInRoom)
        case .displayed:
            show(
                localized("%@ has seen %@", sender, id),
                ["event": "displayed", "from": .text(report.sender), "id": .string(id)], isInRoom: isInRoom)
        case .refused(let condition, let text):
            let reason = CommandError.oneLine(
                Wording.failure(FailureReason(.refused, condition: condition, text: text)))
            show(
                "\(sender): \(reason)",
                [
                    "event": "error", "from": .text(report.sender), "id": .string(id),
                    "time": .text(MessageTime.now.timestamp), "error": .string(reason), "condition": .string(condition),
                ], isInRoom: isInRoom)
        }
    }

    // MARK: Messages

    private func report(
        _ copy: MessageCopy, _ id: MessageID, in key: ConversationKey, of account: ChatAccount
    ) async {
        let origin = ListenedOrigin(copy, id, in: key)
        if case .text(let text) = copy.content, let attachment = text.attachments.first {
            let isWanted: Bool =
                switch fetching {
                case .all: true
                case .none: false
                case .contacts: await isContact(copy.sender, of: account)
                }
            report(attachment, id, isWanted: isWanted, from: copy.sender, origin)
        } else {
            let target = await number(of: copy.content.target, in: key, of: account)
            if let line = ListenedLine(copy, origin, target: target) { show(line) }
        }
    }

    /// The number of a stored message.
    private func number(
        of target: TargetReference?, in key: ConversationKey, of account: ChatAccount
    ) async -> MessageID? {
        guard let target else { return nil }
        let found = try? await account.store.read { reader throws(StoreError) -> MessageID? in
            guard let conversation = try reader.conversation(key) else { return nil }
            return try reader.message(target, in: conversation)?.id
        }
        return found ?? nil
    }

    private func isContact(_ address: JID, of account: ChatAccount) async -> Bool {
        let id = account.id
        let contact = try? await account.store.read { reader throws(StoreError) in
            try reader.contact(address.bare, of: id)
        }
        return (contact ?? nil) != nil
    }

    /// A file is downloaded concurrently with the events, so that a slow web server delays nothing.
    private func report(
        _ attachment: Attachment, _ id: MessageID, isWanted: Bool, from sender: JID, _ origin: ListenedOrigin
    ) {
        var reason: String?
        if isWanted {
            switch files.add(ListenedFiles.File(message: id, attachment: attachment), from: sender, origin) {
            case nil: return
            case .overBudget: reason = localized("the limit for automatic downloads in this hour is reached")
            case .tooMany: reason = localized("too many files are waiting to be downloaded")
            }
        }
        let url = attachment.url?.withoutFileKeys
        let text = [url, reason].compactMap(\.self).joined(separator: " – ")
        show(
            "\(origin.name): [\(attachment.kind.eventName)] " + (text.isEmpty ? localized("not downloaded") : text),
            JSONValue(
                [("event", .string(attachment.kind.eventName))] + origin.members
                    + [("url", .text(url)), ("fetched", false), ("reason", .text(reason))]),
            isCounted: true, isInRoom: origin.isInRoom)
    }

    /// Downloads offered files until the task is cancelled.
    func fetchFiles() async {
        guard let account = account.withLock(\.self) else { return }
        await files.run { job in await self.fetch(job, of: account) }
    }

    private func fetch(_ job: ListenedFiles.Job, of account: ChatAccount) async -> Int64 {
        let (name, event) = (job.origin.name, JSONValue.string(job.file.attachment.kind.eventName))
        func reportFile(_ text: String, _ members: [(String, JSONValue)]) {
            show(
                "\(name): \(text)", JSONValue([("event", event)] + job.origin.members + members), isCounted: true,
                isInRoom: job.origin.isInRoom)
        }
        do {
            guard let fetcher = await account.fetcher else {
                throw AttachmentFailure(.notStored)
            }
            let content = try await withDeadline(seconds: ListenedFiles.timeLimit) {
                try await fetcher.fetch(0, of: job.file.message)
            } orThrow: {
                CommandError.failed(localized("The download was too slow."))
            }
            let path = try folder.save(copyOf: content, job.file.attachment)
            let details = await FileDetails(path: path)
            let hash = await fetcher.hash(of: job.file.message)
            reportFile("\(details.line) \(path)", [("path", .string(path)), ("sha256", .text(hash))] + details.json)
            return Int64(details.byteCount)
        } catch is CancellationError {
            return 0
        } catch {
            let reason = CommandError(error).description
            reportFile(reason, [("error", .string(reason))])
            return 0
        }
    }
}

extension AttachmentFetcher {
    /// The SHA-256 of the downloaded content of a message, in hexadecimal digits.
    fileprivate func hash(of message: MessageID) async -> String? {
        let found = try? await store.read { reader throws(StoreError) in try reader.message(message) }
        return (found ?? nil)?.text.attachments.first?.contentHash
    }
}

extension Attachment.Kind {
    /// The name of the event that `listen` reports for such a file.
    fileprivate var eventName: String { self == .video ? FileKind.file.word : word }
}
