public import XMLStreaming
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
            kind =
                shared.metadata.mediaType == nil
                ? FileKind(fileName: shared.metadata.fileName) : FileKind(mediaType: shared.metadata.mediaType)
        } else if let link = (try? message.payload(OutOfBandData.self)) ?? nil, link.url == message.body {
            source = .addresses([link.url])
            metadata = FileMetadata(fileName: Self.fileName(of: link.url), description: link.description)
            kind = FileKind(fileName: metadata.fileName)
        } else if let medium = try InlineMedia(in: message) {
            source = .content(medium.content)
            metadata = FileMetadata(fileName: medium.fileName, size: UInt64(medium.content.count))
            kind = FileKind(medium.kind)
        } else {
            return nil
        }
    }

    /// The file name at the end of a URL, without query and percent-encoding.
    public static func fileName(of url: String) -> String? {
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

/// A web address beside or in place of a message's text (XEP-0066 Out of Band Data §3).
///
/// ```
/// S: <x xmlns='jabber:x:oob'><url>https://download.example/4a77/summit.jpg</url><desc>Summit</desc></x>
/// ```
public struct OutOfBandData: MessagePayload, Equatable {
    public static let name = XMLName("x", "jabber:x:oob")

    public var url: String
    public var description: String?

    public init(url: String, description: String? = nil) {
        self.url = url
        self.description = description
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        let urlName = XMLName("url", Self.name.namespace)
        guard let url = element.firstChild(urlName)?.text, !url.isEmpty else {
            throw XMLDecodingError(Self.name, .missingElement(urlName))
        }
        self.init(url: url, description: element.firstChild(XMLName("desc", Self.name.namespace))?.text)
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.element(XMLName("url", Self.name.namespace), text: url)
        if let description { writer.element(XMLName("desc", Self.name.namespace), text: description) }
        writer.end()
    }
}
