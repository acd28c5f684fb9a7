import CGTK
import ChatStore
import Foundation
import Testing
import WindowFixtures
import XMPPAddress

@testable import ChatApp
@testable import ChatModel
@testable import GTKBinding

extension WindowTests {
    @MainActor
    @Suite("Bubbles")
    struct BubbleTests {
        init() throws { try #require(Toolkit.isReady) }

        @Test("a text is parsed once, however often its bubble is shown")
        func parsing() async throws {
            let sample = try await TalkSample()
            let said = try await sample.say("But *soft*! what light?", ago: 1)
            let (window, view) = await sample.open()
            #expect(await Toolkit.eventually { view.timeline.bubble(of: said)?.message != nil })
            let bubble = try #require(view.timeline.bubble(of: said))
            /// Where the parsed text is in memory.
            func place() -> UnsafePointer<MessageBody.Block>? {
                guard let body = bubble.parsed?.body else { return nil }
                return body.blocks.withUnsafeBufferPointer { $0.baseAddress }
            }
            let first = place()
            #expect(first != nil)
            for _ in 1...3 { bubble.show(try #require(bubble.message)) }
            #expect(place() == first)
            window.destroy()
            view.close()
            await sample.end()
        }

        @Test("a short conversation stands at the input field, and a long one fills the window")
        func bottom() async throws {
            let sample = try await TalkSample()
            let first = try await sample.say("But soft!", ago: 1)
            let (window, view) = await sample.open()
            let timeline = view.timeline
            /// The space between the newest message and the input field.
            func gap(_ id: MessageID) -> Double {
                guard let bubble = timeline.bubble(of: id)?.root, bubble.height > 0,
                    let end = bubble.translate(x: 0, y: Double(bubble.height), to: timeline.root)
                else { return .infinity }
                return Double(timeline.root.height) - end.y
            }
            #expect(await Toolkit.eventually { (0...24).contains(gap(first)) }, "\(gap(first))")
            await Toolkit.picture(window, "timeline-short")
            let second = try await sample.say("What light?", isOwn: true)
            #expect(await Toolkit.eventually { (0...24).contains(gap(second)) })
            // What is visible counts as seen there, too.
            view.isInFront = true
            #expect(await Toolkit.eventually { timeline.timeline.unreadCount == 0 })
            try await sample.fill(60, in: sample.key("nurse@capulet.example"))
            window.destroy()
            view.close()
            let (other, long) = await sample.open(try sample.key("nurse@capulet.example"))
            long.timeline.position.showNewest()
            // The style sheet puts 16 pixels around the list, which its height does not count.
            #expect(
                await Toolkit.eventually {
                    long.timeline.scroller.remaining < 2
                        && long.timeline.list.height + 16 > long.timeline.scroller.height - 4
                })
            other.destroy()
            long.close()
            await sample.end()
        }

        @Test("a screen reader says the name of a file")
        func spokenFile() async throws {
            let sample = try await TalkSample()
            let file = Attachment(kind: .file, name: "accounts.csv", size: 8)
            let message = try await sample.say(.text(MessageText("", attachments: [file])), ago: 1)
            let (window, view) = await sample.open()
            #expect(await Toolkit.eventually { view.timeline.bubble(of: message)?.spokenText.isEmpty == false })
            let spoken = view.timeline.bubble(of: message)?.spokenText ?? ""
            #expect(spoken.hasPrefix("Romeo, File: accounts.csv, "), "\(spoken)")
            window.destroy()
            view.close()
            await sample.end()
        }

        @Test("the time stands in the last line of text if there is room, and below it otherwise")
        func footer() async throws {
            let sample = try await TalkSample()
            let short = try await sample.say("ok", ago: 9)
            let own = try await sample.say("ok", ago: 8, isOwn: true)
            let lines = try await sample.say("first\nsecond", ago: 7)
            let full = try await sample.say(
                "It is the east, and Juliet is the sun. Arise, fair sun, and kill the envious moon", ago: 6)
            let hebrew = try await sample.say("שלום יולייט", ago: 5)
            let code = try await sample.say("```\nlet rose = 1\n```", ago: 4)
            let emoji = try await sample.say("🌹", ago: 3)
            let (window, view) = await sample.open()
            let timeline = view.timeline
            #expect(await Toolkit.eventually { (timeline.bubble(of: emoji)?.bubble.height ?? 0) > 0 })
            // All of it is visible if there is room.
            let heights = timeline.rows.map(\.root.height)
            #expect(await Toolkit.eventually { timeline.list.height >= heights.reduce(0, +) }, "\(heights)")
            #expect(timeline.scroller.remaining + timeline.scroller.offset < 1)
            await Toolkit.picture(window, "timeline-footer")
            // What has no background has no round corners either, which cut off the end of the time.
            let bare = try #require(timeline.bubble(of: emoji)?.bubble)
            let place = try #require(bare.frame(in: window))
            var (cut, whole): (Pixels?, Pixels?)
            #expect(
                await Toolkit.eventually {
                    cut = Pixels(window)
                    return cut != nil
                })
            gtk_widget_set_overflow(bare.widget, .visible)
            await Toolkit.settle()
            #expect(
                await Toolkit.eventually {
                    whole = Pixels(window)
                    return whole != nil
                })
            let change = try #require(whole).change(from: try #require(cut), in: place)
            #expect(change == 1, "\(change)")
            func isBeside(_ id: MessageID) throws -> Bool {
                let bubble = try #require(timeline.bubble(of: id))
                let footer = bubble.footer.root
                let label = bubble.body.last ?? bubble.body.first
                let end = try #require(label.translate(x: 0, y: Double(label.height), to: bubble.bubble)).y
                let top = try #require(footer.translate(x: 0, y: 0, to: bubble.bubble)).y
                // Nothing of it is outside of the bubble.
                let corner = try #require(
                    footer.translate(x: Double(footer.width), y: Double(footer.height), to: bubble.bubble))
                #expect(corner.x <= Double(bubble.bubble.width) && corner.y <= Double(bubble.bubble.height))
                return top < end
            }
            #expect(try isBeside(short) && isBeside(own) && isBeside(lines) && isBeside(emoji))
            #expect(try !isBeside(code))
            // Text of the other direction stands at the same side, and the time behind it.
            #expect(try isBeside(hebrew))
            for id in [short, own, lines, hebrew] { #expect(!overlap(try #require(timeline.bubble(of: id)))) }
            let (one, two) = (
                try #require(timeline.bubble(of: short)?.bubble.height),
                try #require(timeline.bubble(of: lines)?.bubble.height)
            )
            #expect(one <= 38, "\(one)")
            #expect(two - one <= 24, "\(two - one)")
            // Whatever the width: the time is inside the bubble and never on the text.
            for width in stride(from: 360, through: 620, by: 20) {
                window.setDefaultSize(width: width, height: 640)
                let before = timeline.scroller.width
                _ = await Toolkit.eventually { timeline.scroller.width != before || width == 560 }
                await Toolkit.settle()
                let bubble = try #require(timeline.bubble(of: full))
                _ = try isBeside(full)
                #expect(overlap(bubble) == false, "at \(width)")
            }
            window.destroy()
            view.close()
            await sample.end()
        }

        /// Whether the time covers the end of the text: the last line and the time are in the same place.
        private func overlap(_ bubble: MessageBubble) -> Bool {
            guard let label = bubble.body.last, let end = label.lastLine,
                let text = label.translate(x: end.x, y: end.y, to: bubble.bubble),
                let time = bubble.footer.root.translate(x: 0, y: 0, to: bubble.bubble)
            else { return true }
            let isSameLine = time.y < text.y + end.height - 2
            return isSameLine && time.x < text.x + end.width
        }

        @Test(
            "every text has a contrast of 4.5:1 and every mark of 3:1, light and dark; delivered and seen differ in shape"
        )
        func contrast() async throws {
            let sample = try await TalkSample()
            var own: [MessageID] = []
            // Messages above one that was seen are seen, too.
            for state in [MessageState.displayed, .delivered, .sentToServer] {
                let id = try await sample.say("Wherefore art thou?", isOwn: true)
                try await sample.write { store throws(StoreError) in try store.advance(id, to: state) }
                own.append(id)
            }
            let theirs = try await sample.say("O Romeo")
            let link = try await sample.say("https://example.org/roses")
            let reply = try await sample.say(
                .text(MessageText(sampleWords("yes"), reply: .sent(id: "elsewhere"))))
            let emoji = try await sample.say("🌹")
            let (window, view) = await sample.open()
            let timeline = view.timeline
            #expect(await Toolkit.eventually { (timeline.bubble(of: emoji)?.bubble.height ?? 0) > 0 })
            for scheme in [StyleManager.Scheme.light, .dark] {
                StyleManager.use(scheme)
                #expect(
                    await Toolkit.eventually {
                        guard let pixels = Pixels(window), let day = timeline.rows.first?.line else { return false }
                        var texts: [(String, Widget)] = [("day", day), ("subtitle", view.header.subtitle)]
                        for id in own + [theirs, link, emoji] {
                            guard let bubble = timeline.bubble(of: id) else { return false }
                            texts.append(("time of \(id)", bubble.footer.time))
                            if id != emoji { texts.append(("text of \(id)", bubble.body.first)) }
                        }
                        guard let quotation = timeline.bubble(of: reply)?.quotation else { return false }
                        texts.append(("message that is not here", quotation.label))
                        let weak = texts.filter { pixels.contrast(of: $0.1, in: window) < 4.5 }
                        let marks = own.compactMap { timeline.bubble(of: $0)?.footer.state?.widget }
                        return weak.isEmpty && marks.allSatisfy { pixels.contrast(of: $0, in: window) >= 3 }
                    }, "\(scheme)")
            }
            let pixels = try #require(Pixels(window))
            let shares = try own.map {
                pixels.share(of: try #require(timeline.bubble(of: $0)?.footer.state?.widget), in: window)
            }
            #expect(shares[0] > shares[1] * 1.2 && shares[1] > shares[2] * 1.2, "\(shares)")
            StyleManager.use(.light)
            window.destroy()
            view.close()
            await sample.end()
        }

        @Test("right to left, bubbles change sides with their pointed corners")
        func mirrored() async throws {
            gtk_widget_set_default_direction(.rtl)
            defer { gtk_widget_set_default_direction(.ltr) }
            let sample = try await TalkSample()
            let theirs = try await sample.say("But soft! What light?", ago: 2)
            let own = try await sample.say("Wherefore art thou Romeo?", ago: 1, isOwn: true)
            let (window, view) = await sample.open()
            let timeline = view.timeline
            #expect(await Toolkit.eventually { (timeline.bubble(of: own)?.bubble.height ?? 0) > 0 })
            await Toolkit.picture(window, "timeline-mirrored")
            /// Whether a lower corner of a bubble has its colour, two pixels inside.
            func isPointed(_ id: MessageID, right: Bool) async throws -> Bool {
                let bubble = try #require(timeline.bubble(of: id)?.bubble)
                var drawn: Pixels?
                // There is nothing to render until the next layout.
                _ = await Toolkit.eventually {
                    drawn = Pixels(window)
                    return drawn != nil
                }
                let pixels = try #require(drawn)
                // The places of a widget count from its content; the style sheet puts 12 and 6 pixels around that.
                let x = Double(right ? bubble.width + 12 - 3 : 2 - 12)
                let corner = try #require(bubble.translate(x: x, y: Double(bubble.height + 6 - 3), to: window))
                // Below the text and the time.
                let inside = try #require(bubble.translate(x: 20, y: Double(bubble.height + 3), to: window))
                return pixels.colour(x: Int(corner.x), y: Int(corner.y))
                    == pixels.colour(x: Int(inside.x), y: Int(inside.y))
            }
            #expect(await Toolkit.eventually(asking: { (try? await isPointed(own, right: false)) == true }))
            #expect(try await !isPointed(own, right: true))
            #expect(await Toolkit.eventually(asking: { (try? await isPointed(theirs, right: true)) == true }))
            #expect(try await !isPointed(theirs, right: false))
            window.destroy()
            view.close()
            await sample.end()
        }

        @Test("style marks are hidden where they apply, and copied")
        func marks() async throws {
            let sample = try await TalkSample()
            let styled = try await sample.say("*bold* and 2 * 3 * 4")
            let (window, view) = await sample.open()
            #expect(await Toolkit.eventually { view.timeline.bubble(of: styled) != nil })
            #expect(view.timeline.bubble(of: styled)?.body.first.text == "bold and 2 * 3 * 4")
            let message = try #require(view.timeline.bubble(of: styled)?.message)
            view.timeline.actions.copy(message)
            #expect(await Toolkit.eventually(asking: { (try? await Clipboard.text()) == "*bold* and 2 * 3 * 4" }))
            window.destroy()
            view.close()
            await sample.end()
        }
    }
}
