package import ChatEngine
package import ChatStore
internal import ChatStoreTesting
package import ServerFixtures
internal import Synchronization
internal import TransportLayer
package import XMPPAddress
internal import XMPPClient
package import XMPPStanzas

/// The attacked client: a running account with a store, like in every program of the project.
///
/// It connects through a proxy with counters: one connection means that the session survived the attack.
package final class Victim: Sendable {
    package let account: ChatAccount
    package let store: any LocalStore
    package let id: AccountID
    package let address: JID
    private let proxy: FaultProxy
    private let wire = Wire()
    private let life = Mutex<Task<Void, Never>?>(nil)
    /// Why the account is not running any more.
    private let ending = Mutex<String?>(nil)

    /// - Parameter webSocketURL: the URL on the same server, at `port`: the only transport.
    package init(
        _ name: ServerFixtures.Account, port: UInt16, webSocketURL: String? = nil, authorityFile: String,
        store: any LocalStore = MemoryStore(), policy: ChatAccountPolicy = ChatAccountPolicy()
    ) async throws {
        self.store = store
        proxy = try FaultProxy(to: port)
        let address = try JID(name.address)
        self.address = address
        id = try await store.write { writer throws(StoreError) in try writer.addAccount(address) }
        var configuration = ClientConfiguration(address: address, password: name.password)
        configuration.host = proxy.host
        configuration.port = proxy.port
        configuration.trust = .certificateAuthority(authorityFile)
        if let url = webSocketURL?.replacing(":\(port)/", with: ":\(proxy.port)/") {
            configuration.transports = TransportFactory { target throws(TransportError) in
                try await Connector().connect(to: .webSocket(url), tls: target.tls).transport
            }
        }
        configuration.reconnection.backoff.first = .milliseconds(20)
        // The speed of a machine that runs other tests at the same time is not tested.
        configuration.loginTimeout = .seconds(60)
        configuration.networkMonitor = nil
        configuration.interceptors = [wire]
        account = ChatAccount(id, configuration: configuration, store: store, policy: policy)
    }

    /// A new account on a server.
    package convenience init(
        _ name: String = "vic", on server: any PrivateServer, store: any LocalStore = MemoryStore()
    ) async throws {
        try await self.init(
            server.newAccount(name), port: server.port, authorityFile: server.authorityFile, store: store)
    }

    /// A new account on a server, which it connects to over WebSocket only.
    package convenience init(overWebSocketOf server: any PrivateServer) async throws {
        try await self.init(
            server.newAccount("web"), port: server.httpsPort, webSocketURL: server.webSocketURL,
            authorityFile: server.authorityFile)
    }

    deinit { life.withLock { $0?.cancel() } }

    /// Logs in; returns when the account is online.
    package func start() async throws {
        ending.withLock { $0 = nil }
        let task = Task { [account, weak self] in
            var reason = "closed"
            do { try await account.run() } catch { reason = "\(error)" }
            self?.ending.withLock { $0 = reason }
        }
        life.withLock { $0 = task }
        try await wait(for: "the login") { await self.account.connectionState.isOnline }
    }

    /// Does something that ends the connection; returns when the account is online again.
    ///
    /// The state alone does not tell: it is that of the old connection until the account has noticed its end.
    package func comesBack(after body: () async throws -> Void) async throws {
        let events = account.events()
        let isBack = Mutex(false)
        let watching = Task {
            for await case .connection(.online) in events { return isBack.withLock { $0 = true } }
        }
        defer { watching.cancel() }
        try await body()
        try await wait(for: "the next login") { isBack.withLock { $0 } }
    }

    /// Ends the account like the end of a program.
    package func stop() async {
        let task = life.withLock { life in
            defer { life = nil }
            return life
        }
        await account.close()
        task?.cancel()
        await task?.value
    }

    /// The number of connections so far.
    package var connections: Int { proxy.counters.accepted }
    /// The number of bytes that it has sent.
    package var writtenBytes: Int { proxy.counters.upstreamBytes }
    /// Everything that it has sent.
    package var sent: [AnyStanza] { wire.sent.withLock { $0 } }
    /// Its full address.
    package var fullAddress: String {
        get async throws {
            try await wait(for: "its address") { [wire] in await wire.session.withLock { $0 }?.address != nil }
            guard let own = await wire.session.withLock({ $0 })?.address else {
                throw HostileFailure("\(address) is offline.")
            }
            return own.description
        }
    }

    // MARK: What it shows

    package func key(_ peer: String, _ kind: ConversationKey.Kind = .direct) throws -> ConversationKey {
        ConversationKey(account: id, address: try JID(peer), kind: kind)
    }

    package func timeline(_ key: ConversationKey) async throws -> [StoredMessage] {
        try await store.read { reader throws(StoreError) in
            guard let id = try reader.conversation(key) else { return [] }
            return try reader.timeline(of: id, .newest, limit: 2000)
        }
    }

    package func timeline(with peer: String, _ kind: ConversationKey.Kind = .direct) async throws -> [StoredMessage] {
        try await timeline(key(peer, kind))
    }

    package var conversations: [Conversation] {
        get async throws {
            try await store.read { reader throws(StoreError) in try reader.conversations() }
        }
    }

    /// All texts of all conversations.
    package var texts: [String] {
        get async throws {
            try await store.read { reader throws(StoreError) in
                var texts: [String] = []
                for conversation in try reader.conversations() {
                    texts += try reader.timeline(of: conversation.id, .newest, limit: 2000).map(\.text.body)
                }
                return texts
            }
        }
    }

    /// Returns when a text was received, or throws if the account has ended or on a timeout.
    package func gets(_ body: String) async throws {
        try await wait(for: "“\(body.prefix(60))”") { try await self.texts.contains { $0.hasPrefix(body) } }
    }

    /// Returns when the condition is true; it is checked with each change of the store and of the account.
    package func wait(
        for description: String, within limit: Duration = HostileLine.timeout,
        until condition: @escaping @Sendable () async throws -> Bool
    ) async throws {
        let (bells, bell) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let (changes, events) = (store.changes(), account.events())
        let ringers = [
            Task { for await _ in changes { bell.yield() } }, Task { for await _ in events { bell.yield() } },
            // The end of the account is not one of its events.
            Task { while true { try await Task.sleep(for: .milliseconds(250)); bell.yield() } },
        ]
        defer { for ringer in ringers { ringer.cancel() } }
        let deadline = ContinuousClock.now + limit
        bell.yield()
        for await _ in bells {
            if try await condition() { return }
            if let reason = ending.withLock({ $0 }) {
                throw HostileFailure("\(address) waited for \(description) and was thrown out: \(reason)")
            }
            if ContinuousClock.now >= deadline {
                throw HostileFailure(
                    "\(address) waited in vain for \(description): \(await account.connectionState), "
                        + "\(try await texts.suffix(5).map { $0.prefix(80) })")
            }
        }
    }
}

/// Records what a victim sent, and its session.
private final class Wire: StanzaInterceptor {
    let sent = Mutex<[AnyStanza]>([])
    let session = Mutex<Session?>(nil)

    func willReceive(_ stanza: AnyStanza, in session: Session) async -> Interception {
        self.session.withLock { $0 = session }
        return .pass(stanza)
    }

    func willSend(_ stanza: AnyStanza, in session: Session) async -> Interception {
        self.session.withLock { $0 = session }
        sent.withLock { $0.append(stanza) }
        return .pass(stanza)
    }
}
