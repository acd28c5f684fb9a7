public import ChatStore
internal import FileSharing
internal import MessageFeatures
public import XMPPAddress
public import XMPPStanzas

/// Makes the stanza of a message that waits in the send queue: the same one each time it is sent.
public struct MessageComposer: Sendable {
    private let tellsState: @Sendable (JID) -> Bool

    /// - Parameter tellsState: whether a contact is told that this account is writing, asked for each message: then the
    ///   message says that it is written (XEP-0085 §5.1), and what was told before is over.
    public init(tellsState: @escaping @Sendable (JID) -> Bool = { _ in true }) {
        self.tellsState = tellsState
    }

    /// The stanza for the conversation's other side; `nil` for what cannot be put into one.
    ///
    /// Its `id` and its origin-id are the message's own, so that every copy of it is recognised, whichever way it comes
    /// (XEP-0359 §3.2).
    ///
    /// - Parameter answered: the message that this one replies to, if it is here: it is quoted for programs that do not
    ///   know replies.
    /// - Parameter firstSent: when the message was sent first, if the receiver may have later ones but not this (XEP-0198 §6).
    public func stanza(
        for queued: QueuedMessage, to key: ConversationKey, answering answered: StoredMessage? = nil,
        firstSent: MessageTime? = nil
    ) -> Message? {
        guard let id = queued.message.originID else { return nil }
        var message = Message(to: key.address, type: key.kind == .room ? .groupchat : .chat, id: id)
        switch queued.content {
        case .text(let text):
            guard write(text, into: &message, answering: answered) else { return nil }
        case .correction(let target, let text):
            guard case .sent(let first) = target, write(text, into: &message, answering: nil) else { return nil }
            message = message.correcting(first)
            message.id = id
        case .retraction(let target):
            message = message.retracting(target.id)
            message.id = id
        case .reactions(let target, let emojis):
            message = .reaction(
                MessageReactions(emojis, to: target.id), to: key.address, type: message.type)
            message.id = id
        }
        message.append(OriginIdentifier(id))
        if let firstSent, key.kind == .direct {
            message.append(
                DelayedDelivery(
                    stamp: Timestamp(millisecondsSince1970: firstSent.millisecondsSince1970),
                    from: queued.message.sender.bare))
        }
        if key.kind == .direct, message.isMessageWithBody {
            message.append(DeliveryReceiptRequest())
            message.append(DisplayedMarkerRequest())
            if tellsState(key.address) { message.payloads.append(ChatState.active) }
        }
        // Reactions and retractions have no body, and many archives keep only what has one (XEP-0313 §5.1.1).
        if !message.processingHints.contains(.store) {
            message.payloads.append(ProcessingHint.store)
        }
        return message
    }

    private func write(_ text: MessageText, into message: inout Message, answering answered: StoredMessage?) -> Bool {
        message.body = text.body
        if let subject = text.subject { message.subject = subject }
        if let thread = text.thread { message.thread = Message.Thread(id: thread) }
        if let attachment = text.attachments.first {
            // One file is one message: programs show no more than one (XEP-0447 §3).
            guard let url = attachment.url, text.attachments.count == 1 else { return false }
            message.body = url
            message.append(SharedFile(metadata: FileMetadata(attachment), urls: [url]))
            message.append(OutOfBandData(url: url))
            message.append(FallbackIndication(for: SharedFile.name.namespace))
        }
        if let reply = text.reply {
            // What programs take for a file has nothing but its address as text.
            let quoted = text.attachments.isEmpty ? answered?.text.body : nil
            message = message.replying(MessageReply(to: reply.id, by: answered?.sender), quoting: quoted)
        }
        return true
    }
}

extension TargetReference {
    /// The name by which the protocol refers to the message.
    var id: String {
        switch self {
        case .sent(let id): id
        case .archived(let reference): reference.id
        }
    }
}

extension FileMetadata {
    init(_ attachment: Attachment) {
        self.init(
            mediaType: attachment.mediaType, fileName: attachment.name,
            size: attachment.size.map { UInt64(clamping: $0) }, width: attachment.width, height: attachment.height,
            length: attachment.duration.map { Int(clamping: $0) },
            hashes: attachment.contentHash.flatMap(FileHash.init(sha256:)).map { [$0] } ?? [])
    }
}

extension FileHash {
    /// - Parameter digits: the hash in hexadecimal digits.
    fileprivate init?(sha256 digits: String) {
        var bytes: [UInt8] = []
        var rest = digits[...]
        while rest.count >= 2 {
            guard let byte = UInt8(rest.prefix(2), radix: 16) else { return nil }
            bytes.append(byte)
            rest = rest.dropFirst(2)
        }
        guard bytes.count == 32, rest.isEmpty else { return nil }
        self.init(algorithm: "sha-256", value: bytes)
    }
}
