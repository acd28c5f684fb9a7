import Testing
import Waiting
import XMPPStanzas
import XMPPStream

@Suite("Keep-alive")
struct KeepAliveTests {
    static let policy = KeepAlivePolicy.probe(silence: .seconds(60), timeout: .seconds(15))

    func after(_ seconds: Int) -> ContinuousInstant { start.advanced(by: .seconds(seconds)) }

    @Test("off: no request is ever sent")
    func off() {
        var machine = KeepAlive(.off, now: start)
        machine.bytesReceived(now: after(1))
        let (deadline, action) = (machine.nextDeadline, machine.deadlinePassed(now: after(9999)))
        #expect(deadline == nil)
        #expect(action == .none)
    }

    @Test("listening: received bytes postpone the request")
    func listening() {
        var machine = KeepAlive(Self.policy, now: start)
        let first = machine.nextDeadline
        #expect(first == after(60))
        machine.bytesReceived(now: after(50))
        let (second, early, due) = (
            machine.nextDeadline, machine.deadlinePassed(now: after(60)), machine.deadlinePassed(now: after(110))
        )
        #expect(second == after(110))
        #expect(early == .none)
        #expect(due == .probe)
    }

    @Test("probing: received bytes prove that the connection is alive")
    func probing() {
        var machine = KeepAlive(Self.policy, now: start)
        _ = machine.deadlinePassed(now: after(60))
        let deadline = machine.nextDeadline
        #expect(deadline == after(75))
        let early = machine.deadlinePassed(now: after(70))
        #expect(early == .none)
        machine.bytesReceived(now: after(74))
        let (late, next) = (machine.deadlinePassed(now: after(75)), machine.nextDeadline)
        #expect(late == .none)
        #expect(next == after(134))
    }

    @Test("a peer that sends but does not answer for two minutes does not receive")
    func oneDirection() {
        var machine = KeepAlive(Self.policy, now: start)
        machine.answerExpected(now: after(1))
        machine.answerExpected(now: after(2))
        machine.answerReceived()
        machine.answerExpected(now: after(10))
        for second in stride(from: 11, through: 125, by: 5) {
            machine.bytesReceived(now: after(second))
            machine.answerExpected(now: after(second))
        }
        let deadline = machine.nextDeadline
        #expect(deadline == after(130))
        let (early, due, next) = (
            machine.deadlinePassed(now: after(129)), machine.deadlinePassed(now: after(130)), machine.nextDeadline
        )
        #expect(early == .none)
        #expect(due == .dead)
        #expect(next == nil)
        // So does a further request after an answered one.
        var further = KeepAlive(Self.policy, now: start)
        further.answerExpected(now: after(1))
        further.answerReceived()
        further.answerOwed(within: KeepAlive.answerTimeout, now: after(2))
        for second in stride(from: 5, through: 120, by: 5) { further.bytesReceived(now: after(second)) }
        let end = further.deadlinePassed(now: after(122))
        #expect(end == .dead)
        // An answer in time counts, also without other data.
        var living = KeepAlive(Self.policy, now: start)
        living.answerExpected(now: after(1))
        living.bytesReceived(now: after(100))
        living.answerReceived()
        let later = living.nextDeadline
        #expect(later == after(160))
    }

    @Test("dead: reported once")
    func dead() {
        var machine = KeepAlive(Self.policy, now: start)
        _ = machine.deadlinePassed(now: after(60))
        let (due, again, deadline) = (
            machine.deadlinePassed(now: after(75)), machine.deadlinePassed(now: after(999)), machine.nextDeadline
        )
        #expect(due == .dead)
        #expect(again == .none)
        #expect(deadline == nil)
    }

    @Test("requested by the owner: only the response counts, and a pending request may get less time but not more")
    func asking() {
        for policy in [Self.policy, .off] {
            var machine = KeepAlive(policy, now: start)
            let (asked, again, longer) = (
                machine.ask(within: .seconds(5), now: after(1)), machine.ask(within: .seconds(5), now: after(2)),
                machine.ask(within: .seconds(60), now: after(2))
            )
            machine.bytesReceived(now: after(3))
            let (deadline, isAsking) = (machine.nextDeadline, machine.isAsking)
            #expect([asked, again, longer] == [.probe, .none, .none])
            #expect(deadline == after(6))
            #expect(isAsking)
            machine.answerReceived()
            let (next, late, stillAsking) = (
                machine.nextDeadline, machine.deadlinePassed(now: after(6)), machine.isAsking
            )
            #expect(next == (policy == .off ? nil : after(63)))
            #expect(late == .none)
            #expect(!stillAsking)
            _ = machine.ask(within: .seconds(5), now: after(7))
            let (due, dead) = (machine.deadlinePassed(now: after(12)), machine.ask(within: .seconds(5), now: after(13)))
            #expect(due == .dead)
            #expect(dead == .none)
        }
    }

    @Test("requested by the owner while another request is pending: the shorter timeout applies")
    func askingWhileProbing() {
        var machine = KeepAlive(Self.policy, now: start)
        _ = machine.deadlinePassed(now: after(60))
        let asked = machine.ask(within: .seconds(5), now: after(61))
        machine.bytesReceived(now: after(62))
        machine.answerReceived()
        let next = machine.nextDeadline
        #expect(asked == .probe)
        #expect(next == after(122))
        machine.answerReceived()
        let same = machine.nextDeadline
        #expect(same == next)
    }

    @Test("With stream management the request is <r/>, and any response suffices")
    func requests() {
        var client = ScriptedClient(at: .established)
        #expect(client.wait(.seconds(60)).text == "<r xmlns='urn:xmpp:sm:3'/>")
        #expect(client.receive("<a xmlns='urn:xmpp:sm:3' h='0'/>") == [])
        #expect(client.wait(.seconds(15)) == [])
    }

    @Test("requested by the owner, the stream sends <r/> once and fails in time", arguments: [true, false])
    func ownerAsks(isAnswered: Bool) {
        var client = ScriptedClient(at: .established)
        let now = client.now
        let (asked, again) = (
            client.stream.probe(within: .seconds(5), now: now), client.stream.probe(within: .seconds(5), now: now)
        )
        #expect(asked.text == "<r xmlns='urn:xmpp:sm:3'/>")
        #expect(again == [])
        #expect(client.receive("<message/>").stanzas.count == 1)
        let isProbing = client.stream.isProbing
        #expect(isProbing)
        if isAnswered { client.receive("<a xmlns='urn:xmpp:sm:3' h='0'/>") }
        client.wait(.seconds(5))
        let isStillProbing = client.stream.isProbing
        #expect(!isStillProbing)
        #expect(client.failure?.code == (isAnswered ? nil : .serverUnresponsive))
        #expect(isAnswered || client.log.ends.first?.resumption != nil)
    }

    @Test("XEP-0352: a question can follow an element, so that the server writes something", arguments: [true, false])
    func questionAfterElement(isManaged: Bool) {
        var client =
            isManaged
            ? ScriptedClient(at: .established)
            : ScriptedClient(.scripted { $0.usesStreamManagement = false }, at: .enabling)
        let now = client.now
        let (plain, asking) = (
            client.stream.sendElement(Presence(), now: now),
            client.stream.sendElement(Presence(), expectsAnswer: true, now: now)
        )
        let question =
            isManaged
            ? "<r xmlns='urn:xmpp:sm:3'/>" : "<iq type='get' id='keepalive-1'><ping xmlns='urn:xmpp:ping'/></iq>"
        #expect(plain.text == "<presence/>")
        #expect(asking.text == "<presence/>" + question)
        let deadline = client.stream.nextDeadline
        #expect(deadline == now.advanced(by: KeepAlive.usualTimeout))
        let answer = isManaged ? "<a xmlns='urn:xmpp:sm:3' h='0'/>" : "<iq type='result' id='keepalive-1'/>"
        #expect(client.receive(answer) == [])
        client.wait(KeepAlive.usualTimeout)
        #expect(client.failure == nil)
    }

    @Test("Without it the request is a ping, and its response is not delivered", arguments: ["result", "error"])
    func pings(type: String) {
        var client = ScriptedClient(.scripted { $0.usesStreamManagement = false }, at: .enabling)
        #expect(client.log.session?.isManaged == false)
        #expect(client.wait(.seconds(60)).text.contains("<ping xmlns='urn:xmpp:ping'/>"))
        let stranger = client.receive("<iq type='\(type)' id='keepalive-1' from='mallory@evil.test/x'/>")
        #expect(stranger.stanzas.count == 1)
        #expect(client.receive("<iq type='\(type)' id='keepalive-1'/>") == [])
        #expect(client.receive("<iq type='result' id='keepalive-1'/>").stanzas.count == 1)
        #expect(client.wait(.seconds(15)) == [])
    }

    @Test("W-27, #101: a dead connection is detected and the session preserved for resumption")
    func deadConnection() {
        var client = ScriptedClient(at: .established)
        client.send(Message.to("romeo@example.com", "Art thou there?"), token: StanzaToken(1))
        client.wait(.seconds(60))
        let actions = client.wait(.seconds(15))
        let end = actions.ends.first
        #expect(end?.failure?.code == .serverUnresponsive)
        #expect(end?.resumption?.unacknowledged.map(\.token) == [StanzaToken(1)])
        #expect(actions.text.isEmpty)
        #expect(actions.contains(.closeTransport))
    }
}
