import ChatFixtures
import ChatStore
import Testing
import XMPPAddress
import XMPPClient

@testable import ChatEngine
@testable import ChatModel

@Suite("One contact, and adding one")
@MainActor
struct ContactModelTests {
    private static func account(_ fixture: ModelFixture) -> ChatAccount {
        ChatAccount(
            fixture.account, configuration: ClientConfiguration(address: fixture.juliet, password: ""),
            store: fixture.store)
    }

    private static func save(_ contact: StoredContact, _ fixture: ModelFixture) async throws {
        let account = fixture.account
        try await fixture.store.write { store throws(StoreError) in try store.save(contact, of: account) }
    }

    @Test("the page says what the list of the server and the store say")
    func page() async throws {
        let fixture = try await ModelFixture()
        let id = ContactRow.ID(account: fixture.account, address: fixture.romeo)
        let model = ContactModel(id, account: Self.account(fixture), environment: fixture.environment())
        await model.refresh()
        #expect(model.name == "romeo" && !model.isContact && model.isMuted == nil && !model.isOnline)
        try await Self.save(StoredContact(address: fixture.romeo, name: "Romeo", subscription: .to), fixture)
        let (account, romeo) = (fixture.account, fixture.romeo)
        try await fixture.store.write { store throws(StoreError) in
            try store.saveAvatar(
                StoredAvatar(hash: "abc", mediaType: "image/png", data: [1]), of: romeo, account: account)
        }
        try await fixture.receive("hello", id: "a", at: 1)
        await model.refresh()
        #expect(model.name == "Romeo" && model.remark == "Romeo" && model.isContact && model.subscription == .to)
        #expect(model.avatarHash == "abc" && model.isMuted == false)
        await model.setMuted(true)
        #expect(model.isMuted == true)
        await model.setMuted(false)
        #expect(model.isMuted == false && model.failure == nil)
    }

    @Test("without a connection a wish fails with a sentence, and nothing is different")
    func offline() async throws {
        let fixture = try await ModelFixture()
        try await Self.save(StoredContact(address: fixture.romeo, name: "Romeo", subscription: .both), fixture)
        let id = ContactRow.ID(account: fixture.account, address: fixture.romeo)
        let model = ContactModel(id, account: Self.account(fixture), environment: fixture.environment())
        await model.refresh()
        await model.rename(to: "Montague")
        #expect(model.failure?.contains("connection") == true && model.name == "Romeo" && !model.isWorking)
        model.clearFailure()
        #expect(model.failure == nil)
        // The same name is no wish at all, and neither is the same groups.
        await model.rename(to: " Romeo ")
        await model.move(to: [" "])
        #expect(model.failure == nil)
        await model.move(to: ["Friends"])
        #expect(model.failure?.contains("connection") == true && model.groups.isEmpty)
        #expect(await !model.remove())
        #expect(model.isContact)
    }

    @Test("who is blocked has the name that the person gave, in its order; without a connection nobody is unblocked")
    func blocked() async throws {
        let fixture = try await ModelFixture()
        let model = BlockedModel(Self.account(fixture), environment: fixture.environment())
        await model.refresh()
        #expect(model.entries.isEmpty && !model.isOnline)
        let stranger = try JID("peddler@market.example")
        let domain = try JID("spam.example")
        model.show(
            [stranger, domain, fixture.romeo], contacts: [StoredContact(address: fixture.romeo, name: "The one")],
            isOnline: true)
        #expect(model.entries.map(\.name) == ["peddler", "spam.example", "The one"])
        await model.unblock(stranger)
        #expect(model.failure?.contains("connection") == true && model.working.isEmpty && !model.isOnline)
        model.clearFailure()
        #expect(model.failure == nil)
    }

    @Test("at each letter it is said who is meant and whether that can be")
    func addition() async throws {
        let fixture = try await ModelFixture()
        try await Self.save(StoredContact(address: try JID("nurse@capulet.example"), subscription: .both), fixture)
        try await Self.save(StoredContact(address: try JID("paris@capulet.example"), isPending: true), fixture)
        let model = ContactAdditionModel(accounts: [Self.account(fixture)], store: fixture.store)
        await model.reload()
        #expect(model.check == .empty && !model.check.canBeAdded)
        model.text = "romeo"
        #expect(model.check == .new(try JID("romeo@capulet.example")))
        model.text = " xmpp:romeo@montague.example "
        #expect(model.check == .new(fixture.romeo))
        model.text = "romeo@"
        #expect(model.check == .invalid)
        model.text = "juliet"
        #expect(model.check == .own)
        model.text = "nurse"
        #expect(model.check == .alreadyContact(try JID("nurse@capulet.example"), name: "nurse"))
        #expect(await model.submit() == nil && model.failure == nil)
        model.text = "paris@capulet.example"
        #expect(model.check == .pending(try JID("paris@capulet.example")) && model.check.canBeAdded)
        #expect(await model.submit() == nil)
        #expect(model.failure != nil && !model.isWorking)
    }
}
