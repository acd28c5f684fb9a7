public import XMLStreaming

/// The bytes of an avatar (XEP-0084 User Avatar §4.1).
public struct AvatarData: XMLPayload, Equatable {
    public static let name = XMLName("data", "urn:xmpp:avatar:data")
    /// The node of personal events that holds this.
    public static let node = name.namespace

    public var bytes: [UInt8]

    public init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        guard let bytes = Base64.decode(ignoringWhitespace: element.text), !bytes.isEmpty else {
            throw XMLDecodingError(Self.name, .invalidText)
        }
        self.bytes = bytes
    }

    public func encode(to writer: inout XMLWriter) {
        writer.element(Self.name, text: Base64.encode(bytes))
    }
}
