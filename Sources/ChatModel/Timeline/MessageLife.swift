public import ChatEngine
public import ChatStore
internal import Localization

/// The life of one of our messages, step by step, and what to do where it has stopped.
///
///     for step in life.steps { show(step.title, step.detail, step.progress) }
///     show(life.advice)
public struct MessageLife: Sendable, Hashable {
    public enum Progress: Sendable, Hashable {
        case done
        /// It waits here.
        case waiting
        /// It has not come so far, or that is not known.
        case open
        case failed
    }

    public struct Step: Sendable, Hashable {
        public let title: String
        public let detail: String
        public let progress: Progress
    }

    public let steps: [Step]
    /// What the user can do; `nil` where nothing can be done.
    public let advice: String?

    /// - Parameters:
    ///   - entry: of the send queue; `nil` if it is not in the queue.
    ///   - name: of the other side.
    ///   - readers: who has seen it in a room, as far as that is known.
    ///   - file: what happens to its file, if it is in the queue.
    public init(
        _ message: StoredMessage, entry: QueuedMessage?, name: String, isRoom: Bool, isOnline: Bool,
        readers: [MessageReceipt] = [], file: FileSendingStep? = nil
    ) {
        let state = message.state
        let isWithServer = state.isWithServer
        let written = Step(title: localized("Written"), detail: Wording.full(message.time), progress: .done)
        if message.wentDirectly {
            let detail = localized("The file went to a device of %@. No server has it.", name)
            steps = [written, Step(title: localized("Delivered"), detail: detail, progress: .done)]
            advice = nil
            return
        }
        var steps = [written, Self.sending(message, entry, isRoom: isRoom, isOnline: isOnline, file: file)]
        if case .failed = state {
            (self.steps, advice) = (steps, Self.advice(state))
            return
        }
        let isArchived = message.archiveReference != nil
        steps.append(
            Step(
                title: localized("Archived"),
                detail: isArchived
                    ? localized("Your other devices find it on the server.")
                    : localized("The server has not confirmed that it stores the message."),
                progress: isArchived ? .done : .open))
        if !isRoom {
            let (isDelivered, isDisplayed) = (state == .delivered || state == .displayed, state == .displayed)
            steps.append(
                Step(
                    title: localized("Delivered"),
                    detail: isDelivered
                        ? Self.devices(message.receipts.filter { $0.kind == .delivered })
                            ?? localized("A device of %@ has it.", name)
                        : localized("No device of %@ has confirmed it. That happens when one is online.", name),
                    progress: isDelivered ? .done : isWithServer ? .waiting : .open))
            steps.append(
                Step(
                    title: localized("Seen"),
                    detail: isDisplayed
                        ? Self.devices(message.receipts.filter { $0.kind == .displayed })
                            ?? localized("%@ has seen it.", name)
                        : localized("%@ has not confirmed it. Not everybody sends such confirmations.", name),
                    progress: isDisplayed ? .done : isDelivered ? .waiting : .open))
        }
        if isRoom, !readers.isEmpty {
            steps.append(
                Step(
                    title: localized("Seen by %@ person", plural: "Seen by %@ people", count: readers.count),
                    detail: readers.map { localized("%@, %@", $0.device, Wording.full($0.time)) }
                        .joined(separator: "\n"), progress: .done))
        }
        self.steps = steps
        advice = state == .queued && !isOnline ? localized("It is sent as soon as you are connected.") : nil
    }

    /// Each device with the time of its confirmation, one a line.
    private static func devices(_ receipts: [MessageReceipt]) -> String? {
        guard !receipts.isEmpty else { return nil }
        return receipts.map { receipt in
            receipt.device.isEmpty
                ? Wording.full(receipt.time)
                : localized("%@, on the device “%@”", Wording.full(receipt.time), receipt.device)
        }.joined(separator: "\n")
    }

    private static func sending(
        _ message: StoredMessage, _ entry: QueuedMessage?, isRoom: Bool, isOnline: Bool, file: FileSendingStep?
    ) -> Step {
        let title = isRoom ? localized("Sent to the room") : localized("Sent to your server")
        switch message.state {
        case .failed(let reason):
            let who =
                reason.kind == .refused
                ? localized("It was refused: %@", Wording.failure(reason))
                : localized("It was not sent: %@", Wording.failure(reason))
            // The room says how long to wait (XEP-0500 §5).
            let words =
                reason.condition == FailureReason.tooFast ? reason.text.map { "\n" + localized("“%@”", $0) } : nil
            return Step(title: title, detail: who + (words ?? ""), progress: .failed)
        case .queued:
            let detail: String =
                if !isOnline {
                    localized("It waits for a connection.")
                } else if let file, !file.isUpload {
                    localized("The server does not accept the file.") + " " + Wording.sending(file)
                } else if entry?.hasFileToUpload == true {
                    localized("The file is uploaded first.")
                } else if let entry, entry.attempts > 0 {
                    localized(
                        "It was written to the server %@ time without an answer and is sent again.",
                        plural: "It was written to the server %@ times without an answer and is sent again.",
                        count: entry.attempts)
                } else {
                    localized("It waits to be sent.")
                }
            return Step(title: title, detail: detail, progress: .waiting)
        case .sentToServer, .delivered, .displayed:
            return Step(title: title, detail: localized("The server has acknowledged it."), progress: .done)
        }
    }

    /// What to do about a failure.
    private static func advice(_ state: MessageState) -> String? {
        guard case .failed(let reason) = state else { return nil }
        if reason.kind == .notSent { return localized("Send it again.") }
        return switch reason.condition {
        case "item-not-found", "recipient-unavailable", "jid-malformed", "gone", "redirect":
            localized("Check the address, or ask the person for the current one.")
        case "remote-server-not-found", "remote-server-timeout", "service-unavailable", "resource-constraint",
            "internal-server-error", "policy-violation":
            localized("Send it again later.")
        case "forbidden", "not-allowed", "not-authorized", "registration-required", "subscription-required":
            localized("Ask the person to accept your contact request, or an owner of the room for the right to write.")
        case FailureReason.tooFast: localized("Wait a moment, then send it again.")
        case FailureReason.tooLong: localized("Send it in parts, or as a file.")
        default: nil
        }
    }
}

extension MessageState {
    fileprivate var isWithServer: Bool {
        switch self {
        case .sentToServer, .delivered, .displayed: true
        case .queued, .failed: false
        }
    }
}

extension StoredMessage {
    /// Whether its file went from device to device. Others have an address, or come back from the server with an archive id
    /// or a receipt.
    fileprivate var wentDirectly: Bool {
        guard state == .delivered || state == .displayed, archiveReference == nil, receipts.isEmpty else {
            return false
        }
        return text.attachments.contains { $0.isLocal && $0.url == nil }
    }
}

extension FileSendingStep {
    fileprivate var isUpload: Bool { if case .uploading = self { true } else { false } }
}

extension Timeline {
    /// The life of one of the user's own messages; `nil` for any other.
    ///
    /// - Parameter file: what happens to its file, if it is in the queue.
    public func life(
        of message: MessageID, isOnline: Bool, file: FileSendingStep? = nil
    ) async throws(StoreError) -> MessageLife? {
        let isRoom = key.kind == .room
        let found = try await store.read {
            store throws(StoreError) -> (StoredMessage, QueuedMessage?, [MessageReceipt])? in
            guard let stored = try store.message(message) else { return nil }
            return (stored, try store.queued(message), isRoom ? try store.readers(of: stored) : [])
        }
        guard let (stored, entry, readers) = found, stored.isOutgoing else { return nil }
        return MessageLife(
            stored, entry: entry, name: title, isRoom: isRoom, isOnline: isOnline, readers: readers, file: file)
    }
}

/// The number of later messages that are looked through for readers: who reads on has seen this one, too.
private let readLimit = 200

extension StoreReader {
    /// Who has seen a message in a room, each once and since when: who has seen a later one has seen it, too.
    fileprivate func readers(of message: StoredMessage) throws(StoreError) -> [MessageReceipt] {
        let later = try timeline(of: message.conversation, .after(message.position), limit: readLimit)
        var readers: [MessageReceipt] = []
        for receipt in ([message] + later).filter(\.isOutgoing).flatMap(\.receipts) where receipt.kind == .displayed {
            if !readers.contains(where: { $0.hasSameDevice(as: receipt) }) { readers.append(receipt) }
        }
        return readers
    }
}
