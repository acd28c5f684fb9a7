import ChatEngine
import ChatFixtures
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

/// What is on the wire between a program and the server.
@Suite("Caches of an account between two starts of a program", .timeLimit(.minutes(10)))
struct AccountCachesLiveTests {
    /// Counts the contact lists that arrive and the questions about capabilities that leave.
    private final class Wire: SessionExtension, StanzaInterceptor {
        private let state = Mutex((lists: 0, empty: 0, questions: [JID]()))

        var lists: Int { state.withLock { $0.lists } }
        /// Answers without a list: it is the one that is known.
        var empty: Int { state.withLock { $0.empty } }
        private let requests = Mutex<Set<String>>([])

        func questions(about peer: JID) -> Int { state.withLock { $0.questions.count { $0.bare == peer } } }

        var interceptors: [any StanzaInterceptor] { [self] }

        func willReceive(_ stanza: AnyStanza, in session: Session) async -> Interception {
            guard case .iq(let iq) = stanza, iq.type == .result, let id = iq.id,
                requests.withLock({ $0.remove(id) }) != nil
            else { return .pass(stanza) }
            state.withLock { state in
                if iq.payload == nil { state.empty += 1 } else { state.lists += 1 }
            }
            return .pass(stanza)
        }

        func willSend(_ stanza: AnyStanza, in session: Session) async -> Interception {
            guard case .iq(let iq) = stanza, iq.type == .get, let payload = iq.payload else { return .pass(stanza) }
            if payload.isNamed(RosterQuery.name), let id = iq.id { requests.withLock { _ = $0.insert(id) } }
            if payload.isNamed(DiscoveryInformation.name), let peer = iq.to {
                state.withLock { $0.questions.append(peer) }
            }
            return .pass(stanza)
        }
    }

    @Test(
        "the second start gets no contact list and asks for no capabilities that it knows",
        arguments: ServerKind.allCases)
    func secondStart(kind: ServerKind) async throws {
        let folder = NSTemporaryDirectory() + "/caches-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let server = try await kind.shared()
        let (name, peer) = (try await server.newAccount("romeo"), try await server.newAccount("juliet"))
        let juliet = try await Person(peer, on: server)
        let first = try await Person(name, on: server)
        try await first.befriend(juliet)
        try await juliet.whileRunning {
            for start in 1...2 {
                // A new process has new objects, and files.
                var policy = ChatAccountPolicy()
                policy.caches = AccountCaches(
                    contacts: CacheFile(path: folder + "/contacts.xml"),
                    capabilities: CacheFile(path: folder + "/capabilities.xml"))
                let wire = Wire()
                let romeo = try await Person(name, on: server, policy: policy) { $0.add { _ in wire } }
                try await romeo.whileRunning {
                    await Person.until(romeo.account) {
                        await romeo.account.contacts.presences[juliet.address]?.section == .online
                    }
                    let session = try #require(romeo.account.session)
                    let device = try #require(await juliet.account.session?.address)
                    let features = try await #require(session[ServiceDiscovery.self]).information(of: device).features
                    #expect(features.contains("urn:xmpp:caps"))
                    #expect(await session[Roster.self]?.contact(juliet.address) != nil)
                }
                #expect(wire.lists == (start == 1 ? 1 : 0))
                #expect(wire.empty == (start == 1 ? 0 : 1))
                #expect(wire.questions(about: juliet.address) == (start == 1 ? 1 : 0))
            }
        }
    }
}
