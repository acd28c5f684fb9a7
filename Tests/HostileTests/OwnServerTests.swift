import ChatModel
import HostileFixtures
import ProgramFixtures
import SASLMechanisms
import ServerFixtures
import Testing
import XMPPStream

/// Security review, A, B and I: the account's own server is hostile.
@Suite("A hostile server of the account", .timeLimit(.minutes(5)))
struct OwnServerTests {
    @Test("I6: the server cannot assign a different account")
    func otherAccount() async throws {
        let server = try await HostileServer(tamper: {
            $0.replacing("<jid>vic@xmpp.test/", with: "<jid>bank@evil.test/")
        })
        let victim = try await server.victim()
        await #expect(throws: (any Error).self) { try await victim.start() }
        await victim.stop()
        await server.stop()
    }

    @Test("I1: the roster is only accepted from the server, whoever answers before it")
    func impostors() async throws {
        let server = try await HostileServer(responder: { element in
            guard element.firstChild?.namespace == "jabber:iq:roster", element["type"] == "get" else { return nil }
            let id = element["id"] ?? ""
            func roster(_ from: String, _ name: String) -> String {
                "<iq type='result'\(from) id='\(id)'><query xmlns='jabber:iq:roster'>"
                    + "<item jid='\(name)@xmpp.test' subscription='both'/></query></iq>"
            }
            let impostors = ["evil.test", "vic@evil.test", "xmpp.test.evil.test", "other@xmpp.test", "xmpp.test/x"]
            return impostors.map { roster(" from='\($0)'", "forged") } + [roster("", "genuine")]
        })
        let victim = try await server.victim()
        try await victim.start()
        try await victim.wait(for: "the roster") {
            let (store, id) = (victim.store, victim.id)
            return try await !store.contacts(of: id).isEmpty
        }
        #expect(try await victim.store.contacts(of: victim.id) == ["genuine@xmpp.test"])
        await victim.stop()
        await server.stop()
    }

    @Test("I2: an acknowledgement of stanzas that were never sent ends the connection, and the account reconnects")
    func tooMuchAcknowledged() async throws {
        let server = try await HostileServer()
        let victim = try await server.victim()
        try await victim.start()
        try await server.wait(for: "stream management") { $0.received.contains { $0.localName == "presence" } }
        try await victim.comesBack { await server.writeRaw("<a xmlns='urn:xmpp:sm:3' h='4294967295'/>") }
        #expect(await server.connections > 1)
        await server.sendMarker("after")
        try await victim.gets("after")
        await victim.stop()
        await server.stop()
    }

    @Test("I3: unexpected elements do not end a running stream")
    func outOfPlace() async throws {
        let server = try await HostileServer()
        let victim = try await server.victim()
        try await victim.start()
        try await server.wait(for: "presence") { $0.received.contains { $0.localName == "presence" } }
        for text in [
            "<enabled xmlns='urn:xmpp:sm:3' id='x' resume='true'/>",
            "<resumed xmlns='urn:xmpp:sm:3' previd='x' h='0'/>",
            "<failed xmlns='urn:xmpp:sm:3'/>", "<success xmlns='urn:ietf:params:xml:ns:xmpp-sasl'/>",
            "<challenge xmlns='urn:ietf:params:xml:ns:xmpp-sasl'>AAAA</challenge>",
            "<failure xmlns='urn:ietf:params:xml:ns:xmpp-sasl'><not-authorized/></failure>",
            "<proceed xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>", "<failure xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>",
            "<stream:features/>", "<novelty xmlns='urn:novelty'/>", "<iq type='result'/>",
            "<iq type='novelty' id='1'/>",
            "<iq id='2'/>", "<iq type='get' id='3'/>",
            "<iq type='get' id='4' from='@@@'><ping xmlns='urn:xmpp:ping'/></iq>",
            "<message from='@@@'><body>x</body></message>", "<presence from='/'/>", "<message to='@'/>",
            "<iq type='error' id='5'/>",
        ] { await server.writeRaw(text) }
        await server.sendMarker("after")
        try await victim.gets("after")
        #expect(victim.connections == 1)
        await victim.stop()
        await server.stop()
    }

    @Test(
        "P1: ill-formed bytes end the connection, and the account reconnects",
        arguments: ["<message><body>x</wrong></message>", "<message a='<'/>", "<!DOCTYPE x>", "\u{0}"])
    func illFormed(bytes: String) async throws {
        let server = try await HostileServer()
        let victim = try await server.victim()
        try await victim.start()
        try await server.wait(for: "presence") { $0.received.contains { $0.localName == "presence" } }
        try await victim.comesBack { await server.writeRaw(bytes) }
        #expect(await server.connections > 1)
        await server.sendMarker("after")
        try await victim.gets("after")
        await victim.stop()
        await server.stop()
    }

    @Test("A: a later process refuses a server that offers less than before, until the user signs in again")
    func downgrade() async throws {
        let home = try ProgramHome()
        func run(_ command: [String], at server: HostileServer) async throws -> Program.Result {
            let password = try home.write("password", server.account.password + "\n")
            return try await Program(
                "hongyan",
                command + [
                    "--jid", server.account.address, "--password-file", password, "--host", "127.0.0.1", "--port",
                    String(server.port), "--ca", server.certificates.authorityFile,
                ], home: home
            ).result()
        }
        func server(_ mechanisms: [SASLMechanismName]) async throws -> HostileServer {
            try await HostileServer {
                $0.mechanisms = mechanisms
                $0.channelBindingTypes = ["tls-exporter", "tls-server-end-point"]
            }
        }
        let (bound, plain) = (try await server([.scramSHA256Plus, .scramSHA256]), try await server([.plain]))
        let unbound = try await server([.scramSHA256])
        let first = try await run(["login"], at: bound)
        #expect(first.status == 0, "\(first.errors)")
        for weaker in [plain, unbound] {
            let refused = try await run(["connection"], at: weaker)
            #expect(refused.status == 4)
            #expect(refused.errors.contains("only weaker ways to sign in than before"), "\(refused.errors)")
            #expect(refused.errors.contains("Sign in again"))
        }
        #expect(try await run(["connection"], at: bound).status == 0)
        #expect(try await run(["login"], at: plain).status == 4, "a password is never sent readable")
        #expect(try await run(["login"], at: unbound).status == 0)
        #expect(try await run(["connection"], at: unbound).status == 0)
        for server in [bound, plain, unbound] { await server.stop() }
    }

    @Test("P1: the models, listen and its JSON name the sender of the stanza that broke the XML")
    func sender() async throws {
        let server = try await HostileServer()
        let victim = try await server.victim()
        let events = victim.account.events()
        let home = try ProgramHome()
        let password = try home.write("password", server.account.password + "\n")
        func listen(_ options: [String]) throws -> Program {
            try Program(
                "hongyan",
                ["listen"] + options + [
                    "--jid", server.account.address, "--password-file", password, "--host", "127.0.0.1", "--port",
                    String(server.port), "--ca", server.certificates.authorityFile,
                ], home: home)
        }
        let programs = [try listen([]), try listen(["--json"])]
        for program in programs { try await program.waitForOutput("the login") { $0.contains("online") } }
        try await victim.start()
        await server.writeRaw("<message id='7' from='mallory@evil.test/x'><body>x</wrong></message>")
        for await case .connection(.offline(let reason?, _)) in events {
            let sentence = SignInFailure(reason, domain: "xmpp.test").message
            #expect(sentence.contains("unreadable from mallory@evil.test/x"))
            break
        }
        try await programs[0].waitForOutput("the sender") { $0.contains("unreadable from mallory@evil.test/x") }
        try await programs[1].waitForOutput("the cause") {
            $0.contains(#""cause":{"stanza":"message","from":"mallory@evil.test/x","id":"7"}"#)
        }
        for program in programs { program.signal(2) }
        await victim.stop()
        await server.stop()
    }

    @Test("B12, B13: inherited namespaces of any size cost no more than their length")
    func amplification() async throws {
        let server = try await HostileServer()
        let victim = try await server.victim()
        try await victim.start()
        try await server.wait(for: "presence") { $0.received.contains { $0.localName == "presence" } }
        let namespace = String(repeating: "n", count: 1_000_000)
        await server.writeRaw(
            "<message><x xmlns='urn:x' xmlns:p='\(namespace)'>" + String(repeating: "<p:a/>", count: 3000)
                + "</x></message>")
        await server.writeRaw(
            "<message><x xmlns='urn:x'\((0..<20_000).map { " stream:a\($0)=''" }.joined())/></message>")
        await server.sendMarker("after")
        try await victim.gets("after")
        #expect(victim.connections == 1)
        await victim.stop()
        await server.stop()
    }

    @Test(
        "I4: the account reconnects after a stream error of any kind",
        arguments: [
            "<internal-server-error/>", "<reset/>", "<see-other-host>@@@</see-other-host>", "<novelty/>", "",
            "<undefined-condition/><text>\u{9B}31m\u{202E}</text>",
        ])
    func streamErrors(content: String) async throws {
        let server = try await HostileServer()
        let victim = try await server.victim()
        try await victim.start()
        try await server.wait(for: "presence") { $0.received.contains { $0.localName == "presence" } }
        let condition = content.replacing("/>", with: " xmlns='urn:ietf:params:xml:ns:xmpp-streams'/>")
        try await victim.comesBack {
            await server.writeRaw("<stream:error>\(condition)</stream:error></stream:stream>")
        }
        #expect(await server.connections > 1)
        await server.sendMarker("after")
        try await victim.gets("after")
        await victim.stop()
        await server.stop()
    }
}
