internal import Foundation
internal import Glibc
internal import Synchronization

/// Lets other programs of the same user use the accounts of the program that has a profile open.
///
/// It listens on a Unix socket in the folder of the profile, for no other user and on no network, and answers JSON-RPC
/// 2.0 (`ProfileMethod`). Only the program that has opened the store of the profile may create it.
///
///     let socket = ProfileSocket(profile, [.send { address in accounts[address] }])
///     …
///     socket?.close()
public final class ProfileSocket: Sendable {
    /// The maximum number of connected programs; further ones are asked to come back later.
    public static let clientLimit = 16
    /// The maximum number of concurrent requests of one client.
    static let requestLimit = 64
    /// How long the listening thread waits when the process has no free descriptors or memory, in microseconds.
    private static let exhaustionPause: UInt32 = 100_000

    private struct State {
        var isOpen = true
        var clients: [Int: SocketLine] = [:]
        var count = 0
    }

    private let place: SocketLocation
    private let descriptor: Int32
    private let methods: [String: ProfileMethod]
    private let timeout: Int
    private let state = Mutex(State())

    /// - Returns: `nil` if there cannot be a socket in the folder; the program works without it.
    public convenience init?(_ profile: Profile, _ methods: [ProfileMethod]) {
        self.init(profile, methods, timeout: SocketLine.timeout)
    }

    /// - Parameter timeout: of a line in seconds; for tests.
    init?(_ profile: Profile, _ methods: [ProfileMethod], timeout: Int) {
        place = SocketLocation(profile)
        self.timeout = timeout
        self.methods = Dictionary(methods.map { ($0.name, $0) }, uniquingKeysWith: { _, last in last })
        guard let listening = place.listen(waiting: Int32(Self.clientLimit)) else { return nil }
        descriptor = listening
        Thread.detachNewThread { [weak self] in
            while let client = Self.accept(listening) {
                guard let self else {
                    Glibc.close(client)
                    break
                }
                self.serve(SocketLine(client, timeout: timeout))
            }
            Glibc.close(listening)
        }
    }

    deinit { close() }

    var clientCount: Int { state.withLock { $0.clients.count } }

    /// Ends all connections. Requested messages stay in the queue.
    public func close() {
        let open = state.withLock { state -> State? in
            guard state.isOpen else { return nil }
            state.isOpen = false
            return state
        }
        guard let open else { return }
        place.remove()
        // Wakes the thread, which closes the descriptor.
        shutdown(descriptor, Int32(SHUT_RDWR))
        for client in open.clients.values { client.close() }
    }

    private static func accept(_ listening: Int32) -> Int32? {
        while true {
            let client = Glibc.accept(listening, nil, nil)
            if client >= 0 {
                _ = fcntl(client, F_SETFD, FD_CLOEXEC)
                return client
            }
            switch errno {
            case EINTR, ECONNABORTED: continue
            case EMFILE, ENFILE, ENOBUFS, ENOMEM: usleep(exhaustionPause)
            default: return nil
            }
        }
    }

    private func serve(_ client: SocketLine) {
        guard client.isFromSameUser else { return refuse(client, .otherUser) }
        let number = state.withLock { state -> Int? in
            guard state.isOpen, state.clients.count < Self.clientLimit else { return nil }
            state.count += 1
            state.clients[state.count] = client
            return state.count
        }
        guard let number else { return refuse(client, .busy) }
        Thread.detachNewThread { [self] in
            let requests = Requests()
            let isAbusive = client.read(isExpected: { !requests.isEmpty }) { answer($0, client, requests) }
            requests.cancel()
            if isAbusive { refuse(client, .invalidRequest) } else { client.finish() }
            state.withLock { $0.clients[number] = nil }
        }
    }

    private func refuse(_ client: SocketLine, _ fault: ProfileFault, _ id: Int? = nil) {
        client.write(ProfileCall.encode(ProfileCall.Answer<Bool>(id: id, error: fault)))
        client.finish()
    }

    /// - Returns: whether to continue reading from the client.
    private func answer(_ line: Data, _ client: SocketLine, _ requests: Requests) -> Bool {
        guard let head = try? JSONDecoder().decode(ProfileCall.Head.self, from: line) else {
            refuse(client, .unreadable)
            return false
        }
        guard head.jsonrpc == ProfileCall.version, let name = head.method else {
            refuse(client, .invalidRequest, head.id)
            return false
        }
        // A notification of a client has no meaning yet, and is not answered (JSON-RPC 2.0 §4.1).
        guard let id = head.id else { return true }
        func fail(_ fault: ProfileFault) {
            client.write(ProfileCall.encode(ProfileCall.Answer<Bool>(id: id, error: fault)))
        }
        guard let method = methods[name] else {
            fail(.unknownMethod)
            return true
        }
        let request = ProfileRequest(id: id, line: line, connection: client)
        let isTaken = requests.add {
            do throws(ProfileFault) {
                client.write(try await method.answer(request))
            } catch {
                // The client is gone, or the program ends: then the end of the connection informs the client.
                if !Task.isCancelled {
                    client.write(ProfileCall.encode(ProfileCall.Answer<Bool>(id: id, error: error)))
                }
            }
        }
        if !isTaken { fail(.busy) }
        return true
    }

    /// The running requests of one client.
    private final class Requests: Sendable {
        private struct State {
            var count = 0
            var running: [Int: Task<Void, Never>] = [:]
        }

        private let state = Mutex(State())

        var isEmpty: Bool { state.withLock { $0.running.isEmpty } }

        /// - Returns: `false` if there are too many.
        func add(_ body: @escaping @Sendable () async -> Void) -> Bool {
            state.withLock { state in
                guard state.running.count < ProfileSocket.requestLimit else { return false }
                state.count += 1
                let number = state.count
                state.running[number] = Task {
                    await body()
                    self.state.withLock { $0.running[number] = nil }
                }
                return true
            }
        }

        func cancel() {
            for task in state.withLock({ $0.running.values }) { task.cancel() }
        }
    }
}
