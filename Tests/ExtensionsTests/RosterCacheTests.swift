import Foundation
import Roster
import ServerFixtures
import ServiceDiscovery
import Synchronization
import Testing
import XMLStreaming
import XMPPAddress
import XMPPClient
import XMPPStanzas

/// What is kept between processes and asked for again only if it has changed.
@Suite("Caches of the contact list and of capabilities (XEP-0237, XEP-0115, XEP-0390)", .timeLimit(.minutes(10)))
struct RosterCacheTests {
    /// A cache in memory.
    private final class Memory: CacheStorage {
        private let element = Mutex<XMLElement?>(nil)

        func load() async -> XMLElement? { element.withLock { $0 } }
        func save(_ new: XMLElement) async { element.withLock { $0 = new } }
    }

    /// Counts the contacts in lists that the server sends.
    private final class Counter: SessionExtension, StanzaInterceptor {
        private let numbers = Mutex<[Int]>([])
        var lists: [Int] { numbers.withLock { $0 } }

        var interceptors: [any StanzaInterceptor] { [self] }

        func willReceive(_ stanza: AnyStanza, in session: Session) async -> Interception {
            if case .iq(let iq) = stanza, iq.type == .result {
                if let list = iq.payload.flatMap({ try? RosterQuery(from: $0) }) {
                    numbers.withLock { $0.append(list.items.count) }
                } else if iq.payload == nil {
                    numbers.withLock { $0.append(-1) }
                }
            }
            return .pass(stanza)
        }
    }

    private func run(
        _ server: RunningServer, _ account: Account, _ cache: any CacheStorage,
        _ body: @escaping @Sendable (Roster, Counter) async throws -> Void
    ) async throws {
        var configuration = ClientConfiguration(address: try JID(account.address), password: account.password)
        configuration.host = server.host
        configuration.port = server.port
        configuration.trust = .certificateAuthority(server.authorityFile)
        configuration.loginTimeout = .seconds(120)
        let counter = Counter()
        configuration.add { _ in counter }
        configuration.add { Roster($0, cache: cache) }
        try await Client(configuration).run { session in
            let roster = try #require(session[Roster.self])
            try await withDeadline { try await body(roster, counter) }
        }
    }

    @Test("the next process gets only what has changed", arguments: ServerKind.allCases)
    func versions(kind: ServerKind) async throws {
        let server = try await kind.shared()
        let account = try await server.newAccount("romeo")
        let cache = Memory()
        let juliet = try JID("juliet@xmpp.test")
        try await run(server, account, cache) { roster, counter in
            #expect(counter.lists.first == 0)
            _ = try await roster.add(juliet, name: "Juliet")
            while await roster.contact(juliet)?.item.isPending != true { try await Task.sleep(for: .milliseconds(20)) }
        }
        try await run(server, account, cache) { roster, counter in
            #expect(await roster.isPopulated)
            #expect(await roster.contact(juliet)?.item.name == "Juliet")
            #expect(await roster.contact(juliet)?.item.isPending == true)
            // The server has sent no list, because it is the same.
            #expect(!counter.lists.contains(1))
        }
        // Another account does not get the list of this one.
        try await run(server, try await server.newAccount("other"), cache) { roster, _ in
            #expect(await roster.isPopulated)
            #expect(await roster.allItems.isEmpty)
        }
    }

    @Test("a file is written for its owner only, replaced as a whole, and a damaged one reads as none")
    func file() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("cache-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = folder + "/roster.xml"
        let cache = CacheFile(path: path)
        #expect(await cache.load() == nil)
        let first = XMLElement(XMLName("a", "urn:x"), text: "鸿雁")
        await cache.save(first)
        #expect(await CacheFile(path: path).load() == first)
        let second = XMLElement(XMLName("b", "urn:x"))
        await cache.save(second)
        #expect(await cache.load() == second)
        await CacheFile(path: folder + "/no/such/folder").save(first)
        #expect(await CacheFile(path: folder + "/no/such/folder").load() == nil)
    }

    @Test("capabilities that were verified once are not asked for again", arguments: ServerKind.allCases)
    func capabilities(kind: ServerKind) async throws {
        let server = try await kind.shared()
        let cache = Memory()
        var romeo = try server.configuration(try await server.newAccount("romeo"))
        romeo.extensions.removeAll()
        romeo.add { ServiceDiscovery($0, cache: cache) }
        romeo.add { _ in Everybody() }
        let configuration = romeo
        let juliet = Client(try server.configuration(try await server.newAccount("juliet")))
        for isFirst in [true, false] {
            try await Client(configuration).run { first in
                let asked = first.events(.sending)
                try await juliet.run { second in
                    let peer = try #require(await second.address)
                    let received = first.events(.presences)
                    let own = try #require(await first.address)
                    try await second.send(Presence(to: own))
                    try await withDeadline {
                        for await batch in received {
                            for case .presence(let presence) in batch where presence.from == peer {
                                #expect(presence.payloads.contains(CapabilityHashes.name))
                                #expect(presence.payloads.contains(EntityCapabilities.name))
                                return
                            }
                        }
                    }
                    let discovery = try #require(first[ServiceDiscovery.self])
                    let features = try await discovery.information(of: peer).features
                    #expect(features.contains("urn:xmpp:caps"))
                    try await first.ping()
                    var requests = 0
                    reading: for await batch in asked {
                        for case .sent(let token) in batch {
                            guard case .iq(let iq) = token.stanza else { continue }
                            if iq.payload?.isNamed(DiscoveryInformation.name) == true, iq.type == .get { requests += 1 }
                            if iq.payload?.name.local == "ping" { break reading }
                        }
                    }
                    #expect(requests == (isFirst ? 1 : 0))
                }
            }
        }
    }

    private struct Everybody: PeerDirectory {
        func maySeePresence(_ peer: JID) async -> Bool { true }
        func follows(_ peer: JID) async -> Bool { true }
    }
}
