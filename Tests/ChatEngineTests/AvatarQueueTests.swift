import Testing
import XMPPAddress

@testable import ChatEngine

@Suite("Scheduling of avatar downloads")
struct AvatarQueueTests {
    private static func change(_ address: String, _ hash: String? = "a") throws -> AvatarQueue.Change {
        AvatarQueue.Change(owner: try JID(address), hash: hash)
    }

    @Test("a silent server takes few slots and delays no other")
    func silentServer() throws {
        var queue = AvatarQueue()
        var started: [AvatarQueue.Change] = []
        for number in 0..<100 {
            if let change = queue.add(try Self.change("p\(number)@silent.test")) { started.append(change) }
        }
        #expect(started.count == AvatarQueue.serverLimit)
        for number in 0..<20 {
            if let change = queue.add(try Self.change("p@d\(number).test")) { started.append(change) }
        }
        #expect(started.count == AvatarQueue.limit)
        // Each completed request starts one of another server, never another one of the silent server.
        let next = try #require(queue.finished(try Self.change("p@d0.test")))
        #expect(next.owner.domain == "d14.test")
        let silent = try #require(queue.finished(try Self.change("p0@silent.test")))
        #expect(silent.owner == (try JID("p2@silent.test")))
    }

    @Test("a waiting change is replaced by a later one of the same contact, and their number is limited")
    func replaced() throws {
        var queue = AvatarQueue()
        for number in 0..<AvatarQueue.serverLimit { _ = queue.add(try Self.change("p\(number)@d.test")) }
        #expect(queue.add(try Self.change("bob@d.test", "a")) == nil)
        #expect(queue.add(try Self.change("bob@d.test", nil)) == nil)
        #expect(queue.waitingCount == 1)
        for number in 0..<(2 * AvatarQueue.waitingLimit) { _ = queue.add(try Self.change("q\(number)@d.test")) }
        #expect(queue.waitingCount == AvatarQueue.waitingLimit)
        #expect(queue.finished(try Self.change("p0@d.test")) == (try Self.change("bob@d.test", nil)))
    }
}
