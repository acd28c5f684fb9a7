package import XMLStreaming
import XMPPAddress
import XMPPStanzas

/// The namespaces in which streams are negotiated, beside those of `XMPPNamespace`.
public enum StreamNamespace {
    /// STARTTLS (RFC 6120 §5).
    public static let tls = "urn:ietf:params:xml:ns:xmpp-tls"
    /// SASL (RFC 6120 §6).
    public static let sasl = "urn:ietf:params:xml:ns:xmpp-sasl"
    /// XEP-0440: which channel bindings the server can check.
    public static let channelBinding = "urn:xmpp:sasl-cb:0"
    /// XEP-0388 Extensible SASL Profile.
    public static let sasl2 = "urn:xmpp:sasl:2"
    /// XEP-0386 Bind 2.
    public static let bind2 = "urn:xmpp:bind:0"
    /// XEP-0484 Fast Authentication Streamlining Tokens.
    public static let fast = "urn:xmpp:fast:0"
    /// The framing of XMPP over WebSocket (RFC 7395 §3.3).
    public static let framing = "urn:ietf:params:xml:ns:xmpp-framing"
    /// The content namespace of the stream of an external component (XEP-0114).
    public static let component = "jabber:component:accept"
    /// Resource binding (RFC 6120 §7).
    public static let bind = "urn:ietf:params:xml:ns:xmpp-bind"
    /// The session of RFC 3921 §3, a formality that some servers still ask for.
    public static let session = "urn:ietf:params:xml:ns:xmpp-session"
    /// XEP-0198 Stream Management.
    public static let streamManagement = "urn:xmpp:sm:3"
    /// XEP-0077: the stream feature.
    public static let registrationFeature = "http://jabber.org/features/iq-register"
    /// XEP-0077: the payload of the registration requests.
    public static let registration = "jabber:iq:register"
    /// XEP-0445, XEP-0379: the token of an invitation.
    public static let preauthentication = "urn:xmpp:pars:0"
    /// Whether requests in this namespace are allowed before a login.
    package static func isRegistration(_ namespace: String) -> Bool {
        namespace == registration || namespace == preauthentication
    }
    /// XEP-0478 Stream Limits Advertisement.
    public static let limits = "urn:xmpp:stream-limits:0"
    /// XEP-0199 XMPP Ping.
    public static let ping = "urn:xmpp:ping"
}

/// The names of the elements that the machines read and write.
package enum StreamName {
    package static let stream = XMLName("stream", XMLNamespace.streams)
    package static let features = XMLName("features", XMLNamespace.streams)
    package static let error = XMLName("error", XMLNamespace.streams)

    package static let message = XMLName("message", XMPPNamespace.client)
    package static let presence = XMLName("presence", XMPPNamespace.client)
    package static let iq = XMLName("iq", XMPPNamespace.client)
    package static let stanzaError = XMLName("error", XMPPNamespace.client)

    /// Of a component (XEP-0114): read in the namespace of stanzas, like everything in the content namespace.
    package static let handshake = XMLName("handshake", XMPPNamespace.client)

    package static let startTLS = XMLName("starttls", StreamNamespace.tls)
    package static let proceed = XMLName("proceed", StreamNamespace.tls)
    package static let tlsFailure = XMLName("failure", StreamNamespace.tls)
    package static let tlsRequired = XMLName("required", StreamNamespace.tls)

    package static let mechanisms = XMLName("mechanisms", StreamNamespace.sasl)
    package static let mechanism = XMLName("mechanism", StreamNamespace.sasl)
    package static let auth = XMLName("auth", StreamNamespace.sasl)
    package static let challenge = XMLName("challenge", StreamNamespace.sasl)
    package static let response = XMLName("response", StreamNamespace.sasl)
    package static let abort = XMLName("abort", StreamNamespace.sasl)
    package static let success = XMLName("success", StreamNamespace.sasl)
    package static let saslFailure = XMLName("failure", StreamNamespace.sasl)
    package static let saslText = XMLName("text", StreamNamespace.sasl)
    package static let channelBindings = XMLName("sasl-channel-binding", StreamNamespace.channelBinding)
    package static let channelBinding = XMLName("channel-binding", StreamNamespace.channelBinding)

    package static let limits = XMLName("limits", StreamNamespace.limits)
    package static let maximumBytes = XMLName("max-bytes", StreamNamespace.limits)
    package static let idleSeconds = XMLName("idle-seconds", StreamNamespace.limits)

    package static let authentication = XMLName("authentication", StreamNamespace.sasl2)
    package static let offeredMechanism = XMLName("mechanism", StreamNamespace.sasl2)
    package static let inline = XMLName("inline", StreamNamespace.sasl2)
    package static let authenticate = XMLName("authenticate", StreamNamespace.sasl2)
    package static let initialResponse = XMLName("initial-response", StreamNamespace.sasl2)
    package static let userAgent = XMLName("user-agent", StreamNamespace.sasl2)
    package static let software = XMLName("software", StreamNamespace.sasl2)
    package static let device = XMLName("device", StreamNamespace.sasl2)
    package static let challenge2 = XMLName("challenge", StreamNamespace.sasl2)
    package static let response2 = XMLName("response", StreamNamespace.sasl2)
    package static let abort2 = XMLName("abort", StreamNamespace.sasl2)
    package static let success2 = XMLName("success", StreamNamespace.sasl2)
    package static let failure2 = XMLName("failure", StreamNamespace.sasl2)
    package static let failureText2 = XMLName("text", StreamNamespace.sasl2)
    package static let continue2 = XMLName("continue", StreamNamespace.sasl2)
    package static let tasks = XMLName("tasks", StreamNamespace.sasl2)
    package static let task = XMLName("task", StreamNamespace.sasl2)
    package static let additionalData = XMLName("additional-data", StreamNamespace.sasl2)
    package static let authorizationIdentifier = XMLName("authorization-identifier", StreamNamespace.sasl2)

    package static let bind2 = XMLName("bind", StreamNamespace.bind2)
    package static let bind2Inline = XMLName("inline", StreamNamespace.bind2)
    package static let bind2Feature = XMLName("feature", StreamNamespace.bind2)
    package static let bind2Tag = XMLName("tag", StreamNamespace.bind2)
    package static let bound = XMLName("bound", StreamNamespace.bind2)

    package static let fast = XMLName("fast", StreamNamespace.fast)
    package static let fastMechanism = XMLName("mechanism", StreamNamespace.fast)
    package static let requestToken = XMLName("request-token", StreamNamespace.fast)
    package static let token = XMLName("token", StreamNamespace.fast)

    package static let open = XMLName("open", StreamNamespace.framing)
    package static let close = XMLName("close", StreamNamespace.framing)

    package static let bind = XMLName("bind", StreamNamespace.bind)
    package static let resource = XMLName("resource", StreamNamespace.bind)
    package static let jid = XMLName("jid", StreamNamespace.bind)
    package static let session = XMLName("session", StreamNamespace.session)
    package static let sessionOptional = XMLName("optional", StreamNamespace.session)

    package static let management = XMLName("sm", StreamNamespace.streamManagement)
    package static let enable = XMLName("enable", StreamNamespace.streamManagement)
    package static let enabled = XMLName("enabled", StreamNamespace.streamManagement)
    package static let resume = XMLName("resume", StreamNamespace.streamManagement)
    package static let resumed = XMLName("resumed", StreamNamespace.streamManagement)
    package static let failed = XMLName("failed", StreamNamespace.streamManagement)
    package static let request = XMLName("r", StreamNamespace.streamManagement)
    package static let answer = XMLName("a", StreamNamespace.streamManagement)
    package static let handledCountTooHigh = XMLName("handled-count-too-high", StreamNamespace.streamManagement)

    package static let registrationFeature = XMLName("register", StreamNamespace.registrationFeature)
    package static let registration = XMLName("query", StreamNamespace.registration)
    package static let ping = XMLName("ping", StreamNamespace.ping)
}

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

    /// Whether this is our own ping with that id: only this account can send from our address.
    func isReturned(_ id: String, to own: JID) -> Bool {
        isNamed(StreamName.iq) && self["id"] == id && self["from"].flatMap { try? JID($0) } == own
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
