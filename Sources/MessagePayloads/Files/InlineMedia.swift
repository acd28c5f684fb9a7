internal import XMLStreaming
public import XMPPStanzas

/// A small picture or voice message carried inside the message itself as Base64.
///
/// A private format of iOS programs of the 2010s: `body` and `subject` name the kind, a child element named after the
/// kind contains the bytes in lines of 64 characters, and another one the file name. It is always read, and sent only
/// if there is no upload service and the medium is small, because servers limit the size of a stanza.
///
/// ```
/// C: <message type='chat' to='juliet@capulet.example'>
///      <subject>ImageMessage</subject><body>ImageMessage</body>
///      <ImageMessage>iVBORw0KGgoAAAANSUhEUg…</ImageMessage><imageName>20260912101500romeo</imageName></message>
/// ```
public struct InlineMedia: Sendable, Equatable {
    public enum Kind: String, Sendable, CaseIterable {
        case picture = "ImageMessage"
        case voice = "VoiceMessage"

        /// The element with the file name.
        var nameElement: String {
            switch self {
            case .picture: "imageName"
            case .voice: "voiceName"
            }
        }
    }

    /// The maximum size that is sent or accepted in this format, in bytes: its Base64 stays below 256 KiB, the smallest
    /// limit for a stanza among widely used servers (Prosody's, for clients).
    public static let maximumSize = 180_000

    /// Characters per line of Base64.
    private static let lineLength = 64

    public var kind: Kind
    /// The received name; pass it through `SafeFileName` of FileSharing before using it in a file system.
    public var fileName: String?
    public var content: [UInt8]

    /// - Throws: ``FileOfferError/tooLarge(size:limit:)`` above ``maximumSize``, ``FileOfferError/empty`` without
    ///   content.
    public init(kind: Kind, fileName: String?, content: [UInt8]) throws(FileOfferError) {
        guard !content.isEmpty else { throw .empty }
        guard content.count <= Self.maximumSize else {
            throw .tooLarge(size: UInt64(content.count), limit: UInt64(Self.maximumSize))
        }
        self.kind = kind
        self.fileName = fileName
        self.content = content
    }

    /// The medium inside `message`.
    ///
    /// - Returns: `nil` if the message does not have this format.
    /// - Throws: if it has this format but invalid Base64, or more than ``maximumSize`` bytes.
    public init?(in message: Message) throws(FileOfferError) {
        var found: (kind: Kind, element: XMLElement)?
        for payload in message.payloads {
            if let kind = Kind(rawValue: payload.name.local) {
                found = (kind, payload)
                break
            }
        }
        guard let found else { return nil }
        // 4 characters encode 3 bytes, with a generous allowance for line breaks.
        guard found.element.byteCount <= Self.maximumSize / 3 * 4 * 11 / 10 + 256 else {
            throw .tooLarge(size: UInt64(found.element.byteCount / 4 * 3), limit: UInt64(Self.maximumSize))
        }
        guard let content = Base64.decode(ignoringWhitespace: found.element.text) else { throw .notBase64 }
        // Programs use different names for the element, but all end in "name".
        let name = message.payloads.first { $0.name.local.lowercased().hasSuffix("name") }?.text
        try self.init(kind: found.kind, fileName: name, content: content)
    }

    /// Adds the medium to `message` and replaces its body and subject.
    public func write(into message: inout Message) {
        message.body = kind.rawValue
        message.subject = kind.rawValue
        message.payloads.append(
            TextElement(name: XMLName(kind.rawValue, "jabber:client"), text: Self.inLines(Base64.encode(content))))
        if let fileName {
            message.payloads.append(
                TextElement(name: XMLName(kind.nameElement, "jabber:client"), text: fileName))
        }
    }

    private static func inLines(_ text: String) -> String {
        var lines: [Substring] = []
        var rest = text[...]
        while !rest.isEmpty {
            lines.append(rest.prefix(lineLength))
            rest = rest.dropFirst(lineLength)
        }
        return lines.joined(separator: "\n")
    }

    private struct TextElement: XMLEncodable {
        var name: XMLName
        var text: String

        func encode(to writer: inout XMLWriter) {
            writer.element(name, text: text)
        }
    }
}
