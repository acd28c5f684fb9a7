internal import FileSharing
internal import GroupChat
internal import MessageFeatures
internal import OMEMO
internal import XMLStreaming
internal import XMPPStanzas

extension Message {
    /// What stands beside the sealed part and is believed: names, times, hints and requests, nothing that a person
    /// reads.
    var withoutEncryption: Message {
        var message = self
        message.payloads.removeAll { !Self.staysOutside($0) }
        return message
    }

    /// Whether a payload is for servers, or for programs without a person, and is not encrypted.
    static func staysOutside(_ payload: XMLElement) -> Bool {
        switch payload.namespace {
        case ProcessingHint.namespace, OriginIdentifier.name.namespace, DelayedDelivery.name.namespace,
            OccupantIdentifier.name.namespace, RoomUser.name.namespace, ChatState.namespace:
            true
        case DeliveryReceiptRequest.name.namespace: payload.isNamed(DeliveryReceiptRequest.name)
        case DisplayedMarkerRequest.name.namespace: payload.isNamed(DisplayedMarkerRequest.name)
        default: false
        }
    }

    /// The elements of an envelope; what servers and rooms say stays as it was.
    mutating func take(_ content: [XMLElement]) {
        for element in content where !Self.staysOutside(element) { payloads.append(element) }
    }

    /// The text of the legacy generation, which encrypts nothing else: to what it belongs stands beside it.
    mutating func take(bodyOfLegacy text: String, of sealed: Message) {
        for payload in sealed.payloads where Self.accompaniesLegacy(payload) { payloads.append(payload) }
        body = text
    }

    /// Programs that know only XEP-0454 put the link of an encrypted file in the place of the text, some with a small
    /// picture behind it: it is a file like all others.
    mutating func offerLinkedFile() {
        guard let text = body, !payloads.contains(SharedFile.name), !payloads.contains(OutOfBandData.name) else {
            return
        }
        let lines = text.split(separator: "\n", maxSplits: 1)
        guard let first = lines.first, AESGCMLink(first) != nil, lines.count == 1 || lines[1].hasPrefix("data:image/")
        else { return }
        body = String(first)
        append(OutOfBandData(url: String(first)))
    }

    /// Whether a payload says to which message a text of the legacy generation belongs.
    static func accompaniesLegacy(_ payload: XMLElement) -> Bool {
        payload.isNamed(MessageReply.name) || payload.isNamed(MessageCorrection.name)
            || payload.isNamed(FallbackIndication.name)
    }
}
