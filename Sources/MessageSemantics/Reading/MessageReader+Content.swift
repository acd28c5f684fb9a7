internal import MessagePayloads
internal import XMPPAddress
internal import XMPPStanzas

extension MessageReader {
    /// The payloads whose text for other programs is not shown, because they are shown themselves (XEP-0428).
    static let understood: Set<String> = [
        MessageReply.name.namespace, MessageReactions.name.namespace, MessageRetraction.name.namespace,
        SharedFile.name.namespace, OutOfBandData.name.namespace,
    ]

    /// What a message says or does; `nil` for one that does neither.
    ///
    /// - Parameter room: the room in which it was said, whose archive's names are used there (XEP-0424 §3, XEP-0444 §4,
    ///   XEP-0461 §3).
    func content(of opened: OpenedMessage, room: JID?) -> MessageContent? {
        // What stands beside the sealed content is for programs that do not know it.
        if opened.protection.isNotOpened { return .text(MessageText("")) }
        let message = opened.message
        func target(_ id: String) -> TargetReference {
            room.map { .archived(ArchiveReference(archive: $0, id: id)) } ?? .sent(id: id)
        }
        if let retraction = message.moderatedRetraction {
            // Only the room itself speaks for its moderators (XEP-0425 §4), in the form of today and in that of Debian 12's Prosody.
            if message.from?.isBare != true || room == nil { return nil }
            return .retraction(of: target(retraction.messageID))
        }
        if let retraction = (try? message.payload(MessageRetraction.self)) ?? nil {
            return .retraction(of: target(retraction.messageID))
        }
        if let reactions = (try? message.payload(MessageReactions.self)) ?? nil {
            return .reactions(to: target(reactions.messageID), reactions.reactions)
        }
        guard let text = text(of: message, target) else { return nil }
        // A correction names the first message by the sender's own id, in a room too (XEP-0308 §3).
        if let correction = (try? message.payload(MessageCorrection.self)) ?? nil {
            return .correction(of: .sent(id: correction.messageID), text)
        }
        return .text(text)
    }

    private func text(of message: Message, _ target: (String) -> TargetReference) -> MessageText? {
        // A file whose offer is damaged is still a message.
        let offer = (try? FileOffer(in: message)) ?? nil
        var body = message.body(withoutFallbackFor: Self.understood)
        if let offer, case .addresses(let addresses) = offer.source, let shown = body, addresses.contains(shown) {
            body = nil
        }
        guard let shown = body ?? offer.map({ _ in "" }) else { return nil }
        var text = MessageText(shown, subject: message.subject, thread: message.thread?.id)
        if let reply = (try? message.payload(MessageReply.self)) ?? nil { text.reply = target(reply.messageID) }
        if let offer {
            var attachment = Attachment(offer, digest: digest)
            if let hash = attachment.contentHash, attachment.url == nil {
                attachment.isLocal = keptContents.contains(hash)
            }
            text.attachments = [attachment]
        }
        return text
    }
}
