import SASLMechanisms
import Testing
import Waiting
import XMLStreaming
import XMPPStanzas

@testable import XMPPStream

/// XEP-0478, RFC 6120 §13.12.
@Suite("Stream limits")
struct StreamLimitsTests {
    private static func client(announcing limits: String, idle: KeepAlivePolicy = .standard) -> ScriptedClient {
        var client = ScriptedClient(.scripted { $0.keepAlive = idle }, at: .finalHeader)
        let sm = "<sm xmlns='urn:xmpp:sm:3'/>"
        for line in [
            ScriptedServer.features.replacing(sm, with: sm + limits), ScriptedServer.bound, ScriptedServer.enabled,
        ] {
            client.receive(line)
        }
        return client
    }

    /// A message with exactly this many bytes on the stream.
    private static func message(of byteCount: Int) -> Message {
        let empty = Message.to("romeo@example.com", "", id: "m")
        let rest = byteCount - StreamMarkup.bytes(of: empty).count - "<body></body>".count + "<body/>".count
        return .to("romeo@example.com", String(repeating: "a", count: rest), id: "m")
    }

    @Test(
        "announced limits apply, within reason",
        arguments: [
            ("", StreamLimits.usualBytes), ("<max-bytes>20000</max-bytes>", 20_000),
            ("<max-bytes> 400000 </max-bytes>", 400_000),
            ("<max-bytes>12</max-bytes>", 10_000), ("<max-bytes>-1</max-bytes>", StreamLimits.usualBytes),
            ("<max-bytes>many</max-bytes>", StreamLimits.usualBytes),
            ("<max-bytes>99999999999999999999</max-bytes>", StreamLimits.usualBytes),
        ])
    func announced(children: String, expected: Int) {
        let client = Self.client(announcing: "<limits xmlns='urn:xmpp:stream-limits:0'>\(children)</limits>")
        #expect(client.stream.serverLimits.stanzaBytes == expected)
    }

    @Test("P13: a stanza larger than the server's limit is not written", arguments: [nil, 20_000] as [Int?])
    func tooLarge(announced: Int?) {
        let limits = announced.map { "<limits xmlns='urn:xmpp:stream-limits:0'><max-bytes>\($0)</max-bytes></limits>" }
        var client = Self.client(announcing: limits ?? "")
        let limit = announced ?? StreamLimits.usualBytes
        let fits = client.send(Self.message(of: limit), token: StanzaToken(1))
        #expect(fits.text.hasSuffix("</message><r xmlns='urn:xmpp:sm:3'/>"))
        #expect(fits.text.utf8.count == limit + "<r xmlns='urn:xmpp:sm:3'/>".utf8.count)
        let large = client.send(Self.message(of: limit + 1), token: StanzaToken(2))
        #expect(large == [.tooLarge(StanzaToken(2), byteCount: limit + 1)])
        #expect(client.stream.unacknowledgedCount == 1)
    }

    @Test("a stanza is written into the buffer of the owner as it is into one of its own, and one too large not at all")
    func ownBuffer() {
        var one = Self.client(announcing: "")
        var other = Self.client(announcing: "")
        var writer = ClientStream.makeWriter()
        var expected = ""
        for number in 1...3 {
            let message = Message.to("romeo@example.com", "<\(number)> 你好", id: "m")
            expected += one.send(message, token: StanzaToken(UInt64(number))).text
            let outcome = other.stream.send(
                message, token: StanzaToken(UInt64(number)), now: ContinuousInstant(sinceStart: .zero), to: &writer)
            #expect(outcome == (number == 1 ? .writtenWithRequest : .written))
        }
        let large = other.stream.send(
            Self.message(of: StreamLimits.usualBytes + 1), token: StanzaToken(4),
            now: ContinuousInstant(sinceStart: .zero), to: &writer)
        #expect(large == .tooLarge(byteCount: StreamLimits.usualBytes + 1))
        #expect(String(decoding: writer.takeBytes(), as: UTF8.self) == expected)
        #expect(other.stream.resumptionState?.unacknowledged == one.stream.resumptionState?.unacknowledged)
        #expect(other.stream.unacknowledgedCount == 3)
    }

    @Test(
        "limits before authentication are not those of the session, and the limits of an earlier connection apply until then"
    )
    func inlineResumption() {
        let state = ResumptionState(
            id: "some-long-sm-id", address: .juliet, handledCount: 0, acknowledgedCount: 0, unacknowledged: [])
        var client = ScriptedClient(
            .extensible {
                $0.mechanisms = SASLPolicy(allowedMechanisms: [.plain])
                $0.resumption = state
                $0.serverLimits = StreamLimits(maximumBytes: 30_000)
            })
        func limits(_ bytes: Int) -> String {
            "<limits xmlns='urn:xmpp:stream-limits:0'><max-bytes>\(bytes)</max-bytes></limits></stream:features>"
        }
        for (index, line) in ScriptedServer.extensibleLogin(resuming: true).dropLast().enumerated() {
            client.receive(line.replacing("</stream:features>", with: limits(10_001)))
            if index == 2 { client.log += client.stream.tlsEstablished(.tls13, now: client.now) }
        }
        #expect(client.log.session?.isResumed == true)
        #expect(client.stream.serverLimits.maximumBytes == 30_000)
        client.receive("<stream:features>" + limits(40_000))
        #expect(client.stream.serverLimits.maximumBytes == 40_000)
    }

    @Test(
        "a server with a short idle timeout is pinged in time",
        arguments: [(100, 60), (60, 45), (40, 30), (3_600, 60)])
    func idle(seconds: Int, silence: Int) {
        let limits = "<limits xmlns='urn:xmpp:stream-limits:0'><idle-seconds>\(seconds)</idle-seconds></limits>"
        let client = Self.client(announcing: limits, idle: .adaptive(.standard))
        let due = client.stream.nextDeadline.map { start.duration(to: $0) }
        #expect(due == .seconds(silence))
        #expect(client.stream.serverLimits.idleTime == .seconds(seconds))
    }
}
