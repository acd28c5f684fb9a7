public import XMLStreaming
public import XMPPAddress
public import XMPPStanzas

/// What happens in a session, as its observers see it.
///
/// Stanzas appear here after the interceptors have passed them. Answers to requests do not: they go to the task that
/// asked.
public enum SessionEvent: Sendable {
    /// A message was received.
    case message(Message)
    /// A presence was received.
    case presence(Presence)
    /// A request was received, which its handler answers or, without one, the session with `service-unavailable`; or an
    /// answer that no request waits for.
    case iq(IQ)
    /// A top-level element of another kind was received.
    case element(XMLElement)
    /// A stanza was received that cannot be read. A request among them was answered with `bad-request`.
    case unreadable(XMLElement, XMLDecodingError)
    /// A stanza was received that is well-formed XML, but beyond the limits of the parser or against the rules of
    /// namespaces: it was skipped. A request among them was answered with `bad-request`.
    indirect case skipped(UnreadableElement)
    /// The program rejected this number of messages from an archive, with a short reason:
    /// ``Session/reportRefusal(of:in:reason:)``.
    case refused(count: Int, archive: JID, reason: String)
    /// An interceptor dropped a stanza.
    case filtered(AnyStanza, StanzaDirection)
    /// A stanza was written to the connection.
    case sent(SendToken)
    /// The server took responsibility for a stanza (XEP-0198 §4).
    case acknowledged(SendToken)
    /// A stanza that was accepted for sending failed, or it is not known whether it arrived.
    case sendingFailed(SendToken, ClientError)
    /// The last presence broadcast by this session changed: this is how others see it now.
    case presenceChanged(Presence)
    /// Something about the connection happened.
    case connection(ConnectionEvent)
    /// The connection looks different now: what to show to a person.
    case stateChanged(ConnectionState)
}

/// The two ways a stanza can go.
public enum StanzaDirection: Sendable, Hashable {
    case incoming, outgoing
}

extension SessionEvent {
    /// A choice of events, for observers that do not need all of them.
    public struct Kinds: OptionSet, Sendable, Hashable {
        public let rawValue: UInt16

        public init(rawValue: UInt16) { self.rawValue = rawValue }

        public static let messages = Kinds(rawValue: 1 << 0)
        public static let presences = Kinds(rawValue: 1 << 1)
        public static let iqs = Kinds(rawValue: 1 << 2)
        /// Other top-level elements, and stanzas that are unreadable or were rejected.
        public static let elements = Kinds(rawValue: 1 << 3)
        public static let filtered = Kinds(rawValue: 1 << 4)
        /// The outcome of stanzas that this session sends.
        public static let sending = Kinds(rawValue: 1 << 5)
        /// The connection and our own presence.
        public static let connection = Kinds(rawValue: 1 << 6)

        public static let all: Kinds = [.messages, .presences, .iqs, .elements, .filtered, .sending, .connection]
    }

    /// Which choice the event belongs to.
    public var kind: Kinds {
        switch self {
        case .message: .messages
        case .presence: .presences
        case .iq: .iqs
        case .element, .unreadable, .skipped, .refused: .elements
        case .filtered: .filtered
        case .sent, .acknowledged, .sendingFailed: .sending
        case .presenceChanged, .connection, .stateChanged: .connection
        }
    }
}
