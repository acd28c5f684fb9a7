import Foundation
import Glibc
import Synchronization
import Testing

@testable import TransportLayer

/// Tests with the kernel.
@Suite(.timeLimit(.minutes(20)))
struct RouteNetworkMonitorTests {
    /// An event loop whose thread has its own network namespace, and the kernel's folder of that thread; `nil` where
    /// that is not allowed.
    private static func isolate() -> (loop: EventLoop, folder: String)? {
        // Extensions of glibc that its headers hide from Swift.
        guard let symbol = dlsym(nil, "unshare") else { return nil }
        let unshare = unsafeBitCast(symbol, to: (@convention(c) (Int32) -> Int32).self)
        let loop = EventLoop()
        let folder = Mutex<String?>(nil)
        let done = DispatchSemaphore(value: 0)
        loop.execute {
            // CLONE_NEWNET
            if unshare(0x4000_0000) == 0,
                let thread = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")
            {
                folder.withLock { $0 = "/proc/\(thread)" }
            }
            done.signal()
        }
        done.wait()
        return folder.withLock { $0 }.map { (loop, $0) }
    }

    private static let isolated = isolate()

    private static func ip(_ lines: String...) async throws {
        let path = try #require(isolated).folder + "/ns/net"
        _ = try await TestProcess.run(
            ["nsenter", "--net=\(path)", "sh", "-euc", lines.map { "ip \($0)" }.joined(separator: "\n")])
    }

    @Test(
        "Added and removed addresses, routes and interfaces are reported; loopback and others are not",
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
        // None of this is relevant, so the next report is that of the change after it.
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

    @Test(
        "The socket is closed with the stream, however the stream ends",
        .enabled(if: isolated != nil, "needs the right to make a network namespace"))
    func end() async throws {
        // In its own network namespace, which contains no other sockets.
        let (loop, folder) = try #require(Self.isolate())
        for _ in 0..<20 {
            let stream = RouteNetworkMonitor(loop: loop).changes()
            await loop.drained()
            #expect(try Self.routingSockets(folder) > 0)
            let reader = Task { for await _ in stream {} }
            reader.cancel()
            await reader.value
            _ = RouteNetworkMonitor(loop: loop).changes()
        }
        await loop.drained()
        // A program that another test starts also has them, between its fork and its exec.
        let limit = ContinuousClock.now + .seconds(60)
        while try Self.routingSockets(folder) > 0, .now < limit { try await Task.sleep(for: .milliseconds(10)) }
        #expect(try Self.routingSockets(folder) == 0)
    }

    @Test(
        "Monitors of one loop share a socket",
        .enabled(if: isolated != nil, "needs the right to make a network namespace"))
    func sharing() async throws {
        let (loop, folder) = try #require(Self.isolate())
        let monitor = RouteNetworkMonitor(loop: loop)
        let (ready, isReady) = AsyncStream<Void>.makeStream()
        let first = monitor.changes { isReady.yield() }
        let second = monitor.changes { isReady.yield() }
        var both = ready.makeAsyncIterator()
        _ = await both.next()
        _ = await both.next()
        #expect(try Self.routingSockets(folder) == 1)
        // Each gets the changes, and the socket is there for the other one when one has gone.
        let reader = Task { for await _ in first {} }
        reader.cancel()
        await reader.value
        await loop.drained()
        #expect(try Self.routingSockets(folder) == 1)
        withExtendedLifetime(second) {}
    }

    /// The number of routing sockets that the kernel lists for the network of a thread, without the thread's own.
    private static func routingSockets(_ folder: String) throws -> Int {
        let table = try String(contentsOfFile: "\(folder)/net/netlink", encoding: .utf8)
        return table.split(separator: "\n").dropFirst().count { line in
            let columns = line.split(separator: " ")
            return columns.count > 2 && columns[1] == "0" && columns[2] != "0"
        }
    }
}
