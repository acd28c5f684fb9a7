internal import FileSharing
internal import GroupChat
internal import MessageFeatures
internal import OMEMO
internal import XMLStreaming
internal import XMPPStanzas

extension OMEMOElement {
    /// The names in both generations, the newest first.
    static let names = [OMEMOGeneration.current, .legacy].map { name(of: $0) }
}

extension Message {
    /// Whether it has an encrypted element of either generation.
    var hasOMEMOElement: Bool { OMEMOElement.names.contains { payloads.contains($0) } }

    /// Whether something is encrypted in that element: without a payload it begins or repairs a session.
    var hasOMEMOPayload: Bool {
        OMEMOElement.names.contains { payloads.first($0)?.firstChild(XMLName("payload", $0.namespace)) != nil }
    }

    /// The message with only the payloads that are accepted outside the encrypted element: identifiers, times, hints and
    /// requests, but nothing that the user reads.
    var withoutEncryption: Message {
        var message = self
        message.payloads.removeAll { !Self.staysOutside($0) }
        return message
    }

    /// Whether a payload is for servers or programs only and is therefore not encrypted.
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

    /// Adds the elements of an envelope, except those that servers and rooms add themselves.
    mutating func take(_ content: [XMLElement]) {
        for element in SharedFile.linkingSources(content) where !Self.staysOutside(element) {
            payloads.append(element)
        }
    }

    /// Takes the text of the legacy generation, which encrypts nothing else: references to other messages are outside.
    mutating func take(bodyOfLegacy text: String, of sealed: Message) {
        for payload in sealed.payloads where Self.accompaniesLegacy(payload) { payloads.append(payload) }
        body = text
    }

    /// Programs that know only XEP-0454 put the link of an encrypted file in the place of the text, some with a small
    /// picture behind it: it is a file like all others. A text whose last line is such a link is its caption.
    mutating func offerLinkedFile() {
        guard let text = body, !payloads.contains(SharedFile.name), !payloads.contains(OutOfBandData.name) else {
            return
        }
        let lines = text.split(separator: "\n", maxSplits: 1)
        guard let first = lines.first, EncryptedFileLink(first)?.cipher == .aes256GCM,
            lines.count == 1 || lines[1].hasPrefix("data:image/")
        else { return offerCaptionedFile(text) }
        body = String(first)
        append(OutOfBandData(url: String(first)))
    }

    private mutating func offerCaptionedFile(_ text: String) {
        guard let end = text.lastIndex(of: "\n"), end > text.startIndex else { return }
        let link = text[text.index(after: end)...]
        guard EncryptedFileLink(link)?.cipher == .aes256GCM else { return }
        let region = FallbackIndication.Region(start: text[..<end].unicodeScalars.count, end: nil)
        payloads.removeAll { (try? FallbackIndication(from: $0))?.purpose == SharedFile.name.namespace }
        append(
            SharedFile(metadata: FileMetadata(fileName: FileOffer.fileName(of: String(link))), urls: [String(link)]))
        append(FallbackIndication(for: SharedFile.name.namespace, bodyRegions: [region]))
    }

    /// Whether there is a link with the key of an encrypted file, alone or below a caption.
    var holdsFileKey: Bool {
        body?.split(separator: "\n").contains { EncryptedFileLink($0) != nil } ?? false
    }

    /// Whether the user sees something of it: a text or a file.
    var hasVisibleContent: Bool { body != nil || ((try? FileOffer(in: self)) ?? nil) != nil }

    /// Whether a payload says to which message a text of the legacy generation belongs.
    static func accompaniesLegacy(_ payload: XMLElement) -> Bool {
        payload.isNamed(MessageReply.name) || payload.isNamed(MessageCorrection.name)
            || payload.isNamed(FallbackIndication.name)
    }

    /// The identifier that the sender chose (XEP-0359 §3.2), unless it is longer than requests for copies may contain.
    var originID: String? {
        guard let id = ((try? payload(OriginIdentifier.self)) ?? nil)?.id, id.utf8.count <= CopyRequest.idByteCount
        else {
            return nil
        }
        return id
    }
}
