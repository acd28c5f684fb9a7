import ChatFixtures
import ChatStore
import GroupChat
import Testing
import XMPPAddress
import XMPPClient

@testable import ChatEngine
@testable import ChatModel

@Suite("Rooms: joining, bookmarks, invitations")
@MainActor
struct RoomEntryTests {
    @Test(
        "typed text becomes the address of a room",
        arguments: [
            ("orchard", "orchard@rooms.example"), ("  The Orchard ", "the-orchard@rooms.example"),
            ("a@b.example", "a@b.example"), ("<a@b.example>", "a@b.example"), ("a@b.example/nick", "a@b.example"),
            ("xmpp:a@b.example?join", "a@b.example"), ("果园", "果园@rooms.example"), ("", nil), ("@", nil),
            ("xmpp:b.example?join", nil), ("@b.example", nil),
        ])
    func address(typed: String, expected: String?) throws {
        let service = try JID("rooms.example")
        #expect(RoomAddress.complete(typed, at: service)?.description == expected)
    }

    @Test("without a service a name alone is not a room")
    func noService() {
        #expect(RoomAddress.complete("orchard", at: nil) == nil)
        #expect(RoomAddress.complete("orchard@rooms.example", at: nil) != nil)
    }

    @Test("a nickname in use gets a number, and that the next one")
    func suggestion() {
        #expect(RoomEntryModel.suggestion(instead: "romeo") == "romeo2")
        #expect(RoomEntryModel.suggestion(instead: "romeo2") == "romeo3")
        #expect(RoomEntryModel.suggestion(instead: "romeo9") == "romeo10")
        #expect(RoomEntryModel.suggestion(instead: "2026") == "20262")
        #expect(RoomEntryModel.suggestion(instead: "r99999999999999999999") == "r999999999999999999992")
    }

    @Test("a members-only room is not listed, shows real addresses, and is permanent")
    func settings() {
        let fields = RoomSettings(name: "Orchard", access: .membersOnly).fields
        #expect(fields["muc#roomconfig_roomname"] == ["Orchard"])
        #expect(fields["muc#roomconfig_membersonly"] == ["1"] && fields["muc#roomconfig_publicroom"] == ["0"])
        #expect(RoomSettings(name: "", access: .standard).fields.isEmpty)
    }

    private static func account(_ fixture: ModelFixture) -> ChatAccount {
        ChatAccount(
            fixture.account, configuration: ClientConfiguration(address: fixture.juliet, password: ""),
            store: fixture.store)
    }

    @Test("without a connection joining fails with a message, and the input stays")
    func offline() async throws {
        let fixture = try await ModelFixture()
        let model = RoomEntryModel(accounts: [Self.account(fixture)])
        await model.prepare()
        #expect(model.nickname == "juliet" && !model.canProceed && model.service == nil)
        model.text = "orchard@rooms.example"
        #expect(model.canProceed)
        #expect(await model.join() == nil)
        #expect(model.failure?.contains("connection") == true && !model.isWorking)
        model.text = "orchard2@rooms.example"
        #expect(model.failure == nil)
    }

    @Test("automatically joined, bookmarked and joined rooms are one list, sorted by name")
    func roomList() async throws {
        let fixture = try await ModelFixture()
        let (account, environment) = (fixture.account, fixture.environment())
        let (kept, left) = (try JID("kept@rooms.example"), try JID("left@rooms.example"))
        try await fixture.store.write { store throws(StoreError) in
            try store.save(
                StoredRoom(address: kept, nickname: "jule", name: "Orchard", joinsAutomatically: true), of: account)
            try store.save(StoredRoom(address: left), of: account)
        }
        let list = RoomList(store: fixture.store, environment: environment)
        await list.reload()
        #expect(list.rows.elements.map(\.name) == ["Orchard"])
        #expect(list.rows.elements[0].joinsAutomatically && !list.rows.elements[0].isInside)
        let marked = try JID("marked@rooms.example")
        list.show(
            bookmarks: [
                marked: RoomBookmark(Bookmark(title: "Balcony")),
                kept: RoomBookmark(Bookmark(joinsAutomatically: false, nickname: "J")),
            ], inside: [kept], of: account)
        #expect(list.rows.elements.map(\.name) == ["Balcony", "Orchard"])
        #expect(list.rows.elements[1].isInside && list.rows.elements[1].nickname == "J")
        #expect(!list.rows.elements[1].joinsAutomatically)
    }

    @Test("an invitation has the names of the room and of the inviter")
    func invitations() async throws {
        let fixture = try await ModelFixture()
        let (account, romeo) = (fixture.account, fixture.romeo)
        try await fixture.store.write { store throws(StoreError) in
            try store.save(StoredContact(address: romeo, name: "Romeo", subscription: .both), of: account)
        }
        let contacts = ContactList(store: fixture.store, environment: fixture.environment())
        await contacts.reload()
        let room = try JID("orchard@rooms.example")
        contacts.show(
            invitations: [
                RoomInvitation(room: room, inviter: romeo, reason: "come", isMediated: false),
                RoomInvitation(
                    room: try JID("b@rooms.example"), inviter: try JID("b@rooms.example/N"), isMediated: true),
            ], of: account)
        #expect(contacts.invitations.elements.map(\.roomName) == ["orchard", "b"])
        #expect(contacts.invitations.elements.map(\.inviterName) == ["Romeo", "N"])
        contacts.show(invitations: [], of: account)
        #expect(contacts.invitations.elements.isEmpty)
    }
}
