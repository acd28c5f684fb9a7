import HostileFixtures
import Testing

@testable import ChatEngine

/// Security review, M: the archive of a room only contains messages of the room (CVE-2019-16237).
@Suite("Forged archives", .timeLimit(.minutes(5)))
struct ForgedArchiveTests {
    private static func stanza(
        _ from: String, to: String, type: String = "chat", id: String, _ content: String
    ) -> String {
        let from = from.isEmpty ? "" : " from='\(from)'"
        return "<message xmlns='jabber:client'\(from) to='\(to)' type='\(type)' id='\(id)'>\(content)</message>"
    }

    @Test(
        "M1-M4: the archive of a room cannot add, change or delete anything outside of the room",
        arguments: Server.allCases)
    func archive(server: Server) async throws {
        let scene = try await Scene.make(server)
        let (victim, friend, own) = (scene.victim, scene.friendly, scene.address)
        try await scene.befriended("genuine one", id: "g1")
        try await scene.befriended("genuine two", id: "g2")
        try await victim.gets("genuine two")
        let room = await HostileRoom(on: scene.stranger)
        room.keep([
            Self.stanza(
                "\(room.address)/juliet", to: own, type: "groupchat", id: "r1", "<body>first in the room</body>"),
            Self.stanza(friend + "/r", to: own, id: "f1", "<body>forged: by the friend</body>"),
            Self.stanza(own + "/r", to: friend, id: "f2", "<body>forged: by the victim</body>"),
            Self.stanza("", to: friend, id: "f3", "<body>forged: by nobody</body>"),
            Self.stanza(
                "other@\(scene.stranger.domain)/x", to: own, type: "groupchat", id: "f4",
                "<body>forged: in another room</body>"),
            Self.stanza("\(room.address)/juliet", to: own, id: "f5", "<body>forged: as a private message</body>"),
            Self.stanza(friend + "/r", to: own, id: "f6", "<retract xmlns='urn:xmpp:message-retract:1' id='g1'/>"),
            Self.stanza(
                friend + "/r", to: own, id: "f7",
                "<body>forged: a correction</body><replace xmlns='urn:xmpp:message-correct:0' id='g2'/>"),
            Self.stanza(
                friend + "/r", to: own, id: "f8",
                "<reactions xmlns='urn:xmpp:reactions:0' id='g2'><reaction>👎</reaction></reactions>"),
            Self.stanza(
                "\(room.address)/juliet", to: own, type: "groupchat", id: "r2", "<body>last in the room</body>"),
        ])
        let events = victim.account.events()
        try await victim.account.rooms.enter(victim.key(room.address, .room).address, nickname: "vic")
        try await victim.gets("last in the room")
        try await scene.settle()
        // They are counted by reason, one after the other, and a page may be read again.
        try await victim.wait(for: "eight refused messages in each page") {
            let refused = await victim.account.history.refusedItems.values.reduce(0, +)
            return refused > 0 && refused.isMultiple(of: 8)
        }
        let told = await events.first { event in
            if case .problem(.forgedArchive(let archive)) = event { archive.description == room.address } else { false }
        }
        #expect(told != nil, "the person learns of it")
        let forged = try await victim.texts.filter { $0.hasPrefix("forged") }
        #expect(forged == [])
        let genuine = try await victim.timeline(with: friend).prefix(2)
        #expect(genuine.map(\.text.body) == ["genuine one", "genuine two"])
        #expect(genuine.allSatisfy { !$0.isRetracted && $0.editTime == nil && $0.reactions.isEmpty })
        let inRoom = try await victim.timeline(with: room.address, .room).map(\.text.body)
        #expect(inRoom == ["first in the room", "last in the room"])
        await victim.stop()
    }
}
