package import ChatEngine
package import ChatStore
import ChatStoreTesting
package import ServerFixtures
package import Testing
import TransportLayer
package import XMPPAddress
package import XMPPClient

/// A device of somebody: a store and an account at work.
package struct Person: Sendable {
    package let store: any LocalStore
    package let account: ChatAccount
    package let id: AccountID
    package let address: JID
    private let transcript = Transcript()

    /// - Parameters:
    ///   - port: another than the server's, to go through a ``FaultProxy``.
    ///   - configure: changes how the account connects.
    package init(
        _ name: ServerFixtures.Account, on server: RunningServer, port: UInt16? = nil,
        store: any LocalStore = MemoryStore(), policy: ChatAccountPolicy = ChatAccountPolicy(),
        media: MediaCache? = nil, uploader: (any AttachmentUploader)? = nil,
        protection: (any ContentProtection)? = nil, configure: (inout ClientConfiguration) -> Void = { _ in }
    ) async throws {
        self.store = store
        let address = try JID(name.address)
        self.address = address
        let id = try await store.write { writer throws(StoreError) in try writer.addAccount(address) }
        self.id = id
        var configuration = ClientConfiguration(address: address, password: name.password)
        configuration.use(server)
        if let port { configuration.port = port }
        configuration.reconnection.backoff.first = .milliseconds(20)
        // What is tried is not the speed of a machine that runs other tests beside this one.
        configuration.loginTimeout = .seconds(120)
        configuration.resumptionTimeout = .seconds(60)
        configuration.add { [transcript] _ in transcript }
        configure(&configuration)
        account = ChatAccount(
            id, configuration: configuration, store: store, policy: policy, media: media, uploader: uploader,
            protection: protection)
    }

    /// The last stanzas, one in each line: “>” was sent, “<” received.
    package var stanzas: [Substring] { transcript.text.split(separator: "\n") }

    package func key(_ peer: JID) -> ConversationKey { ConversationKey(account: id, address: peer, kind: .direct) }

    @discardableResult
    package func write(_ body: String, to peer: Person) async throws -> MessageID {
        try await account.send(.text(MessageText(body)), in: key(peer.address))
    }

    /// What a person would see of a conversation.
    package func timeline(with peer: JID) async throws -> [StoredMessage] {
        try await timeline(in: key(peer))
    }

    package func timeline(in key: ConversationKey) async throws -> [StoredMessage] {
        try await store.read { reader throws(StoreError) in
            guard let id = try reader.conversation(key) else { return [] }
            return try reader.timeline(of: id, .newest, limit: 1000)
        }
    }

    /// Returns when the timeline is as the closure wants it; says what it was if that takes too long.
    package func wait(
        for peer: Person, within limit: Duration = .seconds(180), location: SourceLocation = #_sourceLocation,
        _ isGood: @escaping @Sendable ([StoredMessage]) -> Bool
    ) async throws {
        try await wait(in: key(peer.address), with: peer, within: limit, location: location, isGood)
    }

    /// - Parameter peer: whose side is described too if it takes too long.
    package func wait(
        in key: ConversationKey, with peer: Person? = nil, within limit: Duration = .seconds(180),
        location: SourceLocation = #_sourceLocation,
        _ isGood: @escaping @Sendable ([StoredMessage]) -> Bool
    ) async throws {
        let changes = store.changes()
        let isReached = try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                if isGood(try await timeline(in: key)) { return true }
                for await _ in changes where isGood(try await timeline(in: key)) { return true }
                return false
            }
            group.addTask {
                try await Task.sleep(for: limit)
                return false
            }
            defer { group.cancelAll() }
            return try await group.next() ?? false
        }
        if !isReached {
            Issue.record("\(self.address): \(await account.connectionState)")
            let (id, archive) = (id, key.kind == .room ? key.address : address)
            let intervals = try await store.read { reader throws(StoreError) in
                try reader.archiveIntervals(of: archive, with: nil, account: id)
            }
            Issue.record("\(intervals)")
            let shown = try await timeline(in: key).map {
                "\($0.isOutgoing ? ">" : "<") \($0.text.body) \($0.state) \($0.protection) \($0.position.time.millisecondsSince1970 % 100_000) \($0.timeSource)"
            }
            Issue.record("\(self.address): \(shown.joined(separator: "\n"))", sourceLocation: location)
            Issue.record("\(self.address): \(transcript.text)")
            if let peer {
                let sent = try await peer.timeline(with: address).map { "\($0.text.body) \($0.state)" }
                Issue.record("\(peer.address): \(await peer.account.connectionState) \(sent) \(peer.transcript.text)")
            }
            throw CancellationError()
        }
    }

    /// Returns when something is true of an account, which tells of each change.
    package static func until(_ account: ChatAccount, _ isTrue: () async -> Bool) async {
        let events = account.events()
        if await isTrue() { return }
        for await _ in events where await isTrue() { return }
    }

    package static func waitUntilOnline(_ people: [Person]) async throws {
        for person in people {
            let events = person.account.events()
            if await person.account.connectionState.isOnline { continue }
            for await event in events {
                if case .connection(let state) = event, state.isOnline { break }
            }
        }
    }

    /// Romeo asks, Juliet agrees, and he sees that she is there. Both run.
    package static func ask(_ romeo: Person, _ juliet: Person) async throws {
        try await waitUntilOnline([romeo, juliet])
        _ = try await romeo.account.contacts.add(juliet.address)
        await until(juliet.account) { await !juliet.account.contacts.requests.isEmpty }
        try await juliet.account.contacts.acceptRequest(of: romeo.address)
        await until(romeo.account) { await romeo.account.contacts.presences[juliet.address]?.section == .online }
    }

    /// Each sees the presence of the other from now on; neither runs before or after.
    package func befriend(_ other: Person) async throws {
        try await whileRunning {
            try await other.whileRunning {
                try await Self.ask(self, other)
                await Self.until(other.account) { await other.account.contacts.presences[address]?.section == .online }
            }
        }
    }

    /// Runs the account while the body runs.
    package func whileRunning<Result: Sendable>(
        _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        let account = account
        let life = Task { try await account.run() }
        do {
            let result = try await body()
            life.cancel()
            if case .failure(let error) = await life.result, !(error is CancellationError) {
                Issue.record("\(address): \(error)")
            }
            return result
        } catch {
            life.cancel()
            if case .failure(let error) = await life.result, !(error is CancellationError) {
                Issue.record("\(address): \(error)")
            }
            throw error
        }
    }
}

extension ClientConfiguration {
    /// Connects to a server of the tests, and trusts it.
    package mutating func use(_ server: RunningServer) {
        host = server.host
        port = server.port
        trust = .certificateAuthority(server.authorityFile)
    }
}
