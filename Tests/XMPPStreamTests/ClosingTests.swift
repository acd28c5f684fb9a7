import Testing
import XMLStreaming
import XMPPStanzas
import XMPPStream

/// RFC 6120 §4.4: both ends close the stream.
@Suite("Closing")
struct ClosingTests {
    @Test("S2-7, S2-8, W-19: </stream:stream>, the server's answer, the transport", arguments: Delivery.allCases)
    func polite(delivery: Delivery) {
        var pair = StreamPair(delivery: delivery)
        pair.serverSend(Message.to("juliet@example.com", "one"), token: StanzaToken(1))
        let mark = pair.log.count
        pair.perform(pair.client.close(now: pair.now))
        #expect(pair.log[mark...].contains(.progress(.closingSent)))
        #expect(pair.log.ends.isEmpty)
        pair.run()
        #expect(pair.log.ends == [StreamEnd(reason: .requested)])
        #expect(pair.serverLog.ends == [.closed])
        #expect(pair.directory.boundAddresses.isEmpty)
    }

    @Test("XEP-0198 §4: the last acknowledgement goes before the close")
    func lastAcknowledgement() {
        var client = ScriptedClient(at: .established)
        client.receive("<message/><message/>")
        client.log += client.stream.stanzasHandled(1, now: start)
        #expect(client.stream.close(now: start).text == "<a xmlns='urn:xmpp:sm:3' h='1'/></stream:stream>")
    }

    @Test("XEP-0198 §4: what is not acknowledged is asked for before the close, and nothing is written after it")
    func lastRequest() {
        var client = ScriptedClient(at: .established)
        client.send(Presence(), token: StanzaToken(1))
        client.send(Presence(), token: StanzaToken(2))
        #expect(client.stream.close(now: start).text == "<r xmlns='urn:xmpp:sm:3'/></stream:stream>")
        // The answer to the request that was made with the first stanza.
        let first = client.receive("<a xmlns='urn:xmpp:sm:3' h='1'/>")
        #expect(first.acknowledged == [StanzaToken(1)] && first.text.isEmpty)
        let second = client.receive("<a xmlns='urn:xmpp:sm:3' h='2'/>")
        #expect(second.acknowledged == [StanzaToken(2)] && second.text.isEmpty)
    }

    @Test("A server that does not answer is only waited for until a timeout")
    func deadline() {
        var client = ScriptedClient(at: .established)
        _ = client.stream.close(now: start)
        #expect(client.wait(.seconds(2)) == [])
        let actions = client.wait(.seconds(1))
        #expect(actions.contains(.closeTransport))
        #expect(actions.ends == [StreamEnd(reason: .requested)])
    }

    @Test("Whatever ends a closing stream, it has ended as requested")
    func interruptedClose() {
        for text in ["<stream:error><reset xmlns='urn:ietf:params:xml:ns:xmpp-streams'/></stream:error>", "<a></b>"] {
            var client = ScriptedClient(at: .established)
            _ = client.stream.close(now: start)
            client.receive(text)
            if client.log.ends.isEmpty { client.log += client.stream.transportClosed(.endOfStream, now: start) }
            #expect(client.log.ends == [StreamEnd(reason: .requested)])
        }
    }

    @Test("Stanzas received while closing are delivered only if the server will not store them")
    func lateStanzas() {
        var managed = ScriptedClient(at: .established)
        _ = managed.stream.close(now: start)
        #expect(managed.receive("<message/>").stanzas.isEmpty)
        var plain = ScriptedClient(.scripted { $0.usesStreamManagement = false }, at: .enabling)
        _ = plain.stream.close(now: start)
        #expect(plain.receive("<message/>").stanzas.count == 1)
    }

    @Test("Acknowledgements received while closing are processed")
    func lateAcknowledgement() {
        var client = ScriptedClient(at: .established)
        client.send(Presence(), token: StanzaToken(1))
        _ = client.stream.close(now: start)
        #expect(client.receive("<a xmlns='urn:xmpp:sm:3' h='1'/>").acknowledged == [StanzaToken(1)])
        #expect(client.receive("</stream:stream>").ends == [StreamEnd(reason: .requested)])
    }

    @Test("W-10: a requested end and an unexpected end differ")
    func reasons() {
        let lost = StreamEnd(reason: .failed(StreamFailureTests.make(.connectionLost)))
        #expect(lost.failure != nil)
        #expect(StreamEnd(reason: .requested).failure == nil)
        #expect(StreamEnd(reason: .closedByServer).failure == nil)
    }

    @Test(
        "The reason of the transport is the reason of the failure",
        arguments: [
            (TransportClosure.Kind.unresolved, StreamFailure.Code.serverNotFound), (.unreachable, .serverUnreachable),
            (.broken, .connectionLost), (.endOfStream, .connectionLost), (.tlsFailed, .encryptionFailed),
            (.certificateRejected, .certificateRejected),
        ])
    func transportReasons(kind: TransportClosure.Kind, code: StreamFailure.Code) {
        var stream = ClientStream(configuration: .scripted())
        _ = stream.open(now: start)
        let failure = stream.transportClosed(TransportClosure(kind, detail: "a detail"), now: start).ends.first?.failure
        #expect(failure?.code == code)
        #expect(failure?.text == "a detail")
    }
}
