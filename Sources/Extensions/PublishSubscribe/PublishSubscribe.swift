internal import MessageFeatures
internal import ServiceDiscovery
internal import Synchronization
internal import XMLStreaming
internal import XMPPAddress
public import XMPPClient
public import XMPPStanzas

/// Publishes data under an address, reads it, and hears of changes (XEP-0060 Publish-Subscribe, XEP-0163 Personal Eventing
/// Protocol).
///
/// A `nil` service is the own account, whose data are the personal events of §4 of XEP-0163: contacts hear of them when they
/// have announced their interest, which ``addInterest(in:)`` does.
public final class PublishSubscribe: SessionExtension, StanzaInterceptor {
    /// Where to look whether preconditions are understood.
    static let optionsFeature = PublishSubscribeNames.client + "#publish-options"

    let session: Session
    private let interests: Mutex<Set<String>>
    private let channel = EventChannel<PublishSubscribeNotice>()

    /// - Parameter interests: The nodes of contacts, and of the own account, whose events are wanted.
    public init(_ session: Session, interests: Set<String> = []) {
        self.session = session
        self.interests = Mutex(interests)
    }

    /// One `+notify` a node (XEP-0163 §4.2): servers send only what is announced here.
    public var features: [String] { interests.withLock { $0.map(Self.interest) } }

    /// The feature by which the events of a node are wanted; an extension that always wants them announces it itself.
    public static func interest(in node: String) -> String { node + "+notify" }

    public var interceptors: [any StanzaInterceptor] { [self] }

    /// Every event from now on.
    public func notices() -> AsyncStream<PublishSubscribeNotice> { channel.stream() }

    /// Announces that the events of a node are wanted; they come as ``notices()``. If a presence was sent before, it is sent
    /// again, because servers read from it what is wanted.
    public func addInterest(in node: String) async throws(ClientError) {
        guard interests.withLock({ $0.insert(node).inserted }) else { return }
        if await session.presence?.type == .available { try await session.resendPresence() }
    }

    /// Takes an interest back.
    public func removeInterest(in node: String) async throws(ClientError) {
        guard interests.withLock({ $0.remove(node) }) != nil else { return }
        if await session.presence?.type == .available { try await session.resendPresence() }
    }

    public func sessionEnded(_ session: Session) async {
        channel.finish()
    }

    public func willReceive(_ stanza: AnyStanza, in session: Session) async -> Interception {
        guard case .message(let message) = stanza, !message.isError, message.type != .groupchat,
            message.payloads.contains(PublishSubscribeEvent.name)
        else { return .pass(stanza) }
        guard let service = await service(of: message),
            let event = (try? message.payload(PublishSubscribeEvent.self)) ?? nil
        else { return .pass(stanza) }
        let delay = (try? message.payload(DelayedDelivery.self)) ?? nil
        channel.post(PublishSubscribeNotice(service: service, event: event, delay: delay))
        return .pass(stanza)
    }

    /// Who vouches for an event. A service has no resource, and neither has an account that speaks for itself; what comes
    /// with one was written by a device or an occupant of a room.
    private func service(of message: Message) async -> JID? {
        guard let sender = message.from else { return await session.address?.bare }
        return sender.isBare ? sender : nil
    }
}
