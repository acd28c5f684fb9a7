import ChatEngine
import ChatFixtures
import ChatStore
import Testing
import XMPPAddress
import XMPPClient

@testable import ChatModel

@Suite("Starting a conversation")
@MainActor
struct NewConversationTests {
    private static func model(_ fixture: ModelFixture) async throws -> NewConversationModel {
        let account = ChatAccount(
            fixture.account, configuration: ClientConfiguration(address: fixture.juliet, password: ""),
            store: fixture.store)
        let environment = fixture.environment()
        let conversations = ConversationList(store: fixture.store, environment: environment)
        let contacts = ContactList(store: fixture.store, environment: environment)
        let (id, romeo, nurse) = (fixture.account, fixture.romeo, try JID("nurse@capulet.example"))
        try await fixture.store.write { store throws(StoreError) in
            try store.save(StoredContact(address: romeo, name: "Romeo Montague", subscription: .both), of: id)
            try store.save(StoredContact(address: nurse, name: "Nurse", subscription: .both), of: id)
        }
        try await fixture.receive("Soft!", id: "1", at: 1)
        await conversations.reload()
        await contacts.reload()
        return NewConversationModel(
            accounts: [account], conversations: conversations, contacts: contacts,
            joined: RoomList(store: fixture.store, environment: environment))
    }

    @Test("conversations come before contacts; without text there are the contacts")
    func finding() async throws {
        let fixture = try await ModelFixture()
        let model = try await Self.model(fixture)
        #expect(model.suggestions.count == 2)
        model.text = "romeo mon"
        guard case .conversation(let row)? = model.suggestions.first else {
            Issue.record("no conversation: \(model.suggestions)")
            return
        }
        #expect(row.key == fixture.key)
        #expect(model.conversation(of: model.suggestions[0]) == fixture.key)
        model.text = "Nur"
        guard case .contact(let contact)? = model.suggestions.first else {
            Issue.record("no contact: \(model.suggestions)")
            return
        }
        #expect(contact.name == "Nurse")
    }

    @Test("a typed address or name stands for a person, unless it is known; nonsense stands for nothing")
    func addresses() async throws {
        let fixture = try await ModelFixture()
        let model = try await Self.model(fixture)
        model.text = "tybalt@capulet.example"
        let tybalt = try JID("tybalt@capulet.example")
        #expect(model.suggestions == [.person(tybalt)])
        #expect(
            model.conversation(of: .person(tybalt))
                == ConversationKey(account: fixture.account, address: tybalt, kind: .direct))
        model.text = "tybalt"
        #expect(model.suggestions == [.person(tybalt)])
        model.text = "romeo@montague.example"
        #expect(model.suggestions.count == 1)
        model.text = "bob, it is me"
        #expect(model.suggestions.isEmpty)
        model.text = "juliet"
        #expect(model.suggestions.isEmpty, "Nobody writes to oneself here.")
        model.text = "xmpp:garden@rooms.example?join"
        let garden = try JID("garden@rooms.example")
        #expect(model.suggestions == [.roomAddress(garden)])
        #expect(model.conversation(of: .roomAddress(garden)) == nil && model.room(of: .roomAddress(garden)) == garden)
    }
}
