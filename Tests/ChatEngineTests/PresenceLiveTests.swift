import ChatEngine
import ChatFixtures
import ChatStore
import ChatStoreTesting
import ServerFixtures
import Testing
import XMPPAddress

@Suite("Presence on real servers", .timeLimit(.minutes(20)))
struct PresenceLiveTests {
    @Test("after a lost connection the presence is restored, although a server sends it once per session")
    func resumption() async throws {
        let server = try await ServerKind.prosody13.shared()
        let proxy = try FaultProxy(to: server.port)
        let romeo = try await Person(try await server.newAccount("romeo"), on: server, port: proxy.port)
        let juliet = try await Person(try await server.newAccount("juliet"), on: server)
        try await romeo.whileRunning {
            try await juliet.whileRunning {
                try await Person.ask(romeo, juliet)

                proxy.configure { $0.acceptance = .refuse }
                proxy.resetConnections()
                await Person.until(romeo.account) { await romeo.account.contacts.presences.isEmpty }
                proxy.heal()
                await Person.until(romeo.account) { await romeo.account.connectionState.isOnline }
                await Person.until(romeo.account) {
                    await romeo.account.contacts.presences[juliet.address]?.section == .online
                }
            }
        }
    }

    @Test("a contact sees since when somebody has done nothing, until the next input", arguments: ServerKind.allCases)
    func idle(kind: ServerKind) async throws {
        let server = try await kind.shared()
        let romeo = try await Person(try await server.newAccount("romeo"), on: server)
        let juliet = try await Person(try await server.newAccount("juliet"), on: server)
        try await romeo.whileRunning {
            try await juliet.whileRunning {
                try await Person.ask(romeo, juliet)
                let since = MessageTime(millisecondsSince1970: 1_700_000_000_000)
                await juliet.account.setPresence(OwnPresence(status: "reading").idle(since: since))
                await Person.until(romeo.account) {
                    await romeo.account.contacts.presences[juliet.address]?.section == .away
                }
                let presence = try #require(await romeo.account.contacts.presences[juliet.address])
                #expect(presence.idleSince == since && presence.status == "reading")
                await juliet.account.setPresence(OwnPresence())
                await Person.until(romeo.account) {
                    await romeo.account.contacts.presences[juliet.address]?.section == .online
                }
                #expect(await romeo.account.contacts.presences[juliet.address]?.idleSince == nil)
            }
        }
    }

    @Test("a contact that asks back is accepted automatically, also in another process")
    func askedBack() async throws {
        let server = try await ServerKind.prosody13.shared()
        let romeo = try await Person(try await server.newAccount("romeo"), on: server)
        let juliet = try await Person(try await server.newAccount("juliet"), on: server)
        try await romeo.whileRunning {
            try await juliet.whileRunning {
                try await Person.ask(romeo, juliet)
                await Person.until(juliet.account) {
                    await juliet.account.contacts.presences[romeo.address]?.section == .online
                }
                await Person.until(romeo.account) {
                    await romeo.account.contacts.presences[juliet.address]?.section == .online
                }
                let kept: @Sendable () async throws -> [StoredPresence] = {
                    try await romeo.store.read { reader throws(StoreError) in try reader.presences(of: romeo.id) }
                        .filter { $0.kind == .request }
                }
                let changes = romeo.store.changes()
                if try await !kept().isEmpty { for await _ in changes where try await kept().isEmpty { break } }
                #expect(await romeo.account.contacts.requests.isEmpty)
            }
        }
    }

    @Test("a client that reconnects while inactive sees the current presence and the changes soon after")
    func inactive() async throws {
        // Sessions of this server are not kept for a resumption, and presence that is held back is not released again
        // at once.
        let server = try await PrivateProsody(
            ServerOptions {
                $0.configurationLines = ["smacks_hibernation_time = 1", "csi_resume_inactive_delay = 0.01"]
            })
        let proxy = try FaultProxy(to: server.port)
        let romeo = try await Person(try await server.newAccount("romeo"), on: server, port: proxy.port)
        let juliet = try await Person(try await server.newAccount("juliet"), on: server)
        try await romeo.whileRunning {
            try await juliet.whileRunning {
                try await Person.ask(romeo, juliet)
                await Person.until(juliet.account) { await juliet.account.contacts.presences[romeo.address] != nil }
                await romeo.account.setActive(false)
                proxy.configure { $0.acceptance = .refuse }
                proxy.resetConnections()
                await Person.until(juliet.account) { await juliet.account.contacts.presences[romeo.address] == nil }
                proxy.heal()
                await Person.until(romeo.account) {
                    await romeo.account.contacts.presences[juliet.address]?.section == .online
                }
                // Any stanza from Romeo releases the presence that is held back, so his session must be idle first.
                try await Task.sleep(for: .seconds(5))
                await juliet.account.setPresence(OwnPresence(show: .away))
                try await withThrowingTaskGroup(of: Bool.self) { group in
                    group.addTask {
                        await Person.until(romeo.account) {
                            await romeo.account.contacts.presences[juliet.address]?.section == .away
                        }
                        return true
                    }
                    group.addTask {
                        try await Task.sleep(for: .seconds(40))
                        return false
                    }
                    let came = try await group.next() ?? false
                    #expect(came, "Juliet's presence was held back.")
                    group.cancelAll()
                }
            }
        }
    }

    @Test(
        "a contact request is still pending after a restart, but not new until it is repeated",
        arguments: AccountLiveTests.servers)
    func restart(kind: ServerKind) async throws {
        let server = try await kind.shared()
        let romeo = try await Person(try await server.newAccount("romeo"), on: server)
        let name = try await server.newAccount("juliet")
        let store = MemoryStore()
        try await romeo.whileRunning {
            try await Person.waitUntilOnline([romeo])
            // A device that is restarted each time with its stored state.
            for isRepeated in [false, true, true] {
                let juliet = try await Person(name, on: server, store: store)
                try await juliet.whileRunning {
                    if !isRepeated { _ = try await romeo.account.contacts.add(juliet.address) }
                    await Person.until(juliet.account) { await !juliet.account.contacts.requests.isEmpty }
                    #expect(await juliet.account.contacts.requests.map(\.isRepeated) == [isRepeated])
                }
            }
            let juliet = try await Person(name, on: server, store: store)
            try await juliet.whileRunning {
                await Person.until(juliet.account) { await !juliet.account.contacts.requests.isEmpty }
                try await juliet.account.contacts.declineRequest(of: romeo.address)
                await Person.until(juliet.account) { await juliet.account.contacts.requests.isEmpty }
                // A server drops a request that arrives before it has answered the previous one.
                let isAnswered: @Sendable () async throws -> Bool = {
                    try await romeo.store.read { reader throws(StoreError) in try reader.contacts(of: romeo.id) }
                        .allSatisfy { !$0.isPending }
                }
                let changes = romeo.store.changes()
                if try await !isAnswered() { for await _ in changes where try await isAnswered() { break } }
                try await romeo.account.contacts.askAgain(juliet.address)
                await Person.until(juliet.account) { await !juliet.account.contacts.requests.isEmpty }
                #expect(await juliet.account.contacts.requests.map(\.isRepeated) == [false])
            }
        }
    }

    @Test("a request of a blocked address is not pending any more")
    func blocked() async throws {
        let server = try await ServerKind.prosody13.shared()
        let romeo = try await Person(try await server.newAccount("romeo"), on: server)
        let juliet = try await Person(try await server.newAccount("juliet"), on: server)
        try await romeo.whileRunning {
            try await juliet.whileRunning {
                try await Person.waitUntilOnline([romeo, juliet])
                _ = try await romeo.account.contacts.add(juliet.address)
                await Person.until(juliet.account) { await !juliet.account.contacts.requests.isEmpty }
                try await juliet.account.blocking.block(romeo.address)
                await Person.until(juliet.account) { await juliet.account.contacts.requests.isEmpty }
            }
        }
    }
}
