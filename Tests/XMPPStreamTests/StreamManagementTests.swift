import Testing
import XMPPAddress
import XMPPStream

/// XEP-0198: the machine on its own, each event in each state.
@Suite("Stream management")
struct StreamManagementTests {
    enum StateName: CaseIterable { case inactive, enabling, active, resuming }

    static let promise = StreamManagement.Promise(id: "some-long-sm-id", isResumable: true, maximumSeconds: 300)

    static func stanza(_ number: UInt64) -> UnacknowledgedStanza {
        UnacknowledgedStanza(token: StanzaToken(number), bytes: Array("<message id='\(number)'/>".utf8))
    }

    static func send(_ number: UInt64, _ machine: inout StreamManagement) -> StreamManagement.SendAction {
        machine.stanzaSent(StanzaToken(number), Self.stanza(number).bytes[...])
    }

    static func machine(_ state: StateName) -> StreamManagement {
        var machine = StreamManagement()
        switch state {
        case .inactive: break
        case .enabling: machine.enableSent()
        case .active:
            machine.enableSent()
            _ = machine.enabledReceived(promise, address: .juliet)
        case .resuming:
            machine.resumeRequested(
                ResumptionState(
                    id: "some-long-sm-id", address: .juliet, handledCount: 5, acknowledgedCount: 10,
                    unacknowledged: [stanza(11), stanza(12)]))
        }
        return machine
    }

    @Test(
        "Stanzas that are sent together count like stanzas that are sent one after the other",
        arguments: StateName.allCases)
    func together(state: StateName) {
        // Nothing may be sent while a session is being resumed.
        guard state != .resuming else { return }
        var one = Self.machine(state)
        var other = Self.machine(state)
        let stanzas = (1...5).map { Self.stanza($0) }
        let actions = (1...5).map { Self.send($0, &one) }
        let action = other.stanzasSent(
            from: StanzaToken(1), stanzas.map(\.bytes.count), stanzas.flatMap(\.bytes))
        #expect(action == actions.first)
        #expect(one.unacknowledged == other.unacknowledged && one.unacknowledgedCount == other.unacknowledgedCount)
        let acknowledged = one.acknowledgementReceived(handled: 3)
        #expect(other.acknowledgementReceived(handled: 3) == acknowledged)
        #expect(one.unacknowledged == other.unacknowledged)
    }

    @Test("Properties of each state", arguments: StateName.allCases)
    func queries(state: StateName) {
        let machine = Self.machine(state)
        let (isActive, resumption, unacknowledged) = (
            machine.isActive, machine.resumptionState, machine.unacknowledgedCount
        )
        #expect(isActive == (state == .active))
        #expect((resumption != nil) == (state == .active || state == .resuming))
        #expect(unacknowledged == (state == .resuming ? 2 : 0))
        let deadline = machine.nextDeadline
        #expect(deadline == nil)
    }

    @Test("<enabled/> in each state", arguments: StateName.allCases)
    func enabled(state: StateName) {
        var machine = Self.machine(state)
        let accepted = machine.enabledReceived(Self.promise, address: .juliet)
        #expect(accepted == (state == .enabling))
    }

    @Test("A stanza sent in each state", arguments: [StateName.inactive, .enabling, .active])
    func sent(state: StateName) {
        var machine = Self.machine(state)
        let first = Self.send(1, &machine)
        let second = Self.send(2, &machine)
        #expect(first == (state == .active ? .request : .none))
        #expect(second == .none)
        let count = machine.unacknowledgedCount
        #expect(count == (state == .inactive ? 0 : 2))
    }

    @Test("<r/> in each state", arguments: StateName.allCases)
    func requested(state: StateName) {
        var machine = Self.machine(state)
        let action = machine.acknowledgementRequested(now: start)
        #expect(action == (state == .active ? .answer(0) : .unexpected))
    }

    @Test("<a/> in each state", arguments: StateName.allCases)
    func acknowledged(state: StateName) {
        var machine = Self.machine(state)
        let action = machine.acknowledgementReceived(handled: 0)
        #expect(action == (state == .active ? .acknowledged([], requestAgain: false) : .unexpected))
    }

    @Test("<resumed/> in each state", arguments: StateName.allCases)
    func resumed(state: StateName) {
        var machine = Self.machine(state)
        let action = machine.resumed(previousID: "some-long-sm-id", handled: 11)
        if state == .resuming {
            #expect(
                action
                    == .resumed(
                        acknowledged: [StanzaToken(11)], replay: [Array("<message id='12'/>".utf8)], address: .juliet))
            let isActive = machine.isActive
            #expect(isActive)
        } else {
            #expect(action == .unexpected)
        }
    }

    @Test("<failed/> in each state", arguments: StateName.allCases)
    func failed(state: StateName) {
        var machine = Self.machine(state)
        let action = machine.refused(handled: 11)
        switch state {
        case .inactive, .active: #expect(action == .unexpected)
        case .enabling: #expect(action == .enableRefused)
        case .resuming:
            #expect(
                action
                    == .resumptionRefused(acknowledged: [StanzaToken(11)], unacknowledged: [Self.stanza(12)]))
        }
    }

    @Test("Stanzas received and handled in each state", arguments: StateName.allCases)
    func received(state: StateName) {
        var machine = Self.machine(state)
        machine.stanzasReceived(2)
        let waiting = machine.unconfirmedCount
        #expect(waiting == (state == .resuming ? 0 : 2))
        let action = machine.stanzasHandled(waiting)
        #expect(action == .none)
        let handled = machine.handledCount
        #expect(handled == (state == .active ? 2 : state == .resuming ? 5 : 0))
    }

    @Test("The deadline and the close in each state", arguments: StateName.allCases)
    func time(state: StateName) {
        var machine = Self.machine(state)
        let (late, closing) = (machine.deadlinePassed(now: start), machine.closing())
        #expect(late == .none)
        #expect(closing == .none)
    }

    @Test("§4: the example of a simple acknowledgement")
    func simpleExample() {
        var machine = Self.machine(.enabling)
        let sent = Self.send(1, &machine)
        #expect(sent == .none)
        let accepted = machine.enabledReceived(Self.promise, address: .juliet)
        #expect(accepted)
        let action = machine.acknowledgementReceived(handled: 1)
        #expect(action == .acknowledged([StanzaToken(1)], requestAgain: false))
    }

    @Test("An acknowledgement waits until the owner has handled the delivered stanzas")
    func answerWaits() {
        var machine = Self.machine(.active)
        machine.stanzasReceived(3)
        let first = machine.acknowledgementRequested(now: start)
        #expect(first == .later)
        machine.stanzasReceived(1)
        let (one, three) = (machine.stanzasHandled(2), machine.stanzasHandled(1))
        #expect(one == .none)
        #expect(three == .answer(3))
        let deadline = machine.nextDeadline
        #expect(deadline == nil)
    }

    @Test("An acknowledgement is sent at its deadline at the latest")
    func answerDeadline() {
        var machine = Self.machine(.active)
        machine.stanzasReceived(3)
        _ = machine.acknowledgementRequested(now: start)
        _ = machine.stanzasHandled(1)
        let deadline = machine.nextDeadline
        #expect(deadline == start.advanced(by: StreamManagement.answerDelay))
        let (early, late) = (
            machine.deadlinePassed(now: start), machine.deadlinePassed(now: start.advanced(by: .seconds(1)))
        )
        #expect(early == .none)
        #expect(late == .answer(1))
    }

    @Test("Unsolicited acknowledgements keep the peer's queue short")
    func unasked() {
        var machine = Self.machine(.active)
        machine.stanzasReceived(250)
        var answers: [UInt32] = []
        for _ in 1...250 {
            if case .answer(let handled) = machine.stanzasHandled(1) { answers.append(handled) }
        }
        #expect(answers == [100, 200])
        let last = machine.closing()
        #expect(last == .answer(250))
    }

    @Test("Stanzas received before <enabled/> are confirmed and not counted")
    func uncounted() {
        var machine = Self.machine(.enabling)
        machine.stanzasReceived(2)
        _ = machine.enabledReceived(Self.promise, address: .juliet)
        machine.stanzasReceived(1)
        _ = machine.stanzasHandled(2)
        let before = machine.handledCount
        _ = machine.stanzasHandled(1)
        let after = machine.handledCount
        #expect(before == 0)
        #expect(after == 1)
    }

    @Test("One request is pending at a time, and another follows while stanzas wait")
    func requests() {
        var machine = Self.machine(.active)
        var requests = 0
        for number in 1...10 {
            if Self.send(UInt64(number), &machine) == .request { requests += 1 }
        }
        #expect(requests == 1)
        let part = machine.acknowledgementReceived(handled: 4)
        #expect(part == .acknowledged((1...4).map { StanzaToken($0) }, requestAgain: true))
        let rest = machine.acknowledgementReceived(handled: 10)
        #expect(rest == .acknowledged((5...10).map { StanzaToken($0) }, requestAgain: false))
        let next = Self.send(11, &machine)
        #expect(next == .request)
    }

    @Test("Martin #5, W-21: counters wrap at 2^32", arguments: [UInt32.max - 1, .max, 0])
    func wrap(acknowledged: UInt32) {
        var machine = StreamManagement()
        machine.resumeRequested(
            ResumptionState(
                id: "x", address: .juliet, handledCount: acknowledged, acknowledgedCount: acknowledged,
                unacknowledged: []))
        _ = machine.resumed(previousID: "x", handled: acknowledged)
        for number in 1...4 { _ = Self.send(UInt64(number), &machine) }
        let three = machine.acknowledgementReceived(handled: acknowledged &+ 3)
        #expect(three == .acknowledged([1, 2, 3].map { StanzaToken($0) }, requestAgain: true))
        let tooHigh = machine.acknowledgementReceived(handled: acknowledged &+ 5)
        #expect(tooHigh == .tooHigh(handled: acknowledged &+ 5, sent: acknowledged &+ 4))
        let backwards = machine.acknowledgementReceived(handled: acknowledged &+ 2)
        #expect(backwards == .tooHigh(handled: acknowledged &+ 2, sent: acknowledged &+ 4))
        machine.stanzasReceived(2)
        _ = machine.stanzasHandled(2)
        let handled = machine.handledCount
        #expect(handled == acknowledged &+ 2)
    }

    @Test("§5: a resumption that acknowledges too much is a violation, another id is not ours")
    func badResumption() {
        var machine = Self.machine(.resuming)
        let other = machine.resumed(previousID: "other", handled: 11)
        #expect(other == .unexpected)
        let tooHigh = machine.resumed(previousID: "some-long-sm-id", handled: 13)
        #expect(tooHigh == .tooHigh(handled: 13, sent: 12))
    }

    @Test("§5: an impossible h of <failed/> acknowledges nothing", arguments: [UInt32(9), 13, nil])
    func impossibleRefusal(handled: UInt32?) {
        var machine = Self.machine(.resuming)
        let action = machine.refused(handled: handled)
        #expect(
            action
                == .resumptionRefused(acknowledged: [], unacknowledged: [Self.stanza(11), Self.stanza(12)]))
    }

    @Test("A queue of many stanzas is processed in order and in linear time")
    func longQueue() {
        var queue = UnacknowledgedQueue(acknowledged: UInt32.max - 500)
        var expected: UInt64 = 1
        for number in 1...20_000 {
            let stanza = Self.stanza(UInt64(number))
            queue.append(stanza.token, stanza.bytes[...])
            if number % 7 == 0 {
                let tokens = queue.acknowledge(queue.sent &- 3) ?? []
                for token in tokens {
                    #expect(token.rawValue == expected)
                    expected += 1
                }
            }
        }
        #expect(queue.count == 20_000 - Int(expected) + 1)
        #expect(queue.stanzas == (expected...20_000).map { Self.stanza($0) })
        #expect(queue == UnacknowledgedQueue(acknowledged: queue.acknowledged, stanzas: queue.stanzas))
    }
}
