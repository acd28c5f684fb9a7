import Foundation
import Glibc
import Synchronization
import Testing

@testable import TransportLayer

/// The kernel itself.
@Suite(.timeLimit(.minutes(20)))
struct RouteNetworkMonitorTests {
    /// An event loop whose thread has a network of its own, and the way for programs into it; `nil` where that is not allowed.
    private static let isolated: (loop: EventLoop, path: String)? = {
        // Extensions of glibc that its headers hide from a module.
        guard let symbol = dlsym(nil, "unshare") else { return nil }
        let unshare = unsafeBitCast(symbol, to: (@convention(c) (Int32) -> Int32).self)
        let loop = EventLoop()
        let path = Mutex<String?>(nil)
        let done = DispatchSemaphore(value: 0)
        loop.execute {
            // CLONE_NEWNET
            if unshare(0x4000_0000) == 0,
                let thread = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")
            {
                path.withLock { $0 = "/proc/\(thread)/ns/net" }
            }
            done.signal()
        }
        done.wait()
        return path.withLock { $0 }.map { (loop, $0) }
    }()

    private static func ip(_ lines: String...) async throws {
        let path = try #require(isolated).path
        _ = try await TestProcess.run(
            ["nsenter", "--net=\(path)", "sh", "-euc", lines.map { "ip \($0)" }.joined(separator: "\n")])
    }

    @Test(
        "Addresses, routes and interfaces that come and go are told; loopback and the rest are not",
        .enabled(if: isolated != nil, "needs the right to make a network namespace"))
    func changes() async throws {
        let loop = try #require(Self.isolated).loop
        let monitor = RouteNetworkMonitor(loop: loop)
        try await Self.ip("link add v0 type veth peer name v1", "link set v1 up")
        let (ready, isReady) = AsyncStream<Void>.makeStream()
        var changes = monitor.changes { isReady.finish() }.makeAsyncIterator()
        for await _ in ready {}
        try await Self.ip("link set lo up", "link set v0 up", "addr add 192.0.2.1/24 dev v0")
        #expect(await changes.next() == .available)
        try await Self.ip("route add default via 192.0.2.2")
        #expect(await changes.next() == .changed)
        // Nothing of this matters, so the next thing told is the one after.
        try await Self.ip("route add 198.51.100.0/24 via 192.0.2.2", "addr add 127.0.0.9/8 dev lo")
        try await Self.ip("addr add 203.0.113.1/24 dev v0")
        #expect(await changes.next() == .changed)
        try await Self.ip("link set v0 down")
        #expect(await changes.next() == .unavailable)
        try await Self.ip("link set v0 up")
        #expect(await changes.next() == .available)
        try await Self.ip("link del v0")
        #expect(await changes.next() == .unavailable)
    }

    @Test("The socket goes with the stream, however the stream ends")
    func end() async throws {
        func count() -> Int {
            ((try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []).count {
                (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")).map(Self.isRouting)
                    ?? false
            }
        }
        let loop = EventLoop()
        for _ in 0..<20 {
            let stream = RouteNetworkMonitor(loop: loop).changes()
            await loop.drained()
            let reader = Task { for await _ in stream {} }
            reader.cancel()
            await reader.value
            _ = RouteNetworkMonitor(loop: loop).changes()
        }
        await loop.drained()
        // Other tests of this suite may have one of their own.
        #expect(count() <= 2)
    }

    /// Whether a link of /proc/self/fd is a routing socket: its number stands in the kernel's list.
    private static func isRouting(_ link: String) -> Bool {
        guard link.hasPrefix("socket:["), let number = link.dropFirst(8).dropLast().description as String?,
            let table = try? String(contentsOfFile: "/proc/net/netlink", encoding: .utf8)
        else { return false }
        return table.split(separator: "\n").contains { $0.split(separator: " ").last.map(String.init) == number }
    }
}
