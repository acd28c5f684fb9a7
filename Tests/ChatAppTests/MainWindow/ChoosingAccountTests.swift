import ChatEngine
import ChatStore
import Testing
import WindowFixtures
import XMPPAddress

@testable import ChatApp
@testable import ChatModel
@testable import GTKBinding

extension WindowTests {
    /// Windows in which the user chooses the account.
    @MainActor
    @Suite("Choosing an account")
    struct ChoosingAccountTests {
        init() throws { try #require(Toolkit.isReady) }

        private let people = ["romeo@montague.example", "nurse@capulet.example"]

        /// Two accounts; each has one contact, and a conversation with it.
        private func twoAccounts() async throws -> (ChatHome, [ConversationKey]) {
            let home = try await ChatHome.unreachable(
                "juliet@capulet.example", "nurse@verona.example", isEnabled: false)
            var keys: [ConversationKey] = []
            for (row, person) in zip(home.accounts.rows.elements, people) {
                let key = ConversationKey(account: row.id, address: try JID(person), kind: .direct)
                keys.append(key)
                try await home.store.write { store throws(StoreError) in
                    try store.save(StoredContact(address: key.address, subscription: .both), of: key.account)
                    _ = try store.receive(
                        MessageCopy(
                            route: .live, sender: key.address, originID: person, time: .now,
                            content: .text(MessageText("Soft!"))), in: key)
                }
            }
            #expect(
                await Toolkit.eventually {
                    home.contacts.rows.elements.count == 2 && home.conversations.all.count == 2
                })
            return (home, keys)
        }

        @Test("a new conversation is with people of the chosen account, typed or not")
        func new() async throws {
            let (home, keys) = try await twoAccounts()
            let view = try #require(NewConversationWindow.show(AppContext(home: home), over: nil))
            func found() -> [ConversationKey] { view.shown.compactMap { view.model.conversation(of: $0) } }
            #expect(await Toolkit.eventually { found() == [keys[0]] })
            view.search.text = "example"
            await Toolkit.settle()
            #expect(found().first == keys[0] && !found().contains { $0.account != keys[0].account })
            try view.window.choose(1, inRow: "Your account")
            #expect(
                await Toolkit.eventually {
                    found().first == keys[1] && !found().contains { $0.account != keys[1].account }
                })
            view.search.text = ""
            #expect(await Toolkit.eventually { found() == [keys[1]] })
            // The other account's contact is a stranger to this one.
            view.search.text = people[0]
            #expect(
                await Toolkit.eventually {
                    found().map(\.account) == [keys[1].account] && found().map(\.address) == [keys[0].address]
                })
            view.window.close()
            await home.stop()
        }

        @Test("who forwards sees the accounts; one that is not in use is refused with a sentence")
        func forwarding() async throws {
            let (home, keys) = try await twoAccounts()
            let context = AppContext(home: home)
            let view = ForwardingWindow([], context)
            view.present()
            #expect(Set(view.shown.map(\.key)) == Set(keys))
            await Toolkit.picture(view.window, "forwarding-accounts")
            view.send(to: 0)
            await Toolkit.settle()
            // It stays open.
            #expect(view.window.isMapped)
            view.window.close()
            await home.stop()
        }
    }
}
