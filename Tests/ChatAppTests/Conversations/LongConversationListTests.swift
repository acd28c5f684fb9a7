import CGTK
import ChatEngine
import ChatStore
import Testing
import WindowFixtures
import XMPPAddress

@testable import ChatApp
@testable import ChatModel
@testable import GTKBinding

extension WindowTests {
    /// A list that is longer than its window, used with mouse and keyboard.
    @MainActor
    @Suite("Long conversation list")
    struct LongConversationListTests {
        init() throws { try #require(Toolkit.isReady) }

        private nonisolated static let count = 60

        /// A main window with many conversations; number 0 is the oldest.
        ///
        /// - Parameter others: the number of conversations that the test has made.
        private func window(_ sample: TalkSample, others: Int = 0) async throws -> MainWindow {
            let now = MessageTime.now
            let account = sample.account
            try await sample.write { store throws(StoreError) in
                for index in 0..<Self.count {
                    guard let address = try? JID("friend\(index)@verona.example") else { continue }
                    try store.save(
                        StoredContact(
                            address: address, name: sampleWords("Friend number %@", index), subscription: .both),
                        of: account)
                    _ = try store.receive(
                        MessageCopy(
                            route: .live, sender: address, wireID: "l\(index)", originID: "l\(index)",
                            time: now.advanced(by: Int64(index - Self.count) * 60_000),
                            content: .text(MessageText(sampleWords("Number %@", index)))),
                        in: ConversationKey(account: account, address: address, kind: .direct))
                }
            }
            let window = try MainWindow.shown(sample.context)
            #expect(await Toolkit.eventually { window.conversations.model.count == Self.count + others })
            #expect(await Toolkit.eventually { row(window, at: 0)?.root.height ?? 0 > 0 })
            await Toolkit.settle()
            return window
        }

        private func key(_ sample: TalkSample, _ index: Int) throws -> ConversationKey {
            try sample.key("friend\(index)@verona.example")
        }

        private func row(_ window: MainWindow, at index: Int) -> ConversationListRow? {
            var found: ConversationListRow?
            window.conversations.list.forEachRow { if $0 == index { found = $1 } }
            return found
        }

        /// Whether a row is within the visible part of the list.
        private func isVisible(_ row: ConversationListRow?, in window: MainWindow) -> Bool {
            guard let row, row.root.height > 0,
                let place = row.root.translate(x: 0, y: 0, to: window.conversations.scroller)
            else { return false }
            return place.y >= 0 && place.y + Double(row.root.height) <= Double(window.conversations.scroller.height)
        }

        @Test(
            "a message of a conversation far below brings its row into view when the list is at its top, and only then")
        func top() async throws {
            let sample = try await TalkSample()
            let window = try await window(sample)
            let view = window.conversations
            #expect(view.scroller.offset <= 1)
            let text = sampleWords("URGENT: call me back")
            try await sample.say(.text(MessageText(text)), in: try key(sample, 3))
            #expect(
                await Toolkit.eventually {
                    view.model[0].preview?.text == text && isVisible(row(window, at: 0), in: window)
                })
            await Toolkit.settle()
            #expect(isVisible(row(window, at: 0), in: window) && row(window, at: 0)?.preview.text == text)
            // Who reads further down stays there.
            view.scroller.offset = 600
            #expect(await Toolkit.eventually { view.scroller.offset >= 500 })
            try await sample.say(.text(MessageText(sampleWords("Again!"))), in: try key(sample, 4))
            #expect(await Toolkit.eventually { view.model[0].preview?.text == sampleWords("Again!") })
            await Toolkit.settle()
            #expect(view.scroller.offset > 400)
            window.close(permanently: true)
            await sample.end()
        }

        @Test("the menu of a conversation shows all of its entries, by mouse and by keyboard")
        func menu() async throws {
            let sample = try await TalkSample()
            let window = try await window(sample)
            let view = window.conversations
            #expect(view.list.focus(on: 2))
            #expect(view.pressed(KeyPress(value: UInt32(GDK_KEY_Menu), modifiers: 0)))
            let menu = try #require(view.menu)
            #expect(await Toolkit.eventually { menu.isMapped && menu.height > 0 })
            await Toolkit.settle()
            var (minimum, natural): (gint, gint) = (0, 0)
            gtk_widget_measure(menu.widget, .vertical, gint(menu.width), &minimum, &natural, nil, nil)
            #expect(menu.height >= Int(natural), "\(menu.height) of \(natural)")
            await Toolkit.picture(window.window, "conversation-menu", with: menu)
            menu.close()
            // The focus returns to the row.
            #expect(await Toolkit.eventually { view.list.focused == 2 })
            window.close(permanently: true)
            await sample.end()
        }

        @Test("a pinned conversation is moved by Alt+Up and Alt+Down in the list, and by its menu")
        func pinned() async throws {
            let sample = try await TalkSample()
            let window = try await window(sample)
            let view = window.conversations
            let list = sample.home.conversations
            let keys = [try key(sample, 5), try key(sample, 9), try key(sample, 20)]
            for (index, key) in keys.enumerated() {
                try await list.pin(try #require(list.all[key]).id)
                #expect(await Toolkit.eventually { list.pinned.count == index + 1 })
            }
            func shown() -> [ConversationKey] { view.model.items.prefix(3).map(\.key) }
            #expect(await Toolkit.eventually { shown() == keys })
            view.list.scroll(to: 0)
            await Toolkit.settle()
            #expect(view.list.focus(on: 2))
            #expect(window.window.activate("win.up"))
            #expect(await Toolkit.eventually { shown() == [keys[0], keys[2], keys[1]] })
            // The focus goes with the row, so that it can be moved on; nothing was opened.
            #expect(await Toolkit.eventually { view.list.focused == 1 })
            #expect(window.openKey == nil)
            #expect(window.window.activate("win.up"))
            #expect(await Toolkit.eventually { shown() == [keys[2], keys[0], keys[1]] })
            #expect(await Toolkit.eventually { view.list.focused == 0 })
            #expect(view.showMenuOfFocused())
            let menu = try #require(view.menu)
            #expect(await Toolkit.eventually { menu.isMapped && menu.height > 0 })
            await Toolkit.picture(window.window, "conversation-menu-pinned", with: menu)
            #expect(menu.has(item: "Move Down") && !menu.has(item: "Move Up"))
            menu.close()
            #expect(view.scroller.activate("conversation.move-down"))
            #expect(await Toolkit.eventually { shown() == [keys[0], keys[2], keys[1]] })
            let stored = try await sample.home.store.read { store throws(StoreError) in
                try store.conversations().filter(\.settings.isPinned).map(\.key)
            }
            #expect(stored == [keys[0], keys[2], keys[1]])
            window.close(permanently: true)
            await sample.end()
        }

        @Test("arrow keys show a conversation and leave the focus in the list; it is read only when it is entered")
        func keys() async throws {
            let sample = try await TalkSample()
            let window = try await window(sample)
            let view = window.conversations
            #expect(view.list.focus(on: 0))
            let third = view.model[2].key
            // What GTK does for an arrow key.
            #expect(!view.pressed(KeyPress(value: UInt32(GDK_KEY_Down), modifiers: 0)))
            view.list.selected = 2
            #expect(await Toolkit.eventually { window.openKey == third })
            #expect(window.conversation?.isInFront == false)
            #expect(window.conversation?.root.containsFocus == false)
            await Toolkit.settle()
            #expect(sample.home.conversations.all[third]?.unreadCount == 1)
            // Return enters it.
            window.open(third)
            #expect(window.conversation?.root.containsFocus == true)
            // Tab leaves the list instead of going through its rows.
            #expect(view.list.focus(on: 4))
            #expect(view.pressed(KeyPress(value: UInt32(GDK_KEY_Tab), modifiers: 0)))
            #expect(view.list.focused == nil)
            #expect(window.conversation?.root.containsFocus == true)
            #expect(view.list.focus(on: 4))
            #expect(view.pressed(KeyPress(value: UInt32(GDK_KEY_Tab), modifiers: Modifiers.shift.rawValue)))
            #expect(view.list.focused == nil && window.conversation?.root.containsFocus == false)
            window.close(permanently: true)
            await sample.end()
        }

        @Test("the archive is behind a row of its own; filters show a part of the list; rows name themselves")
        func places() async throws {
            let sample = try await TalkSample()
            let room = try sample.key("\(sampleWords("orchard"))@rooms.example", .room)
            try await sample.say(
                "Who brings the torches?", from: try JID("\(room.address)/\(sampleWords("Benvolio"))"), in: room)
            let window = try await window(sample, others: 1)
            let view = window.conversations
            let first = view.model[1]
            try await sample.home.conversations.archive(first.id)
            #expect(await Toolkit.eventually { view.model.count == Self.count })
            #expect(await Toolkit.eventually { view.filters.archive.isVisible })
            await Toolkit.picture(window.window, "conversations-long")
            view.filters.archive.click()
            #expect(await Toolkit.eventually { view.model.items.map(\.key) == [first.key] })
            await Toolkit.picture(window.window, "conversations-archive")
            view.browser.show(.conversations)
            try #require(view.filters.buttons.last).button.isActive = true
            #expect(await Toolkit.eventually { view.model.items.map(\.key) == [room] })
            await Toolkit.picture(window.window, "conversations-rooms")
            try #require(view.filters.buttons.last).button.isActive = false
            #expect(await Toolkit.eventually { view.model.count == Self.count })
            #expect(
                await Toolkit.eventually {
                    row(window, at: 0)?.accessibleText?.contains(sampleWords("Who brings the torches?")) == true
                })
            window.close(permanently: true)
            await sample.end()
        }
    }
}
