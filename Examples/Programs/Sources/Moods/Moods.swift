import Hongyan

/// `<mood xmlns='urn:example:mood'>happy</mood>` in a message.
public struct Mood: MessagePayload {
    public static let name = XMLName("mood", "urn:example:mood")
    public var text: String

    public init(_ text: String) { self.text = text }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        text = element.text
    }

    public func encode(to writer: inout XMLWriter) { writer.element(Self.name, text: text) }
}

extension Message {
    /// A message that tells a mood, and is of no interest to an archive.
    public static func mood(_ text: String, to receiver: JID) -> Message {
        Message(to: receiver, type: .chat, payloads: [Mood(text)])
    }
}

/// Takes the moods out of the stream of messages and reports them.
public final class Moods: SessionExtension, StanzaInterceptor {
    public struct Event: Sendable {
        public let sender: JID
        public let mood: String
    }

    /// A longer one is no mood. What others send is limited.
    private static let longest = 100

    private let channel = EventChannel<Event>()

    public init() {}

    public var features: [String] { [Mood.name.namespace] }
    public var interceptors: [any StanzaInterceptor] { [self] }

    public func decide(received stanza: AnyStanza, in session: isolated Session) -> Interception? {
        guard case .message(let message) = stanza, let sender = message.from, !message.isError,
            let mood = (try? message.payload(Mood.self)) ?? nil
        else { return .pass(stanza) }
        if mood.text.count <= Self.longest { channel.post(Event(sender: sender, mood: mood.text)) }
        return .handled
    }

    public func events() -> AsyncStream<Event> { channel.stream() }

    public func sessionEnded(_ session: Session) async { channel.finish() }
}
