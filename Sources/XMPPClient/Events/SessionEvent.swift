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
    /// An unreadable stanza was received. If it was a request, it was answered with `bad-request`.
    case unreadable(XMLElement, XMLDecodingError)
    /// A received stanza was skipped: it is well-formed XML, but exceeds the limits of the parser or violates the rules
    /// of namespaces. If it was a request, it was answered with `bad-request`.
    indirect case skipped(UnreadableElement)
    /// The program rejected this number of messages from an archive, with a short reason:
    /// ``Session/reportRefusal(of:in:reason:)``.
    case refused(count: Int, archive: JID, reason: String)
    /// An interceptor dropped a stanza.
    case filtered(AnyStanza, StanzaDirection)
    /// A stanza was written to the connection.
    case sent(SendToken)
    /// A top-level element other than a stanza was written to the connection: ``Session/send(element:expectsAnswer:)``.
    case elementSent(XMLElement)
    /// The server took responsibility for a stanza (XEP-0198 §4).
    case acknowledged(SendToken)
    /// Sending a queued stanza failed, or it is unknown whether it arrived.
    case sendingFailed(SendToken, ClientError)
    /// The broadcast presence of this session has changed.
    case presenceChanged(Presence)
    /// An event of the connection.
    case connection(ConnectionEvent)
    /// The state to show to the user has changed.
    case stateChanged(ConnectionState)
    /// An extension was added to the running session (``Session/add(_:)``); it has not started yet.
    case extensionAdded(any SessionExtension)
    /// An extension was removed from the running session (``Session/remove(_:)``); its work is about to end.
    case extensionRemoved(any SessionExtension)
}

/// The direction of a stanza.
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

        /// Extensions that come and go.
        public static let extensions = Kinds(rawValue: 1 << 7)

        public static let all: Kinds = [
            .messages, .presences, .iqs, .elements, .filtered, .sending, .connection, .extensions,
        ]
    }

    /// The kind of this event.
    public var kind: Kinds {
        switch self {
        case .message: .messages
        case .presence: .presences
        case .iq: .iqs
        case .element, .unreadable, .skipped, .refused: .elements
        case .filtered: .filtered
        case .sent, .elementSent, .acknowledged, .sendingFailed: .sending
        case .presenceChanged, .connection, .stateChanged: .connection
        case .extensionAdded, .extensionRemoved: .extensions
        }
    }
}
