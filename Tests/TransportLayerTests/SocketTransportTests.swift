import Foundation
import Glibc
import ServerFixtures
import Synchronization
import Testing
import Waiting

@testable import TransportLayer

@Suite(.timeLimit(.minutes(20)))
struct SocketTransportTests {
    @Test("S0-26: a TCP connection is established, with IPv4 and IPv6", arguments: ["127.0.0.1", "::1"])
    func connects(_ text: String) async throws {
        let (client, server) = try await Loopback.pair(at: text)
        #expect(await client.remoteAddress == server.localAddress)
        #expect(await client.remoteAddress?.isIPv6 == text.contains(":"))
        #expect(await client.tlsInformation == nil)
    }

    /// Reads a connection without a task, and gives its loop other work at the end of each turn.
    private final class TurnReader: TransportReader {
        /// What happened, in its order: the number of bytes that arrived, 0 for the end of a turn, -1 for the other work.
        let record = Mutex<[Int]>([])
        let isOver = Gate()
        private let loop: EventLoop

        init(loop: EventLoop) { self.loop = loop }

        private func add(_ number: Int) { record.withLock { $0.append(number) } }

        func bytesArrived(_ bytes: UnsafeRawBufferPointer) { add(bytes.count) }

        func arrivalsEnded() {
            add(0)
            loop.execute { self.loop.execute { self.add(-1) } }
        }

        func readingEnded(_ error: TransportError?) { isOver.open() }
    }

    @Test("A connection that always has bytes ends its turn after four reads; what that led to comes before the next")
    func turns() async throws {
        let (client, server) = try await Loopback.pair()
        let reader = TurnReader(loop: client.loop)
        let amount = 4 * 1024 * 1024
        let writing = Task {
            try await server.write([UInt8](repeating: 7, count: amount))
            await server.close()
        }
        client.loop.execute { client.startReading(reader) }
        await reader.isOver.wait()
        try await writing.value
        let record = reader.record.withLock { $0 }
        #expect(record.filter { $0 > 0 }.reduce(0, +) == amount)
        for turn in record.split(separator: -1) {
            #expect(turn.filter { $0 == 0 }.count <= 1 && turn.filter { $0 > 0 }.count <= 4, "\(record)")
        }
    }

    @Test("A question about a certificate is not asked on the thread of the loop, also when the task prefers it")
    func questionAside() async throws {
        let isOnLoop = Mutex<Bool?>(nil)
        let loop = EventLoop.shared
        var client = try await Loopback.client()
        client.trust = .ask { _ in
            isOnLoop.withLock { $0 = loop.isCurrent }
            return true
        }
        let configuration = client
        try await withTaskExecutorPreference(loop.taskExecutor) {
            let ends = try await Loopback.securedPair(client: configuration)
            await ends.client.close()
            await ends.server.close()
        }
        #expect(isOnLoop.withLock { $0 } == false)
    }

    @Test("A loop lets few connections keep their buffers of TLS, and those that give them back go on")
    func warmConnections() async throws {
        let loop = EventLoop()
        let listener = try await TCPListener.listen(at: Loopback.address())
        var ends: [(client: SocketTransport, server: SocketTransport)] = []
        for _ in 0...EventLoopState.warmLimit {
            async let accepted = listener.accept()
            let client = try await SocketTransport.connect(to: listener.address, loop: loop)
            let server = try await accepted
            async let secured = server.acceptTLS(try await Loopback.server())
            _ = try await client.startTLS(try await Loopback.client())
            _ = try await secured
            ends.append((client, server))
        }
        func exchange(_ number: Int) async throws {
            try await ends[number].server.write([UInt8](repeating: UInt8(number), count: 20_000))
            #expect(try await ends[number].client.read(count: 20_000).allSatisfy { $0 == UInt8(number) })
        }
        // A login is not a sign of traffic.
        try await exchange(0)
        #expect(await !ends[0].client.isWarm)
        for (client, _) in ends { await (client as any Transport).negotiationFinished() }
        for number in ends.indices { try await exchange(number) }
        var warm: [Bool] = []
        for (client, _) in ends { warm.append(await client.isWarm) }
        #expect(warm == [false] + Array(repeating: true, count: EventLoopState.warmLimit))
        // The first one comes back, and the second one has to go.
        try await exchange(0)
        #expect(await ends[0].client.isWarm)
        #expect(await !ends[1].client.isWarm)
        for number in ends.indices.reversed() { try await exchange(number) }
        for (client, server) in ends {
            await client.close()
            await server.close()
        }
        await listener.close()
    }

    @Test("A port without a listener is a refused connection, with a message")
    func refused() async throws {
        let dead = try DeadPort()
        let error = await #expect(throws: TransportError.self) {
            _ = try await SocketTransport.connect(to: dead.address)
        }
        #expect(error?.code == .connectionRefused)
        #expect(error?.description.contains(dead.address.description) == true)
    }

    @Test("A host that answers late is connected")
    func answeredLate() async throws {
        let silent = try SilentListener()
        defer { silent.close() }
        async let connection = SocketTransport.connect(to: silent.address, timeout: .seconds(60))
        try await Task.sleep(for: .milliseconds(100))
        // The kernel repeats its question after a second, those of the other connections too: one accepted once would leave the
        // backlog full again.
        let accepting = Task {
            while !Task.isCancelled {
                silent.acceptAll()
                try? await Task.sleep(for: .milliseconds(20))
            }
        }
        let client: SocketTransport
        do {
            client = try await connection
        } catch {
            accepting.cancel()
            await accepting.value
            throw error
        }
        accepting.cancel()
        await accepting.value
        #expect(await client.remoteAddress == silent.address)
        await client.close()
    }

    @Test("A host that does not answer is a timeout; cancelling ends the attempt sooner")
    func unanswered() async throws {
        // The full backlog of a listener that does not accept: the kernel silently drops further connections.
        let silent = try SilentListener()
        defer { silent.close() }
        let error = await #expect(throws: TransportError.self) {
            _ = try await SocketTransport.connect(to: silent.address, timeout: .milliseconds(150))
        }
        #expect(error?.code == .timedOut)
        let attempt = Task {
            await Result { () async throws(TransportError) in try await SocketTransport.connect(to: silent.address) }
        }
        attempt.cancel()
        guard case .failure(let failure) = await attempt.value else {
            Issue.record("it must not connect")
            return
        }
        #expect(failure.code == .cancelled)
    }

    @Test("A reset by the peer is a specific error")
    func reset() async throws {
        let (client, server) = try await Loopback.pair()
        await server.reset()
        #expect(await client.readErrorCode() == .connectionReset)
        await #expect(throws: TransportError.self) { try await client.write([1]) }
    }

    @Test("After a failed write, what the peer sent before can still be read")
    func lastWords() async throws {
        let (client, server) = try await Loopback.pair()
        try await client.write([1])
        // Unread bytes at the peer turn its close into a reset.
        try await server.write(Array("reason".utf8))
        #expect(try await client.read(count: 6) == Array("reason".utf8))
        await server.close()
        var code: TransportError.Code?
        while code == nil {
            do throws(TransportError) { try await client.write([2]) } catch { code = error.code }
        }
        #expect(code == .connectionReset)
    }

    @Test("A connection that ends without close_notify is not mistaken for the end of the stream")
    func truncated() async throws {
        let (client, server) = try await Loopback.securedPair()
        try await server.write([1, 2, 3])
        #expect(try await client.read(count: 3) == [1, 2, 3])
        await server.endWithoutNotice()
        #expect(await client.readErrorCode() == .truncated)
    }

    @Test("Bytes before the handshake are rejected")
    func notTLS() async throws {
        let (client, server) = try await Loopback.pair()
        try await server.write(Array("<stream:stream xmlns='jabber:client'>".utf8))
        let error = await #expect(throws: TransportError.self) {
            _ = try await client.startTLS(try await Loopback.client())
        }
        #expect(error?.code == .tlsFailed)
        #expect(error?.description.contains("not speak TLS") == true)
    }

    @Test("S3-32: a handshake that stalls ends at its own time limit")
    func stalledHandshake() async throws {
        let (client, server) = try await Loopback.pair()
        var configuration = try await Loopback.client()
        configuration.handshakeTimeout = .milliseconds(100)
        let error = await #expect(throws: TransportError.self) { _ = try await client.startTLS(configuration) }
        #expect(error?.code == .timedOut)
        _ = server
    }

    @Test("Cancelling a handshake closes the connection")
    func cancelledHandshake() async throws {
        let (client, server) = try await Loopback.pair()
        let configuration = try await Loopback.client()
        let handshake = Task {
            await Result { () async throws(TransportError) in try await client.startTLS(configuration) }
        }
        // The ClientHello has arrived: the handshake is in progress.
        #expect(try await !server.read().isEmpty)
        handshake.cancel()
        guard case .failure(let error) = await handshake.value else {
            Issue.record("it must not succeed")
            return
        }
        #expect(error.code == .cancelled)
        #expect(try await server.readToEnd().count < 4096)
    }

    @Test("Two hundred connections with TLS leave no descriptor behind")
    func descriptors() async throws {
        _ = try await Loopback.securedPair()
        func own() throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap {
                try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
            }.count { $0.hasPrefix("socket:") && sockets.contains($0) }
        }
        var sockets: Set<String> = []
        for number in 0..<200 {
            let (client, server) = try await Loopback.securedPair()
            for end in [client, server] {
                let descriptor = await end.descriptor
                sockets.insert(try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)"))
            }
            try await client.write([1])
            #expect(try await server.read() == [1])
            // Closed, aborted, or just released: the socket is closed in each case.
            switch number % 3 {
            case 0:
                await client.close()
                #expect(try await server.read() == [])
                await server.close()
            case 1:
                client.abort()
                // A reset if the server's session tickets were not read, a plain end otherwise.
                #expect([.truncated, .connectionReset].contains(await server.readErrorCode()))
                server.abort()
            default: break
            }
        }
        await EventLoop.shared.drained()
        #expect(try own() == 0)
    }
}

extension EventLoop {
    /// Returns once everything queued on the loop was executed.
    func drained() async {
        for _ in 0..<3 {
            await withCheckedContinuation { continuation in execute { continuation.resume() } }
        }
    }
}

extension SocketTransport {
    /// Closes with a reset.
    func reset() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        fail(.closedHere)
    }

    /// Ends the TCP connection, but not TLS.
    func endWithoutNotice() {
        shutdown(descriptor, Int32(SHUT_WR))
    }
}

/// A listening socket with a full backlog: connecting to it gets no response.
struct SilentListener {
    let address: SocketAddress
    private let descriptors: [Int32]

    init() throws {
        let flags = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let listener = socket(AF_INET, flags, 0)
        _ = try #require(SocketAddress("127.0.0.1", port: 0)).withSockaddr { bind(listener, $0, $1) }
        try #require(listen(listener, 0) == 0)
        let bound = try #require(SocketAddress(of: listener, getsockname))
        address = bound
        var all = [listener]
        for _ in 0..<4 {
            let filler = socket(AF_INET, flags, 0)
            _ = bound.withSockaddr { connect(filler, $0, $1) }
            all.append(filler)
        }
        descriptors = all
    }

    /// Makes room in the backlog.
    func acceptAll() {
        while true {
            let accepted = accept(descriptors[0], nil, nil)
            guard accepted >= 0 else { return }
            Glibc.close(accepted)
        }
    }

    func close() {
        for descriptor in descriptors { Glibc.close(descriptor) }
    }
}
