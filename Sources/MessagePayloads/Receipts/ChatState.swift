public import XMLStreaming
public import XMPPStanzas

/// The activity of a person in a conversation (XEP-0085 Chat State Notifications).
///
/// ```
/// C: <message type='chat' to='bernardo@example.com'><composing xmlns='http://jabber.org/protocol/chatstates'/></message>
/// ```
public enum ChatState: String, Sendable, CaseIterable, Codable {
    /// Is looking at the conversation.
    case active
    /// Is typing.
    case composing
    /// Was typing and has paused.
    case paused
    /// Has not looked at the conversation for a while.
    case inactive
    /// Has closed the conversation.
    case gone

    public static let namespace = "http://jabber.org/protocol/chatstates"
}

extension ChatState: XMLEncodable {
    public func encode(to writer: inout XMLWriter) {
        writer.element(XMLName(rawValue, Self.namespace), text: "")
    }
}

extension Message {
    /// The chat state in the message, if any (XEP-0085).
    public var chatState: ChatState? {
        for payload in payloads where payload.name.namespace == ChatState.namespace {
            if let state = ChatState(rawValue: payload.name.local) { return state }
        }
        return nil
    }
}
