public import XMPPStanzas

/// A file that a message offers, in any of the forms in use: XEP-0447, XEP-0066 alone, or inside the message.
public struct FileOffer: Sendable, Equatable {
    public enum Source: Sendable, Equatable {
        /// To download from the first of these that works.
        case addresses([String])
        /// The content is in the message.
        case content([UInt8])
    }

    public var source: Source
    /// The sender's metadata; trusted only after it was verified against the content.
    public var metadata: FileMetadata
    public var kind: FileKind

    /// The file that `message` offers.
    ///
    /// The URL in a plain XEP-0066 element counts as a file only if the body is exactly that URL, which is how programs
    /// mark an upload; otherwise it is an ordinary link.
    ///
    /// - Returns: `nil` if the message offers none.
    /// - Throws: ``FileOfferError`` if the offer is damaged or too large inside the message.
    public init?(in message: Message) throws(FileOfferError) {
        if let shared = (try? message.payload(SharedFile.self)) ?? nil, !shared.urls.isEmpty {
            source = .addresses(shared.urls)
            metadata = shared.metadata
            kind = FileKind(mediaType: shared.metadata.mediaType)
        } else if let link = (try? message.payload(OutOfBandData.self)) ?? nil, link.url == message.body {
            source = .addresses([link.url])
            metadata = FileMetadata(fileName: Self.lastPart(of: link.url), description: link.description)
            kind = FileKind(fileName: metadata.fileName)
        } else if let medium = try InlineMedia(in: message) {
            source = .content(medium.content)
            metadata = FileMetadata(fileName: medium.fileName, size: UInt64(medium.content.count))
            kind = medium.kind == .picture ? .picture : .voice
        } else {
            return nil
        }
    }

    /// The file name at the end of a URL, without query and percent-encoding.
    private static func lastPart(of url: String) -> String? {
        let path = url.prefix { $0 != "?" && $0 != "#" }
        guard let name = path.split(separator: "/").last, path.hasSuffix(name) else { return nil }
        var bytes: [UInt8] = []
        var rest = name.utf8[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), rest.count >= 2,
                let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }
}

/// Why a message offers a file that cannot be used.
public enum FileOfferError: Error, Sendable, Hashable {
    /// There is nothing in it.
    case empty
    /// The text inside the message is not Base64.
    case notBase64
    /// It has more bytes than may travel inside a message.
    case tooLarge(size: UInt64, limit: UInt64)
}
