internal import MessageFeatures
public import XMPPStanzas

/// A file that a message offers, in whichever of the forms in use: XEP-0447, XEP-0066 alone, or inside the message.
public struct FileOffer: Sendable, Equatable {
    public enum Source: Sendable, Equatable {
        /// To be fetched from the first of these that works.
        case addresses([String])
        /// It is here already.
        case content([UInt8])
    }

    public var source: Source
    /// What the sender says; believed only after it was checked against the content.
    public var metadata: FileMetadata
    public var kind: FileKind

    /// The file that `message` offers.
    ///
    /// An address in a plain XEP-0066 element counts as a file only when the body is that address and nothing else, which
    /// is how programs mark an upload; otherwise it is a link that somebody talks about.
    ///
    /// - Returns: `nil` when the message offers none.
    /// - Throws: ``FileSharingError`` when it does, but in a damaged form or too large inside the message.
    public init?(in message: Message) throws(FileSharingError) {
        if let shared = (try? message.payload(SharedFile.self)) ?? nil, !shared.urls.isEmpty {
            source = .addresses(shared.urls)
            metadata = shared.metadata
            kind = FileKind(mediaType: shared.metadata.mediaType)
        } else if let link = (try? message.payload(OutOfBandData.self)) ?? nil, link.url == message.body {
            source = .addresses([link.url])
            metadata = FileMetadata(fileName: Self.lastPart(of: link.url), description: link.description)
            kind = Self.kind(ofName: metadata.fileName)
        } else if let medium = try InlineMedia(in: message) {
            source = .content(medium.content)
            metadata = FileMetadata(fileName: medium.fileName, size: UInt64(medium.content.count))
            kind = medium.kind == .picture ? .picture : .voice
        } else {
            return nil
        }
    }

    /// The file name at the end of an address, without query and percent signs.
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

    /// A guess for showing only: the content decides when it is here.
    private static func kind(ofName name: String?) -> FileKind {
        switch name?.split(separator: ".").last?.lowercased() {
        case "png", "jpg", "jpeg", "gif", "webp": .picture
        case "ogg", "oga", "opus", "m4a", "aac", "amr", "mp3", "wav": .voice
        case "mp4", "webm", "mov", "mkv": .video
        default: .other
        }
    }
}
