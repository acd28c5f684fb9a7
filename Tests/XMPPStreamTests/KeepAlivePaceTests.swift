import Testing
import Waiting
import XMPPStanzas

@testable import XMPPStream

@Suite("Adaptive keep-alive")
struct KeepAlivePaceTests {
    static var bounds: KeepAliveBounds {
        var bounds = KeepAliveBounds()
        bounds.first = .seconds(60)
        bounds.shortest = .seconds(30)
        bounds.longest = .seconds(600)
        return bounds
    }

    func after(_ seconds: Int) -> ContinuousInstant { start.advanced(by: .seconds(seconds)) }

    @Test(
        "the interval grows while the connection survives it, up to its limit: an idle hour needs eight pings, not sixty"
    )
    func grows() {
        var pace = KeepAlivePace(Self.bounds)
        var silences: [Double] = []
        for _ in 0..<8 {
            silences.append((pace.silence / .milliseconds(1)).rounded() / 1000)
            pace.survived()
        }
        #expect(silences == [60, 90, 135, 202.5, 303.75, 455.625, 600, 600])
    }

    @Test("an interval that was too long is not tried again on the same network")
    func shrinks() {
        var pace = KeepAlivePace(Self.bounds)
        for _ in 0..<4 { pace.survived() }
        let fatal = pace.silence
        pace.died()
        #expect(pace.silence == fatal / 2)
        for _ in 0..<10 { pace.survived() }
        #expect(pace.silence <= fatal * 0.8)
        for _ in 0..<10 { pace.died() }
        #expect(pace.silence == .seconds(30))
        pace.networkChanged()
        #expect(pace == KeepAlivePace(Self.bounds))
    }

    @Test("the interval is always within its limits")
    func bounded() {
        var pace = KeepAlivePace(Self.bounds)
        var random: UInt64 = 88_172_645_463_325_252
        for _ in 0..<100_000 {
            random ^= random << 13
            random ^= random >> 7
            random ^= random << 17
            switch random % 8 {
            case 0: pace.died()
            case 1 where random % 64 == 1: pace.networkChanged()
            default: pace.survived()
            }
            #expect(pace.silence >= .seconds(30) && pace.silence <= .seconds(600))
        }
    }

    @Test("the machine learns only from intervals without traffic, and passes the result to the next connection")
    func learning() {
        let policy = KeepAlivePolicy.adaptive(Self.bounds)
        var machine = KeepAlive(policy, now: start)
        let first = machine.deadlinePassed(now: after(60))
        machine.bytesReceived(now: after(61))
        let next = machine.nextDeadline
        #expect(first == .probe)
        #expect(next == after(61 + 90))
        // Unsolicited traffic teaches nothing.
        machine.bytesReceived(now: after(100))
        let same = machine.nextDeadline
        #expect(same == after(190))
        _ = machine.deadlinePassed(now: after(190))
        let dead = machine.deadlinePassed(now: after(205))
        #expect(dead == .dead)
        var another = KeepAlive(policy, pace: machine.pace, now: after(300))
        let shorter = another.nextDeadline
        #expect(shorter == after(345))
        another.pace?.networkChanged()
        let fresh = another.nextDeadline
        #expect(fresh == after(360))
    }

    @Test("however long the interval is, an unacknowledged stanza is not waited for longer than the timeout, twice")
    func answerExpected() {
        var bounds = Self.bounds
        bounds.first = .seconds(600)
        var machine = KeepAlive(.adaptive(bounds), now: start)
        machine.answerExpected(now: after(10))
        machine.answerExpected(now: after(12))
        let due = machine.nextDeadline
        let asked = machine.deadlinePassed(now: after(25))
        let dead = machine.deadlinePassed(now: after(40))
        let pace = machine.pace
        #expect(due == after(25))
        #expect(asked == .probe)
        #expect(dead == .dead)
        // The interval was not the cause.
        #expect(pace?.silence == .seconds(600))

        machine = KeepAlive(.adaptive(bounds), now: start)
        machine.answerExpected(now: after(10))
        machine.bytesReceived(now: after(11))
        let unanswered = machine.nextDeadline
        machine.answerReceived()
        let calm = machine.nextDeadline
        #expect(unanswered == after(130))
        #expect(calm == after(611))
    }

    @Test("a space keeps the connection open and requires no response")
    func whitespace() {
        var machine = KeepAlive(.whitespace(every: .seconds(100)), now: start)
        for round in 1...3 {
            let action = machine.deadlinePassed(now: after(round * 100))
            #expect(action == .whitespace)
        }
        machine.answerExpected(now: after(301))
        let asked = machine.deadlinePassed(now: after(316))
        let count = machine.count
        #expect(asked == .probe)
        #expect(count == 4)

        var client = ScriptedClient(.scripted { $0.keepAlive = .whitespace(every: .seconds(100)) }, at: .established)
        #expect(client.wait(.seconds(100)) == [.write([0x20])])
        #expect(client.wait(.seconds(100)) == [.write([0x20])])
        let counted = client.stream.keepAliveCount
        #expect(counted == 2)
    }

    @Test("an unacknowledged message causes a request after the timeout, and the connection is found dead")
    func sent() {
        var client = ScriptedClient(at: .established)
        client.send(Message(body: "x"), token: StanzaToken(1))
        #expect(client.wait(.seconds(15)).text == "<r xmlns='urn:xmpp:sm:3'/>")
        client.wait(.seconds(15))
        #expect(client.failure?.code == .serverUnresponsive)
        #expect(client.log.ends.first?.resumption?.unacknowledged.count == 1)
    }
}
