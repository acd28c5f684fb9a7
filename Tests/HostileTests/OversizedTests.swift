import ChatStore
import HostileFixtures
import Testing

/// Review of security, P9 to P13: nobody can make an account write more than its server takes.
@Suite("Own stanzas too large for the server", .timeLimit(.minutes(5)))
struct OversizedTests {
    @Test("P9-P11: an id of 300 KB is not repeated to anybody", arguments: Server.allCases)
    func longID(server: Server) async throws {
        let scene = try await Scene.make(server)
        let full = try await scene.victim.fullAddress
        let id = String(repeating: "A", count: 300_000)
        var attacker = scene.stranger
        for content in [
            "<message from='\(scene.strange)/r' to='\(scene.address)' id='\(id)'><body/><request xmlns='urn:xmpp:receipts'/></message>",
            "<message from='\(scene.strange)/r' to='\(scene.address)' id='\(id)' type='headline'><request xmlns='urn:xmpp:receipts'/></message>",
            "<iq from='\(scene.strange)/r' to='\(full)' type='get' id='\(id)'><ping xmlns='urn:xmpp:ping'/></iq>",
        ] {
            // Line feeds: expat waits for more before it reads a very long token.
            try await attacker.send(content + String(repeating: "\n", count: 100))
            if try await !attacker.settles() { attacker = try await attacker.again(on: scene.server) }
        }
        // The fellow user's way: the server writes `"` as six bytes.
        let mallory = try await HostileUser(scene.server.newAccount("mallory"), on: scene.server)
        let quotes = String(repeating: "\"", count: 45_000)
        try await mallory.send(
            "<message to='\(scene.address)' id='\(quotes)' type='chat'><body>quotes</body>"
                + "<request xmlns='urn:xmpp:receipts'/></message>")
        try await scene.victim.gets("quotes")
        try await mallory.send("<message to='\(scene.address)' id='m2' type='chat'><body>after</body></message>")
        try await scene.victim.gets("after")
        // What went wrong shows when the server has read the answers.
        _ = try await scene.victim.account.send(.text(.init("alive")), in: scene.victim.key(scene.friendly))
        try await scene.friend.line.next("a message") { $0.children.contains { $0.text == "alive" } }
        #expect(scene.victim.connections == 1)
        await scene.victim.stop()
    }

    @Test(
        "P12, P13: an answer to 70,000 angle brackets and a text of 60,000 ampersands leave the account online",
        arguments: Server.allCases)
    func longTexts(server: Server) async throws {
        let scene = try await Scene.make(server)
        try await scene.say(String(repeating: ">", count: 70_000), id: "wide")
        try await scene.victim.gets(">>>>")
        let (victim, key) = (scene.victim, try scene.victim.key(scene.friendly))
        _ = try await victim.account.send(
            .text(MessageText("indeed", reply: .sent(id: "wide"))), in: victim.key(scene.strange))
        let long = try await victim.account.send(.text(MessageText(String(repeating: "&", count: 60_000))), in: key)
        _ = try await victim.account.send(.text(MessageText("after")), in: key)
        try await scene.friend.line.next("the message behind") { $0.children.contains { $0.text == "after" } }
        #expect(victim.connections == 1)
        try await victim.wait(for: "a failure or a tick") {
            try await victim.timeline(key).contains { $0.id == long && $0.state != .queued }
        }
        // And not again at the next start.
        await victim.stop()
        try await victim.start()
        try await scene.settle()
        #expect(victim.connections == 2)
        await victim.stop()
    }
}
