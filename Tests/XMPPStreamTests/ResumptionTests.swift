import Foundation
import ServerSide
import Testing
import XMLStreaming
import XMPPStanzas
import XMPPStream

/// XEP-0198 §4 and §5, client with server.
@Suite("Acknowledgement and resumption")
struct ResumptionTests {
    static func tokens(_ range: ClosedRange<UInt64>) -> [StanzaToken] { range.map { StanzaToken($0) } }

    /// Cuts a connection on which the client's second and third message and the server's second one were lost.
    static func interrupted(
        delivery: Delivery = .whole, _ server: ServerStreamConfiguration = .example()
    ) -> (ResumptionState?, ServerDirectory, [StreamEnd]) {
        var pair = StreamPair(.juliet(), server, delivery: delivery)
        pair.send(Message.to("romeo@example.com", "first"), token: StanzaToken(1))
        pair.serverSend(Message.to("juliet@example.com", "one"), token: StanzaToken(101))
        // These are written but never arrive.
        pair.perform(pair.client.send(Message.to("romeo@example.com", "second"), token: StanzaToken(2), now: pair.now))
        pair.perform(pair.client.send(Message.to("romeo@example.com", "third"), token: StanzaToken(3), now: pair.now))
        pair.perform(pair.server.send(Message.to("juliet@example.com", "two"), token: StanzaToken(102)))
        pair.cut()
        return (pair.log.ends.first?.resumption, pair.directory, pair.log.ends)
    }

    @Test("Stanzas are acknowledged in both directions", arguments: Delivery.allCases)
    func acknowledgement(delivery: Delivery) {
        var pair = StreamPair(delivery: delivery)
        for number in 1...5 {
            pair.send(Message.to("romeo@example.com", "m\(number)"), token: StanzaToken(UInt64(number)))
        }
        #expect(pair.log.acknowledged == Self.tokens(1...5), "\(pair.transcript)")
        #expect(pair.serverLog.stanzas.count == 5)
        for number in 1...5 {
            pair.serverSend(Message.to("juliet@example.com", "m\(number)"), token: StanzaToken(UInt64(number)))
        }
        #expect(pair.serverLog.acknowledged == Self.tokens(1...5))
        #expect(pair.log.stanzas.count == 5)
        let count = pair.client.unacknowledgedCount
        #expect(count == 0)
    }

    @Test("Keep list 5: no stanza is acknowledged before the owner has handled it")
    func unhandled() {
        var pair = StreamPair(confirmsStanzas: false)
        pair.serverSend(Message.to("juliet@example.com", "one"), token: StanzaToken(1))
        pair.serverSend(Message.to("juliet@example.com", "two"), token: StanzaToken(2))
        #expect(pair.serverLog.acknowledged.isEmpty)
        pair.perform(pair.client.stanzasHandled(1, now: pair.now))
        pair.run()
        #expect(pair.serverLog.acknowledged == [StanzaToken(1)])
        let handled = pair.client.resumptionState?.handledCount
        #expect(handled == 1)
    }

    @Test("A session is resumed and lost stanzas are sent again, once", arguments: Delivery.allCases)
    func resume(delivery: Delivery) throws {
        let (state, directory, ends) = Self.interrupted(delivery: delivery)
        let resumption = try #require(state)
        #expect(ends.count == 1)
        #expect(ends.first?.failure?.code == .connectionLost)
        #expect(resumption.unacknowledged.map(\.token) == Self.tokens(2...3))
        #expect(resumption.handledCount == 1)

        var pair = StreamPair(.juliet { $0.resumption = resumption }, directory: directory, delivery: delivery)
        let session = try #require(pair.log.session, "\(pair.transcript)")
        #expect(session.isResumed)
        #expect(session.address == .juliet)
        #expect(session.unacknowledged.isEmpty)
        #expect(pair.log.progress.contains(.resumed(.juliet)))
        #expect(!pair.transcript.contains("bind-1"))
        let bodies = pair.serverLog.stanzas.compactMap { try? Message(from: $0).body }
        #expect(bodies == ["second", "third"])
        #expect(pair.log.acknowledged == Self.tokens(2...3))
        #expect(pair.log.stanzas.compactMap { try? Message(from: $0).body } == ["two"])
        #expect(pair.serverLog.acknowledged == [StanzaToken(102)])

        // And the counters continue.
        pair.send(Message.to("romeo@example.com", "fourth"), token: StanzaToken(4))
        #expect(pair.log.acknowledged == Self.tokens(2...4))
    }

    @Test("#1: stanzas received and handled after the loss are not sent again")
    func handledAfterTheLoss() throws {
        var pair = StreamPair(confirmsStanzas: false)
        pair.serverSend(Message.to("juliet@example.com", "one"), token: StanzaToken(1))
        pair.cut()
        var resumption = try #require(pair.log.ends.first?.resumption)
        #expect(resumption.handledCount == 0)
        resumption.stanzasHandled(1)
        let next = StreamPair(.juliet { $0.resumption = resumption }, directory: pair.directory)
        #expect(next.log.session?.isResumed == true)
        #expect(next.log.stanzas.isEmpty)
        #expect(next.serverLog.acknowledged == [StanzaToken(1)])
    }

    @Test(
        "A session that the server has removed: a new one is bound, and the owner learns what arrived",
        arguments: [true, false])
    func refused(remembersCount: Bool) throws {
        let (state, before, _) = Self.interrupted()
        let resumption = try #require(state)
        var directory = before
        directory.expire(resumption.id, remembersCount: remembersCount)
        let pair = StreamPair(.juliet { $0.resumption = resumption }, directory: directory)
        let session = try #require(pair.log.session, "\(pair.transcript)")
        #expect(!session.isResumed)
        #expect(session.isManaged)
        #expect(session.unacknowledged.map(\.token) == Self.tokens(2...3))
        #expect(pair.serverLog.stanzas.isEmpty)
        let again = try session.unacknowledged[0].element()
        #expect(try Message(from: again).body == "second")
    }

    @Test("§5: <failed h='…'/> is respected")
    func refusedWithCount() throws {
        let state = ResumptionState(
            id: "x", address: .juliet, handledCount: 0, acknowledgedCount: 4,
            unacknowledged: (5...7).map { StreamManagementTests.stanza($0) })
        var client = ScriptedClient(.scripted { $0.resumption = state }, at: .binding)
        #expect(client.log.text.contains("<resume xmlns='urn:xmpp:sm:3' h='0' previd='x'/>"))
        let actions = client.receive(
            "<failed xmlns='urn:xmpp:sm:3' h='6'><item-not-found xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></failed>"
        )
        #expect(actions.acknowledged == Self.tokens(5...6))
        #expect(actions.text.contains("bind-1"))
        let session = client.receive(ScriptedServer.bound + ScriptedServer.enabled).session
        #expect(session?.unacknowledged.map(\.token) == [StanzaToken(7)])
    }

    @Test("The stanzas of a refused session are not lost if the login fails afterwards")
    func refusedThenLost() {
        let state = ResumptionState(
            id: "x", address: .juliet, handledCount: 0, acknowledgedCount: 4,
            unacknowledged: (5...7).map { StreamManagementTests.stanza($0) })
        var client = ScriptedClient(.scripted { $0.resumption = state }, at: .binding)
        client.receive("<failed xmlns='urn:xmpp:sm:3'/>")
        let end = client.stream.transportClosed(.endOfStream, now: start).ends.first
        #expect(end?.resumption == nil)
        #expect(end?.unacknowledged.map(\.token) == Self.tokens(5...7))
    }

    @Test(
        "A login that fails before the resumption returns the session",
        arguments: [ScriptedServer.Phase.connected, .header, .binding])
    func failedBefore(phase: ScriptedServer.Phase) {
        let state = ResumptionState(
            id: "x", address: .juliet, handledCount: 3, acknowledgedCount: 4,
            unacknowledged: (5...7).map { StreamManagementTests.stanza($0) })
        var client = ScriptedClient(.scripted { $0.resumption = state }, at: phase)
        let end = client.stream.transportClosed(.endOfStream, now: start).ends.first
        #expect(end?.resumption == state)
        #expect(end?.unacknowledged == state.unacknowledged)
    }

    @Test("A resumption that the server does not answer has a timeout")
    func resumptionTimeout() {
        let state = ResumptionState(
            id: "x", address: .juliet, handledCount: 3, acknowledgedCount: 4,
            unacknowledged: [StreamManagementTests.stanza(5)])
        var client = ScriptedClient(.scripted { $0.resumption = state }, at: .binding)
        let end = client.wait(.seconds(5)).ends.first
        #expect(end?.failure?.code == .resumptionTimedOut)
        #expect(end?.resumption == nil)
        #expect(end?.unacknowledged.count == 1)
    }

    @Test("A resumed session in which the server acknowledges nothing is not resumed again", arguments: [false, true])
    func unproved(isAcknowledged: Bool) {
        let state = ResumptionState(
            id: "x", address: .juliet, handledCount: 3, acknowledgedCount: 4,
            unacknowledged: [StreamManagementTests.stanza(5)])
        var client = ScriptedClient(
            .scripted {
                $0.resumption = state
                $0.keepAlive = .probe(silence: .seconds(10), timeout: .seconds(5))
            }, at: .binding)
        client.receive("<resumed xmlns='urn:xmpp:sm:3' previd='x' h='4'/>")
        if isAcknowledged { client.receive("<a xmlns='urn:xmpp:sm:3' h='4'/>") }
        // Others are heard.
        client.receive("<message from='romeo@example.com' to='juliet@example.com'/>")
        for _ in 0..<4 where client.failure == nil { client.wait(.seconds(5)) }
        #expect(client.failure?.code == .serverUnresponsive)
        #expect((client.log.ends.first?.resumption != nil) == isAcknowledged)
        #expect(client.log.ends.first?.unacknowledged.map(\.token) == [StanzaToken(5)])
    }

    @Test("A resumed session that is heard and not answered ends after a minute, and is not resumed again")
    func heardOnly() {
        let state = ResumptionState(
            id: "x", address: .juliet, handledCount: 3, acknowledgedCount: 4,
            unacknowledged: [StreamManagementTests.stanza(5)])
        var client = ScriptedClient(.scripted { $0.resumption = state }, at: .binding)
        client.receive("<resumed xmlns='urn:xmpp:sm:3' previd='x' h='4'/>")
        for _ in 0..<11 {
            client.receive("<message from='romeo@example.com' to='juliet@example.com'/>")
            client.wait(.seconds(5))
        }
        #expect(client.failure == nil)
        client.receive("<message from='romeo@example.com' to='juliet@example.com'/>")
        client.wait(.seconds(5))
        #expect(client.failure?.code == .serverUnresponsive)
        let end = client.log.ends.first
        #expect(end?.resumption == nil)
        #expect(end?.unacknowledged.map(\.token) == [StanzaToken(5)])
    }

    @Test("A server without stream management: bind and report the unacknowledged stanzas")
    func noStreamManagement() throws {
        let (state, directory, _) = Self.interrupted()
        let pair = StreamPair(
            .juliet { $0.resumption = state },
            .example { $0.offered = NegotiationPlan([.startTLS, .sasl, .binding]) }, directory: directory)
        let session = try #require(pair.log.session, "\(pair.transcript)")
        #expect(!session.isManaged)
        #expect(session.unacknowledged.map(\.token) == Self.tokens(2...3))
    }

    @Test("The 32-bit counters wrap on a stream", arguments: Delivery.allCases)
    func wrap(delivery: Delivery) throws {
        let first = StreamPair(delivery: delivery)
        let id = try #require(first.client.resumptionState?.id)
        var server = ServerDirectory.verona
        server.suspend(
            ResumptionState(
                id: id, address: .juliet, handledCount: .max - 1, acknowledgedCount: .max - 2, unacknowledged: []))
        let state = ResumptionState(
            id: id, address: .juliet, handledCount: .max - 2, acknowledgedCount: .max - 1, unacknowledged: [])
        var pair = StreamPair(.juliet { $0.resumption = state }, directory: server, delivery: delivery)
        #expect(pair.log.session?.isResumed == true, "\(pair.transcript)")
        for number in 1...6 {
            pair.send(Message.to("romeo@example.com", "\(number)"), token: StanzaToken(UInt64(number)))
            pair.serverSend(Message.to("juliet@example.com", "\(number)"), token: StanzaToken(UInt64(number)))
        }
        #expect(pair.log.acknowledged == Self.tokens(1...6))
        #expect(pair.serverLog.acknowledged == Self.tokens(1...6))
        #expect(pair.transcript.contains("<a xmlns='urn:xmpp:sm:3' h='4294967295'/>"))
        #expect(pair.transcript.contains("<a xmlns='urn:xmpp:sm:3' h='0'/>"))
        let handled = pair.client.resumptionState?.handledCount
        #expect(handled == 3)
    }

    @Test("An acknowledgement of stanzas that were never sent ends the stream")
    func tooHigh() {
        var client = ScriptedClient(at: .established)
        client.send(Message.to("romeo@example.com", "one"), token: StanzaToken(1))
        let actions = client.receive("<a xmlns='urn:xmpp:sm:3' h='2'/>")
        #expect(actions.text.contains("<handled-count-too-high xmlns='urn:xmpp:sm:3' h='2' send-count='1'/>"))
        #expect(actions.ends.first?.failure?.code == .handledCountTooHigh)
        #expect(actions.ends.first?.resumption == nil)
        #expect(actions.ends.first?.unacknowledged.map(\.token) == [StanzaToken(1)])
    }

    @Test(
        "Martin #6: an <a/> without a number is not an acknowledgement",
        arguments: ["", " h=''", " h='-1'", " h='4294967296'", " h='x'"])
    func badNumber(attribute: String) {
        var client = ScriptedClient(at: .established)
        client.send(Message.to("romeo@example.com", "one"), token: StanzaToken(1))
        let actions = client.receive("<a xmlns='urn:xmpp:sm:3'\(attribute)/>")
        #expect(actions.acknowledged.isEmpty)
        #expect(actions.elements.count == 1)
        let count = client.stream.unacknowledgedCount
        #expect(count == 1)
    }

    @Test("<enabled/> without resumption, <failed/> instead of it")
    func otherAnswers() {
        var plain = ScriptedClient(at: .enabling)
        let session = plain.receive("<enabled xmlns='urn:xmpp:sm:3'/>").session
        #expect(session?.isManaged == true)
        #expect(session?.isResumable == false)
        #expect(plain.stream.transportClosed(.endOfStream, now: start).ends.first?.resumption == nil)

        var refused = ScriptedClient(at: .enabling)
        let other = refused.receive(
            "<failed xmlns='urn:xmpp:sm:3'><unexpected-request xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></failed>")
        #expect(other.session?.isManaged == false)
        #expect(refused.send(Presence(), token: StanzaToken(1)).text.contains("<r ") == false)
    }

    @Test("Unacknowledged stanzas are in the terminal action when the connection breaks")
    func unacknowledgedAtTheEnd() {
        var client = ScriptedClient(at: .established)
        client.send(Message.to("romeo@example.com", "one"), token: StanzaToken(1))
        client.send(Message.to("romeo@example.com", "two"), token: StanzaToken(2))
        let end = client.stream.transportClosed(.endOfStream, now: start).ends.first
        #expect(end?.unacknowledged.map(\.token) == Self.tokens(1...2))
        #expect(end?.resumption?.unacknowledged == end?.unacknowledged)
    }

    @Test("A session that was replaced by another one is not resumed")
    func conflict() {
        var client = ScriptedClient(at: .established)
        let end = client.receive(
            "<stream:error><conflict xmlns='urn:ietf:params:xml:ns:xmpp-streams'/></stream:error>"
        ).ends.first
        #expect(end?.failure?.category == .conflict)
        #expect(end?.resumption == nil)
    }

    @Test("The state can be stored and restored")
    func codable() throws {
        let (state, _, _) = Self.interrupted()
        let resumption = try #require(state)
        let stored = try JSONEncoder().encode(resumption)
        #expect(try JSONDecoder().decode(ResumptionState.self, from: stored) == resumption)
        #expect(String(decoding: stored, as: UTF8.self).contains("second"))
    }

    @Test("A damaged stanza in a store is an error, not a crash", arguments: ["", "<message", "</message>", "text"])
    func damaged(text: String) {
        let stanza = UnacknowledgedStanza(token: StanzaToken(1), bytes: Array(text.utf8))
        #expect(throws: XMLError.self) { try stanza.element() }
    }
}
