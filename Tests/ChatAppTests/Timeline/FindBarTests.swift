import ChatStore
import GTKBinding
import Testing
import WindowFixtures
import XMPPAddress

@testable import ChatApp
@testable import ChatModel

extension WindowTests {
    @MainActor
    @Suite("Finding")
    struct FindBarTests {
        init() throws { try #require(Toolkit.isReady) }

        private func isSeen(_ id: MessageID, _ view: TimelineView) -> Bool {
            guard let row = view.row(of: id), let place = row.root.translate(x: 0, y: 0, to: view.scroller) else {
                return false
            }
            return row.root.height > 0 && place.y >= -1 && place.y < view.scroller.pageHeight
        }

        @Test("Ctrl+F finds text in the conversation, moves between matches and highlights them; Escape closes it")
        func find() async throws {
            let sample = try await TalkSample()
            try await sample.fill(400) {
                sampleWords($0.isMultiple(of: 150) ? "A rose, number %@" : "Number %@", $0)
            }
            let roses = try await sample.messages().filter { $0.text.body.contains(sampleWords("rose")) }.map(\.id)
            let (window, view) = await sample.open()
            let (timeline, bar) = (view.timeline, view.findBar)
            view.find()
            #expect(bar.root.isOpen)
            bar.entry.text = sampleWords("ROSE")
            #expect(await Toolkit.eventually { bar.count.text == "1 / 3" && isSeen(roses[2], timeline) })
            let marked = try #require(timeline.bubble(of: roses[2]))
            #expect(
                marked.body.first.markup.contains("<span background=\"#f8e45c\" foreground=\"#000000\">rose</span>"))
            #expect(await Toolkit.eventually { marked.bubble.has(css: "flash") })
            await Toolkit.picture(window, "find")
            #expect(!bar.newer.isSensitive && bar.older.isSensitive)
            bar.older.click()
            #expect(await Toolkit.eventually { bar.count.text == "2 / 3" && isSeen(roses[1], timeline) })
            bar.goOlder()
            #expect(await Toolkit.eventually { bar.count.text == "3 / 3" })
            #expect(
                await Toolkit.eventually { isSeen(roses[0], timeline) },
                """
                at \(timeline.scroller.offset) of \(timeline.scroller.contentHeight), \(timeline.model.count) rows, \
                index \(timeline.model.index(of: .message(roses[0])) ?? -1), row \(timeline.row(of: roses[0])?.root.height ?? -1), \
                \(timeline.row(of: roses[0])?.root.translate(x: 0, y: 0, to: timeline.scroller)?.y ?? -1)
                """)
            #expect(await Toolkit.eventually { !bar.older.isSensitive })
            bar.goNewer()
            #expect(await Toolkit.eventually { isSeen(roses[1], timeline) })
            bar.entry.text = "violet"
            #expect(await Toolkit.eventually { bar.count.text == "Nothing found" })
            bar.root.isOpen = false
            #expect(await Toolkit.eventually { timeline.highlight.isEmpty && bar.entry.text.isEmpty })
            if let bubble = timeline.bubble(of: roses[1]) { #expect(!bubble.body.first.markup.contains("<span")) }
            window.destroy()
            view.close()
            await sample.end()
        }

        @Test("the calendar marks the days with messages, and jumps to them")
        func days() async throws {
            let sample = try await TalkSample()
            let long = try await sample.say("Long ago", ago: 40 * 24 * 60)
            try await sample.fill(300)
            let (window, view) = await sample.open()
            let timeline = view.timeline
            view.chooseDay()
            #expect(await Toolkit.eventually { view.findBar.dates.calendar != nil })
            let calendar = try #require(view.findBar.dates.calendar)
            await Toolkit.picture(window, "find-day")
            let time = try #require(
                timeline.timeline.messages.isEmpty ? nil : try await sample.messages().first?.time.date)
            let parts = sample.home.environment.calendar().dateComponents([.year, .month, .day], from: time)
            calendar.day = CalendarView.Day(year: parts.year ?? 0, month: parts.month ?? 0, day: parts.day ?? 0)
            await Toolkit.settle()
            view.findBar.dates.choose()
            #expect(await Toolkit.eventually { isSeen(long, timeline) })
            window.destroy()
            view.close()
            await sample.end()
        }

        @Test("a global search finds conversations and messages; a message opens at its position")
        func everywhere() async throws {
            let sample = try await TalkSample()
            try await sample.save(
                StoredContact(address: try JID("rosaline@capulet.example"), name: sampleWords("Rosaline")))
            let rosaline = try sample.key("rosaline@capulet.example")
            try await sample.say("Good morrow", in: rosaline)
            try await sample.fill(300) {
                $0 == 20 ? sampleWords("What's in a name? That which we call a rosa") : sampleWords("Number %@", $0)
            }
            let wanted = try #require(try await sample.messages().first { $0.text.body.contains(sampleWords("rosa")) })
                .id
            let main = try MainWindow.shown(sample.context)
            let list = main.conversations
            #expect(await Toolkit.eventually { list.model.count == 2 })
            list.startSearch()
            list.search.text = sampleWords("rosa")
            #expect(await Toolkit.eventually { list.stack.shown == "results" && list.results.model.count == 4 })
            await Toolkit.picture(main.window, "search")
            guard case .message(let hit) = list.results.model[3] else {
                Issue.record("\(list.results.model.items)")
                return
            }
            #expect(hit.id == wanted && hit.title == "Romeo")
            var shown: SearchHitView?
            list.results.list.forEachRow { if $0 == 3 { shown = $1.hit } }
            // The match is visible in a narrow list.
            #expect(shown?.label.markup == "…we call a <b>rosa</b>")
            #expect(list.root.width <= 360, "the list became \(list.root.width) pixels wide")
            list.results.activated(3)
            #expect(main.openKey == sample.key)
            #expect(await Toolkit.eventually { main.conversation.map { isSeen(wanted, $0.timeline) } ?? false })
            // The search hides this conversation, but its name is known.
            #expect(await Toolkit.eventually { main.conversation?.header.title.text == "Romeo" })
            await Toolkit.picture(main.window, "search-opened")
            list.results.openFirst()
            #expect(main.openKey == rosaline)
            main.close(permanently: true)
            await sample.end()
        }
    }
}
