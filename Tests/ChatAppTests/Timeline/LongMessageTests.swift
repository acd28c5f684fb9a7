import ChatStore
import GTKBinding
import Testing
import WindowFixtures

@testable import ChatApp
@testable import ChatModel

extension WindowTests {
    @MainActor
    @Suite("Long and hostile messages")
    struct LongMessageTests {
        /// CPU time of an iteration in a debug build.
        private static let longestIteration = Duration.milliseconds(250)
        /// A slow text is slow in every attempt; leftover work of other tests occurs once.
        private static let attempts = 4

        init() throws { try #require(Toolkit.isReady) }

        private static let hostile: [(name: String, text: String)] = [
            ("one word", String(repeating: "a", count: 200_000)),
            ("code", "```\n" + String(repeating: "b", count: 120_000) + "\n```"),
            ("marks", "a" + String(repeating: "\u{0301}", count: 100_000)),
            ("styles", String(repeating: "*a* ", count: 30_000)),
            ("brackets", String(repeating: "www." + String(repeating: ")", count: 2_044) + " ", count: 60)),
            ("empty lines", String(repeating: "\n", count: 120_000) + "x"),
            ("links", String(repeating: "https://a.example/ ", count: 14_000)),
            ("code blocks", String(repeating: "```\nx\n```\n", count: 12_000)),
            ("quotations", String(repeating: "> q\nx\n", count: 15_000)),
            ("nested quotations", String(repeating: String(repeating: ">", count: 500) + "\n", count: 2_000)),
            ("families", String(repeating: "👨‍👩‍👧‍👦", count: 8_000)),
            ("right to left", String(repeating: "ש", count: 200_000)),
            ("two directions", String(repeating: "aש", count: 100_000)),
            ("embeddings", String(repeating: "\u{202B}a", count: 100_000)),
            ("Chinese", String(repeating: "鸿雁传书，", count: 40_000)),
        ]

        @Test("hostile text does not block the window: it is truncated, and all of it is one click away")
        func turns() async throws {
            let sample = try await TalkSample()
            try await sample.say("Good morrow", ago: 1)
            let (window, view) = await sample.open()
            let watchdog = MainLoopWatchdog()
            for (name, text) in Self.hostile {
                var least = Duration.seconds(1_000)
                for _ in 0..<Self.attempts where least >= Self.longestIteration {
                    await Toolkit.settle()
                    watchdog.reset()
                    let id = try await sample.say(.text(MessageText(text)))
                    view.timeline.position.showNewest()
                    #expect(
                        await Toolkit.eventually { (view.timeline.bubble(of: id)?.root.height ?? 0) > 0 }, "\(name)")
                    await Toolkit.settle()
                    #expect(watchdog.count > 0)
                    least = min(least, watchdog.longest.processor)
                    let bubble = try #require(view.timeline.bubble(of: id))
                    #expect(bubble.body.showAll != nil, "\(name)")
                    try await sample.write { store throws(StoreError) in try store.removeMessage(id) }
                    #expect(await Toolkit.eventually { view.timeline.bubble(of: id) == nil })
                }
                #expect(least < Self.longestIteration, "\(name)")
            }
            window.destroy()
            view.close()
            await sample.end()
        }

        @Test("the plain view of a megabyte opens and scrolls without a long iteration, and copies everything")
        func plainView() async throws {
            let watchdog = MainLoopWatchdog()
            for (name, text) in Self.hostile + [("megabyte", String(repeating: "a", count: 1_000_000))] {
                var least = Duration.seconds(1_000)
                for _ in 0..<Self.attempts where least >= Self.longestIteration {
                    await Toolkit.settle()
                    watchdog.reset()
                    let whole = WholeTextWindow.show(text, title: "Romeo", over: nil)
                    #expect(await Toolkit.eventually { whole.scroller.pageHeight > 0 }, "\(name)")
                    let before = whole.view.text.utf8.count
                    for _ in 0..<8 {
                        whole.scroller.offset = whole.scroller.contentHeight
                        await Toolkit.settle()
                    }
                    least = min(least, watchdog.longest.processor)
                    #expect(whole.isComplete || whole.view.text.utf8.count > before, "\(name)")
                    if name == "one word" { await Toolkit.picture(whole.window, "whole-message") }
                    whole.window.close()
                }
                #expect(least < Self.longestIteration, "\(name)")
            }
            await Toolkit.settle()
        }

        @Test("a message is parsed once, however often its row is shown")
        func cached() async throws {
            let sample = try await TalkSample()
            let id = try await sample.say("Good night, good night!", isOwn: true)
            let (window, view) = await sample.open()
            #expect(await Toolkit.eventually { view.timeline.bubble(of: id) != nil })
            let bubble = try #require(view.timeline.bubble(of: id))
            #expect(bubble.body.layouts == 1)
            try await sample.write { store throws(StoreError) in try store.advance(id, to: .displayed) }
            #expect(await Toolkit.eventually { bubble.message?.state == .displayed })
            #expect(bubble.body.layouts == 1)
            view.timeline.mark("night")
            #expect(bubble.body.layouts == 2)
            window.destroy()
            view.close()
            await sample.end()
        }

        @Test("direction marks are visible, and surrounding text does not reorder a link")
        func directions() async throws {
            let sample = try await TalkSample()
            let link = try await sample.say("\u{202E}moc.live https://bank.example/ \u{202D}x", ago: 2)
            let homograph = try await sample.say("see https://аррӏе.com/login now", ago: 1)
            let long = try await sample.say(sampleWords("A long story.") + String(repeating: " bla", count: 2_000))
            let (window, view) = await sample.open()
            #expect(await Toolkit.eventually { view.timeline.bubble(of: long) != nil })
            let first = try #require(view.timeline.bubble(of: link)).body.first
            #expect(!first.text.unicodeScalars.contains { $0.value == 0x202E || $0.value == 0x202D })
            #expect(first.text == "\u{FFFD}moc.live \u{2068}https://bank.example/\u{2069} \u{FFFD}x")
            let markup = try #require(view.timeline.bubble(of: homograph)).body.first.markup
            #expect(markup.contains("title=\"Leads to xn--80ak6aa92e.com\""), "\(markup)")
            view.timeline.position.showNewest()
            await Toolkit.settle()
            await Toolkit.picture(window, "timeline-folded")

            var dialog: MessageDialog?
            #expect(!LinkWarning.ask("https://bank.example/", over: window) { dialog = $0 })
            #expect(dialog == nil)
            #expect(LinkWarning.ask("https://аррӏе.com/login", over: window) { dialog = $0 })
            let question = try #require(dialog)
            await Toolkit.picture(question, "link-question")
            question.answer("cancel")
            await Toolkit.settle()
            window.destroy()
            view.close()
            await sample.end()
        }
    }
}
