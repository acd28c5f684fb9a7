internal import Synchronization
internal import XMLStreaming
public import XMPPAddress
public import XMPPClient
public import XMPPStanzas

/// Says what this program can do, and finds out what others can (XEP-0030 Service Discovery, XEP-0115 Entity
/// Capabilities).
///
/// What it announces is what has handlers in the session, so it cannot lie; only those who may know that this session is
/// online are told (`Session.mayLearnPresence(_:)`). Answers of others are remembered for the session; those of contacts
/// are shared by everybody whose presence carries the same verified hash. What strangers announce is not kept.
public final class ServiceDiscovery: SessionExtension, StanzaInterceptor {
    /// How many announcements of contacts are remembered. Each is a short text; a room can hold thousands.
    private static let maximumAnnouncements = 4096
    /// How many answers are remembered, of addresses and of hashes.
    private static let maximumAnswers = 512
    /// The largest answer that is remembered, in bytes: real ones have a few KiB.
    private static let maximumAnswerBytes = 64 << 10
    /// How many items of a server are asked for a service.
    private static let maximumItems = 64

    private struct Question: Hashable {
        var address: JID
        var node: String?
    }

    private struct State {
        var answers: [Question: DiscoveryInformation] = [:]
        var announced: [JID: EntityCapabilities] = [:]
        var verified: [EntityCapabilities: DiscoveryInformation] = [:]
    }

    private let session: Session
    private let identity: DiscoveryInformation.Identity
    private let node: String
    private let state = Mutex(State())

    /// - Parameters:
    ///   - identity: what kind of program this is, such as `client/pc` or `client/bot`.
    ///   - node: names the software; usually its web address.
    public init(
        _ session: Session,
        identity: DiscoveryInformation.Identity = .init(category: "client", type: "pc", name: "Hongyan"),
        node: String = "https://hongyan.example"
    ) {
        self.session = session
        self.identity = identity
        self.node = node
    }

    public var features: [String] { [EntityCapabilities.name.namespace] }

    public var handlers: [IQHandler] {
        [
            IQHandler(DiscoveryInformationRequest.self) { [self] request, _ in
                var information = await ownInformation()
                if let asked = request.node {
                    let known = EntityCapabilities(node: node, describing: information)
                    guard asked == "\(node)#\(known?.verification ?? "")" else { throw StanzaError(.itemNotFound) }
                    information.node = asked
                }
                return information
            },
            IQHandler(DiscoveryItemsRequest.self) { request, _ in
                guard request.node == nil else { throw StanzaError(.itemNotFound) }
                return DiscoveryItems()
            },
        ]
    }

    public var interceptors: [any StanzaInterceptor] { [self] }

    /// What `address` is and can do; asked once in a session.
    public func information(of address: JID, node: String? = nil) async throws(ClientError) -> DiscoveryInformation {
        let question = Question(address: address, node: node)
        let announced = node == nil ? state.withLock { $0.announced[address] } : nil
        if let announced, let known = state.withLock({ $0.verified[announced] }) { return known }
        if let known = state.withLock({ $0.answers[question] }) { return known }

        let asked = announced.map { "\($0.node)#\($0.verification)" } ?? node
        let answer = try await session.request(DiscoveryInformationRequest(node: asked), to: address)
        guard answer.byteCount <= Self.maximumAnswerBytes else { return answer }
        state.withLock { state in
            if let announced {
                // What does not match its hash is true for the one who said it only (XEP-0115 §5.4).
                guard announced.verifies(answer) else { return }
                if state.verified.count >= Self.maximumAnswers { state.verified.removeAll() }
                state.verified[announced] = answer
            } else {
                if state.answers.count >= Self.maximumAnswers { state.answers.removeAll() }
                state.answers[question] = answer
            }
        }
        return answer
    }

    /// The addresses and nodes below `address`.
    public func items(of address: JID, node: String? = nil) async throws(ClientError) -> DiscoveryItems {
        try await session.request(DiscoveryItemsRequest(node: node), to: address)
    }

    /// The first of the own server and the services below it that offers `feature`.
    ///
    /// A service that does not answer is passed over.
    public func service(
        offering feature: String
    ) async throws(ClientError) -> (address: JID, information: DiscoveryInformation)? {
        guard let server = await session.address?.domainJID else { throw ClientError(.notConnected, Self.offline) }
        let own = try await information(of: server)
        if own.features.contains(feature) { return (server, own) }
        for item in try await items(of: server).items.prefix(Self.maximumItems) where item.node == nil {
            do throws(ClientError) {
                let answer = try await information(of: item.address)
                if answer.features.contains(feature) { return (item.address, answer) }
            } catch  where error.code == .cancelled {
                throw error
            } catch {
                continue
            }
        }
        return nil
    }

    /// Remembers what contacts announce, before anybody else sees their presence.
    public func willReceive(_ stanza: AnyStanza, in session: Session) async -> Interception {
        guard case .presence(let presence) = stanza, let sender = presence.from else { return .pass(stanza) }
        var announced = presence.type == .available ? (try? presence.payload(EntityCapabilities.self)) ?? nil : nil
        if let known = announced, !known.isShort { announced = nil }
        if announced != nil, !(await session.follows(sender)) { announced = nil }
        state.withLock { state in
            if let announced, state.announced.count < Self.maximumAnnouncements || state.announced[sender] != nil {
                state.announced[sender] = announced
            } else {
                state.announced[sender] = nil
            }
        }
        return .pass(stanza)
    }

    /// Announces the own features with every broadcast presence (XEP-0115 §4.1).
    public func willSend(_ stanza: AnyStanza, in session: Session) async -> Interception {
        guard case .presence(var presence) = stanza, presence.type == .available else { return .pass(stanza) }
        presence.payloads.removeAll(named: EntityCapabilities.name)
        if let own = EntityCapabilities(node: node, describing: await ownInformation()) {
            presence.payloads.append(own)
        }
        return .pass(.presence(presence))
    }

    private func ownInformation() async -> DiscoveryInformation {
        DiscoveryInformation(identities: [identity], features: Set(await session.features))
    }

    private static let offline = "Services can only be looked for while there is a connection."
}
