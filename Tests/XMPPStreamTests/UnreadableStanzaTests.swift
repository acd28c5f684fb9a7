import Testing
import XMLStreaming
import XMPPStanzas
import XMPPStream

/// After the login nothing that is well-formed ends a stream: others can have written it.
@Suite("Unreadable stanzas on a stream")
struct UnreadableStanzaTests {
    static let attributes = (0..<130).map { " a\($0)=''" }.joined()
    static let nested = String(repeating: "<a>", count: 142) + String(repeating: "</a>", count: 142)

    static let stanzas = [
        "<message id='1' from='mallory@evil.test/x'><x xmlns='urn:x'\(attributes)/></message>",
        "<presence id='1' from='mallory@evil.test/x'\(attributes)/>",
        "<iq type='get' id='1' from='mallory@evil.test/x'>\(nested)</iq>",
        "<message id='1' from='mallory@evil.test/x'><p:a/></message>",
        "<message id='1' from='mallory@evil.test/x'><a xmlns:\(String(repeating: "n", count: 1030))='x'/></message>",
        "<message id='1' from='mallory@evil.test/x'><a xmlns='\(String(repeating: "n", count: 5000))'/></message>",
    ]

    @Test("it is told and counted, and what comes behind it is read", arguments: stanzas)
    func counted(stanza: String) throws {
        var client = ScriptedClient(at: .established)
        let actions = client.receive(stanza + "<message id='2'/>")
        #expect(actions.ends.isEmpty)
        #expect(actions.stanzas.compactMap { $0["id"] } == ["2"])
        guard case .unreadable(let element)? = actions.first else {
            Issue.record("not told first: \(actions)")
            return
        }
        #expect(element.id == "1" && element.from == "mallory@evil.test/x")
        #expect(element.name.namespace == XMPPNamespace.client && stanza.hasPrefix("<" + element.name.local))
        _ = client.stream.stanzasHandled(2, now: client.now)
        #expect(client.receive("<r xmlns='urn:xmpp:sm:3'/>").text.contains("h='2'"))
    }

    @Test("anything else that cannot be read means nothing")
    func ignored() {
        var client = ScriptedClient(at: .established)
        let actions = client.receive("<x xmlns='urn:x'\(Self.attributes)/><p:r/><message id='2'/>")
        #expect(actions.count == 1)
        #expect(actions.stanzas.compactMap { $0["id"] } == ["2"])
        _ = client.stream.stanzasHandled(1, now: client.now)
        #expect(client.receive("<r xmlns='urn:xmpp:sm:3'/>").text.contains("h='1'"))
    }

    @Test("a nesting bomb takes nothing and ends nothing")
    func nestingBomb() {
        var client = ScriptedClient(at: .established)
        #expect(client.receive("<message id='1'>" + String(repeating: "<a>", count: 300_000)).isEmpty)
        let actions = client.receive(String(repeating: "</a>", count: 300_000) + "</message><message id='2'/>")
        #expect(actions.stanzas.compactMap { $0["id"] } == ["2"])
    }

    @Test("before the login it ends the stream", arguments: [ScriptedServer.Phase.clearHeader, .header])
    func beforeLogin(phase: ScriptedServer.Phase) {
        var client = ScriptedClient(at: phase)
        let failure = client.receive("<message id='1'\(Self.attributes)/>").ends.first?.failure
        #expect(failure?.code == .malformedXML && failure?.xmlError?.code == .tooManyAttributes)
    }

    @Test("what the login waits for must be readable", arguments: [ScriptedServer.Phase.finalHeader])
    func duringLogin(phase: ScriptedServer.Phase) {
        var client = ScriptedClient(at: phase)
        let failure = client.receive("<stream:features\(Self.attributes)/>").ends.first?.failure
        #expect(failure?.code == .malformedXML)
    }

    @Test(
        "broken XML has the sender of its stanza, also where it came by another limit before",
        arguments: ["<body>x</wrong>", "<x xmlns='urn:x'\(attributes)/>&x;"])
    func sender(content: String) {
        var client = ScriptedClient(at: .established)
        let actions = client.receive("<message id='7' from='Mallory@evil.test/x'>\(content)</message>")
        let failure = actions.ends.first?.failure
        #expect(failure?.brokenStanza?.id == "7" && failure?.brokenStanza?.name.local == "message")
        #expect(failure?.sender?.description == "mallory@evil.test/x")
        // An error is read in logs; whom somebody talks to is not part of it.
        #expect(failure?.description.contains("evil.test") == false)
    }

    @Test(
        "broken XML that is no stanza, of no address, or of an address that is none has no sender",
        arguments: ["<x xmlns='urn:x' from='a@b.test'></y>", "<message></y>", "<message from='\u{85}@'></y>"])
    func noSender(xml: String) {
        var client = ScriptedClient(at: .established)
        let failure = client.receive(xml).ends.first?.failure
        #expect(failure?.code == .malformedXML && failure?.sender == nil)
    }

    @Test("before the login nobody is believed to have sent it")
    func noSenderBeforeLogin() {
        var client = ScriptedClient(at: .header)
        let failure = client.receive(
            "<message xmlns='jabber:client' from='a@b.test'></y>"
        ).ends.first?.failure
        #expect(failure?.code == .malformedXML && failure?.brokenStanza == nil)
    }

    @Test(
        "broken XML still ends the stream", arguments: ["<message></iq>", "<message>&x;</message>", "<message a='<'/>"])
    func broken(xml: String) {
        var client = ScriptedClient(at: .established)
        #expect(client.receive(xml).ends.first?.failure?.code == .malformedXML)
    }
}
