import SASLMechanisms
import ServerSide
import Synchronization
import Testing
import TransportLayer
import XMLStreaming
import XMPPAddress
import XMPPStanzas
import XMPPStream

@testable import XMPPClient

/// Records what it is told, with a delay.
private final class Keyring: SignInStore {
    private let tokens = Mutex<[FASTToken?]>([])

    private let mechanisms = Mutex<[SASLMechanismName]>([])

    var saved: [FASTToken?] { tokens.withLock(\.self) }
    var savedMechanisms: [SASLMechanismName] { mechanisms.withLock(\.self) }

    func saveMechanism(_ mechanism: SASLMechanismName) async { mechanisms.withLock { $0.append(mechanism) } }

    func saveToken(_ token: FASTToken?) async {
        for _ in 0..<20 { await Task.yield() }
        tokens.withLock { $0.append(token) }
    }
}

@Suite("Signing in again", .timeLimit(.minutes(20)))
struct SignInTests {
    private let server = MemoryServer {
        $0.supported = ServerStreamConfiguration.extensible
        $0.offered = $0.supported
    }

    private func configuration(_ keyring: Keyring) throws -> ClientConfiguration {
        var configuration = try server.account("alice")
        configuration.userAgent = UserAgent(id: "d4565fa7-4d72-4749-b3d3-740edbf87770", software: "Hongyan")
        configuration.signInStore = keyring
        return configuration
    }

    @Test("a token replaces the password at the next login, and the newest is stored when run returns")
    func tokens() async throws {
        let keyring = Keyring()
        var configuration = try configuration(keyring)
        try await Client(configuration).run { session in
            #expect(await session.agreement?.usesSASL2 == true)
            #expect(await session.agreement?.usesFAST == false)
        }
        #expect(keyring.saved.count == 1)
        configuration.fastToken = try #require(keyring.saved.last ?? nil)
        try await Client(configuration).run { session in
            #expect(await session.agreement?.usesFAST == true)
            let events = session.events(.connection)
            await server.cut("alice")
            _ = await events.first { if case .connection(.online) = $0 { true } else { nil } }
            #expect(await session.agreement?.usesFAST == true)
        }
        #expect(keyring.saved.count == 3)
        #expect(Set(keyring.saved.compactMap { $0?.token }).count == 3)
    }

    @Test("a token that the server rejects is removed, and the password is used")
    func refusedToken() async throws {
        let keyring = Keyring()
        var configuration = try configuration(keyring)
        try await Client(configuration).run { _ in }
        configuration.fastToken = keyring.saved.last ?? nil
        await server.revokeTokens("alice")
        try await Client(configuration).run { session in
            #expect(await session.agreement?.usesFAST == false)
        }
        #expect(keyring.saved.count == 3)
        #expect(keyring.saved[1] == nil)
        #expect(keyring.saved[2] != nil)
    }

    @Test(
        "a server that offered channel binding and now offers only weaker logins is refused, also at the next start",
        arguments: [[.plain], [.scramSHA256], [.scramSHA1, .plain]] as [[SASLMechanismName]])
    func downgrade(offered: [SASLMechanismName]) async throws {
        let keyring = Keyring()
        let server = MemoryServer { $0.mechanisms = [.scramSHA256Plus, .scramSHA256, .plain] }
        var configuration = try server.account("alice")
        configuration.signInStore = keyring
        configuration.mechanisms.allowedMechanisms = SASLPolicy.all
        for _ in 1...2 {
            try await Client(configuration).run { session in
                #expect(await session.agreement?.mechanism == "SCRAM-SHA-256-PLUS")
            }
            #expect(keyring.savedMechanisms == [.scramSHA256Plus], "it is saved once")
            configuration.mechanisms.previousMechanism = keyring.savedMechanisms.last
        }

        let weaker = MemoryServer { $0.mechanisms = offered }
        var next = try weaker.account("alice")
        next.signInStore = keyring
        next.mechanisms = configuration.mechanisms
        do {
            try await Client(next).run { _ in Issue.record("it logged in") }
        } catch let error as ClientError {
            #expect(error.streamFailure?.saslError?.meansDowngrade == true)
            #expect(error.code == .policyViolated)
        }
        #expect(await weaker.connections == 1, "it is not tried again")
        // Signing in again accepts it.
        next.mechanisms.previousMechanism = nil
        try await Client(next).run { session in
            #expect(await session.agreement?.mechanism == offered.first?.rawValue)
        }
        #expect(keyring.savedMechanisms == [.scramSHA256Plus, offered[0]])
    }

    @Test("without an installation identifier no token is requested")
    func noUserAgent() async throws {
        let keyring = Keyring()
        var configuration = try configuration(keyring)
        configuration.userAgent = nil
        try await Client(configuration).run { _ in }
        #expect(keyring.saved.isEmpty)
    }

    @Test("an extension can enable features together with the binding")
    func bindRequests() async throws {
        struct Copies: SessionExtension {
            let bindRequests: [BindRequest]
        }
        let enable = try XMLElement(parsing: "<enable xmlns='urn:xmpp:carbons:2'/>")
        var configuration = try configuration(Keyring())
        configuration.negotiation = .forArchiveReaders
        configuration.add { _ in Copies(bindRequests: [BindRequest(feature: "urn:xmpp:carbons:2", element: enable)]) }
        try await Client(configuration).run { session in
            #expect(await session.agreement?.inlineFeatures == ["urn:xmpp:carbons:2"])
            #expect(await session.agreement?.isBoundInline == true)
        }
    }

    @Test("a session counts its traffic")
    func traffic() async throws {
        let server = MemoryServer()
        try await Client(try server.account("alice")).run { session in
            let before = await session.traffic
            #expect(before.bytesSent > 0 && before.bytesReceived > 0 && before.wakeUps > 0)
            try await session.probe()
            let after = await session.traffic
            #expect(after.keepAlives == before.keepAlives + 1)
            #expect(after.bytesSent == before.bytesSent + UInt64("<r xmlns='urn:xmpp:sm:3'/>".utf8.count))
            #expect(after.wakeUps > before.wakeUps)
            #expect(after.since == before.since)
        }
    }

    @Test("writes over messages keep their boundaries, writes over a stream are joined")
    func outbox() {
        for keepsPieces in [true, false] {
            let outbox = Outbox(keepsPieces: keepsPieces)
            outbox.append([1])
            outbox.append([2, 3])
            outbox.append(StanzaToken(7))
            #expect(outbox.byteCount == 3)
            let (pieces, stanzas) = outbox.take()
            #expect(pieces == (keepsPieces ? [[1], [2, 3]] : [[1, 2, 3]]))
            #expect(stanzas == [StanzaToken(7)])
            #expect(outbox.isEmpty && outbox.byteCount == 0 && outbox.keepsPieces == keepsPieces)
        }
    }
}
