import ChatStore
import GTKBinding
import Testing
import WindowFixtures
import XMPPAddress

@testable import ChatApp
@testable import ChatModel

extension WindowTests {
    @MainActor
    @Suite("The sending account")
    struct SeveralAccountsTests {
        init() throws { try #require(Toolkit.isReady) }

        /// A conversation of each account with the same contact.
        private func converse(_ home: ChatHome, with romeo: JID) async throws -> [ConversationKey] {
            var keys: [ConversationKey] = []
            for row in home.accounts.rows.elements {
                let key = ConversationKey(account: row.id, address: romeo, kind: .direct)
                keys.append(key)
                try await home.store.write { store throws(StoreError) in
                    _ = try store.receive(
                        MessageCopy(
                            route: .live, sender: romeo, originID: "\(row.address)", time: .now,
                            content: .text(MessageText("But soft, what light through yonder window breaks?"))), in: key)
                }
            }
            #expect(await Toolkit.eventually { home.conversations.rows.elements.count == keys.count })
            return keys
        }

        @Test("with several accounts the list, the header bar and the field show the sending one")
        func several() async throws {
            RoomVisitor.useStyle
            let home = try await ChatHome.unreachable(
                "juliet@capulet.example", "nurse@verona.example", isEnabled: false)
            let romeo = try JID("romeo@montague.example")
            let keys = try await converse(home, with: romeo)
            let window = try MainWindow.shown(AppContext(home: home))
            let rows = { () -> [ConversationKey: ConversationListRow] in
                var rows: [ConversationKey: ConversationListRow] = [:]
                window.conversations.list.forEachRow { if let row = $1.row { rows[row.key] = $1 } }
                return rows
            }
            #expect(await Toolkit.eventually { keys.allSatisfy { rows()[$0] != nil } })
            #expect(keys.map { rows()[$0]?.account?.text } == ["juliet", "nurse"])
            #expect(rows().values.allSatisfy { $0.account?.isVisible == true })
            window.open(keys[1])
            let view = try #require(window.conversation)
            #expect(await Toolkit.eventually { view.header.statusText.hasPrefix("as nurse@verona.example · ") })
            #expect(view.composer?.placeholder.text == "Message as nurse@verona.example")
            await Toolkit.picture(window.window, "several-accounts")
            window.open(keys[0])
            #expect(
                await Toolkit.eventually {
                    window.conversation?.header.statusText.hasPrefix("as juliet@capulet.example") ?? false
                }
            )
            window.close(permanently: true)
            await home.stop()
        }

        @Test("accounts with equal names are distinguished by their addresses; a single account shows nothing")
        func tags() async throws {
            let alike = try await ChatHome.unreachable(
                "juliet@capulet.example", "juliet@verona.example", isEnabled: false)
            #expect(
                alike.accounts.rows.elements.map { alike.accounts.tag(of: $0.id)?.short } == [
                    "juliet@capulet.example", "juliet@verona.example",
                ])
            await alike.stop()
            let one = try await ChatHome.unreachable("juliet@capulet.example", isEnabled: false)
            let key = try #require(try await converse(one, with: try JID("romeo@montague.example")).first)
            #expect(one.accounts.tag(of: key.account) == nil)
            let context = AppContext(home: one)
            let view = context.conversationView(key)
            #expect(view.composer?.placeholder.text == "Message")
            #expect(!view.header.statusText.contains("juliet"))
            view.close()
            await one.stop()
        }
    }
}
