import ChatEngine
import ChatFixtures
import ChatStore
import ServerFixtures
import Synchronization
import Testing
import XMPPAddress

@testable import ChatModel

/// Keeps the identity key in memory.
private final class Identities: OMEMOIdentities {
    private let stored = Mutex<[UInt8]?>(nil)

    func search() async throws -> IdentitySearch {
        IdentitySearch(stored.withLock { $0 }.map { [.init($0, in: "memory")] } ?? [])
    }

    func save(_ seed: [UInt8]) async throws -> String {
        stored.withLock { $0 = seed }
        return "memory"
    }
}

@Suite("Models of encryption on a real server", .timeLimit(.minutes(20)))
@MainActor
struct EncryptionLiveTests {
    private func person(_ name: String, on server: RunningServer) async throws -> Person {
        var policy = ChatAccountPolicy()
        policy.encryption = OMEMOSettings(identities: Identities(), policy: .whenPossible)
        return try await Person(try await server.newAccount(name), on: server, policy: policy)
    }

    @Test(
        "the lock closes as soon as the other side has published its keys, and keys are verified",
        arguments: [ServerKind.prosody012, .prosody13])
    func meeting(kind: ServerKind) async throws {
        let server = try await kind.shared()
        let romeo = try await person("romeo", on: server)
        let juliet = try await person("juliet", on: server)
        let lock = EncryptionModel(juliet.key(romeo.address), account: juliet.account)
        let devices = try #require(DeviceListModel(romeo.address, account: juliet.account))
        let tasks = [Task { await lock.run() }, Task { await devices.run() }]
        try await juliet.whileRunning {
            await eventually { await lock.sign == .clear }
            #expect(await lock.sign == .clear)
            try await romeo.whileRunning {
                try await Self.befriend(juliet, romeo)
                await eventually { await lock.sign == .encrypted }
                #expect(await lock.sign == .encrypted)
                let fingerprint = try #require(romeo.account.encryption?.fingerprint)
                #expect(await eventually { await devices.devices.map(\.fingerprint) == [fingerprint] })
                let device = try #require(await devices.devices.first)
                await devices.setTrust(.verified, in: device)
                // A list that was requested before can be read after it.
                #expect(await eventually { await devices.verifiedCount == 1 })
                try await juliet.write("Thou know'st the mask of night is on my face", to: romeo)
                await eventually {
                    (try? await romeo.timeline(with: juliet.address).first?.protection) ?? .none != .none
                }
                let received = try #require(await romeo.timeline(with: juliet.address).first)
                #expect(received.text.body == "Thou know'st the mask of night is on my face")
                #expect(received.protection != .none)
            }
        }
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
    }

    private static func befriend(_ one: Person, _ other: Person) async throws {
        _ = try await one.account.contacts.add(other.address)
        await eventually { await other.account.contacts.requests.contains { $0.address == one.address } }
        try await other.account.contacts.acceptRequest(of: one.address)
    }
}
