internal import MessageSemantics
internal import XMPPAddress
public import XMPPClient
public import XMPPStanzas

/// Requests and sends delivery receipts, and accepts them only from the receiver of the message (XEP-0184 Message
/// Delivery Receipts).
///
/// ```
/// C: <message to='juliet@capulet.example' type='chat' id='m1'><body>…</body><request xmlns='urn:xmpp:receipts'/></message>
/// S: <message from='juliet@capulet.example/balcony'><received xmlns='urn:xmpp:receipts' id='m1'/></message>
/// ```
///
/// A receipt reveals that this session is online, so it is sent only to those who may know that (§8,
/// `Session.mayLearnPresence(_:)`). Only messages with a text get one (§5.4), because a request without visible content
/// would only probe for presence. If a message is returned as an error, its token fails.
public final class DeliveryReceipts: SessionExtension, StanzaInterceptor {
    private let isEnabled: @Sendable () -> Bool

    /// - Parameter isEnabled: whether receipts are sent at all, as set by the user.
    public init(isEnabled: @escaping @Sendable () -> Bool = { true }) {
        self.isEnabled = isEnabled
    }

    public var features: [String] { [DeliveryReceiptRequest.name.namespace] }
    public var interceptors: [any StanzaInterceptor] { [self] }

    public func concerns(received stanza: AnyStanza) -> Bool {
        guard case .message(let message) = stanza else { return false }
        return message.isError || message.payloads.contains(namespace: DeliveryReceipt.name.namespace)
    }

    public func concerns(sent stanza: AnyStanza) -> Bool {
        guard case .message(let message) = stanza else { return false }
        return message.canRequestConfirmation
    }

    /// One-to-one messages with content contain a request, receipts never do (§5.3, §5.4).
    public nonisolated(nonsending) func willSend(_ stanza: AnyStanza, in session: Session) async -> Interception {
        guard case .message(var message) = stanza else { return .pass(stanza) }
        message.requestReceipt()
        return .pass(.message(message))
    }

    public func decide(received stanza: AnyStanza, in session: isolated Session) -> Interception? {
        guard case .message(let message) = stanza, let sender = message.from else { return .pass(stanza) }
        if message.isError {
            failed(message, from: sender, in: session)
        } else if let receipt = (try? message.payload(DeliveryReceipt.self)) ?? nil {
            session.token(receipt.messageID, sentTo: sender)?.advance(to: .delivered)
        } else if let answer = answer(to: message, from: sender, in: session) {
            switch session.mayLearnPresenceAtOnce(sender) {
            // If the connection is lost meanwhile, the sender requests it again.
            case true?: _ = try? session.post(answer)
            case false?: break
            case nil: return nil
            }
        }
        return .pass(stanza)
    }

    /// Whether the sender may know that this session is online has to be found out.
    public nonisolated(nonsending) func willReceive(_ stanza: AnyStanza, in session: Session) async -> Interception {
        if case .message(let message) = stanza, let sender = message.from,
            let answer = answer(to: message, from: sender, in: session), await session.mayLearnPresence(sender)
        {
            _ = try? await session.send(answer)
        }
        return .pass(stanza)
    }

    /// The receipt for a message that requests one.
    private func answer(to message: Message, from sender: JID, in session: Session) -> Message? {
        guard message.type == .chat || message.type == .normal, message.isMessageWithBody, message.requestsReceipt,
            let id = message.id, message.hasRepeatableID, isEnabled()
        else { return nil }
        var answer = Message.receipt(for: id, to: sender, type: message.type)
        if session.isComponent { answer.from = message.to }
        return answer
    }

    private func failed(_ message: Message, from sender: JID, in session: isolated Session) {
        guard let id = message.id, let error = message.error, let token = session.token(id, sentTo: sender) else {
            return
        }
        token.fail(ClientError(.refused, error.description, cause: error))
    }
}

extension Session {
    /// The token of the message with this `id`, if it was sent to the account (or server) that now refers to it.
    func token(_ id: String, sentTo sender: JID) -> SendToken? {
        guard let token = token(stanzaID: id), case .message(let sent) = token.stanza, let receiver = sent.to else {
            return nil
        }
        // A server responds on behalf of an account that does not exist, or with its own address.
        return receiver.bare == sender.bare || receiver.domainJID == sender ? token : nil
    }
}
