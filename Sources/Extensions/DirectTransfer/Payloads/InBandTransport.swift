public import XMLStreaming
public import XMPPStanzas

/// Bytes inside of the XML stream, as the last resort that always works (XEP-0261 Jingle In-Band Bytestreams Transport).
///
/// ```
/// <transport xmlns='urn:xmpp:jingle:transports:ibb:1' block-size='4096' sid='ch3d9s71'/>
/// ```
public struct InBandTransport: XMLPayload, Hashable {
    public static let name = XMLName("transport", "urn:xmpp:jingle:transports:ibb:1")

    public var id: String
    /// The maximum number of bytes in a block, before encoding.
    public var blockSize: UInt16?

    public init(id: String, blockSize: UInt16? = nil) {
        self.id = id
        self.blockSize = blockSize
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        self.init(id: try element.identifier("sid"), blockSize: try element.value("block-size"))
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.attribute("block-size", blockSize.map { String($0) })
        writer.attribute("sid", id)
        writer.end()
    }
}

/// Opens a bytestream inside of the XML stream (XEP-0047 In-Band Bytestreams §2.1).
public struct InBandOpening: IQRequest, Hashable {
    public typealias Response = EmptyResponse
    static let namespace = "http://jabber.org/protocol/ibb"
    public static let name = XMLName("open", namespace)
    public static let iqType = IQ.Kind.set

    public var id: String
    public var blockSize: UInt16
    /// Whether blocks are messages, which are not confirmed. It is refused here.
    public var usesMessages: Bool

    public init(id: String, blockSize: UInt16, usesMessages: Bool = false) {
        self.id = id
        self.blockSize = blockSize
        self.usesMessages = usesMessages
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        guard let blockSize: UInt16 = try element.value("block-size"), blockSize > 0 else {
            throw XMLDecodingError(Self.name, .missingAttribute("block-size"))
        }
        self.init(id: try element.identifier("sid"), blockSize: blockSize, usesMessages: element["stanza"] == "message")
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.attribute("block-size", String(blockSize))
        writer.attribute("sid", id)
        writer.attribute("stanza", usesMessages ? "message" : "iq")
        writer.end()
    }
}

/// A block of bytes (XEP-0047 In-Band Bytestreams §2.2).
public struct InBandBlock: IQRequest, Hashable {
    public typealias Response = EmptyResponse
    public static let name = XMLName("data", InBandOpening.namespace)
    public static let iqType = IQ.Kind.set

    public var id: String
    /// Begins with 0 and returns to it after 65535.
    public var sequence: UInt16
    public var bytes: [UInt8]

    public init(id: String, sequence: UInt16, bytes: [UInt8]) {
        self.id = id
        self.sequence = sequence
        self.bytes = bytes
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        guard let sequence: UInt16 = try element.value("seq") else {
            throw XMLDecodingError(Self.name, .missingAttribute("seq"))
        }
        guard let bytes = Base64.decode(ignoringWhitespace: element.text) else {
            throw XMLDecodingError(Self.name, .invalidText)
        }
        self.init(id: try element.identifier("sid"), sequence: sequence, bytes: bytes)
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.attribute("seq", String(sequence))
        writer.attribute("sid", id)
        writer.text(Base64.encode(bytes))
        writer.end()
    }
}

/// Ends a bytestream inside of the XML stream (XEP-0047 In-Band Bytestreams §2.3).
public struct InBandClosing: IQRequest, Hashable {
    public typealias Response = EmptyResponse
    public static let name = XMLName("close", InBandOpening.namespace)
    public static let iqType = IQ.Kind.set

    public var id: String

    public init(id: String) {
        self.id = id
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        id = try element.identifier("sid")
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.attribute("sid", id)
        writer.end()
    }
}

extension XMLElement {
    /// An identifier that the peer has chosen, of limited length.
    func identifier(_ attribute: String) throws(XMLDecodingError) -> String {
        let text = try required(attribute)
        guard !text.isEmpty, text.utf8.count <= JingleElement.identifierLimit else {
            throw XMLDecodingError(name, .invalidAttribute(attribute, value: text))
        }
        return text
    }
}
