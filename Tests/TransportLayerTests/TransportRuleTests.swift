import HongyanTesting
import Testing

@testable import TransportLayer

/// The rules of ``Transport`` for every implementation.
@Suite(.timeLimit(.minutes(20)))
struct TransportRuleTests {
    enum Kind: CaseIterable, Sendable {
        case memory, plain, ipv6, secured

        func pair(limit: Int = 64 * 1024) async throws -> (any Transport, any Transport) {
            var limits = TransportLimits()
            limits.queuedBytes = limit
            switch self {
            case .memory: return InMemoryTransport.pair(capacity: limit)
            case .plain: return try await Loopback.pair(limits: limits)
            case .ipv6: return try await Loopback.pair(limits: limits, at: "::1")
            case .secured: return try await Loopback.securedPair(limits: limits)
            }
        }
    }

    @Test("Bytes arrive in order in both directions", arguments: Kind.allCases)
    func bothDirections(_ kind: Kind) async throws {
        let (one, other) = try await kind.pair()
        try await one.write(Array("hello".utf8))
        try await one.write(Array(" there".utf8))
        #expect(try await other.read(count: 11) == Array("hello there".utf8))
        try await other.write([1, 2, 3])
        #expect(try await one.read(count: 3) == [1, 2, 3])
    }

    @Test("Four megabytes in each direction at once arrive unchanged", arguments: Kind.allCases)
    func largeTransfers(_ kind: Kind) async throws {
        let (one, other) = try await kind.pair()
        let there = pattern(4_000_000, seed: 7)
        let back = pattern(4_000_000, seed: 9)
        @Sendable func send(_ bytes: [UInt8], on end: any Transport) async throws {
            for start in stride(from: 0, to: bytes.count, by: 50_000) {
                try await end.write(Array(bytes[start..<min(start + 50_000, bytes.count)]))
            }
            try await end.finishWriting()
        }
        async let sentThere: Void = send(there, on: one)
        async let sentBack: Void = send(back, on: other)
        async let receivedThere = other.readToEnd()
        async let receivedBack = one.readToEnd()
        #expect(try await receivedThere == there)
        #expect(try await receivedBack == back)
        try await sentThere
        try await sentBack
    }

    @Test("The end of one direction is an empty read; the other direction continues", arguments: Kind.allCases)
    func halfClose(_ kind: Kind) async throws {
        let (one, other) = try await kind.pair()
        try await one.write([1])
        try await one.finishWriting()
        #expect(try await other.readToEnd() == [1])
        #expect(try await other.read() == [])
        try await other.write([2, 3])
        #expect(try await one.read(count: 2) == [2, 3])
        await #expect(throws: TransportError.self) { try await one.write([9]) }
    }

    @Test("Closing sends the queued bytes, then ends the connection", arguments: Kind.allCases)
    func closeSendsQueued(_ kind: Kind) async throws {
        let (one, other) = try await kind.pair()
        let bytes = pattern(20_000)
        try await one.write(bytes)
        await one.close()
        #expect(try await other.readToEnd() == bytes)
        #expect(await one.readErrorCode() == .closed)
        await one.close()
    }

    @Test("A waiting reader is notified if its own side closes", arguments: Kind.allCases)
    func closeWakesReader(_ kind: Kind) async throws {
        let (one, other) = try await kind.pair()
        async let code = one.readErrorCode()
        await one.close()
        #expect(await code == .closed)
        _ = other
    }

    @Test("Cancelling ends a wait for bytes, and no byte is lost", arguments: Kind.allCases)
    func cancelRead(_ kind: Kind) async throws {
        let (one, other) = try await kind.pair()
        let reader = Task { await one.readErrorCode() }
        reader.cancel()
        #expect(await reader.value == .cancelled)
        try await other.write([5])
        #expect(try await one.read() == [5])
    }

    @Test("A writer waits while the peer does not read; cancelling ends the wait", arguments: Kind.allCases)
    func backPressure(_ kind: Kind) async throws {
        let (one, other) = try await kind.pair(limit: 10_000)
        // The kernel buffers at most some megabytes of a loopback connection; this is a gigabyte.
        let writer = Task { () async -> TransportError.Code? in
            do throws(TransportError) {
                for _ in 0..<100_000 { try await one.write([UInt8](repeating: 0x20, count: 10_000)) }
                return nil
            } catch { return error.code }
        }
        while await !isStalled(one) { try await Task.sleep(for: .milliseconds(2)) }
        writer.cancel()
        #expect(await writer.value == .cancelled)
        // The peer reads, and the connection continues as usual.
        let drain = Task { try await other.readToEnd() }
        try await one.write([1, 2, 3])
        try await one.finishWriting()
        #expect(try await drain.value.suffix(3) == [1, 2, 3])
    }

    /// Whether `end` would make a writer wait.
    private func isStalled(_ end: any Transport) async -> Bool {
        if let socket = end as? SocketTransport { return await socket.isStalled }
        return (end as? InMemoryTransport)?.isStalled ?? true
    }

    @Test("Aborting at one end is a reset or an end at the other", arguments: [Kind.memory, .plain, .secured])
    func abort(_ kind: Kind) async throws {
        let (one, other) = try await kind.pair()
        // Unread bytes make the kernel send a reset when a socket is closed.
        try await other.write([1, 2, 3])
        async let code = other.readErrorCode()
        _ = try await one.read()
        try await other.write(pattern(1000))
        one.abort()
        let seen = await code
        // An end, which plain TCP only shows as an empty read, depends on which side was first.
        #expect(
            kind == .memory ? seen == .connectionReset : seen == .connectionReset || seen == .truncated || seen == nil)
    }
}
