public import XMLStreaming

/// What the current generation encrypts: any elements of a message, with who sent it to whom (XEP-0420).
///
/// ```
/// <envelope xmlns='urn:xmpp:sce:1'>
///   <content><body xmlns='jabber:client'>Hello</body></content>
///   <rpad>C1DHN9HK</rpad><from jid='romeo@montague.example'/>
/// </envelope>
/// ```
public struct Envelope: XMLPayload, Hashable {
    public static let name = XMLName("envelope", namespace)
    private static let namespace = "urn:xmpp:sce:1"
    private static let contentName = XMLName("content", namespace)
    private static let paddingName = XMLName("rpad", namespace)
    private static let fromName = XMLName("from", namespace)
    private static let toName = XMLName("to", namespace)
    private static let timeName = XMLName("time", namespace)

    /// The elements of the message, without those that only a server may process.
    public var content: [XMLElement]
    /// The bare address of the sender.
    public var from: String?
    /// The bare address of the recipient; required in rooms.
    public var to: String?
    /// When it was encrypted, in the textual form of timestamps in stanzas.
    public var time: String?
    /// Characters of no meaning that hide the length of the content.
    public var padding: String?

    public init(_ content: [XMLElement], from: String, to: String?, time: String?) {
        self.content = content.filter { !Self.isForServers($0) }
        self.from = from
        self.to = to
        self.time = time
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        content = try element.required(Self.contentName).children.filter { !Self.isForServers($0) }
        from = try element.firstChild(Self.fromName)?.required("jid")
        to = try element.firstChild(Self.toName)?.required("jid")
        time = try element.firstChild(Self.timeName)?.required("stamp")
        padding = element.firstChild(Self.paddingName)?.text
    }

    public func encode(to writer: inout XMLWriter) {
        writer.element(Self.name) { writer in
            writer.element(Self.contentName) { writer in
                for element in content { writer.write(element) }
            }
            writer.element(Self.paddingName, text: padding ?? "")
            if let from { writer.element(Self.fromName) { $0.attribute("jid", from) } }
            if let to { writer.element(Self.toName) { $0.attribute("jid", to) } }
            if let time { writer.element(Self.timeName) { $0.attribute("stamp", time) } }
        }
    }

    // MARK: Bytes

    /// Bytes to which an envelope is filled before the random padding: most chat messages then have one length.
    static let minimumByteCount = 512
    /// The most characters of random padding (XEP-0420 §4).
    static let maximumPadding = 200
    /// The limits of what is decrypted: a stanza of a stream.
    private static let limits = XMLLimits.default

    /// The plaintext to encrypt: the envelope with padding.
    public func padded(using cryptography: any OMEMOCryptography) throws(OMEMOError) -> [UInt8] {
        var envelope = self
        envelope.padding = ""
        let missing = max(0, Self.minimumByteCount - XMLElement(envelope).byteCount)
        let random = try cryptography.randomBytes(2 + missing + Self.maximumPadding)
        // 65,536 is not a multiple of 201; the difference tells nothing about the content.
        let extra = (Int(random[0]) << 8 | Int(random[1])) % (Self.maximumPadding + 1)
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        let characters = random.dropFirst(2).prefix(missing + extra).map { alphabet[Int($0 & 63)] }
        envelope.padding = String(decoding: characters, as: UTF8.self)
        var writer = XMLWriter()
        writer.write(envelope)
        return writer.takeBytes()
    }

    /// The envelope in decrypted bytes. Padding of any length is accepted (XEP-0420 §4).
    public init(decrypted bytes: [UInt8]) throws(EnvelopeError) {
        let element: XMLElement
        do { element = try XMLElement(parsing: bytes, limits: Self.limits) } catch {
            throw EnvelopeError(.malformed)
        }
        do { try self.init(from: element) } catch { throw EnvelopeError(.malformed) }
    }

    /// Elements that are sent unencrypted and are ignored in an envelope (XEP-0420 §9): hints, ids that servers give,
    /// extended addresses, and the name of the encryption.
    private static func isForServers(_ element: XMLElement) -> Bool {
        switch element.namespace {
        case "urn:xmpp:hints", "http://jabber.org/protocol/address", "urn:xmpp:eme:0": true
        case "urn:xmpp:sid:0": element.localName == "stanza-id"
        default: false
        }
    }
}
