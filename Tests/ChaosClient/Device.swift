import ChatEngine
import ChatStore
import Foundation
import Glibc
import Synchronization
import TransportLayer
import XMPPAddress
import XMPPClient
import XMPPStream

/// One device of a user: a store in a file, a running account, and a simulated typist.
struct Device: Sendable {
    let folder: String
    let settings: ChaosSettings
    let ledger: Ledger
    let log: DeviceLog
    let clock = ShiftedClock()
    let peers: [JID]
    let room: JID

    init(folder: String) throws {
        self.folder = folder
        settings = try JSONDecoder().decode(
            ChaosSettings.self, from: Data(contentsOf: URL(filePath: "\(folder)/\(ChaosFiles.settings)")))
        ledger = try Ledger(folder: folder)
        log = try DeviceLog(folder: folder)
        peers = try settings.peers.map { try JID($0) }
        room = try JID(settings.room)
    }

    var orders: ChaosOrders { ChaosFiles.read(ChaosOrders.self, ChaosFiles.orders, in: folder) ?? ChaosOrders() }

    func run() async throws {
        log.say("started as \(getpid())")
        clock.shift(to: orders.clockError)
        let (store, id) = await openStore()
        let clock = clock
        let account = ChatAccount(
            id, configuration: try configuration, store: store, policy: policy, now: { clock.now })
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await live(account) }
            group.addTask { await notice(account.events()) }
            group.addTask { await type(into: account, store) }
            group.addTask { await DeviceSupervisor(device: self, account: account, store: store, id: id).run() }
        }
    }

    /// On a full disk it tries again until there is space.
    private func openStore() async -> (SQLiteStore, AccountID) {
        while true {
            do {
                let address = try JID(settings.address)
                let store = try await SQLiteStore.open(
                    at: "\(folder)/\(ChaosFiles.store)", maximumSize: orders.isStoreFull ? 1 : nil)
                do throws(StoreError) {
                    return (
                        store, try await store.write { writer throws(StoreError) in try writer.addAccount(address) }
                    )
                } catch {
                    await store.close()
                    throw error
                }
            } catch {
                log.say("the store cannot be opened: \(error)")
                try? await Task.sleep(for: .milliseconds(200))
            }
        }
    }

    private var policy: ChatAccountPolicy {
        var policy = ChatAccountPolicy()
        policy.encryption = encryption
        // As in practice, but faster: the whole run takes a minute and not a day.
        policy.confirmationTime = .seconds(3)
        policy.history.backoff.first = .milliseconds(300)
        policy.history.backoff.longest = .seconds(3)
        policy.history.gapPages = 10_000
        policy.history.pageSize = 100
        return policy
    }

    var configuration: ClientConfiguration {
        get throws {
            var configuration = ClientConfiguration(address: try JID(settings.address), password: settings.password)
            configuration.host = settings.host
            configuration.port = settings.port
            configuration.trust = .certificateAuthority(settings.authorityFile)
            // A server for sixteen devices on a small machine is slow, but available. A client that does not wait for
            // it reconnects with a new session, which costs the server more than the old one.
            configuration.keepAlive = .probe(silence: .seconds(3), timeout: .seconds(20))
            configuration.loginTimeout = .seconds(20)
            configuration.requestTimeout = .seconds(20)
            configuration.reconnection = ReconnectionPolicy(
                attempts: nil, backoff: Backoff(first: .milliseconds(50), longest: .seconds(1)))
            configuration.networkMonitor = nil
            configuration.interceptors = [log]
            configuration.add { [log] _ in log }
            return configuration
        }
    }

    /// Reconnects whenever the session ends.
    private func live(_ account: ChatAccount) async {
        while !Task.isCancelled {
            do {
                try await account.run()
                log.say("the session was closed")
            } catch {
                log.say("the session ended: \(error)")
            }
            try? await Task.sleep(for: .milliseconds(100))
        }
    }

    private func notice(_ events: AsyncStream<ChatAccountEvent>) async {
        for await event in events {
            switch event {
            case .connection(.online(let isResumed)): log.say(isResumed ? "session resumed" : "new session")
            case .connection(.offline(let reason, _)): log.say("offline: \(reason?.message ?? "-")")
            case .problem(let problem): log.say("problem: \(problem)")
            default: break
            }
        }
    }

    // MARK: Typing

    /// Types one message after the other; after a kill it continues where it stopped.
    private func type(into account: ChatAccount, _ store: SQLiteStore) async {
        var number = ledger.lastNumber + 1
        while number <= settings.count {
            var generator = SeededGenerator(seed: settings.seed &+ UInt64(number))
            let toRoom = Int.random(in: 0..<3, using: &generator) == 0
            let peer = peers[Int.random(in: 0..<peers.count, using: &generator)]
            // Mostly at a steady rate, and sometimes several at once.
            let isBurst = Int.random(in: 0..<4, using: &generator) == 0
            let pause = isBurst ? 1 : Int.random(in: settings.pause / 3...settings.pause * 7 / 3, using: &generator)
            try? await Task.sleep(for: .milliseconds(pause))
            guard orders.phase == .type else {
                try? await Task.sleep(for: .milliseconds(50))
                continue
            }
            let key = ConversationKey(
                account: account.id, address: toRoom ? room : peer, kind: toRoom ? .room : .direct)
            do {
                try ledger.willType(number, in: key.address.description)
            } catch {
                try? await Task.sleep(for: .milliseconds(50))
                continue
            }
            do throws(StoreError) {
                let body = Ledger.body(settings.device, number)
                let message = try await account.send(.text(MessageText(body)), in: key)
                try? ledger.typed(number)
                let stored = try? await store.read { reader throws(StoreError) in try reader.message(message) }
                log.say("typed \(stored?.originID ?? "-") “\(body)”")
            } catch {
                log.say("not typed \(number): \(error)")
                try? ledger.notTyped(number, because: "\(error.code)")
            }
            number += 1
        }
    }
}
