import ChatEngine
import ChatFixtures
import ChatModel
import ChatStore
import Testing
import XMPPClient
import XMPPStanzas

/// What the contacts saw.
@MainActor
private final class Shown {
    var all: [OwnPresence] = []
    /// The time of the last input in the whole session.
    var input: MessageTime?
    var minutes = 60
}

@Suite("Away without input (XEP-0319)")
struct IdlePresenceTests {
    @Test("the user is idle after the minutes, since the last input, until the next one")
    func watch() {
        var watch = IdleWatch(now: ModelFixture.time(0))
        #expect(watch.timePassed(now: ModelFixture.time(0), minutes: 5) == .seconds(300))
        #expect(watch.timePassed(now: ModelFixture.time(299), minutes: 5) == .seconds(1))
        let early = watch.inputHappened(now: ModelFixture.time(299))
        #expect(!early)
        #expect(watch.timePassed(now: ModelFixture.time(300), minutes: 5) == .seconds(299))
        #expect(watch.timePassed(now: ModelFixture.time(599), minutes: 5) == nil)
        #expect(watch.idleSince == ModelFixture.time(299))
        #expect(watch.timePassed(now: ModelFixture.time(900), minutes: 5) == nil)
        #expect(watch.idleSince == ModelFixture.time(299))
        let wasIdle = watch.inputHappened(now: ModelFixture.time(901))
        #expect(wasIdle)
        #expect(watch.idleSince == nil)
    }

    @Test("zero minutes are never; a clock that was set back does not count")
    func limits() {
        var watch = IdleWatch(now: ModelFixture.time(0))
        #expect(watch.timePassed(now: ModelFixture.time(1_000_000), minutes: 0) == nil && watch.idleSince == nil)
        #expect(watch.timePassed(now: ModelFixture.time(-5000), minutes: 1) == .seconds(60))
        #expect(watch.timePassed(now: ModelFixture.time(-4940), minutes: 1) == nil)
        #expect(watch.idleSince == ModelFixture.time(-5000))
    }

    @Test("the presence is away and says since when, and is the user's own again at the next input")
    @MainActor
    func presence() async {
        let clock = ManualClock()
        let shown = Shown()
        let own = OwnPresence(show: .chat, status: "at work")
        let idling = IdlePresence(
            environment: ModelEnvironment(now: { clock.messageTime }, clock: clock), minutes: { 10 }
        ) { shown.all.append(own.idle(since: $0)) }
        idling.inputHappened()
        await clock.sleeps(1)
        clock.advance(by: .seconds(400))
        idling.inputHappened()
        clock.advance(by: .seconds(200))
        // The task that was waiting looks again, and goes on for the rest of the time.
        await clock.sleeps(2)
        #expect(shown.all.isEmpty)
        clock.advance(by: .seconds(400))
        await eventually { shown.all.count == 1 }
        #expect(shown.all == [OwnPresence(show: .away, status: "at work", idleSince: ModelFixture.time(400))])
        clock.advance(by: .seconds(3600))
        idling.inputHappened()
        await eventually { shown.all.count == 2 }
        #expect(shown.all.last == own)
        await clock.sleeps(3)
        idling.stop()
        clock.advance(by: .seconds(3600))
        await eventually { clock.sleeperCount == 0 }
        #expect(shown.all.count == 2)
    }

    @Test("input in other programs counts; while the user is idle it is looked for every half minute")
    @MainActor
    func elsewhere() async {
        let clock = ManualClock()
        let shown = Shown()
        shown.input = ModelFixture.time(550)
        let idling = IdlePresence(
            environment: ModelEnvironment(now: { clock.messageTime }, clock: clock), minutes: { 10 },
            elsewhere: { shown.input }
        ) { shown.all.append(OwnPresence().idle(since: $0)) }
        idling.inputHappened()
        await clock.sleeps(1)
        clock.advance(by: .seconds(600))
        await clock.sleeps(2)
        #expect(shown.all.isEmpty)
        // The same input, measured a second less exactly.
        shown.input = ModelFixture.time(551)
        clock.advance(by: .seconds(550))
        await eventually { shown.all.count == 1 }
        #expect(shown.all.last?.idleSince == ModelFixture.time(550))
        await clock.sleeps(3)
        clock.advance(by: .seconds(30))
        await clock.sleeps(4)
        #expect(shown.all.count == 1)
        shown.input = ModelFixture.time(1190)
        clock.advance(by: .seconds(30))
        await eventually { shown.all.count == 2 }
        #expect(shown.all.last == OwnPresence())
        idling.stop()
    }

    @Test("another number of minutes is valid at once")
    @MainActor
    func limit() async {
        let clock = ManualClock()
        let shown = Shown()
        let idling = IdlePresence(
            environment: ModelEnvironment(now: { clock.messageTime }, clock: clock), minutes: { shown.minutes }
        ) { shown.all.append(OwnPresence().idle(since: $0)) }
        idling.inputHappened()
        await clock.sleeps(1)
        clock.advance(by: .seconds(600))
        #expect(shown.all.isEmpty)
        shown.minutes = 5
        idling.limitChanged()
        await eventually { shown.all.count == 1 }
        #expect(shown.all.last?.idleSince == ModelFixture.time(0))
        idling.inputHappened()
        await eventually { shown.all.count == 2 }
        shown.minutes = 0
        idling.limitChanged()
        await eventually { clock.sleeperCount == 0 }
        clock.advance(by: .seconds(100_000))
        #expect(shown.all.count == 2)
    }

    @Test("the same number of minutes starts no other wait")
    @MainActor
    func sameLimit() async {
        let clock = ManualClock()
        let shown = Shown()
        let idling = IdlePresence(
            environment: ModelEnvironment(now: { clock.messageTime }, clock: clock), minutes: { shown.minutes }
        ) { shown.all.append(OwnPresence().idle(since: $0)) }
        idling.inputHappened()
        await clock.sleeps(1)
        // Other preferences change, such as the conversation that was opened last.
        for _ in 0..<3 { idling.limitChanged() }
        clock.advance(by: .seconds(3600))
        await eventually { shown.all.count == 1 }
        #expect(shown.all.last?.idleSince == ModelFixture.time(0))
        #expect(clock.sleepCount == 1)
        idling.stop()
    }

    @Test("who is busy stays busy, and who is invisible says nothing")
    func others() {
        let time = ModelFixture.time(0)
        #expect(OwnPresence(show: .doNotDisturb).idle(since: time) == OwnPresence(show: .doNotDisturb, idleSince: time))
        #expect(OwnPresence(isHidden: true).idle(since: time) == OwnPresence(isHidden: true))
        #expect(OwnPresence(show: .away).idle(since: nil) == OwnPresence(show: .away))
    }
}
