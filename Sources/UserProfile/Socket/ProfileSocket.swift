internal import Foundation
internal import Glibc
internal import JSONRPC
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
    /// How long a client may take for its first byte, and for a line from its first to its last byte, in seconds.
    static let timeout = 10
    /// How long the listening thread waits when the process has no free descriptors or memory, in microseconds.
    private static let exhaustionPause: UInt32 = 100_000

    private struct State {
        var isOpen = true
        var clients: [Int: ByteChannel] = [:]
        var count = 0
    }

    private let place: SocketLocation
    private let descriptor: Int32
    private let methods: [String: ProfileMethod]
    private let timeout: Int
    private let state = Mutex(State())

    /// - Returns: `nil` if there cannot be a socket in the folder; the program works without it.
    public convenience init?(_ profile: Profile, _ methods: [ProfileMethod]) {
        self.init(profile, methods, timeout: Self.timeout)
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
                self.serve(ByteChannel(socket: client, timeout: timeout))
            }
            Glibc.close(listening)
        }
    }

    deinit { close() }

    var clientCount: Int { state.withLock { $0.clients.count } }
    /// The number of bytes that wait for clients that do not read.
    var waitingBytes: Int { state.withLock { $0.clients.values.reduce(0) { $0 + $1.waitingBytes } } }

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

    private func serve(_ channel: ByteChannel) {
        guard channel.isFromSameUser else { return refuse(channel, .otherUser) }
        let (isOpen, number) = state.withLock { state -> (Bool, Int?) in
            guard state.isOpen, state.clients.count < Self.clientLimit else { return (state.isOpen, nil) }
            state.count += 1
            state.clients[state.count] = channel
            return (true, state.count)
        }
        // A client that connects while this closes turns to the next program; it must not be told to come back later.
        guard isOpen else { return channel.close() }
        guard let number else { return refuse(channel, .busy) }
        Thread.detachNewThread { [self] in
            let client = ClientConnection(channel, methods)
            let timeout = Duration.seconds(timeout)
            channel.read(isExpected: { !client.isSilent(for: timeout) }) { client.received($0) }
            client.inputEnded()
            // A client that has finished sending may still read the answers, until it is gone.
            let finishing = Task {
                await client.finishRequests()
                channel.finish()
            }
            channel.waitForHangUp()
            finishing.cancel()
            client.end()
            channel.close()
            state.withLock { $0.clients[number] = nil }
        }
    }

    private func refuse(_ channel: ByteChannel, _ error: JSONRPCError) {
        channel.write(JSONRPCConnection.refusal(error))
        channel.finish()
    }
}
