import ClientState
import MessageHistory
import ServerSide
import Testing
import XMLStreaming
import XMPPAddress
import XMPPStanzas
import XMPPStream

@testable import XMPPClient

@Suite("Client state", .timeLimit(.minutes(20)))
struct ClientStateTests {
    private func indications(_ server: MemoryServer) async -> [String] {
        await server.received.filter { $0.name.namespace == "urn:xmpp:csi:0" }.map(\.name.local)
    }

    @Test("XEP-0352: the state is told when it changes, and again on each new connection", arguments: [true, false])
    func states(isResumed: Bool) async throws {
        let csi = try XMLElement(parsing: "<csi xmlns='urn:xmpp:csi:0'/>")
        let server = MemoryServer { $0.extraFeatures = [csi] }
        var configuration = try server.account("alice") { $0.usesStreamManagement = isResumed }
        configuration.add { ClientState($0) }
        try await Client(configuration).run { session in
            let state = try #require(session[ClientState.self])
            await state.inactive()
            await state.inactive()
            await server.next("inactive")
            await server.cut("alice")
            await server.next("inactive")
            await state.active()
            await server.next("active")
            let events = session.events(.connection)
            await server.cut("alice")
            _ = await events.first { if case .connection(.online) = $0 { true } else { nil } }
            _ = try await session.request(Ping())
        }
        #expect(await indications(server) == ["inactive", "inactive", "active"])
    }

    @Test("a new session stays active until the server has said who is there, a resumed one need not")
    func settling() async throws {
        let csi = try XMLElement(parsing: "<csi xmlns='urn:xmpp:csi:0'/>")
        let server = MemoryServer { $0.extraFeatures = [csi] }
        var configuration = try server.account("alice") { $0.usesStreamManagement = false }
        configuration.add { ClientState($0, settlingTime: .seconds(3600)) }
        try await Client(configuration).run { session in
            let state = try #require(session[ClientState.self])
            await state.inactive()
            _ = try await session.request(Ping())
            #expect(await state.state == .inactive)
            let events = session.events(.connection)
            await server.cut("alice")
            _ = await events.first { if case .connection(.online) = $0 { true } else { nil } }
            _ = try await session.request(Ping())
        }
        #expect(await indications(server).isEmpty)

        configuration = try server.account("bob") { $0.usesStreamManagement = true }
        configuration.add { ClientState($0, settlingTime: .milliseconds(1)) }
        try await Client(configuration).run { session in
            await session[ClientState.self]?.inactive()
            await server.next("inactive")
            await server.cut("bob")
            await server.next("inactive")
        }
        #expect(await indications(server) == ["inactive", "inactive"])
    }

    @Test("§3: a server that does not offer it is told nothing")
    func notOffered() async throws {
        let server = MemoryServer()
        var configuration = try server.account("alice")
        configuration.add { ClientState($0) }
        try await Client(configuration).run { session in
            await session[ClientState.self]?.inactive()
            #expect(await session[ClientState.self]?.state == .inactive)
            _ = try await session.request(Ping())
        }
        #expect(await indications(server).isEmpty)
    }
}

@Suite("Carbons", .timeLimit(.minutes(20)))
struct CarbonTests {
    private static func carbon(from sender: String, _ direction: String = "received") -> String {
        let isSent = direction == "sent"
        return carbon(
            from: sender, direction, of: isSent ? "alice@xmpp.test/garden" : "juliet@capulet.example/balcony",
            to: isSent ? "juliet@capulet.example/balcony" : "alice@xmpp.test/garden")
    }

    private static func carbon(
        from sender: String, _ direction: String, of author: String, to receiver: String, type: String = "chat"
    ) -> String {
        """
        <message from='\(sender)' to='alice@xmpp.test/desk'><\(direction) xmlns='urn:xmpp:carbons:2'>\
        <forwarded xmlns='urn:xmpp:forward:0'><message xmlns='jabber:client' from='\(author)' \
        to='\(receiver)' type='\(type)'><body>What man art thou?</body></message></forwarded>\
        </\(direction)></message>
        """
    }

    @Test(
        "a copy brings what the account has sent or received, and nothing else",
        arguments: [
            ("sent", "juliet@capulet.example/balcony", "alice@xmpp.test", "chat"),
            ("received", "alice@xmpp.test/garden", "juliet@capulet.example", "chat"),
            ("received", "juliet@capulet.example/balcony", "mallory@evil.example", "chat"),
            ("received", "orchard@rooms.example/Romeo", "alice@xmpp.test/garden", "groupchat"),
        ])
    func foreignMessage(direction: String, author: String, receiver: String, type: String) throws {
        let text = Self.carbon(from: "alice@xmpp.test", direction, of: author, to: receiver, type: type)
        #expect(Carbon(in: try message(text), for: try JID("alice@xmpp.test/desk")) == nil)
    }

    private func message(_ text: String) throws -> Message {
        try Message(from: XMLElement(parsing: "<message xmlns='jabber:client'" + text.dropFirst("<message".count)))
    }

    @Test("XEP-0280 §6, §7: a copy from the own account is read", arguments: ["sent", "received"])
    func read(direction: String) throws {
        let account = try JID("alice@xmpp.test/desk")
        let carbon = try #require(
            Carbon(in: message(Self.carbon(from: "alice@xmpp.test", direction)), for: account))
        #expect(carbon.direction == (direction == "sent" ? .sent : .received))
        #expect(carbon.message.body == "What man art thou?")
        let juliet = try JID("juliet@capulet.example/balcony")
        #expect((direction == "sent" ? carbon.message.to : carbon.message.from) == juliet)
    }

    @Test(
        "CVE-2017-5589: nobody else can put words into the mouth of others",
        arguments: [
            "mallory@evil.example", "alice@xmpp.test/garden", "alice@xmpp.test/desk", "xmpp.test", "alice@evil.test",
            "bob@xmpp.test", "alice@xmpp.test.evil.example", "alice\u{40}xmpp.test@evil.example",
        ])
    func impersonation(sender: String) async throws {
        let account = try JID("alice@xmpp.test/desk")
        if let forged = try? message(Self.carbon(from: sender)) { #expect(Carbon(in: forged, for: account) == nil) }

        let server = MemoryServer()
        let seen = Box<[Carbon]>()
        var configuration = try server.account("alice", resource: "desk")
        configuration.add { _ in Carbons { carbon in seen.value = (seen.value ?? []) + [carbon] } }
        try await Client(configuration).run { session in
            let events = session.events([.messages, .filtered])
            if (try? JID(sender)) == nil { return }
            try await server.send(Self.carbon(from: sender), to: "alice")
            try await server.send(Self.carbon(from: "alice@xmpp.test"), to: "alice")
            var kinds: [String] = []
            _ = await events.first { event -> Bool? in
                switch event {
                case .filtered: kinds.append("filtered")
                case .message(let message): kinds.append(Carbon(in: message, for: account) == nil ? "plain" : "carbon")
                default: break
                }
                return kinds.count == 2 ? true : nil
            }
            #expect(kinds == ["filtered", "carbon"])
            #expect(seen.value?.count == 1)
        }
    }

    @Test(
        "a copy that is not whole is no copy",
        arguments: [
            "<received xmlns='urn:xmpp:carbons:2'/>",
            "<received xmlns='urn:xmpp:carbons:2'><forwarded xmlns='urn:xmpp:forward:0'/></received>",
            "<received xmlns='urn:xmpp:carbons:1'><forwarded xmlns='urn:xmpp:forward:0'><message/></forwarded></received>",
            """
            <received xmlns='urn:xmpp:carbons:2'><forwarded xmlns='urn:xmpp:forward:0'>\
            <message xmlns='jabber:server'><body>x</body></message></forwarded></received>
            """,
        ])
    func broken(payload: String) throws {
        let text = "<message from='alice@xmpp.test'>\(payload)</message>"
        #expect(Carbon(in: try message(text), for: try JID("alice@xmpp.test")) == nil)
    }

    @Test(
        "they are switched on by a request, without asking before whether the server has them, and not again after a resumption"
    )
    func enabling() async throws {
        let server = MemoryServer()
        await server.ignore(XMLName("enable", "urn:xmpp:carbons:2"))
        var configuration = try server.account("alice")
        configuration.add { _ in Carbons() }
        try await Client(configuration).run(from: .connecting) { session in
            session.connect()
            let enable = await server.next("iq")
            #expect(enable.firstChild?.name == XMLName("enable", "urn:xmpp:carbons:2"))
            #expect(enable["type"] == "set" && enable["to"] == nil)
            try await server.send("<iq type='result' id='\(enable["id"] ?? "")'/>", to: "alice")
            try await session.waitUntilOnline()
            let carbons = try #require(session[Carbons.self])
            #expect(carbons.isEnabled)
            #expect(await session.features.contains("urn:xmpp:carbons:2"))
            let events = session.events(.connection)
            await server.cut("alice")
            _ = await events.first { if case .connection(.online) = $0 { true } else { nil } }
            _ = try await session.request(Ping())
            #expect(carbons.isEnabled)
        }
        #expect(await server.received.filter { $0.firstChild?.name.local == "enable" }.count == 1)
    }

    @Test("granted together with the binding they cost nothing")
    func inline() async throws {
        let server = MemoryServer {
            $0.supported = ServerStreamConfiguration.extensible
            $0.offered = $0.supported
        }
        var configuration = try server.account("alice")
        configuration.negotiation = .forArchiveReaders
        configuration.add { _ in Carbons() }
        try await Client(configuration).run { session in
            #expect(session[Carbons.self]?.isEnabled == true)
        }
        #expect(await server.received.contains { $0.name.local == "iq" } == false)
    }

    @Test("XEP-0297, XEP-0280 §8: what was read is written again")
    func roundTrip() throws {
        let forwarded = try XMLElement(
            parsing: """
                <forwarded xmlns='urn:xmpp:forward:0'><delay xmlns='urn:xmpp:delay' stamp='2010-07-10T23:08:25Z'/>\
                <message xmlns='jabber:client' to='juliet@capulet.example' type='chat'><body>Yet</body></message></forwarded>
                """)
        #expect(XMLElement(try ForwardedMessage(from: forwarded)) == forwarded)
        let exclusion = try XMLElement(parsing: "<private xmlns='urn:xmpp:carbons:2'/>")
        #expect(XMLElement(try CarbonExclusion(from: exclusion)) == exclusion)
    }
}
