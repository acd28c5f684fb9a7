import ChatStore
import GTKBinding
import Testing
import WindowFixtures
import XMPPAddress

@testable import ChatApp
@testable import ChatModel

extension WindowTests {
    /// The filters and the archive, by their buttons.
    @MainActor
    @Suite("Filters of the conversation list")
    struct FilterTests {
        init() throws { try #require(Toolkit.isReady) }

        private func toggle(_ view: ConversationListView, _ filter: ConversationBrowser.Filter) throws -> ToggleButton {
            try #require(view.filters.buttons.first { $0.filter == filter }).button
        }

        @Test("a filter without hits shows the way back to all conversations")
        func emptyFilter() async throws {
            let sample = try await TalkSample()
            for number in 0..<ConversationFilterBar.usefulCount {
                // An own message is read.
                try await sample.say("Soft!", isOwn: true, in: try sample.key("friend\(number)@verona.example"))
            }
            let view = sample.context.conversationListView(menu: Menu())
            let window = Window("Conversations", width: 340, height: 480, view.root)
            window.present()
            let all = ConversationFilterBar.usefulCount
            #expect(await Toolkit.eventually { view.model.count == all })
            let unread = try toggle(view, .unread)
            #expect(await Toolkit.eventually { unread.isMapped })
            unread.isActive = true
            #expect(await Toolkit.eventually { view.stack.shown == "filtered" })
            await Toolkit.settle()
            #expect(try toggle(view, .all).isMapped && unread.isMapped)
            await Toolkit.picture(window, "conversations-filtered")
            try toggle(view, .all).isActive = true
            #expect(await Toolkit.eventually { view.stack.shown == "list" && view.model.count == all })
            window.destroy()
            await sample.end()
        }

        @Test("when everything is archived, the archive can be opened, and is left for the empty list again")
        func allArchived() async throws {
            let sample = try await TalkSample()
            try await sample.say("Soft!")
            let main = try MainWindow.shown(sample.context)
            let view = main.conversations
            #expect(await Toolkit.eventually { view.model.count == 1 })
            let id = try #require(sample.home.conversations.all[sample.key]).id
            try await sample.home.conversations.archive(id, true)
            #expect(await Toolkit.eventually { view.model.count == 0 && view.filters.archive.isMapped })
            #expect(view.stack.shown == "empty")
            view.filters.archive.click()
            #expect(await Toolkit.eventually { view.model.items.map(\.key) == [sample.key] })
            #expect(await Toolkit.eventually { !view.filters.archive.isVisible })
            // Its title has the place of the buttons that begin something new.
            await Toolkit.picture(main.window, "archive")
            #expect(view.stack.shown == "list")
            main.close(permanently: true)
            await sample.end()
        }

        @Test("a search hides the filters")
        func search() async throws {
            let sample = try await TalkSample()
            for number in 0..<ConversationFilterBar.usefulCount {
                try await sample.say("Soft!", in: try sample.key("friend\(number)@verona.example"))
            }
            let view = sample.context.conversationListView(menu: Menu())
            let window = Window("Conversations", width: 340, height: 480, view.root)
            window.present()
            #expect(await Toolkit.eventually { view.filters.root.isMapped && view.model.count > 1 })
            view.startSearch()
            view.search.text = "friend1"
            #expect(await Toolkit.eventually { view.stack.shown == "results" })
            #expect(!view.filters.root.isVisible)
            view.searchBar.isOpen = false
            #expect(await Toolkit.eventually { view.stack.shown == "list" && view.filters.root.isVisible })
            window.destroy()
            await sample.end()
        }
    }
}
