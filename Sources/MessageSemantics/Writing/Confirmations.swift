internal import MessagePayloads
package import XMPPAddress
package import XMPPStanzas

/// Delivery receipts (XEP-0184) and displayed markers (XEP-0333): which messages ask for them, and how they look.
extension Message {
    /// Asks for a receipt, once: a one-to-one message with content, that is none itself (XEP-0184 §5.3, §5.4).
    package mutating func requestReceipt() {
        guard canRequestConfirmation, !payloads.contains(DeliveryReceipt.name),
            !payloads.contains(DeliveryReceiptRequest.name)
        else { return }
        append(DeliveryReceiptRequest())
    }

    /// Asks for a displayed marker, once: a one-to-one message with content, that is none itself (XEP-0333 §4.2).
    package mutating func requestDisplayedMarker() {
        guard canRequestConfirmation, !isMarker, !payloads.contains(DisplayedMarkerRequest.name) else { return }
        append(DisplayedMarkerRequest())
    }

    /// Whether it may ask for them: a one-to-one message with content.
    package var canRequestConfirmation: Bool { (type == .chat || type == .normal) && isMessageWithBody }

    /// Whether its sender asks for a receipt.
    package var requestsReceipt: Bool { payloads.contains(DeliveryReceiptRequest.name) }

    /// The receipt for the message with that identifier.
    package static func receipt(for id: String, to sender: JID, type: Kind) -> Message {
        var receipt = Message(to: sender, type: type)
        receipt.append(DeliveryReceipt(messageID: id))
        return receipt
    }

    /// The marker that says that the person has seen the message with that identifier and all earlier ones.
    package static func displayedMarker(for id: String, to receiver: JID, type: Kind) -> Message {
        var marker = Message(to: receiver, type: type)
        marker.append(DisplayedMarker(messageID: id))
        // Other devices of both sides learn it from the archive.
        marker.payloads.append(ProcessingHint.store)
        return marker
    }
}
