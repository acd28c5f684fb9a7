internal import MessageSemantics
public import XMPPAddress
public import XMPPClient
public import XMPPStanzas

/// Requests and sends displayed markers, and accepts them only from the receiver of the message (XEP-0333 Displayed
/// Markers).
///
/// ```
/// C: <message to='juliet@capulet.lit' type='chat' id='m1'><body>…</body><markable xmlns='urn:xmpp:chat-markers:0'/></message>
/// S: <message from='juliet@capulet.lit/balcony'><displayed xmlns='urn:xmpp:chat-markers:0' id='m1'/></message>
/// ```
///
/// A marker reveals that the user is present, so it is sent only to those who may know that (§7, §8,
/// `Session.mayLearnPresence(_:)`). A received marker moves the token of its message to the stage `displayed`. It also
/// applies to earlier messages, which the program has to handle: `Message.displayedMarker`.
public final class DisplayedMarkers: SessionExtension, StanzaInterceptor {
    private let isEnabled: @Sendable () -> Bool

    /// - Parameter isEnabled: whether markers are sent at all, as set by the user.
    public init(isEnabled: @escaping @Sendable () -> Bool = { true }) {
        self.isEnabled = isEnabled
    }

    public var features: [String] { [DisplayedMarkerRequest.name.namespace] }
    public var interceptors: [any StanzaInterceptor] { [self] }

    /// Informs the sender of a message that the user has seen it and all earlier ones. Call it for the newest message
    /// that became visible.
    ///
    /// - Parameters:
    ///   - message: A received message.
    ///   - room: The room of the message, if the room announces stable identifiers (`urn:xmpp:sid:0`).
    /// - Returns: `nil` if nothing was sent because the sender did not request a marker, may not get one, or cannot be
    ///   reached.
    @discardableResult
    public func displayed(
        _ message: Message, inRoom room: JID? = nil, session: Session
    ) async throws(ClientError) -> SendToken? {
        guard let marker = Message.displayedMarker(for: message, inRoom: room), let receiver = marker.to,
            isEnabled(), await session.mayLearnPresence(receiver)
        else { return nil }
        return try await session.send(marker)
    }

    public func concerns(received stanza: AnyStanza) -> Bool {
        guard case .message(let message) = stanza else { return false }
        return message.payloads.contains(namespace: DisplayedMarker.name.namespace)
    }

    public func concerns(sent stanza: AnyStanza) -> Bool {
        guard case .message(let message) = stanza else { return false }
        return message.canRequestConfirmation
    }

    /// One-to-one messages with content contain a request.
    public nonisolated(nonsending) func willSend(_ stanza: AnyStanza, in session: Session) async -> Interception {
        guard case .message(var message) = stanza else { return .pass(stanza) }
        message.requestDisplayedMarker()
        return .pass(.message(message))
    }

    public func decide(received stanza: AnyStanza, in session: isolated Session) -> Interception? {
        guard case .message(let message) = stanza, !message.isError, message.type != .groupchat,
            let sender = message.from
        else { return .pass(stanza) }
        if let marker = message.displayedMarker {
            session.token(marker.messageID, sentTo: sender)?.advance(to: .displayed)
        } else if let id = message.receivedMarkerID {
            session.token(id, sentTo: sender)?.advance(to: .delivered)
        }
        return .pass(stanza)
    }
}

extension Message {
    /// The message with the marker; `nil` if none may be sent: in a one-to-one conversation without a request, in
    /// response to a marker, or if the message has no usable identifier (XEP-0333 §4 and §5).
    ///
    /// - Parameter room: The room of a message of type `groupchat`, if it announces stable identifiers.
    public static func displayedMarker(for message: Message, inRoom room: JID? = nil) -> Message? {
        guard let sender = message.from, !message.isError, !message.isMarker else { return nil }
        let isInRoom = message.type == .groupchat
        guard isInRoom || message.payloads.contains(DisplayedMarkerRequest.name) else { return nil }
        let identity = MessageIdentity(message, assignedBy: isInRoom ? room : nil)
        guard let id = identity.identifier(for: .displayedMarker), id.utf8.count <= Message.repeatedIDBytes else {
            return nil
        }
        // A marker is sent to a room or to the bare address of a person. In private messages, the full address of an
        // occupant is the person, but only the room knows which messages are private; the type of the message states it
        // as well.
        var answer = Self.displayedMarker(for: id, to: isInRoom ? sender.bare : sender, type: message.type)
        answer.thread = message.thread
        return answer
    }
}
