import CGTK
import ChatStore
import Testing
import WindowFixtures
import XMPPAddress

@testable import ChatApp
@testable import ChatModel
@testable import GTKBinding

extension WindowTests {
    @MainActor
    @Suite("Conversation list")
    struct ConversationListViewTests {
        init() throws { try #require(Toolkit.isReady) }

        private func row(_ view: ConversationListView, _ key: ConversationKey) -> ConversationListRow? {
            var found: ConversationListRow?
            view.list.forEachRow { if $1.row?.key == key { found = $1 } }
            return found
        }

        @Test("screen readers hear the account of a row as soon as there is a second one")
        func spokenAccount() async throws {
            let sample = try await TalkSample()
            try await sample.say("What light?", ago: 1)
            let view = sample.context.conversationListView(menu: Menu())
            let window = Window("Conversations", width: 340, height: 480, view.root)
            window.present()
            func spoken() -> String? {
                row(view, sample.key).flatMap { gtk_widget_get_parent($0.root.widget) }
                    .flatMap { AccessibilityReader.name(of: $0) }
            }
            #expect(await Toolkit.eventually { spoken()?.contains("What light?") == true })
            let other = try JID("nurse@verona.example")
            try await sample.write { store throws(StoreError) in _ = try store.addAccount(other) }
            #expect(await Toolkit.eventually { spoken()?.contains("as juliet") == true })
            window.destroy()
        }

        @Test("a room in which nothing was said yet shows that and when the user joined it")
        func newRoom() async throws {
            let sample = try await TalkSample()
            let room = try sample.key("balcony@rooms.example", .room)
            try await sample.write { store throws(StoreError) in
                try store.noteBeginning(
                    of: store.openConversation(room), at: MessageTime(millisecondsSince1970: 1_700_000_000_000))
            }
            let view = sample.context.conversationListView(menu: Menu())
            let window = Window("Conversations", width: 340, height: 480, view.root)
            window.present()
            #expect(await Toolkit.eventually { row(view, room)?.preview.text == "You joined the room" })
            let shown = try #require(row(view, room))
            #expect(!shown.time.text.isEmpty && shown.accessibleText?.contains("You joined the room") == true)
            window.destroy()
        }

        @Test("a row has no widget for what it does not show: it would cost time and memory")
        func hiddenParts() async throws {
            let sample = try await TalkSample()
            let nurse = try sample.key("nurse@capulet.example")
            try await sample.say("What light?", ago: 2)
            try await sample.say("I come, I come", ago: 1, isOwn: true, in: nurse)
            let view = sample.context.conversationListView(menu: Menu())
            let window = Window("Conversations", width: 340, height: 480, view.root)
            window.present()
            #expect(await Toolkit.eventually { row(view, sample.key) != nil && row(view, nurse) != nil })
            /// Without what libadwaita has in a picture.
            func widgets(_ widget: WidgetPointer) -> [WidgetPointer] {
                let isPicture = WidgetTree.isA(widget, adw_avatar_get_type())
                return [widget] + (isPicture ? [] : WidgetTree.children(widget).flatMap { widgets($0) })
            }
            for (key, count) in [(sample.key, 10), (nurse, 11)] {
                let all = try widgets(#require(row(view, key)).root.widget)
                let hidden = all.filter { !gtk_widget_get_visible($0).isTrue }.map { WidgetTree.typeName($0) }
                #expect(hidden.isEmpty, "\(hidden)")
                #expect(all.count <= count, "\(all.map { WidgetTree.typeName($0) })")
            }
            window.destroy()
            await sample.end()
        }

        @Test("each row shows title, last message with its state, time and unread count")
        func lines() async throws {
            let sample = try await TalkSample()
            let (nurse, tybalt) = (try sample.key("nurse@capulet.example"), try sample.key("tybalt@capulet.example"))
            let room = try sample.key("\(sampleWords("orchard"))@rooms.example", .room)
            try await sample.save(StoredContact(address: nurse.address, name: sampleWords("Nurse")))
            try await sample.save(StoredContact(address: tybalt.address, name: sampleWords("Tybalt")))
            try await sample.say("Soft!", ago: 2)
            try await sample.say("What light?", ago: 1)
            let own = try await sample.say("I come, I come", ago: 10, isOwn: true, in: nurse)
            try await sample.write { store throws(StoreError) in try store.advance(own, to: .displayed) }
            try await sample.say("Peace? I hate the word", ago: TalkSample.noonYesterday, in: tybalt)
            try await sample.say(
                .text(MessageText("", attachments: [Attachment(kind: .voice)])), ago: 60,
                from: try JID("\(room.address)/\(sampleWords("Mercutio"))"), in: room)
            let view = sample.context.conversationListView(menu: Menu())
            let window = Window("Conversations", width: 340, height: 480, view.root)
            window.present()
            #expect(await Toolkit.eventually { view.model.count == 4 && row(view, tybalt) != nil })

            let romeo = try #require(row(view, sample.key))
            #expect(romeo.title.text == "Romeo" && romeo.preview.text == "What light?")
            #expect(romeo.badge?.isVisible == true && romeo.badge?.text == "2")
            #expect(romeo.state == nil)
            #expect(row(view, nurse)?.state?.text == "Seen")
            #expect(row(view, nurse)?.badge == nil)
            #expect(row(view, tybalt)?.time.text == "Yesterday")
            #expect(row(view, room)?.preview.text == "Mercutio: 🎤 Voice message")

            // A change updates one row.
            let list = sample.home.conversations
            let ids = Dictionary(uniqueKeysWithValues: list.rows.elements.map { ($0.key, $0.id) })
            let (tybaltID, nurseID) = (try #require(ids[tybalt]), try #require(ids[nurse]))
            try await list.pin(tybaltID, true)
            try await list.notify(tybaltID, for: .none)
            #expect(
                await Toolkit.eventually {
                    row(view, tybalt)?.pin?.isVisible == true && row(view, tybalt)?.silence?.isVisible == true
                })
            #expect(view.model[0].key == tybalt)
            #expect(row(view, tybalt)?.badge?.has(css: "muted") == true)
            try await sample.write { store throws(StoreError) in
                try store.saveDraft(Draft(body: sampleWords("Wilt thou be gone?"), time: .now), in: nurseID)
            }
            #expect(await Toolkit.eventually { row(view, nurse)?.draftMark?.isVisible == true })
            #expect(row(view, nurse)?.preview.text == "Wilt thou be gone?")
            #expect(row(view, nurse)?.state?.widget.isVisible == false)
            list.showWriting([sample.key: [sampleWords("Romeo")]], of: sample.account)
            #expect(await Toolkit.eventually { romeo.preview.text == "is writing…" })
            let spoken = ConversationListRow.accessibilityText(try #require(list.rows[tybaltID]))
            #expect(spoken.contains("Pinned") && spoken.contains("Muted") && spoken.contains("1 unread"))
            await Toolkit.picture(window, "conversations")
            window.destroy()
            await sample.end()
        }

        /// The conversations that a search has found.
        private func found(_ view: ConversationListView) -> [ConversationKey] {
            view.results.model.items.compactMap { if case .conversation(let row) = $0 { row.key } else { nil } }
        }

        @Test("a search finds contacts to whom nothing was written yet")
        func searchForContact() async throws {
            let sample = try await TalkSample()
            try await sample.say("Soft!")
            let rosaline = try sample.key("rosaline@capulet.example")
            try await sample.save(StoredContact(address: rosaline.address, subscription: .both))
            let view = sample.context.conversationListView(menu: Menu())
            let window = Window("Conversations", width: 340, height: 480, view.root)
            window.present()
            #expect(await Toolkit.eventually { !sample.home.contacts.find("rosaline").isEmpty })
            var opened: [ConversationKey] = []
            view.onOpen = { opened.append($0) }
            view.startSearch()
            view.search.text = "rosaline"
            #expect(await Toolkit.eventually { view.stack.shown == "results" })
            #expect(found(view).isEmpty)
            view.search.emit("activate")
            #expect(await Toolkit.eventually { opened == [rosaline] })
            window.destroy()
            await sample.end()
        }

        @Test("a search shows what it found in place of the list, and says when nothing matches")
        func search() async throws {
            let sample = try await TalkSample()
            try await sample.say("Soft!")
            try await sample.say("Madam!", in: try sample.key("nurse@capulet.example"))
            let view = sample.context.conversationListView(menu: Menu())
            let window = Window("Conversations", width: 340, height: 480, view.root)
            window.present()
            #expect(await Toolkit.eventually { view.model.count == 2 })
            view.startSearch()
            #expect(view.header.searchButton.isActive)
            view.search.text = "rom"
            // The results take the place of the list, which stays as it is.
            #expect(await Toolkit.eventually { view.stack.shown == "results" })
            #expect(found(view) == [sample.key])
            view.search.text = "zzz"
            #expect(await Toolkit.eventually { view.stack.shown == "nothing" })
            // There is nothing to open, so Return leaves the text to be corrected.
            view.search.emit("activate")
            #expect(view.searchBar.isOpen && view.search.text == "zzz")
            view.searchBar.isOpen = false
            #expect(!view.header.searchButton.isActive)
            #expect(await Toolkit.eventually { view.model.count == 2 && view.stack.shown == "list" })
            // Return at once, before the field reports the change and the search has finished.
            var opened: [ConversationKey] = []
            view.onOpen = { opened.append($0) }
            view.startSearch()
            view.search.text = "rom"
            view.search.emit("activate")
            #expect(await Toolkit.eventually { opened == [sample.key] })
            #expect(!view.searchBar.isOpen)
            window.destroy()
            await sample.end()
        }

        @Test("a conversation is deleted from this computer after a question, and is open no more")
        func deletion() async throws {
            let sample = try await TalkSample()
            let other = try sample.key("nurse@capulet.example")
            try await sample.say("Madam!", ago: 2, in: other)
            try await sample.say("Soft!", ago: 1)
            let window = try MainWindow.shown(sample.context)
            let view = window.conversations
            #expect(await Toolkit.eventually { view.model.items.map(\.key) == [sample.key, other] })
            window.open(sample.key)
            func choose(_ answer: String) async throws {
                try #require(
                    await Toolkit.eventually {
                        view.menu?.isMapped != true && view.list.focus(on: 0) && view.showMenuOfFocused()
                    })
                let menu = try #require(view.menu)
                try #require(await WindowCrawler.click("Delete From This Computer…", in: menu))
                try #require(await WindowCrawler.answer(answer))
            }
            try await choose("Cancel")
            await Toolkit.settle()
            #expect(try await sample.messages().count == 1)
            #expect(window.openKey == sample.key)
            try await choose("Delete")
            #expect(await Toolkit.eventually { view.model.items.map(\.key) == [other] })
            #expect(window.openKey == nil)
            #expect(try await sample.messages().isEmpty)
            #expect(try await sample.messages(in: other).count == 1)
            window.close(permanently: true)
            await sample.end()
        }
    }
}
