public import XMLStreaming
public import XMPPAddress

/// One of the three units of meaning that XMPP routes: ``Message``, ``Presence`` or ``IQ`` (RFC 6120 §8).
///
/// A stanza is a value. What was received is read from the record of its bytes when it is asked for; what the program
/// adds is kept beside it until the stanza is written.
public protocol Stanza: XMLPayload, Hashable {
    /// The identifier that connects an answer or an acknowledgement with the stanza (RFC 6120 §8.1.3).
    ///
    /// `nil` until the session sends the stanza: every stanza that leaves a session has one.
    var id: String? { get set }
    /// The receiver (RFC 6120 §8.1.1); `nil` means the own account on the own server.
    var to: JID? { get set }
    /// The sender (RFC 6120 §8.1.2); the server fills it in, so that a sender cannot forge it.
    var from: JID? { get set }
    /// The default language of the human-readable text inside (`xml:lang`, RFC 6120 §8.1.5).
    var language: String? { get set }
    /// All children of the stanza, in order.
    var payloads: Payloads { get set }
    /// Whether this is a stanza of type `error`.
    var isError: Bool { get }
}

extension Stanza {
    /// The longest `id` that an automatic answer repeats, in bytes. A longer one would make the answer as large as its
    /// sender likes; those in use have less than a hundred.
    public static var repeatedIDBytes: Int { 1_024 }

    /// Whether an answer that nobody asked a person about may repeat the `id`.
    public var hasRepeatableID: Bool { (id?.utf8.count ?? 0) <= Self.repeatedIDBytes }

    /// The `id`, where an answer may repeat it: what is longer is not worth keeping either, as nothing can refer to it.
    public var repeatableID: String? { hasRepeatableID ? id : nil }

    /// The error that the stanza carries, or `nil` if it is not of type `error`.
    ///
    /// An error stanza without a readable `<error/>` gives `undefined-condition`: the peer's fault does not make a
    /// failure look like a success.
    public var error: StanzaError? {
        guard isError else { return nil }
        return (try? payloads.decode(StanzaError.self)) ?? StanzaError(.undefinedCondition)
    }

    /// The first payload of type `P`, or `nil` if there is none; throws if it is there but cannot be read.
    public func payload<P: XMLPayload>(_ type: P.Type) throws(XMLDecodingError) -> P? {
        try payloads.decode(type)
    }

    func write(type: String?, to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.attribute("to", to?.description)
        writer.attribute("from", from?.description)
        writer.attribute("id", id)
        writer.attribute("type", type)
        writer.attribute(.language, language)
        payloads.encode(to: &writer)
        writer.end()
    }
}
