public import MessagePayloads
public import XMPPAddress
public import XMPPStanzas

/// Builds the stanza of a message; the result is identical each time the message is sent.
public struct MessageBuilder: Sendable {
    /// The message that is replied to, as far as it is known.
    public struct RepliedMessage: Sendable, Hashable {
        public var body: String
        public var sender: JID

        public init(body: String, sender: JID) {
            self.body = body
            self.sender = sender
        }
    }

    /// When and by whom a message was sent for the first time, if the receiver may have received later messages but not
    /// this one (XEP-0198 §6).
    public struct FirstSending: Sendable, Hashable {
        public var time: MessageTime
        public var sender: JID

        public init(time: MessageTime, sender: JID) {
            self.time = time
            self.sender = sender
        }
    }

    /// Whether the message states that its author is active and has stopped typing (XEP-0085 §5.1).
    public var tellsActivity: Bool
    /// This account in the room that the message goes to; `nil` elsewhere and where it is not known.
    public var occupancy: RoomOccupancy?

    /// - Parameter tellsActivity: set it only if the user sends typing notifications, and the receiver has not replied
    ///   without one.
    public init(tellsActivity: Bool = false, occupancy: RoomOccupancy? = nil) {
        self.tellsActivity = tellsActivity
        self.occupancy = occupancy
    }

    /// The stanza for the other side of the conversation; `nil` if the content cannot be sent, such as a file that was
    /// not uploaded.
    ///
    /// - Parameters:
    ///   - id: the `id` and origin-id of the stanza, by which every copy is recognised on any route (XEP-0359 §3.2).
    ///   - replied: the message that this one replies to; it is quoted for clients that do not support replies.
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
            message.requestReceipt()
            message.requestDisplayedMarker()
            if tellsActivity { message.payloads.append(ChatState.active) }
        }
        if conversation.kind == .room, let occupancy, message.isMessageWithBody {
            if occupancy.isPrivate, occupancy.hasStanzaIDs { message.append(DisplayedMarkerRequest()) }
            if occupancy.isModerator { addressEverybody(in: &message) }
        }
        // Reactions and retractions have no body, and many archives store only messages with a body (XEP-0313 §5.1.1).
        if !message.processingHints.contains(.store) {
            message.payloads.append(ProcessingHint.store)
        }
        return message
    }

    /// Says to other programs that the text addresses everybody (XEP-0513 §4.2).
    private func addressEverybody(in message: inout Message) {
        guard let body = message.body, let (mention, range) = EverybodyMention.first(in: body) else { return }
        let characters = Array(body)
        let start = characters[..<range.lowerBound].reduce(0) { $0 + $1.unicodeScalars.count }
        let count = characters[range].reduce(0) { $0 + $1.unicodeScalars.count }
        message.append(
            ExplicitMention(.group(.channel, uri: nil), at: start..<start + count, isForActiveOnly: mention == .here))
    }

    private func write(_ text: MessageText, into message: inout Message, replyingTo replied: RepliedMessage?) -> Bool {
        message.body = text.body
        if let subject = text.subject { message.subject = subject }
        if let thread = text.thread { message.thread = Message.Thread(id: thread) }
        if let link = text.link { message.append(link) }
        if let attachment = text.attachments.first {
            // A message contains one file: clients show no more than one (XEP-0447 §3).
            guard let url = attachment.url, text.attachments.count == 1 else { return false }
            message.offer(attachment.metadata, at: url, caption: text.body)
        }
        if let reply = text.reply {
            // The text of a message with a file is only the address of the file.
            let quoted = text.attachments.isEmpty ? replied?.body : nil
            message = message.replying(MessageReply(to: reply.id, by: replied?.sender), quoting: quoted)
        }
        return true
    }
}

extension Message {
    /// Turns this into the message of an uploaded file. The address occurs three times: for clients that support
    /// XEP-0447, for those that support XEP-0066, and as the text for all others.
    ///
    /// - Parameter caption: the text about the file. The address follows it on a line of its own, which clients that support
    ///   XEP-0447 do not show (XEP-0428).
    public mutating func offer(_ file: FileMetadata, at url: String, caption: String = "") {
        var region = FallbackIndication.Region.whole
        body = url
        if !caption.isEmpty {
            body = caption + "\n" + url
            region = .init(start: caption.unicodeScalars.count, end: nil)
        }
        append(SharedFile(metadata: file, urls: [url]))
        append(OutOfBandData(url: url))
        append(FallbackIndication(for: SharedFile.name.namespace, bodyRegions: [region]))
    }
}
