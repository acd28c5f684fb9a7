internal import Automation
internal import ChatEngine
internal import ChatModel
internal import ChatStore
internal import FileSharing
internal import JSONRPC
internal import Localization
internal import MessageFeatures
internal import Roster
internal import Synchronization
internal import TerminalApp
internal import UserProfile
internal import XMPPAddress
internal import XMPPClient
internal import XMPPStanzas

/// One event as `listen` prints it.
struct ListenedLine: Codable, Sendable {
    var text: String
    /// The JSON object.
    var json: String
    /// Whether `--count` counts it.
    var isCounted = false
}

extension ListenedLine {
    /// The line of a message without files; `nil` if it says nothing. One that could not be opened has no body.
    init?(message copy: MessageCopy) {
        let notOpened = Wording.notOpened(copy.protection)
        guard let body = copy.content.text?.body.withoutFileKeys, notOpened != nil || !body.isEmpty else { return nil }
        let origin = ListenedOrigin(copy)
        let text = notOpened.map { "[\($0)]" } ?? body
        let json = JSONValue(
            [("event", "message")] + origin.members + [("body", notOpened == nil ? .string(body) : .null)])
        self.init(
            text: TerminalText.harmless("\(origin.name): \(text)"), json: json.description, isCounted: true)
    }
}

extension ListenedOrigin {
    init(_ copy: MessageCopy) {
        self.init(
            name: copy.protection.prefix + TerminalText.harmless(copy.sender.description),
            members: [
                ("from", .text(copy.sender)), ("id", .text(copy.wireID)), ("time", .text(copy.time.timestamp)),
                ("protection", copy.protection.json),
            ])
    }
}

/// Formats each event of an account as a line: for the output of `listen`, and for programs that listen through the one
/// that uses the profile.
final class Listener: Sendable {
    enum Fetching: String, Sendable {
        case friends, all, none
    }

    private struct Subscribers {
        var count = 0
        var requests: [Int: ProfileRequest] = [:]
        /// Reports to a new subscriber that the account is online.
        var online: ListenedLine?
    }

    private let fetching: Fetching
    private let folder: FileFolder
    private let output: (@Sendable (ListenedLine) -> Void)?
    private let files = ListenedFiles()
    private let subscribers = Mutex(Subscribers())
    private let account = Mutex<ChatAccount?>(nil)

    /// - Parameters:
    ///   - folder: the folder for downloaded files.
    ///   - output: called with each line; `nil` for a program that only serves others.
    init(_ fetching: Fetching = .friends, folder: FileFolder, output: (@Sendable (ListenedLine) -> Void)? = nil) {
        self.fetching = fetching
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

    private func show(_ text: String, _ json: JSONValue, isCounted: Bool = false) {
        show(ListenedLine(text: TerminalText.harmless(text), json: json.description, isCounted: isCounted))
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
        case .contact(let event): report(event)
        case .session(let event): report(event)
        case .message(let id, let copy, _):
            guard let account = account.withLock(\.self),
                output != nil || subscribers.withLock({ !$0.requests.isEmpty })
            else { return }
            await report(copy, id, of: account)
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
        case .approved(let address):
            show(localized("%@ has accepted you", address), ["event": "approved", "address": .text(address)])
        case .refused(let address):
            show(localized("%@ has refused you", address), ["event": "refused", "address": .text(address)])
        case .requestsOmitted(let count):
            show(
                localized("there are too many contact requests: %@ are not shown", String(count)),
                ["event": "requests-omitted", "count": .integer(count)])
        case .unsubscribed(let address):
            show(localized("%@ has removed you", address), ["event": "unsubscribed", "address": .text(address)])
        case .populating, .item, .populated: break
        }
    }

    private func report(_ event: SessionEvent) {
        switch event {
        case .message(let message): report(message)
        case .connection(.disconnected(let error?, let pause)):
            subscribers.withLock { $0.online = nil }
            show(
                Wording.ended(error, retryAfter: pause),
                [
                    "event": "connection", "state": "offline", "reason": .text(CommandError(error)),
                    "retry": .count(pause?.components.seconds), "cause": error.streamFailure?.causeFacts ?? .null,
                ])
        default: break
        }
    }

    /// Reports a message without readable content, which is not stored.
    private func report(_ message: Message) {
        let sender = message.from?.description ?? ""
        let name = TerminalText.harmless(sender)
        if message.isError {
            let reason = CommandError.oneLine(message.error.map { "\($0)" } ?? "error")
            let time = (try? message.payload(DelayedDelivery.self))?.stamp ?? .now
            show(
                "\(name): \(reason)",
                [
                    "event": "error", "from": .string(sender), "id": .text(message.id), "time": .text(time),
                    "error": .string(reason),
                ])
        } else if let receipt = try? message.payload(DeliveryReceipt.self) {
            show(
                localized("%@ has received %@", name, receipt.messageID),
                ["event": "receipt", "from": .string(sender), "id": .string(receipt.messageID)])
        } else if message.body?.isEmpty != false, let state = message.chatState {
            show(
                "\(name): \(state.rawValue)",
                ["event": "typing", "from": .string(sender), "state": .string(state.rawValue)])
        }
    }

    // MARK: Messages

    private func report(_ copy: MessageCopy, _ id: MessageID, of account: ChatAccount) async {
        guard let text = copy.content.text else { return }
        let origin = ListenedOrigin(copy)
        if let attachment = text.attachments.first {
            let isWanted: Bool =
                switch fetching {
                case .all: true
                case .none: false
                case .friends: await isFriend(copy.sender, of: account)
                }
            report(attachment, id, isWanted: isWanted, from: copy.sender, origin)
        } else if let line = ListenedLine(message: copy) {
            show(line)
        }
    }

    private func isFriend(_ address: JID, of account: ChatAccount) async -> Bool {
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
            isCounted: true)
    }

    /// Downloads offered files until the task is cancelled.
    func fetchFiles() async {
        guard let account = account.withLock(\.self) else { return }
        await files.run { job in await self.fetch(job, of: account) }
    }

    private func fetch(_ job: ListenedFiles.Job, of account: ChatAccount) async -> Int64 {
        let (name, event) = (job.origin.name, JSONValue.string(job.file.attachment.kind.eventName))
        func reportFile(_ text: String, _ members: [(String, JSONValue)]) {
            show("\(name): \(text)", JSONValue([("event", event)] + job.origin.members + members), isCounted: true)
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
