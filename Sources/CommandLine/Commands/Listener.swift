internal import FileSharing
internal import Localization
internal import MessageFeatures
internal import Roster
internal import Synchronization
internal import TerminalApp
internal import XMPPAddress
internal import XMPPClient
internal import XMPPStanzas

/// Prints each event of a session as one line, or as one JSON object.
final class Listener: Sendable {
    private enum Fetching: String {
        case friends, all, none
    }

    private let invocation: Invocation
    private let fetching: Fetching
    private let files = ListenedFiles()
    /// How many messages are still wanted; `nil` is any number.
    private let remaining: Mutex<Int?>

    init(_ invocation: Invocation) throws(CommandError) {
        self.invocation = invocation
        let choice = invocation.options["fetch"] ?? "friends"
        guard let fetching = Fetching(rawValue: choice) else {
            throw .usage(localized("“%@” is no choice of --fetch; it is friends, all or none.", choice))
        }
        self.fetching = fetching
        var count: Int?
        if let text = invocation.options["count"] {
            guard let number = Int(text), number > 0 else {
                throw .usage(localized("“%@” is not a number of messages.", text))
            }
            count = number
        }
        remaining = Mutex(count)
    }

    func online(_ address: JID) {
        show(localized("online as %@", address), ["event": "connection", "state": "online", "address": .text(address)])
    }

    func request(_ address: JID, text: String?) {
        show(
            localized("%@ wants to add you", address) + (text.map { ": " + $0 } ?? ""),
            ["event": "request", "address": .text(address), "text": .text(text)])
    }

    func report(_ event: RosterEvent) {
        switch event {
        case .request(let address, let text): request(address, text: text)
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

    func report(_ event: SessionEvent, _ roster: Roster) async throws {
        switch event {
        case .message(let message): try await report(message, roster)
        case .connection(.online(let address, _)): online(address)
        case .connection(.disconnected(let error, let pause)) where error != nil:
            show(
                event.connectionWords,
                [
                    "event": "connection", "state": "offline", "reason": .text(error.map { CommandError($0) }),
                    "retry": .count(pause?.components.seconds), "cause": error?.streamFailure?.causeFacts ?? .null,
                ])
        default: break
        }
    }

    private func report(_ message: Message, _ roster: Roster) async throws {
        let sender = message.from?.description ?? invocation.connection.address?.domain ?? ""
        let origin: [(String, JSONValue)] = [
            ("from", .string(sender)), ("id", .text(message.id)), ("time", .text(message.moment)),
        ]
        let name = TerminalText.harmless(sender)
        switch IncomingContent(message) {
        case .text(let body):
            show("\(name): \(body)", JSONValue([("event", "message")] + origin + [("body", .string(body))]))
            try count()
        case .file(let offer):
            let isWanted: Bool =
                switch fetching {
                case .all: true
                case .none: false
                case .friends: await isFriend(message.from, roster)
                }
            try report(offer, isWanted: isWanted, from: message.from, ListenedOrigin(name: name, members: origin))
        case .unusableFile(let reason):
            show("\(name): \(reason)", JSONValue([("event", "file")] + origin + [("error", .string(reason))]))
            try count()
        case .nothing:
            if let receipt = try? message.payload(DeliveryReceipt.self) {
                show(
                    localized("%@ has received %@", name, receipt.messageID),
                    JSONValue([("event", "receipt")] + origin.prefix(1) + [("id", .string(receipt.messageID))]))
            } else if let state = message.chatState {
                show(
                    "\(name): \(state.rawValue)",
                    JSONValue([("event", "typing")] + origin.prefix(1) + [("state", .string(state.rawValue))]))
            } else if message.isError {
                let reason = CommandError.oneLine(message.error.map { "\($0)" } ?? "error")
                show("\(name): \(reason)", JSONValue([("event", "error")] + origin + [("error", .string(reason))]))
            }
        }
    }

    /// A file is downloaded beside the events, so that a slow web server holds nothing up.
    private func report(
        _ offer: FileOffer, isWanted: Bool, from sender: JID?, _ origin: ListenedOrigin
    ) throws {
        var reason: String?
        if isWanted, let sender {
            switch files.add(offer, from: sender, origin) {
            case nil: return
            case .overBudget: reason = localized("the limit for automatic downloads in this hour is reached")
            case .tooMany: reason = localized("too many files are waiting to be downloaded")
            }
        }
        var address: String?
        if case .addresses(let addresses) = offer.source { address = addresses.first }
        let text = [address, reason].compactMap(\.self).joined(separator: " – ")
        show(
            "\(origin.name): [\(offer.kind.eventName)] " + (text.isEmpty ? localized("not downloaded") : text),
            JSONValue(
                [("event", .string(offer.kind.eventName))] + origin.members
                    + [("url", .text(address)), ("fetched", false), ("reason", .text(reason))]))
        try count()
    }

    /// Downloads what was offered until the task is cancelled.
    func fetchFiles(in session: Session, _ folder: FileFolder) async throws {
        try await files.run { job in
            let bytes = await self.fetch(job, in: session, folder)
            try self.count()
            return bytes
        }
    }

    private func fetch(_ job: ListenedFiles.Job, in session: Session, _ folder: FileFolder) async -> Int64 {
        let (name, event) = (job.origin.name, JSONValue.string(job.offer.kind.eventName))
        do {
            let file = try await withDeadline(seconds: ListenedFiles.timeLimit) {
                try await FetchedFile(job.offer, in: session, folder: folder)
            } orThrow: {
                CommandError.failed(localized("The download was too slow."))
            }
            show(
                "\(name): \(file.details.line) \(file.path)",
                JSONValue([("event", event)] + job.origin.members + file.json))
            return Int64(clamping: file.details.byteCount)
        } catch {
            let reason = CommandError(error).description
            show(
                "\(name): \(reason)",
                JSONValue([("event", event)] + job.origin.members + [("error", .string(reason))]))
            return 0
        }
    }

    private func isFriend(_ address: JID?, _ roster: Roster) async -> Bool {
        guard let address else { return false }
        return await roster.contact(address.bare) != nil
    }

    /// - Throws: ``ListeningIsOver`` with the last wanted message.
    private func count() throws {
        let isEnough = remaining.withLock { remaining in
            guard let number = remaining else { return false }
            remaining = number - 1
            return number <= 1
        }
        if isEnough { throw ListeningIsOver() }
    }

    private func show(_ text: String, _ json: JSONValue) {
        invocation.show(TerminalText.harmless(text), json: json)
    }
}

extension SessionEvent {
    fileprivate var connectionWords: String {
        if case .connection(let event) = self { event.words } else { "" }
    }
}
