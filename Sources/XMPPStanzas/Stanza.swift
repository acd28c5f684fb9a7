public import XMLStreaming
public import XMPPAddress

/// One of the three units that XMPP routes: ``Message``, ``Presence`` or ``IQ`` (RFC 6120 §8).
///
/// A stanza is a value. Received content is read lazily from the record of its bytes; content that the program adds is
/// stored beside it until the stanza is written.
public protocol Stanza: XMLPayload, Hashable {
    /// The identifier that connects a response or an acknowledgement with the stanza (RFC 6120 §8.1.3).
    ///
    /// `nil` until the session sends the stanza: every stanza that a session sends has one.
    var id: String? { get set }
    /// The receiver (RFC 6120 §8.1.1); `nil` means our account on our server.
    var to: JID? { get set }
    /// The sender (RFC 6120 §8.1.2). The server sets it, so a sender cannot forge it.
    var from: JID? { get set }
    /// The default language of the human-readable text (`xml:lang`, RFC 6120 §8.1.5).
    var language: String? { get set }
    /// All children of the stanza, in order.
    var payloads: Payloads { get set }
    /// Whether this is a stanza of type `error`.
    var isError: Bool { get }
}

extension Stanza {
    /// The maximum length of an `id` that an automatic response repeats, in bytes. A longer one would let its sender
    /// choose the size of the response; real identifiers have less than a hundred bytes.
    public static var repeatedIDBytes: Int { 1_024 }

    /// Whether an automatic response may repeat the `id`.
    public var hasRepeatableID: Bool { (id?.utf8.count ?? 0) <= Self.repeatedIDBytes }

    /// The `id`, if a response may repeat it. A longer one is not stored either, because nothing can refer to it.
    public var repeatableID: String? { hasRepeatableID ? id : nil }

    /// The error of a stanza of type `error`, otherwise `nil`.
    ///
    /// An error stanza without a readable `<error/>` gives `undefined-condition`, so a malformed error never looks like
    /// a success.
    public var error: StanzaError? {
        guard isError else { return nil }
        return (try? payloads.decode(StanzaError.self)) ?? StanzaError(.undefinedCondition)
    }

    /// The first payload of type `P`, or `nil` if there is none; throws if it exists but is invalid.
    public func payload<P: XMLPayload>(_ type: P.Type) throws(XMLDecodingError) -> P? {
        try payloads.decode(type)
    }

    func write(type: String?, to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.attribute("to", to?.description)
        writer.attribute("from", from?.description)
        writer.attribute("id", id)
        writer.attribute("type", type)
        if let language { writer.attribute(.language, language) }
        payloads.encode(to: &writer)
        writer.end()
    }
}

/// What a stanza consists of besides its type.
///
/// A stanza has them in an array with one element, which its copies share until one of them changes: stanzas are passed on and stored
/// many times, and five parts would be copied each time.
struct StanzaParts: Hashable, Sendable {
    var id: String?
    var to: JID?
    var from: JID?
    var language: String?
    var payloads: Payloads
}

/// The namespaces that RFC 6120 and RFC 6121 define for streams and stanzas.
///
/// A module for another protocol adds its namespaces in an extension of this type or defines them beside its payloads.
public enum XMPPNamespace {
    /// The content namespace of a stream between client and server (RFC 6120 §4.8.2).
    public static let client = "jabber:client"
    /// The content namespace of a stream between two servers (RFC 6120 §4.8.2).
    public static let server = "jabber:server"
    /// The namespace of the conditions inside a stanza error (RFC 6120 §8.3.2).
    public static let stanzaErrors = "urn:ietf:params:xml:ns:xmpp-stanzas"
    /// The namespace of the conditions inside a stream error (RFC 6120 §4.9.2).
    public static let streamErrors = "urn:ietf:params:xml:ns:xmpp-streams"
}
