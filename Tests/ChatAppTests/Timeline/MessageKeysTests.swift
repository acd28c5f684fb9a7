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
    @Suite("Messages by keyboard")
    struct MessageKeysTests {
        init() throws { try #require(Toolkit.isReady) }

        /// A key as it comes from a keyboard.
        private static func key(_ value: UInt32, _ modifiers: Modifiers = []) -> KeyPress {
            KeyPress(value: value, modifiers: modifiers.rawValue)
        }
        private static func key(_ letter: Character, _ modifiers: Modifiers = []) -> KeyPress {
            key(letter.unicodeScalars.first?.value ?? 0, modifiers)
        }
        private static let (up, down, escape, tab, delete, menu): (UInt32, UInt32, UInt32, UInt32, UInt32, UInt32) = (
            0xFF52, 0xFF54, 0xFF1B, 0xFF09, 0xFFFF, 0xFF67
        )

        @Test("Ctrl+↑ and Ctrl+↓ choose a message, past separators; below the newest is the input field")
        func choosing() async throws {
            let sample = try await TalkSample()
            let old = try await sample.say("But soft!", ago: 3 * 24 * 60)
            let middle = try await sample.say("What light?", ago: 2)
            let newest = try await sample.say("Ay me!", ago: 1, isOwn: true)
            let (window, view) = await sample.open()
            view.isInFront = true
            let timeline = view.timeline
            let entry = try #require(view.composer?.entry)
            view.focus()
            #expect(await Toolkit.eventually { timeline.bubble(of: newest)?.root.height ?? 0 > 0 })
            #expect(timeline.keys.chosen == nil && entry.containsFocus)
            timeline.keys.choose(1)
            #expect(timeline.keys.chosen?.id == newest)
            timeline.keys.choose(-1)
            #expect(timeline.keys.chosen?.id == middle)
            #expect(timeline.keys.pressed(Self.key(Self.up)))
            #expect(timeline.keys.chosen?.id == old)
            // Nothing is above.
            #expect(timeline.keys.pressed(Self.key(Self.up, .control)))
            #expect(timeline.keys.chosen?.id == old)
            await Toolkit.picture(window, "timeline-chosen")
            for expected in [middle, newest] {
                #expect(timeline.keys.pressed(Self.key(Self.down)))
                #expect(timeline.keys.chosen?.id == expected)
            }
            #expect(timeline.keys.pressed(Self.key(Self.down)))
            #expect(timeline.keys.chosen == nil && entry.containsFocus)
            for leave in [Self.escape, Self.tab] {
                timeline.keys.choose(-1)
                #expect(timeline.keys.chosen?.id == newest)
                #expect(timeline.keys.pressed(Self.key(leave)))
                #expect(entry.containsFocus)
            }
            window.destroy()
            view.close()
            await sample.end()
        }

        @Test("a chosen message has one ring, around its bubble; a text in it has one inside of that")
        func oneRing() async throws {
            let sample = try await TalkSample()
            let id = try await sample.say("But soft! https://example.org", ago: 2)
            let (window, view) = await sample.open()
            let timeline = view.timeline
            #expect(await Toolkit.eventually { timeline.bubble(of: id)?.root.height ?? 0 > 0 })
            let bubble = try #require(timeline.bubble(of: id))
            let frame = try #require(bubble.bubble.frame(in: window))
            let area = try #require(timeline.scroller.frame(in: window))
            func picture() async throws -> Pixels {
                for _ in 0..<20 { _ = MainLoop.runIteration() }
                var picture: Pixels?
                _ = await Toolkit.eventually {
                    picture = Pixels(window)
                    return picture != nil
                }
                return try #require(picture)
            }
            gtk_window_set_focus(window.window, nil)
            await Toolkit.settle()
            let before = try await picture()
            let ring = 5.0
            let (top, bottom) = (frame.y - ring, frame.y + frame.height + ring)
            let (left, right) = (frame.x - ring, frame.x + frame.width + ring)
            let (ringed, above) = (
                (x: left, y: top, width: right - left, height: bottom - top),
                (x: left, y: top, width: right - left, height: ring - 1)
            )
            for widget in [bubble.root, bubble.body.first] {
                gtk_widget_grab_focus(widget.widget)
                gtk_window_set_focus_visible(window.window, 1)
                var now = try await picture()
                // The ring of the bubble is only there while the message itself has the focus.
                let isShown = await Toolkit.eventually {
                    now = Pixels(window) ?? now
                    let isAround = now.change(from: before, in: above) >= 3
                    return now.change(from: before, in: ringed) >= 3 && isAround == (widget === bubble.root)
                }
                #expect(isShown)
                // Nothing is drawn around that: not at the row, not at the list.
                for part in [
                    (x: area.x, y: area.y, width: area.width, height: top - area.y),
                    (x: area.x, y: bottom, width: area.width, height: area.y + area.height - bottom),
                    (x: area.x, y: top, width: left - area.x, height: bottom - top),
                    (x: right, y: top, width: area.x + area.width - right, height: bottom - top),
                ] {
                    #expect(now.change(from: before, in: part) == 1, "\(part)")
                }
            }
            window.destroy()
            view.close()
            await sample.end()
        }

        @Test("a message far above is chosen step by step, and the list scrolls along")
        func farAway() async throws {
            let sample = try await TalkSample()
            try await sample.fill(80)
            let (window, view) = await sample.open()
            let timeline = view.timeline
            timeline.position.showNewest()
            #expect(await Toolkit.eventually { timeline.timeline.isAtNewest && timeline.scroller.remaining < 2 })
            timeline.keys.choose(-1)
            var last = timeline.keys.chosen?.id
            for _ in 0..<40 {
                // The program loads an older page in good time, but this is faster than fingers.
                #expect(
                    await Toolkit.eventually {
                        timeline.model.items.prefix(timeline.list.focused ?? 0).contains { $0.message != nil }
                    })
                timeline.keys.choose(-1)
                #expect(await Toolkit.eventually { timeline.keys.chosen != nil && timeline.keys.chosen?.id != last })
                last = timeline.keys.chosen?.id
            }
            let bubble = try #require(timeline.keys.chosen.flatMap { timeline.bubble(of: $0.id) })
            #expect(
                await Toolkit.eventually {
                    let y = bubble.root.translate(x: 0, y: 0, to: timeline.list)?.y ?? -1
                    return y >= -8 && y < timeline.scroller.pageHeight
                })
            window.destroy()
            view.close()
            await sample.end()
        }

        @Test("R replies, E edits, digits react, Ctrl+C copies, the menu key opens the menu")
        func actions() async throws {
            let sample = try await TalkSample()
            let theirs = try await sample.say("But soft!", ago: 2)
            let own = try await sample.say("Ay me!", ago: 1, isOwn: true)
            let (window, view) = await sample.open()
            view.isInFront = true
            let timeline = view.timeline
            let composer = try #require(view.composer)
            #expect(await Toolkit.eventually { timeline.bubble(of: own)?.root.height ?? 0 > 0 })
            timeline.keys.choose(-1)
            timeline.keys.choose(-1)
            #expect(timeline.keys.chosen?.id == theirs)
            // Only one's own messages can be edited.
            #expect(!timeline.keys.pressed(Self.key("e")))
            #expect(timeline.keys.pressed(Self.key("2")))
            #expect(await Toolkit.eventually { timeline.bubble(of: theirs)?.message?.reactions.first?.emoji == "❤️" })
            #expect(timeline.keys.pressed(Self.key("c", .control)))
            #expect(await Toolkit.eventually(asking: { (try? await Clipboard.text()) == "But soft!" }))
            // A letter that means nothing is left to the input field.
            #expect(!timeline.keys.pressed(Self.key("x")))
            #expect(timeline.keys.pressed(Self.key("r")))
            #expect(await Toolkit.eventually { composer.composer.reply?.id == theirs })
            #expect(composer.entry.containsFocus)
            timeline.keys.choose(-1)
            #expect(timeline.keys.pressed(Self.key("e")))
            #expect(await Toolkit.eventually { composer.composer.edit?.id == own })
            composer.cancelTarget()
            timeline.keys.choose(-1)
            #expect(timeline.keys.pressed(Self.key(Self.menu)))
            #expect(await Toolkit.eventually { timeline.root.focusedContent == .popover })
            window.destroy()
            view.close()
            await sample.end()
        }

        @Test("Delete deletes after a moment")
        func deleting() async throws {
            let sample = try await TalkSample()
            let theirs = try await sample.say("But soft!", ago: 2)
            let own = try await sample.say("Ay me!", ago: 1, isOwn: true)
            let (window, view) = await sample.open()
            let timeline = view.timeline
            #expect(await Toolkit.eventually { timeline.bubble(of: own)?.root.height ?? 0 > 0 })
            timeline.keys.choose(-1)
            #expect(timeline.keys.pressed(Self.key(Self.delete)))
            #expect(await Toolkit.eventually { timeline.bubble(of: own)?.absence?.isVisible == true })
            #expect(timeline.bubble(of: own)?.body.isVisible == false)
            #expect(try await sample.messages().allSatisfy { !$0.isRetracted })
            let deletions = sample.context.deletions
            #expect(deletions.messages == [own])
            await deletions.flush()
            #expect(try await sample.messages().last?.isRetracted == true)
            timeline.keys.choose(-1)
            #expect(timeline.keys.pressed(Self.key(Self.delete)))
            #expect(deletions.messages == [theirs])
            await deletions.flush()
            #expect(try await sample.messages().map(\.id) == [own])
            window.destroy()
            view.close()
            await sample.end()
        }

        @Test("“Undo” shows a deleted message again, and nothing has happened")
        func undoing() async throws {
            let sample = try await TalkSample()
            let own = try await sample.say("Ay me!", ago: 1, isOwn: true)
            let before = try await sample.messages()
            let window = try MainWindow.shown(sample.context)
            window.open(sample.key)
            let timeline = try #require(window.conversation?.timeline)
            #expect(await Toolkit.eventually { timeline.bubble(of: own)?.root.height ?? 0 > 0 })
            timeline.keys.choose(-1)
            #expect(timeline.keys.pressed(Self.key(Self.delete)))
            #expect(await Toolkit.eventually { timeline.bubble(of: own)?.absence?.isVisible == true })
            #expect(await WindowCrawler.click("Undo", in: window.window))
            #expect(
                await Toolkit.eventually {
                    timeline.bubble(of: own)?.absence?.isVisible == false
                        && timeline.bubble(of: own)?.body.isVisible == true
                })
            #expect(await Toolkit.eventually { !WindowCrawler.texts(of: window.window).contains("Undo") })
            // As at the end of the program.
            await sample.context.deletions.flush()
            #expect(try await sample.messages() == before)
            window.close(permanently: true)
            await sample.end()
        }

        @Test("after a menu is closed the focus is in the input field")
        func afterMenus() async throws {
            let sample = try await TalkSample()
            let said = try await sample.say("But soft!", ago: 2)
            let (window, view) = await sample.open()
            view.isInFront = true
            let timeline = view.timeline
            let entry = try #require(view.composer?.entry)
            #expect(await Toolkit.eventually { timeline.bubble(of: said)?.root.height ?? 0 > 0 })
            timeline.keys.choose(-1)
            let bubble = try #require(timeline.bubble(of: said))
            let message = try #require(bubble.message)
            let popover = try #require(timeline.showMenu(message, bubble.bubble, 4, 4))
            #expect(await Toolkit.eventually { popover.isMapped })
            popover.close()
            #expect(await Toolkit.eventually { entry.containsFocus })
            window.destroy()
            view.close()
            await sample.end()
        }
    }
}
