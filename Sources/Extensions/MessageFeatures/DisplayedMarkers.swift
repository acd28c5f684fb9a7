internal import MessageSemantics
public import XMPPAddress
public import XMPPClient
public import XMPPStanzas

/// Asks for displayed markers, gives them and believes them only from whom they can come (XEP-0333 Displayed Markers).
///
/// ```
/// C: <message to='juliet@capulet.lit' type='chat' id='m1'><body>…</body><markable xmlns='urn:xmpp:chat-markers:0'/></message>
/// S: <message from='juliet@capulet.lit/balcony'><displayed xmlns='urn:xmpp:chat-markers:0' id='m1'/></message>
/// ```
///
/// A marker tells that a person is here, so it goes only to those who may know that (§7 and §8):
/// `Session.mayLearnPresence(_:)`. A marker moves the token of its message on to the stage `displayed`. It counts for the messages before it too, which
/// the program has to see to: `Message.displayedMarker`.
public final class DisplayedMarkers: SessionExtension, StanzaInterceptor {
    private let isEnabled: @Sendable () -> Bool

    /// - Parameter isEnabled: the user's setting: whether markers are sent at all.
    public init(isEnabled: @escaping @Sendable () -> Bool = { true }) {
        self.isEnabled = isEnabled
    }

    public var features: [String] { [DisplayedMarkerRequest.name.namespace] }
    public var interceptors: [any StanzaInterceptor] { [self] }

    /// Tells the sender of a message that a person has seen it and all before it. Call it for the newest of the messages
    /// that came into view.
    ///
    /// - Parameters:
    ///   - message: A received message.
    ///   - room: The room it was said in, if that room announces stable identifiers (`urn:xmpp:sid:0`).
    /// - Returns: `nil` if nothing was sent, because the sender did not ask, is not to know, or cannot be told.
    @discardableResult
    public func displayed(
        _ message: Message, inRoom room: JID? = nil, session: Session
    ) async throws(ClientError) -> SendToken? {
        guard let marker = Message.displayedMarker(for: message, inRoom: room), let receiver = marker.to,
            isEnabled(), await session.mayLearnPresence(receiver)
        else { return nil }
        return try await session.send(marker)
    }

    /// Requests go with one-to-one messages that have content.
    public func willSend(_ stanza: AnyStanza, in session: Session) async -> Interception {
        guard case .message(var message) = stanza, message.type == .chat || message.type == .normal,
            message.isMessageWithBody, !message.isMarker, !message.payloads.contains(DisplayedMarkerRequest.name)
        else { return .pass(stanza) }
        message.append(DisplayedMarkerRequest())
        return .pass(.message(message))
    }

    public func willReceive(_ stanza: AnyStanza, in session: Session) async -> Interception {
        guard case .message(let message) = stanza, !message.isError, message.type != .groupchat,
            let sender = message.from
        else { return .pass(stanza) }
        if let marker = message.displayedMarker {
            await session.token(marker.messageID, sentTo: sender)?.advance(to: .displayed)
        } else if let id = message.receivedMarkerID {
            await session.token(id, sentTo: sender)?.advance(to: .delivered)
        }
        return .pass(stanza)
    }
}

extension Message {
    /// The message that tells the sender of another one that it was seen; `nil` if nobody should be told: between two
    /// without a request, in answer to a marker, or if the message has no identifier to name (XEP-0333 §4 and §5).
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
        // A room and the bare address of a person get it; an occupant's full address is the person in private messages,
        // but only the room knows which ones these are, and the type of the message says it too.
        var answer = Message(to: isInRoom ? sender.bare : sender, type: message.type)
        answer.thread = message.thread
        answer.append(DisplayedMarker(messageID: id))
        answer.payloads.append(ProcessingHint.store)
        return answer
    }
}
