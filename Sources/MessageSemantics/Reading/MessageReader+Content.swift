internal import MessagePayloads
internal import XMPPAddress
internal import XMPPStanzas

extension MessageReader {
    /// The payloads whose fallback text is not shown because the payload itself is shown (XEP-0428).
    static let understood: Set<String> = [
        MessageReply.name.namespace, MessageReactions.name.namespace, MessageRetraction.name.namespace,
        SharedFile.name.namespace, OutOfBandData.name.namespace,
    ]

    /// The content of a message; `nil` if it has none.
    ///
    /// - Parameter room: the room of the message; messages refer to others there by the ids of its archive (XEP-0424
    ///   §3, XEP-0444 §4, XEP-0461 §3).
    func content(of opened: OpenedMessage, room: JID?) -> MessageContent? {
        // The text next to encrypted content is for clients that do not support the encryption.
        if opened.protection.isNotOpened { return .text(MessageText("")) }
        let message = opened.message
        func target(_ id: String) -> TargetReference {
            room.map { .archived(ArchiveReference(archive: $0, id: id)) } ?? .sent(id: id)
        }
        if let retraction = message.moderatedRetraction {
            // Only the room itself may act for its moderators (XEP-0425 §4). Both the current form and the one of
            // Prosody in Debian 12 are accepted.
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
        // A correction refers to the original message by the `id` of the sender, also in a room (XEP-0308 §3).
        if let correction = (try? message.payload(MessageCorrection.self)) ?? nil {
            return .correction(of: .sent(id: correction.messageID), text)
        }
        return .text(text)
    }

    private func text(of message: Message, _ target: (String) -> TargetReference) -> MessageText? {
        // A message with an invalid file offer is still a message.
        let offer = (try? FileOffer(in: message)) ?? nil
        var body = message.body(withoutFallbackFor: Self.understood)
        if let offer, case .addresses(let addresses) = offer.source, let shown = body, addresses.contains(shown) {
            body = nil
        }
        guard let shown = body ?? offer.map({ _ in "" }) else { return nil }
        var text = MessageText(shown, subject: message.subject, thread: message.thread?.id)
        if let reply = (try? message.payload(MessageReply.self)) ?? nil { text.reply = target(reply.messageID) }
        // A description of a link that the text does not contain is ignored.
        if let link = (try? message.payload(LinkDescription.self)) ?? nil, shown.contains(link.link) {
            text.link = link
        }
        if let offer {
            var attachment = Attachment(offer, digest: digest, isPreview: isPreview)
            if let hash = attachment.contentHash, attachment.url == nil {
                attachment.isLocal = keptContents.contains(hash)
            }
            text.attachments = [attachment]
        }
        return text
    }
}
