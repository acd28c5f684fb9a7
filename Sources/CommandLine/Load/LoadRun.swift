internal import EntityInformation
internal import FileSharing
internal import GroupChat
internal import MessageHistory
internal import ServiceDiscovery
internal import Synchronization
internal import TransportLayer
internal import XMPPAddress
internal import XMPPClient
internal import XMPPStanzas

/// An account of a load.
struct LoadAccount: Sendable, Equatable {
    var address: JID
    var password: String
}

/// Logs in with many accounts and does what a schedule says, whether the server keeps up or not.
final class LoadRun: Sendable {
    /// The sessions that log in at the same time, so that the login of the last one does not time out.
    private static let loginLimit = 64
    /// The number of occupants of a room.
    static let roomSize = 10
    /// Operations without an effect yet, above which further ones are omitted: more would measure this computer's memory.
    private static let openLimit = 50_000
    /// How long an operation may take to have an effect.
    private static let timeout = Duration.seconds(30)

    private struct Waiting: Sendable {
        let kind: LoadMix.Kind
        let due: ContinuousClock.Instant
        /// The session that must receive it.
        let receiver: Int
    }

    private struct State: Sendable {
        var report: LoadReport
        var sessions: [Session?]
        var rooms: [JID?]
        var waiting: [String: Waiting] = [:]
        var open = 0
        var number = 0
    }

    private let mix: LoadMix
    private let accounts: [LoadAccount]
    private let seed: UInt64
    private let text: String
    private let configure: @Sendable (LoadAccount) -> ClientConfiguration
    private let state: Mutex<State>
    private let clock = ContinuousClock()

    /// - Parameters:
    ///   - accounts: as many as the mix has sessions.
    ///   - configure: makes the configuration of an account.
    init(
        _ mix: LoadMix, _ accounts: [LoadAccount], seed: UInt64,
        configure: @escaping @Sendable (LoadAccount) -> ClientConfiguration
    ) {
        self.mix = mix
        self.accounts = accounts
        self.seed = seed
        self.configure = configure
        text = String(repeating: "x", count: mix.bytes)
        let domain = accounts.first?.address.domain ?? ""
        state = Mutex(
            State(
                report: LoadReport(mix: mix, seed: seed, domain: domain),
                sessions: Array(repeating: nil, count: accounts.count),
                rooms: Array(repeating: nil, count: (accounts.count + Self.roomSize - 1) / Self.roomSize)))
    }

    /// - Parameter progress: called with a sentence for each step.
    func run(progress: @escaping @Sendable (LoadStep) -> Void) async -> LoadReport {
        await withDiscardingTaskGroup { group in
            let logins = AsyncStream.makeStream(of: Void.self)
            var (begun, done) = (0, 0)
            var results = logins.stream.makeAsyncIterator()
            while done < accounts.count {
                while begun < accounts.count, begun - done < Self.loginLimit {
                    let index = begun
                    group.addTask { await self.live(index) { logins.continuation.yield() } }
                    begun += 1
                }
                guard await results.next() != nil else { break }
                done += 1
                if done.isMultiple(of: 100) || done == accounts.count { progress(.loggedIn(done)) }
            }
            if mix.weights[.room, default: 0] > 0, !Task.isCancelled { await enterRooms() }
            if !Task.isCancelled { await load(progress) }
            group.cancelAll()
        }
        return state.withLock { $0.report }
    }

    // MARK: Sessions

    /// One account from its login to the end of the load.
    private func live(_ index: Int, _ loggedIn: @escaping @Sendable () -> Void) async {
        let start = clock.now
        var isOnline = false
        do {
            try await Client(configuration(of: index)).run { session in
                let events = session.events(.messages)
                let duration = clock.now - start
                state.withLock { state in
                    state.report.login.latency.record(duration)
                    state.report.online += 1
                    state.sessions[index] = session
                }
                isOnline = true
                loggedIn()
                try await session.send(Presence())
                for await batch in events {
                    let now = clock.now
                    for case .message(let message) in batch { received(message, by: index, at: now) }
                }
            }
        } catch {
            state.withLock { $0.sessions[index] = nil }
        }
        if !isOnline {
            state.withLock { $0.report.login.failed += 1 }
            loggedIn()
        }
    }

    private func configuration(of index: Int) -> ClientConfiguration {
        var configuration = configure(accounts[index])
        configuration.add { ServiceDiscovery($0, identity: .init(category: "client", type: "bot", name: "load")) }
        if mix.weights[.archive, default: 0] > 0 { configuration.add { MessageArchive($0) } }
        if mix.weights[.room, default: 0] > 0 { configuration.add { GroupChat($0) } }
        if mix.weights[.upload, default: 0] > 0 { configuration.add { FileSharing($0) } }
        return configuration
    }

    private func session(_ index: Int) -> Session? { state.withLock { $0.sessions[index] } }

    /// Ten sessions each share a room; the first of them creates it.
    private func enterRooms() async {
        let first = (0..<accounts.count).lazy.compactMap { self.session($0) }.first
        let found = try? await first?[GroupChat.self]?.service()
        guard let service = found else { return }
        await withTaskGroup(of: Void.self) { group in
            for room in 0..<state.withLock({ $0.rooms.count }) {
                // A few rooms at a time.
                if room >= Self.loginLimit / Self.roomSize { _ = await group.next() }
                group.addTask { await self.enterRoom(room, at: service) }
            }
        }
    }

    private func enterRoom(_ room: Int, at service: JID) async {
        guard let address = try? JID(local: "load-\(seed)-\(room)", domain: service.domain) else { return }
        let members = (room * Self.roomSize)..<min((room + 1) * Self.roomSize, accounts.count)
        for index in members {
            guard let chat = session(index)?[GroupChat.self] else { continue }
            guard
                (try? await chat.enter(address, RoomVisit(nickname: "n\(index)", history: .init(maximumMessages: 0))))
                    != nil
            else { continue }
            state.withLock { $0.rooms[room] = address }
        }
    }

    // MARK: The load

    private func load(_ progress: @escaping @Sendable (LoadStep) -> Void) async {
        var schedule = LoadSchedule(mix, seed: seed)
        let start = clock.now
        await withDiscardingTaskGroup { group in
            var second = 0
            while let operation = schedule.next() {
                let due = start + operation.time
                if due > clock.now { try? await Task.sleep(until: due, tolerance: .zero, clock: clock) }
                guard !Task.isCancelled else { break }
                let late = clock.now - due
                let isBegun = state.withLock { state in
                    state.report.lateness.record(late)
                    guard state.open < Self.openLimit else {
                        state.report.omitted += 1
                        return false
                    }
                    state.open += 1
                    return true
                }
                if isBegun { group.addTask { await self.perform(operation, due: due) } }
                if Int(operation.time.components.seconds) > second {
                    second = Int(operation.time.components.seconds)
                    progress(.running(second))
                }
            }
            // What has begun may still have its effect.
            let end = clock.now + Self.timeout
            while !Task.isCancelled, clock.now < end, state.withLock({ $0.open > 0 }) {
                try? await Task.sleep(for: .milliseconds(50))
            }
            group.cancelAll()
        }
        state.withLock { state in
            for waiting in state.waiting.values { state.report.operations[waiting.kind, default: .init()].lost += 1 }
            state.waiting = [:]
        }
    }

    private func perform(_ operation: LoadSchedule.Operation, due: ContinuousClock.Instant) async {
        let kind = operation.kind
        guard let session = session(operation.session) else { return finish(kind, .failed) }
        var waitsFor: String?
        do {
            switch kind {
            case .message:
                let receiver = accounts[operation.peer].address.bare
                let id = wait(kind, due, by: operation.peer)
                waitsFor = id
                try await session.send(.chat(to: receiver, body: text, id: id))
                return
            case .room:
                let room = state.withLock { $0.rooms[operation.session / Self.roomSize] }
                guard let room else { return finish(kind, .failed) }
                let id = wait(kind, due, by: operation.session)
                waitsFor = id
                try await session.send(Message(to: room, type: .groupchat, id: id, body: text))
                return
            case .presence:
                // The server answers in order: when it answers, it has handled the presence.
                try await session.send(Presence(status: String(operation.time.components.seconds)))
                _ = try await session.ping(timeout: Self.timeout)
            case .archive:
                guard let archive = session[MessageArchive.self] else { return finish(kind, .failed) }
                _ = try await archive.page(page: .newest(20), timeout: Self.timeout)
            case .upload:
                guard let sharing = session[FileSharing.self] else { return finish(kind, .failed) }
                _ = try await sharing.upload(
                    OutgoingFile(
                        kind: .file, name: "load.bin", mediaType: "application/octet-stream",
                        content: Array(text.utf8)))
            }
            finish(kind, .done(clock.now - due))
        } catch {
            // A message that was received in spite of the error is done.
            if let waitsFor, state.withLock({ $0.waiting.removeValue(forKey: waitsFor) }) == nil { return }
            finish(kind, Task.isCancelled ? .lost : .failed)
        }
    }

    private enum Outcome: Sendable {
        case done(Duration)
        case failed
        case lost
    }

    private func finish(_ kind: LoadMix.Kind, _ outcome: Outcome) {
        state.withLock { state in
            state.open -= 1
            switch outcome {
            case .done(let duration): state.report.operations[kind, default: .init()].latency.record(duration)
            case .failed: state.report.operations[kind, default: .init()].failed += 1
            case .lost: state.report.operations[kind, default: .init()].lost += 1
            }
        }
    }

    /// - Returns: the id of the message that is waited for.
    private func wait(_ kind: LoadMix.Kind, _ due: ContinuousClock.Instant, by receiver: Int) -> String {
        state.withLock { state in
            state.number += 1
            let id = "load-\(state.number)"
            state.waiting[id] = Waiting(kind: kind, due: due, receiver: receiver)
            return id
        }
    }

    private func received(_ message: Message, by index: Int, at now: ContinuousClock.Instant) {
        guard let id = message.id, id.hasPrefix("load-") else { return }
        state.withLock { state in
            guard let waiting = state.waiting[id], message.isError || waiting.receiver == index else { return }
            state.waiting[id] = nil
            state.open -= 1
            if message.isError {
                state.report.operations[waiting.kind, default: .init()].failed += 1
            } else {
                state.report.operations[waiting.kind, default: .init()].latency.record(now - waiting.due)
            }
        }
    }
}

/// The progress of a load.
enum LoadStep: Sendable, Equatable {
    /// So many accounts have logged in, or failed to.
    case loggedIn(Int)
    /// The load has run for so many seconds.
    case running(Int)
}
