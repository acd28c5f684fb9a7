import ChatStore
import HostileFixtures
import ServerFixtures
import Testing
import XMPPAddress

/// Security review, C and D: what a stranger cannot forge and cannot find out.
@Suite("Strangers", .timeLimit(.minutes(5)))
struct StrangerTests {
    private static func forwarded(_ from: String, _ to: String, _ body: String, id: String = "f") -> String {
        "<forwarded xmlns='urn:xmpp:forward:0'><message xmlns='jabber:client' from='\(from)' to='\(to)' type='chat' "
            + "id='\(id)'><body>\(body)</body></message></forwarded>"
    }

    @Test(
        "C1-C6, D5: carbons, archives, pushes and bookmarks of strangers change nothing (CVE-2015-8688, CVE-2017-5589, CVE-2019-16235, CVE-2023-28686)",
        arguments: Server.allCases)
    func forgedPushes(server: Server) async throws {
        let scene = try await Scene.make(server)
        let (own, friend) = (scene.address, scene.friendly)
        let full = try await scene.victim.fullAddress
        func send(_ content: String, from sender: String? = nil) async throws {
            try await scene.stranger.send(
                "<message from='\(sender ?? scene.strange)' to='\(own)' type='chat' id='c'>\(content)</message>")
        }
        let carbon = "urn:xmpp:carbons:2"
        try await send("<received xmlns='\(carbon)'>\(Self.forwarded(friend, own, "forged: received"))</received>")
        try await send("<sent xmlns='\(carbon)'>\(Self.forwarded(own, friend, "forged: sent"))</sent>")
        try await send(
            "<result xmlns='urn:xmpp:mam:2' queryid='q' id='1'>\(Self.forwarded(friend, own, "forged: result"))</result>"
        )
        try await send(Self.forwarded(friend, own, "forged: forwarded"))
        for (number, sender) in [scene.strange, scene.stranger.domain].enumerated() {
            try await scene.stranger.send(
                "<iq from='\(sender)' to='\(full)' type='set' id='push\(number)'><query xmlns='jabber:iq:roster'>"
                    + "<item jid='forged@\(scene.stranger.domain)' subscription='both'/></query></iq>")
            try await scene.stranger.send(
                "<iq from='\(sender)' to='\(full)' type='set' id='block\(number)'><block xmlns='urn:xmpp:blocking'>"
                    + "<item jid='\(friend)'/></block></iq>")
        }
        try await send(
            "<event xmlns='http://jabber.org/protocol/pubsub#event'><items node='urn:xmpp:bookmarks:1'>"
                + "<item id='forged@\(scene.stranger.domain)'><conference xmlns='urn:xmpp:bookmarks:1' autojoin='true'>"
                + "<nick>vic</nick></conference></item></items></event>")
        let attacker = try await HostileUser(scene.server.newAccount("mallory"), on: scene.server)
        try await attacker.send(
            "<message to='\(own)' type='chat' id='c9'><sent xmlns='\(carbon)'>"
                + Self.forwarded(own, friend, "forged: by a fellow user") + "</sent></message>"
                + "<message to='\(own)' type='chat' id='c10'><body>from mallory</body></message>")
        try await scene.victim.gets("from mallory")
        try await scene.settle()
        #expect(try await scene.victim.texts.filter { $0.hasPrefix("forged") } == [])
        let id = scene.victim.id
        let contacts = try await scene.victim.store.read { reader throws(StoreError) in try reader.contacts(of: id) }
        #expect(contacts.isEmpty)
        let entered = await scene.stranger.line.received.contains { $0.localName == "presence" }
        #expect(!entered, "no room is entered")
        await scene.victim.stop()
    }

    @Test(
        "C8, C8b, D4, D4b: a stranger that requests receipts, markers and avatars gets no byte",
        arguments: Server.allCases)
    func silence(server: Server) async throws {
        let scene = try await Scene.make(server)
        let own = scene.address
        let request = "<request xmlns='urn:xmpp:receipts'/>"
        let markable = "<markable xmlns='urn:xmpp:chat-markers:0'/>"
        try await scene.say("are you there?", id: "r1", extra: request + markable)
        try await scene.stranger.send(
            "<message from='\(scene.strange)/r' to='\(own)' type='headline' id='r2'>\(request)</message>"
                + "<message from='\(scene.strange)/r' to='\(own)' id='r3'><body/>\(request)</message>"
                + "<message from='\(scene.strange)/r' to='\(own)' type='normal' id='r4'>\(request)\(markable)</message>"
        )
        let hash = String(repeating: "ab", count: 20)
        try await scene.stranger.send(
            "<presence from='\(scene.strange)/r' to='\(own)'><x xmlns='vcard-temp:x:update'><photo>\(hash)</photo></x>"
                + "<c xmlns='http://jabber.org/protocol/caps' hash='sha-1' node='http://evil.test' ver='QgayPKawpkPSDYmwT/WM94uAlu0='/>"
                + "</presence>")
        try await scene.stranger.send(
            "<message from='\(scene.strange)' to='\(own)' type='headline' id='r5'>"
                + "<event xmlns='http://jabber.org/protocol/pubsub#event'><items node='urn:xmpp:avatar:metadata'>"
                + "<item id='\(hash)'><metadata xmlns='urn:xmpp:avatar:metadata'>"
                + "<info bytes='100' id='\(hash)' type='image/png'/></metadata></item></items></event></message>")
        try await scene.settle()
        let told = try await scene.told()
        #expect(told == [])
        await scene.victim.stop()
    }

    @Test(
        "C7: queries of a stranger that knows the full address are answered as if it did not exist",
        arguments: Server.allCases)
    func probes(server: Server) async throws {
        let scene = try await Scene.make(server)
        let full = try await scene.victim.fullAddress
        let probes = [
            "<ping xmlns='urn:xmpp:ping'/>", "<query xmlns='http://jabber.org/protocol/disco#info'/>",
            "<query xmlns='http://jabber.org/protocol/disco#items'/>", "<query xmlns='jabber:iq:version'/>",
            "<time xmlns='urn:xmpp:time'/>", "<query xmlns='jabber:iq:last'/>", "<vCard xmlns='vcard-temp'/>",
        ]
        for (number, probe) in probes.enumerated() {
            var answers: [String] = []
            for (place, target) in [("there", full), ("nobody", "\(scene.address)/nobody-at-all")] {
                let id = "\(place)-\(number)"
                try await scene.stranger.send(
                    "<iq from='\(scene.strange)/r' to='\(target)' type='get' id='\(id)'>\(probe)</iq>")
                let answer = try await scene.stranger.line.next("an answer to \(probe)") { $0["id"] == id }
                let condition = answer.children.first { $0.localName == "error" }?.children.first?.localName ?? ""
                answers.append("\(answer["type"] ?? "") \(condition)")
            }
            #expect(answers.first == answers.last, "\(probe): presence shows")
        }
        await scene.victim.stop()
    }

    @Test("C9-C11: unusual addresses, types and priorities end no session", arguments: Server.allCases)
    func oddities(server: Server) async throws {
        let scene = try await Scene.make(server)
        let own = scene.address
        try await scene.stranger.send(
            "<presence from='\(scene.strange)/r' to='\(own)'><priority>1000000000000000000000000</priority></presence>"
                + "<message from='\(scene.strange)/r' to='\(own)' type='novelty' id='o'><body>novelty</body></message>")
        try await scene.victim.gets("novelty")
        try await scene.stranger.send(
            "<message from='\(scene.strange)/\u{202E}gpj.exe' to='\(own)' type='chat' id='o2'><body>bidi</body></message>"
        )
        if try await scene.stranger.settles() { try await scene.settle() }
        #expect(scene.victim.connections == 1)
        await scene.victim.stop()
    }

    // MARK: D

    @Test("D1: receipts, markers and errors from others than the recipient change nothing")
    func foreignReceipts() async throws {
        let scene = try await Scene.make()
        let message = try await scene.victim.account.send(
            .text(.init("to the friend")), in: scene.victim.key(scene.friendly))
        let sent = try await scene.friend.line.next("the message") { $0.children.contains { $0.localName == "body" } }
        let id = sent["id"] ?? ""
        let (victim, friendly) = (scene.victim, scene.friendly)
        try await victim.wait(for: "the server's tick") {
            try await victim.timeline(with: friendly).contains { $0.id == message && $0.state == .sentToServer }
        }
        for content in [
            "<received xmlns='urn:xmpp:receipts' id='\(id)'/>",
            "<displayed xmlns='urn:xmpp:chat-markers:0' id='\(id)'/>",
        ] {
            try await scene.stranger.send(
                "<message from='\(scene.strange)/r' to='\(scene.address)' id='x'>\(content)</message>")
        }
        try await scene.stranger.send(
            "<message from='\(scene.strange)/r' to='\(scene.address)' type='error' id='\(id)'><error type='cancel'>"
                + "<item-not-found xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></message>")
        try await scene.settle()
        let stored = try await scene.victim.timeline(with: scene.friendly).first { $0.id == message }
        #expect(stored?.state == .sentToServer)
        await scene.victim.stop()
    }

    @Test("D2: a correction and a retraction by another account with the same id change nothing")
    func foreignCorrections() async throws {
        let scene = try await Scene.make()
        try await scene.befriended("genuine", id: "d2")
        try await scene.victim.gets("genuine")
        try await scene.say("forged", extra: "<replace xmlns='urn:xmpp:message-correct:0' id='d2'/>")
        try await scene.stranger.send(
            "<message from='\(scene.strange)/r' to='\(scene.address)' type='chat' id='d3'>"
                + "<retract xmlns='urn:xmpp:message-retract:1' id='d2'/></message>")
        try await scene.settle()
        let first = try await scene.victim.timeline(with: scene.friendly).first
        #expect(first?.text.body == "genuine")
        #expect(first?.isRetracted == false)
        await scene.victim.stop()
    }

    @Test(
        "D3: a message with an old time stamp is new, unread and last", arguments: Server.allCases,
        ["", " from='xmpp.test'", " from='VICTIM'"])
    func backdated(server: Server, source: String) async throws {
        let scene = try await Scene.make(server)
        try await scene.say("first")
        try await scene.victim.gets("first")
        let key = try scene.victim.key(scene.strange)
        let first = try await scene.victim.timeline(key).first { $0.text.body == "first" }
        if let first { try await scene.victim.account.markRead(upTo: first.id, in: key) }
        let source = source.replacing("VICTIM", with: scene.address)
        try await scene.say("second", extra: "<delay xmlns='urn:xmpp:delay'\(source) stamp='2019-01-02T03:04:05Z'/>")
        try await scene.victim.gets("second")
        #expect(try await scene.victim.timeline(key).map(\.text.body) == ["first", "second"])
        let conversation = try await scene.victim.conversations.first { $0.key == key }
        #expect(conversation?.unreadCount == 1)
        await scene.victim.stop()
    }

    @Test("D3c: a message with a future or invalid time stamp has the current time")
    func impossible() async throws {
        let scene = try await Scene.make()
        for (number, stamp) in ["2099-01-01T00:00:00Z", "2026-02-31T25:61:61Z", "yesterday"].enumerated() {
            try await scene.say("odd \(number)", extra: "<delay xmlns='urn:xmpp:delay' stamp='\(stamp)'/>")
        }
        try await scene.say("after")
        try await scene.victim.gets("after")
        let bodies = try await scene.victim.timeline(with: scene.strange).map(\.text.body)
        #expect(bodies == ["odd 0", "odd 1", "odd 2", "after"])
        await scene.victim.stop()
    }
}
