public import MessagePayloads
public import XMPPAddress
public import XMPPStanzas

/// Makes the stanza of a message: the same one each time it is sent.
public struct MessageBuilder: Sendable {
    /// The message that a reply answers, as far as it is here.
    public struct RepliedMessage: Sendable, Hashable {
        public var body: String
        public var sender: JID

        public init(body: String, sender: JID) {
            self.body = body
            self.sender = sender
        }
    }

    /// When and by whom a message was sent first, if the receiver may have later ones but not this (XEP-0198 §6).
    public struct FirstSending: Sendable, Hashable {
        public var time: MessageTime
        public var sender: JID

        public init(time: MessageTime, sender: JID) {
            self.time = time
            self.sender = sender
        }
    }

    /// The message says that its author is here and not writing any more (XEP-0085 §5.1).
    public var tellsActivity: Bool

    /// - Parameter tellsActivity: only where others are told who is writing, and the receiver has not answered without it.
    public init(tellsActivity: Bool = false) {
        self.tellsActivity = tellsActivity
    }

    /// The stanza for the conversation's other side; `nil` for what cannot be put into one, such as a file that was not uploaded.
    ///
    /// - Parameters:
    ///   - id: the stanza's `id` and its origin-id, so that every copy is recognised, whichever way it comes (XEP-0359 §3.2).
    ///   - replied: the message that this one replies to: it is quoted for programs that do not know replies.
    public func message(
        _ content: MessageContent, id: String, in conversation: ConversationAddress,
        replyingTo replied: RepliedMessage? = nil,
        firstSent: FirstSending? = nil
    ) -> Message? {
        var message = Message(
            to: conversation.address, type: conversation.kind == .room ? .groupchat : .chat, id: id)
        switch content {
        case .text(let text):
            guard write(text, into: &message, replyingTo: replied) else { return nil }
        case .correction(let target, let text):
            guard case .sent(let first) = target, write(text, into: &message, replyingTo: nil) else { return nil }
            message = message.correcting(first)
            message.id = id
        case .retraction(let target):
            message = message.retracting(target.id)
            message.id = id
        case .reactions(let target, let emojis):
            message = .reaction(
                MessageReactions(emojis, to: target.id), to: conversation.address, type: message.type)
            message.id = id
        }
        message.append(OriginIdentifier(id))
        if let firstSent, conversation.kind == .direct {
            message.append(
                DelayedDelivery(
                    stamp: Timestamp(millisecondsSince1970: firstSent.time.millisecondsSince1970),
                    from: firstSent.sender.bare))
        }
        if conversation.kind == .direct, message.isMessageWithBody {
            message.append(DeliveryReceiptRequest())
            message.append(DisplayedMarkerRequest())
            if tellsActivity { message.payloads.append(ChatState.active) }
        }
        // Reactions and retractions have no body, and many archives keep only what has one (XEP-0313 §5.1.1).
        if !message.processingHints.contains(.store) {
            message.payloads.append(ProcessingHint.store)
        }
        return message
    }

    private func write(_ text: MessageText, into message: inout Message, replyingTo replied: RepliedMessage?) -> Bool {
        message.body = text.body
        if let subject = text.subject { message.subject = subject }
        if let thread = text.thread { message.thread = Message.Thread(id: thread) }
        if let attachment = text.attachments.first {
            // One file is one message: programs show no more than one (XEP-0447 §3).
            guard let url = attachment.url, text.attachments.count == 1 else { return false }
            message.offer(attachment.metadata, at: url)
        }
        if let reply = text.reply {
            // What programs take for a file has nothing but its address as text.
            let quoted = text.attachments.isEmpty ? replied?.body : nil
            message = message.replying(MessageReply(to: reply.id, by: replied?.sender), quoting: quoted)
        }
        return true
    }
}

extension Message {
    /// Makes this the message of an uploaded file: its address stands there three times, for programs that know XEP-0447, for those
    /// that know XEP-0066, and as the text for all others.
    public mutating func offer(_ file: FileMetadata, at url: String) {
        body = url
        append(SharedFile(metadata: file, urls: [url]))
        append(OutOfBandData(url: url))
        append(FallbackIndication(for: SharedFile.name.namespace))
    }
}
