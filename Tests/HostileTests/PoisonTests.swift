import HostileFixtures
import ProgramFixtures
import ServerFixtures
import Testing

/// Review of security, P: what a server passes on may not end a session, whoever wrote it.
@Suite("Poison stanzas", .timeLimit(.minutes(5)))
struct PoisonTests {
    private static func marker(_ id: String, from sender: String, to victim: String) -> String {
        "<message from='\(sender)' to='\(victim)' type='chat' id='\(id)'><body>\(id)</body></message>"
    }

    /// Sends something that the server may refuse with the end of the stream, and returns who can go on.
    private static func send(
        _ text: String, by component: HostileComponent, on server: any PrivateServer
    ) async throws -> HostileComponent {
        try await component.send(text)
        return try await component.settles() ? component : component.again(on: server)
    }

    @Test("P1-P4, P7, P8, P14: a stranger's message does not end the session", arguments: Server.allCases)
    func message(server: Server) async throws {
        let running = try await server.shared()
        var component = try await HostileComponent(to: running)
        let victim = try await Victim(on: running)
        try await victim.start()
        for (number, poison) in Poison.all.enumerated() {
            component = try await Self.send(
                poison.message(from: component.stranger, to: victim.address.description), by: component, on: running)
            try await component.send(
                Self.marker("after \(number)", from: component.stranger, to: victim.address.description))
            do { try await victim.gets("after \(number)") } catch {
                Issue.record("\(poison.description) on \(server.rawValue): \(error)")
                return
            }
        }
        #expect(victim.connections == 1, "no stanza ends a session")
        await victim.stop()
    }

    @Test(
        "P1-P4, P7, P8: a stanza that waits on the server does not end a login, and waits once",
        arguments: Server.allCases)
    func offline(server: Server) async throws {
        let running = try await server.shared()
        var component = try await HostileComponent(to: running)
        let victim = try await Victim(on: running)
        for poison in Poison.all where poison.id != "P7" {
            component = try await Self.send(
                poison.message(from: component.stranger, to: victim.address.description), by: component, on: running)
        }
        try await component.send(Self.marker("first", from: component.stranger, to: victim.address.description))
        for session in 1...2 {
            try await victim.start()
            try await victim.gets("first")
            try await component.send(
                Self.marker("session \(session)", from: component.stranger, to: victim.address.description))
            try await victim.gets("session \(session)")
            #expect(victim.connections == session, "each login lives")
            await victim.stop()
        }
    }

    @Test(
        "P1, P2, P7, P11: over WebSocket, where a stanza is a message, none ends the session",
        arguments: Server.allCases)
    func webSocket(server: Server) async throws {
        let running = try await server.shared()
        var component = try await HostileComponent(to: running)
        let victim = try await Victim(overWebSocketOf: running)
        try await victim.start()
        let address = victim.address.description
        for (number, poison) in Poison.all.enumerated() where ["P1", "P2", "P7"].contains(poison.id) {
            // Much is under way at once: what cannot be read lies between what can, and requests wait behind it.
            try await component.send(Self.marker("before \(number)", from: component.stranger, to: address))
            component = try await Self.send(
                poison.message(from: component.stranger, to: address), by: component, on: running)
            try await component.send(
                "<iq from='\(component.stranger)/r' to='\(try await victim.fullAddress)' type='get' id='ping \(number)'>"
                    + "<ping xmlns='urn:xmpp:ping'/></iq>")
            try await component.send(Self.marker("after \(number)", from: component.stranger, to: address))
            do {
                try await victim.gets("before \(number)")
                try await victim.gets("after \(number)")
            } catch {
                Issue.record("\(poison.description) on \(server.rawValue): \(error)")
                return
            }
        }
        #expect(victim.connections == 1, "no stanza ends a session")
        await victim.stop()
    }

    @Test("P5: directed presence does not end the session", arguments: Server.allCases)
    func presence(server: Server) async throws {
        let running = try await server.shared()
        var component = try await HostileComponent(to: running)
        let victim = try await Victim(on: running)
        try await victim.start()
        for (number, poison) in Poison.all.enumerated() where poison.id != "P7" {
            component = try await Self.send(
                poison.presence(from: component.stranger + "/r", to: victim.address.description), by: component,
                on: running)
            try await component.send(
                Self.marker("after \(number)", from: component.stranger, to: victim.address.description))
            do { try await victim.gets("after \(number)") } catch {
                Issue.record("\(poison.description) on \(server.rawValue): \(error)")
                return
            }
        }
        #expect(victim.connections == 1)
        await victim.stop()
    }

    @Test(
        "P6: an occupant does not throw everybody out of the server, now or after each restart",
        arguments: Server.allCases)
    func room(server: Server) async throws {
        let running = try await server.shared()
        let attacker = try await HostileUser(running.newAccount("mallory"), on: running)
        let victim = try await Victim(on: running)
        try await victim.start()
        let room = "poison-\(UInt32.random(in: 0 ... .max))@\(running.conferenceDomain)"
        try await victim.account.rooms.enter(victim.key(room, .room).address, nickname: "vic")
        try await attacker.send("<presence to='\(room)/mallory'><x xmlns='http://jabber.org/protocol/muc'/></presence>")
        try await attacker.line.next("own presence") { $0.localName == "presence" && $0["from"] == "\(room)/mallory" }
        for poison in Poison.all where poison.id == "P1" || poison.id == "P2" || poison.id == "P8" {
            try await attacker.send(
                "<message to='\(room)' type='groupchat'><body>poison</body>\(poison.content)</message>")
        }
        for session in 1...2 {
            try await attacker.send(
                "<message to='\(room)' type='groupchat'><body>after \(session)</body></message>")
            try await victim.gets("after \(session)")
            #expect(victim.connections == session)
            await victim.stop()
            if session == 1 { try await victim.start() }
        }
    }

    @Test("P1, P2, P5: listen goes on, and starts again", arguments: Server.allCases)
    func listen(server: Server) async throws {
        let running = try await server.shared()
        let component = try await HostileComponent(to: running)
        let victim = try await Person("vic", onAny: running)
        for session in 1...2 {
            let program = try await victim.listen()
            for poison in Poison.all where ["P1", "P2", "P3", "P8"].contains(poison.id) {
                try await component.send(poison.message(from: component.stranger, to: victim.address))
            }
            try await component.send(Self.marker("heard \(session)", from: component.stranger, to: victim.address))
            try await program.waitForOutput("the marker") { $0.contains("\"body\":\"heard \(session)\"") }
            #expect(program.output.ranges(of: "\"state\":\"online\"").count == 1, "\(program.output)\(program.errors)")
            program.signal(15)
            _ = await program.result()
        }
    }

    @Test("P1, P2: chat goes on, and starts again")
    func chat() async throws {
        let running = try await Server.prosody.shared()
        let component = try await HostileComponent(to: running)
        let victim = try await Person("vic", onAny: running)
        for session in 1...2 {
            let program = try victim.chat(component.stranger)
            try await program.waitForOutput("the conversation") { $0.contains("spy") }
            for poison in Poison.all where poison.id == "P1" || poison.id == "P2" {
                try await component.send(poison.message(from: component.stranger, to: victim.address))
            }
            try await component.send(Self.marker("heard-\(session)", from: component.stranger, to: victim.address))
            try await program.waitForOutput("the marker") { $0.contains("heard-\(session)") }
            program.type("/quit\r")
            #expect(await program.result().status == 0)
        }
    }
}
