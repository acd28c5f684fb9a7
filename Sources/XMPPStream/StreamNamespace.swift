import XMLStreaming
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
    /// What may be asked for before a login.
    package static func isRegistration(_ namespace: String) -> Bool {
        namespace == registration || namespace == preauthentication
    }
    /// XEP-0478 Stream Limits Advertisement.
    public static let limits = "urn:xmpp:stream-limits:0"
    /// XEP-0199 XMPP Ping.
    public static let ping = "urn:xmpp:ping"
}

/// The names of the elements that the machines read and write.
enum StreamName {
    static let stream = XMLName("stream", XMLNamespace.streams)
    static let features = XMLName("features", XMLNamespace.streams)
    static let error = XMLName("error", XMLNamespace.streams)

    static let message = XMLName("message", XMPPNamespace.client)
    static let presence = XMLName("presence", XMPPNamespace.client)
    static let iq = XMLName("iq", XMPPNamespace.client)
    static let stanzaError = XMLName("error", XMPPNamespace.client)

    static let startTLS = XMLName("starttls", StreamNamespace.tls)
    static let proceed = XMLName("proceed", StreamNamespace.tls)
    static let tlsFailure = XMLName("failure", StreamNamespace.tls)
    static let tlsRequired = XMLName("required", StreamNamespace.tls)

    static let mechanisms = XMLName("mechanisms", StreamNamespace.sasl)
    static let mechanism = XMLName("mechanism", StreamNamespace.sasl)
    static let auth = XMLName("auth", StreamNamespace.sasl)
    static let challenge = XMLName("challenge", StreamNamespace.sasl)
    static let response = XMLName("response", StreamNamespace.sasl)
    static let abort = XMLName("abort", StreamNamespace.sasl)
    static let success = XMLName("success", StreamNamespace.sasl)
    static let saslFailure = XMLName("failure", StreamNamespace.sasl)
    static let saslText = XMLName("text", StreamNamespace.sasl)
    static let channelBindings = XMLName("sasl-channel-binding", StreamNamespace.channelBinding)
    static let channelBinding = XMLName("channel-binding", StreamNamespace.channelBinding)

    static let limits = XMLName("limits", StreamNamespace.limits)
    static let maximumBytes = XMLName("max-bytes", StreamNamespace.limits)
    static let idleSeconds = XMLName("idle-seconds", StreamNamespace.limits)

    static let authentication = XMLName("authentication", StreamNamespace.sasl2)
    static let offeredMechanism = XMLName("mechanism", StreamNamespace.sasl2)
    static let inline = XMLName("inline", StreamNamespace.sasl2)
    static let authenticate = XMLName("authenticate", StreamNamespace.sasl2)
    static let initialResponse = XMLName("initial-response", StreamNamespace.sasl2)
    static let userAgent = XMLName("user-agent", StreamNamespace.sasl2)
    static let software = XMLName("software", StreamNamespace.sasl2)
    static let device = XMLName("device", StreamNamespace.sasl2)
    static let challenge2 = XMLName("challenge", StreamNamespace.sasl2)
    static let response2 = XMLName("response", StreamNamespace.sasl2)
    static let abort2 = XMLName("abort", StreamNamespace.sasl2)
    static let success2 = XMLName("success", StreamNamespace.sasl2)
    static let failure2 = XMLName("failure", StreamNamespace.sasl2)
    static let failureText2 = XMLName("text", StreamNamespace.sasl2)
    static let continue2 = XMLName("continue", StreamNamespace.sasl2)
    static let tasks = XMLName("tasks", StreamNamespace.sasl2)
    static let task = XMLName("task", StreamNamespace.sasl2)
    static let additionalData = XMLName("additional-data", StreamNamespace.sasl2)
    static let authorizationIdentifier = XMLName("authorization-identifier", StreamNamespace.sasl2)

    static let bind2 = XMLName("bind", StreamNamespace.bind2)
    static let bind2Inline = XMLName("inline", StreamNamespace.bind2)
    static let bind2Feature = XMLName("feature", StreamNamespace.bind2)
    static let bind2Tag = XMLName("tag", StreamNamespace.bind2)
    static let bound = XMLName("bound", StreamNamespace.bind2)

    static let fast = XMLName("fast", StreamNamespace.fast)
    static let fastMechanism = XMLName("mechanism", StreamNamespace.fast)
    static let requestToken = XMLName("request-token", StreamNamespace.fast)
    static let token = XMLName("token", StreamNamespace.fast)

    static let open = XMLName("open", StreamNamespace.framing)
    static let close = XMLName("close", StreamNamespace.framing)

    static let bind = XMLName("bind", StreamNamespace.bind)
    static let resource = XMLName("resource", StreamNamespace.bind)
    static let jid = XMLName("jid", StreamNamespace.bind)
    static let session = XMLName("session", StreamNamespace.session)
    static let sessionOptional = XMLName("optional", StreamNamespace.session)

    static let management = XMLName("sm", StreamNamespace.streamManagement)
    static let enable = XMLName("enable", StreamNamespace.streamManagement)
    static let enabled = XMLName("enabled", StreamNamespace.streamManagement)
    static let resume = XMLName("resume", StreamNamespace.streamManagement)
    static let resumed = XMLName("resumed", StreamNamespace.streamManagement)
    static let failed = XMLName("failed", StreamNamespace.streamManagement)
    static let request = XMLName("r", StreamNamespace.streamManagement)
    static let answer = XMLName("a", StreamNamespace.streamManagement)
    static let handledCountTooHigh = XMLName("handled-count-too-high", StreamNamespace.streamManagement)

    static let registrationFeature = XMLName("register", StreamNamespace.registrationFeature)
    static let registration = XMLName("query", StreamNamespace.registration)
    static let ping = XMLName("ping", StreamNamespace.ping)
}
