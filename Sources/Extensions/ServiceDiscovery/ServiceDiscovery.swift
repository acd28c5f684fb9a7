public import DataForms
internal import Synchronization
internal import XMLStreaming
public import XMPPAddress
public import XMPPClient
public import XMPPStanzas

/// Announces the features of this program, and discovers those of others (XEP-0030 Service Discovery, XEP-0115 Entity
/// Capabilities, XEP-0390 Entity Capabilities 2.0).
///
/// It announces exactly the features that have handlers in the session, and only to peers that may know that this
/// session is online (`Session.mayLearnPresence(_:)`). Responses of others are cached for the session; those of
/// contacts are shared by all whose presence has the same verified hash, and kept between processes where there is a
/// cache for them. Announcements of strangers are not stored.
/// The addresses of a component are described one by one: ``init(_:node:cache:describing:)``.
public final class ServiceDiscovery: SessionExtension, StanzaInterceptor {
    /// The maximum number of cached announcements of contacts. Each is a short text; a room can have thousands.
    private static let maximumAnnouncements = 4096
    /// The maximum number of cached responses, by address and by hash.
    private static let maximumAnswers = 512
    /// The maximum size of a cached response, in bytes: real ones have a few KiB.
    private static let maximumAnswerBytes = 64 << 10
    /// The maximum number of items of a server that are queried for a service.
    private static let maximumItems = 64

    private struct Question: Hashable {
        var address: JID
        var node: String?
    }

    private struct State {
        var answers: [Question: DiscoveryInformation] = [:]
        var announced: [JID: AnnouncedCapabilities] = [:]
        var verified = VerifiedCapabilities()
    }

    /// The cache is saved at most once in this time.
    private static let savingInterval = Duration.seconds(5)

    let session: Session
    private let cache: (any CacheStorage)?
    private let changes = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    private let describe: @Sendable (_ address: JID?, _ requester: JID?) async -> AddressDescription?
    private let node: String
    private let state = Mutex(State())

    /// - Parameters:
    ///   - identity: the kind of program, such as `client/pc` or `client/bot`.
    ///   - node: identifies the software; usually its URL.
    ///   - cache: stores the verified information of others between processes. Accounts can share one.
    public init(
        _ session: Session,
        identity: DiscoveryInformation.Identity = .init(category: "client", type: "pc", name: "Hongyan"),
        node: String = usualNode, cache: (any CacheStorage)? = nil
    ) {
        self.session = session
        self.node = node
        self.cache = cache
        describe = { _, _ in AddressDescription(identity) }
    }

    /// Announces the addresses of a component, each in its own way; the features of the handlers are those of all.
    ///
    ///     configuration.add {
    ///         ServiceDiscovery($0) { address, _ in
    ///             address.local == nil ? AddressDescription(gateway, items: users) : AddressDescription(user)
    ///         }
    ///     }
    ///
    /// - Parameters:
    ///   - node: identifies the software; usually its URL.
    ///   - describe: what an address is for a requester; `nil` for an address that does not exist, which gets the error
    ///     `item-not-found` (XEP-0030 §7). Also called with the receiver of each presence that an address sends.
    public init(
        _ session: Session, node: String = usualNode, cache: (any CacheStorage)? = nil,
        describing describe: @escaping @Sendable (_ address: JID, _ requester: JID?) async -> AddressDescription?
    ) {
        self.session = session
        self.node = node
        self.cache = cache
        self.describe = { address, requester in
            guard let address else { return nil }
            return await describe(address, requester)
        }
    }

    public static let usualNode = "https://hongyan.example"

    public var features: [String] { [EntityCapabilities.name.namespace, CapabilityHashes.name.namespace] }

    public var handlers: [IQHandler] {
        [
            IQHandler(DiscoveryInformationRequest.self) { [self] request, iq in
                if let node = request.node {
                    for nodes in session.extensions(as: (any DiscoveryNodes).self) {
                        if let known = await nodes.information(of: node, for: iq.from) { return known }
                    }
                }
                guard var information = await ownInformation(of: iq.to, for: iq.from) else {
                    throw StanzaError(.itemNotFound)
                }
                if let asked = request.node {
                    let older = EntityCapabilities(node: node, describing: information)
                    let hash = CapabilityHashes(describing: information)?.preferred
                    let names = [
                        older.map { AnnouncedCapabilities.older($0).node }, hash.map(CapabilityHashes.node(of:)),
                    ]
                    guard names.contains(asked) else { throw StanzaError(.itemNotFound) }
                    information.node = asked
                }
                return information
            },
            IQHandler(DiscoveryItemsRequest.self) { [session, describe] request, iq in
                guard let node = request.node else {
                    guard let address = await describe(iq.to, iq.from) else { throw StanzaError(.itemNotFound) }
                    return DiscoveryItems(items: address.items)
                }
                for nodes in session.extensions(as: (any DiscoveryNodes).self) {
                    if let known = await nodes.items(of: node, at: iq.to, for: iq.from) { return known }
                }
                throw StanzaError(.itemNotFound)
            },
        ]
    }

    public var interceptors: [any StanzaInterceptor] { [self] }

    /// The identities and features of `address`; requested once per session.
    public func information(of address: JID, node: String? = nil) async throws(ClientError) -> DiscoveryInformation {
        let question = Question(address: address, node: node)
        let announced = node == nil ? state.withLock { $0.announced[address] } : nil
        if let announced, let known = state.withLock({ $0.verified[announced] }) { return known }
        if let known = state.withLock({ $0.answers[question] }) { return known }

        let asked = announced?.node ?? node
        let answer = try await session.request(DiscoveryInformationRequest(node: asked), to: address)
        guard answer.byteCount <= Self.maximumAnswerBytes else { return answer }
        state.withLock { state in
            if let announced {
                // A response that does not match the hash is valid only for its sender (XEP-0115 §5.4).
                if state.verified.insert(answer, for: announced) { changes.continuation.yield() }
            } else {
                if state.answers.count >= Self.maximumAnswers { state.answers.removeAll() }
                state.answers[question] = answer
            }
        }
        return answer
    }

    /// The addresses and nodes associated with `address`.
    public func items(of address: JID, node: String? = nil) async throws(ClientError) -> DiscoveryItems {
        try await session.request(DiscoveryItemsRequest(node: node), to: address)
    }

    /// The first of our server and its services that offers `feature`.
    ///
    /// A service that does not respond is skipped.
    ///
    /// - Parameter isSuitable: what else is required of a service, such as an identity.
    public func service(
        offering feature: String, where isSuitable: (DiscoveryInformation) -> Bool = { _ in true }
    ) async throws(ClientError) -> (address: JID, information: DiscoveryInformation)? {
        let server = try await ownServer()
        let own = try await information(of: server)
        if own.features.contains(feature), isSuitable(own) { return (server, own) }
        for item in try await items(of: server).items.prefix(Self.maximumItems) where item.node == nil {
            do throws(ClientError) {
                let answer = try await information(of: item.address)
                if answer.features.contains(feature), isSuitable(answer) { return (item.address, answer) }
            } catch  where error.code == .cancelled {
                throw error
            } catch {
                continue
            }
        }
        return nil
    }

    func ownServer() async throws(ClientError) -> JID {
        guard let server = await session.address?.domainJID else { throw ClientError(.notConnected, Self.offline) }
        return server
    }

    // MARK: Session events

    public func sessionStarted(_ session: Session, isResumed: Bool) async throws {
        guard let cache, state.withLock({ $0.verified.count == 0 }), let stored = await cache.load(),
            let verified = try? VerifiedCapabilities(from: stored)
        else { return }
        state.withLock { $0.verified.insert(contentsOf: verified) }
    }

    public func run(in session: Session) async {
        guard let cache else { return }
        for await _ in changes.stream {
            await cache.save(XMLElement(state.withLock { $0.verified }))
            try? await Task.sleep(for: Self.savingInterval)
        }
    }

    public func sessionEnded(_ session: Session) async {
        changes.continuation.finish()
        guard let cache else { return }
        let verified = state.withLock { $0.verified }
        if verified.count > 0 { await cache.save(XMLElement(verified)) }
    }

    public func concerns(received stanza: AnyStanza) -> Bool { if case .presence = stanza { true } else { false } }
    public func concerns(sent stanza: AnyStanza) -> Bool {
        guard case .presence(let presence) = stanza else { return false }
        return presence.type == .available
    }

    /// Stores the announcements of contacts, before observers see their presence.
    public func decide(received stanza: AnyStanza, in session: isolated Session) -> Interception? {
        guard case .presence(let presence) = stanza, let sender = presence.from else { return .pass(stanza) }
        let announced = AnnouncedCapabilities(presence)
        guard let follows = announced == nil ? false : session.followsAtOnce(sender) else { return nil }
        store(follows ? announced : nil, of: sender)
        return .pass(stanza)
    }

    /// Whether the presence of the sender is processed has to be found out.
    public nonisolated(nonsending) func willReceive(_ stanza: AnyStanza, in session: Session) async -> Interception {
        guard case .presence(let presence) = stanza, let sender = presence.from else { return .pass(stanza) }
        store(await session.follows(sender) ? AnnouncedCapabilities(presence) : nil, of: sender)
        return .pass(stanza)
    }

    private func store(_ announced: AnnouncedCapabilities?, of sender: JID) {
        state.withLock { state in
            if let announced, state.announced.count < Self.maximumAnnouncements || state.announced[sender] != nil {
                state.announced[sender] = announced
            } else {
                state.announced[sender] = nil
            }
        }
    }

    /// Announces our features with every broadcast presence (XEP-0115 §4.1).
    public nonisolated(nonsending) func willSend(_ stanza: AnyStanza, in session: Session) async -> Interception {
        guard case .presence(var presence) = stanza, presence.type == .available else { return .pass(stanza) }
        presence.payloads.removeAll(named: EntityCapabilities.name)
        presence.payloads.removeAll(named: CapabilityHashes.name)
        if let information = await ownInformation(of: presence.from, for: presence.to) {
            if let older = EntityCapabilities(node: node, describing: information) { presence.payloads.append(older) }
            if let hashes = CapabilityHashes(describing: information) { presence.payloads.append(hashes) }
        }
        return .pass(.presence(presence))
    }

    private func ownInformation(of address: JID?, for requester: JID?) async -> DiscoveryInformation? {
        guard let own = await describe(address, requester) else { return nil }
        return DiscoveryInformation(
            identities: own.identities, features: own.features.union(await session.features), forms: own.forms)
    }

    private static let offline = "Looking for services needs a connection."
}

/// What service discovery says about an address of a component (XEP-0030 §3.1, §4.1).
public struct AddressDescription: Sendable, Equatable {
    public var identities: [DiscoveryInformation.Identity]
    /// The features besides those of the handlers and extensions of the session.
    public var features: Set<String>
    /// Extended information (XEP-0128).
    public var forms: [DataForm]
    /// The addresses and nodes associated with the address.
    public var items: [DiscoveryItems.Item]

    public init(
        _ identities: DiscoveryInformation.Identity..., features: Set<String> = [], forms: [DataForm] = [],
        items: [DiscoveryItems.Item] = []
    ) {
        self.identities = identities
        self.features = features
        self.forms = forms
        self.items = items
    }
}

/// An extension that answers service discovery for nodes of this session, such as a list of commands (XEP-0030 §3.2).
///
/// ``ServiceDiscovery`` asks every extension of the session that conforms; a node that none of them knows gets the
/// error `item-not-found`. Only requesters that may know that this session is online get this far.
public protocol DiscoveryNodes: SessionExtension {
    /// The identities and features of the node for `requester`; `nil` if there is no such node for them.
    func information(of node: String, for requester: JID?) async -> DiscoveryInformation?

    /// The items of the node for `requester`; `nil` if there is no such node for them.
    ///
    /// - Parameter address: the address that was asked, of a component one of many.
    func items(of node: String, at address: JID?, for requester: JID?) async -> DiscoveryItems?
}
