import ChatFixtures
import ChatModel
import ChatStore
import Testing
import XMPPAddress
import XMPPClient

@Suite("Account list")
@MainActor
struct AccountListTests {
    @Test("several accounts, each with its own connection; a change is one update")
    func connections() async throws {
        let fixture = try await ModelFixture()
        let other = try JID("juliet@verona.example")
        let second = try await fixture.store.write { store throws(StoreError) in try store.addAccount(other) }
        let list = AccountList(store: fixture.store, environment: fixture.environment())
        await list.reload()
        let mirror = Mirror(list.rows)
        #expect(list.rows.elements.map(\.address) == [fixture.juliet, other])
        #expect(list.rows.elements.allSatisfy { !$0.connection.isOnline })
        list.show(.connecting(.connecting), of: second)
        #expect(mirror.takeSteps() == [.update(list.rows.elements[1], at: 1)])
        list.show(problem: "The archive does not answer.", of: second)
        #expect(list.rows.elements[1].problem == "The archive does not answer.")
        list.show(.online(isResumed: false), of: second)
        #expect(list.rows.elements[1].problem == nil)
        #expect(list.rows.elements[1].connection.isOnline)
        #expect(!list.rows.elements[0].connection.isOnline)
        _ = await fixture.changes()
        try await fixture.store.write { store throws(StoreError) in try store.removeAccount(second) }
        await list.apply(await fixture.changes())
        #expect(list.rows.elements.count == 1)
        #expect(mirror.rows == list.rows.elements)
    }
}
