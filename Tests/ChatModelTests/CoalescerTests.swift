import ChatFixtures
import ChatStore
import Testing
import XMPPAddress

@testable import ChatEngine
@testable import ChatModel

@Suite("Combining updates")
@MainActor
struct CoalescerTests {
    @Test("ten thousand calls run the work twice, and work that takes long runs less often")
    func counts() async throws {
        let clock = ManualClock()
        let coalescer = Coalescer(every: .milliseconds(100), clock: clock)
        var works = 0
        var cost = Duration.zero
        let running = Task {
            await coalescer.run {
                works += 1
                clock.advance(by: cost)
            }
        }
        coalescer.call()
        await eventually { works == 1 }
        for _ in 0..<10_000 { coalescer.call() }
        await eventually { clock.sleeperCount == 1 }
        #expect(works == 1)
        cost = .milliseconds(500)
        clock.advance(by: .milliseconds(100))
        await eventually { works == 2 }
        await eventually { clock.sleeperCount == 1 }
        coalescer.call()
        // Half a second of work: the next one after nine times as long.
        clock.advance(by: .milliseconds(4_499))
        await Task.yield()
        #expect(works == 2)
        #expect(clock.sleeperCount == 1)
        clock.advance(by: .milliseconds(1))
        await eventually { works == 3 }
        running.cancel()
        await running.value
    }

    @Test("joining a room of twenty thousand is one step, and the names of the others are not folded again")
    func largeRoom() async throws {
        let fixture = try await ModelFixture()
        let key = try fixture.key("square@rooms.example", .room)
        let model = RoomModel(key, store: fixture.store, environment: fixture.environment())
        var people = (0..<20_000).map { RoomState.Person(nickname: "person \($0)", id: "\($0)") }
        model.show(RoomState(isInside: true, nickname: "me", people: people))
        #expect(model.people.elements.count == 20_000)
        #expect(model.foldings == 20_000)
        let mirror = Mirror(model.people)
        _ = mirror.takeSteps()
        people.append(RoomState.Person(nickname: "newcomer", id: "n"))
        model.show(RoomState(isInside: true, nickname: "me", people: people))
        #expect(mirror.takeSteps().count == 1)
        #expect(model.foldings == 20_001)
        // Half of them become visitors, without a linear search for each.
        var changed = people
        for index in changed.indices where index % 2 == 0 { changed[index].standing = .visitor }
        model.show(RoomState(isInside: true, nickname: "me", people: changed))
        #expect(mirror.takeSteps().count <= 2)
        #expect(mirror.rows == model.people.elements)
        model.show(RoomState(isInside: true, nickname: "me", people: people))
        // People who left are forgotten.
        model.show(RoomState(isInside: true, nickname: "me", people: [people[0]]))
        model.show(RoomState(isInside: true, nickname: "me", people: people))
        #expect(model.foldings == 40_001)
    }
}
