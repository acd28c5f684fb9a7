import HostileFixtures
import Testing

/// Review of security, N: rooms that do not say who is who.
@Suite("Rooms without occupant ids", .timeLimit(.minutes(5)))
struct RoomForgeryTests {
    private struct Inside {
        let scene: Scene
        let room: HostileRoom

        /// A victim in a room that announces nothing.
        init() async throws {
            scene = try await Scene.make()
            room = await HostileRoom(on: scene.stranger, features: HostileRoom.plainFeatures)
            try await scene.victim.account.rooms.enter(scene.victim.key(room.address, .room).address, nickname: "vic")
            try await room.presence(of: "alice")
            try await room.presence(of: "mallory")
        }

        func timeline() async throws -> [(body: String, isOwn: Bool, isRetracted: Bool)] {
            try await scene.victim.timeline(with: room.address, .room).map {
                ($0.text.body, $0.isOutgoing, $0.isRetracted)
            }
        }
    }

    @Test("N1: a correction, a retraction and a reaction by the next owner of a nickname change nothing")
    func takenNickname() async throws {
        let inside = try await Inside()
        let (room, victim) = (inside.room, inside.scene.victim)
        try await room.say("mine", as: "alice", id: "n1")
        try await room.say("mine, too", as: "alice", id: "n2")
        try await victim.gets("mine, too")
        try await room.presence(of: "alice", isThere: false)
        try await room.presence(of: "alice")
        try await room.say(
            "forged", as: "alice", id: "n3", extra: "<replace xmlns='urn:xmpp:message-correct:0' id='n1'/>")
        try await room.say("", as: "alice", id: "n4", extra: "<retract xmlns='urn:xmpp:message-retract:1' id='n2'/>")
        try await room.say("after", as: "mallory", id: "n5")
        try await victim.gets("after")
        let shown = try await inside.timeline()
        #expect(shown.filter { $0.body.hasPrefix("mine") && !$0.isRetracted }.map(\.body) == ["mine", "mine, too"])
        await victim.stop()
    }

    @Test("N2: an occupant id that the room does not announce makes nobody the victim")
    func copiedOccupantID() async throws {
        let inside = try await Inside()
        let (room, victim) = (inside.room, inside.scene.victim)
        let occupant = "<occupant-id xmlns='urn:xmpp:occupant-id:0' id='copied'/>"
        // What a room that knows nothing of such ids passes on, once for the victim's own presence, once for the attacker's words.
        if let own = room.visitor("vic") {
            try await inside.scene.stranger.send(
                "<presence from='\(room.address)/vic' to='\(own)'>\(occupant)"
                    + "<x xmlns='http://jabber.org/protocol/muc#user'>"
                    + "<item affiliation='member' role='participant'/><status code='110'/></x></presence>")
        }
        try await room.say("I am you", as: "mallory", id: "o1", extra: occupant)
        try await room.say("after", as: "mallory", id: "o2")
        try await victim.gets("after")
        let shown = try await inside.timeline()
        #expect(shown.map(\.isOwn) == shown.map { _ in false })
        #expect(shown.map(\.body) == ["I am you", "after"])
        await victim.stop()
    }

    @Test("N3: a stanza id that the room does not announce swallows nobody's message")
    func copiedStanzaID() async throws {
        let inside = try await Inside()
        let (room, victim) = (inside.room, inside.scene.victim)
        let name = "<stanza-id xmlns='urn:xmpp:sid:0' by='\(room.address)' id='s1'/>"
        try await room.say("from mallory", as: "mallory", id: "s1", extra: name)
        try await room.say("from alice", as: "alice", id: "s2", extra: name)
        try await room.say("after", as: "mallory", id: "s3")
        try await victim.gets("after")
        #expect(try await inside.timeline().map(\.body) == ["from mallory", "from alice", "after"])
        await victim.stop()
    }

    @Test("N4: a room that was never entered says nothing")
    func foreignRoom() async throws {
        let scene = try await Scene.make()
        try await scene.stranger.send(
            "<message from='lobby@\(scene.stranger.domain)/x' to='\(scene.address)' type='groupchat' id='z'>"
                + "<body>forged</body></message>")
        try await scene.settle()
        #expect(try await scene.victim.texts.contains("forged") == false)
        await scene.victim.stop()
    }
}
