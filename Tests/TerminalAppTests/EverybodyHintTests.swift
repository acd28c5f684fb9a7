import ChatFixtures
import ChatStore
import Testing
import XMPPAddress

@testable import ChatEngine
@testable import ChatModel
@testable import TerminalApp

@MainActor
@Suite struct EverybodyHintTests {
    @Test("while “@all” is written in a room, the row above the input says whom it notifies")
    func everybody() async throws {
        let fixture = try await ModelFixture()
        let room = RoomModel(
            ConversationKey(account: fixture.account, address: try JID("orchard@rooms.example"), kind: .room),
            store: fixture.store)
        func enter(isModerator: Bool) {
            room.show(
                RoomState(
                    isInside: true,
                    people: [RoomState.Person(nickname: "Jule", isModerator: isModerator, isOwn: true)]))
        }
        enter(isModerator: true)
        #expect(StatusRow.hint(about: "@all Bring the letter!", in: room) == "Everyone in the room is notified.")
        #expect(StatusRow.hint(about: "@here", in: room) == "Everyone who is in the room now is notified.")
        #expect(StatusRow.hint(about: "Bring the letter!", in: room) == nil)
        #expect(StatusRow.hint(about: "@all", in: nil) == nil)
        enter(isModerator: false)
        #expect(StatusRow.hint(about: "@all", in: room) == "Only moderators can notify everyone in the room.")
    }
}
