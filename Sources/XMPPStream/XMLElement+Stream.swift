package import XMLStreaming
import XMPPAddress
import XMPPStanzas

extension XMLElement {
    /// Whether this is one of the three kinds of stanza.
    package var isStanza: Bool {
        isNamed(StreamName.message) || isNamed(StreamName.presence) || isNamed(StreamName.iq)
    }

    /// Whether this is the answer to our request with that id (RFC 6120 §8.2.3).
    func isAnswer(to id: String) -> Bool {
        isNamed(StreamName.iq) && self["id"] == id && (self["type"] == "result" || self["type"] == "error")
    }

    /// The same once others can write to us: they may know the id, but only the server answers in its own name or in
    /// that of the account (RFC 6120 §8.1.2.1).
    func isAnswer(to id: String, for own: JID?) -> Bool {
        guard isAnswer(to: id) else { return false }
        guard let from = self["from"] else { return true }
        guard let own, let sender = try? JID(from) else { return false }
        return sender == own || sender == own.bare || sender == own.domainJID
    }

    /// The `<error/>` of a stanza of type error, or an undefined condition where there is none that can be read.
    var stanzaError: StanzaError {
        firstChild(StreamName.stanzaError).flatMap { try? StanzaError(from: $0) } ?? StanzaError(.undefinedCondition)
    }

    /// The `h` of XEP-0198: an unsigned integer of 32 bits.
    package var handledCount: UInt32? { self["h"].flatMap { UInt32($0) } }

    /// A boolean of XML Schema: `true` or `1`.
    package func isTrue(_ attribute: String) -> Bool { self[attribute] == "true" || self[attribute] == "1" }
}

extension StreamName {
    /// The namespaces whose elements mean something only as part of a procedure that is under way.
    static let negotiationNamespaces: Set<String> = [
        XMLNamespace.streams, StreamNamespace.tls, StreamNamespace.sasl, StreamNamespace.sasl2,
        StreamNamespace.streamManagement, StreamNamespace.framing,
    ]
}
