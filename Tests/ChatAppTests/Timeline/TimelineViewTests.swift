import ChatEngine
import ChatStore
import GTKBinding
import Testing
import WindowFixtures
import XMPPAddress

@testable import ChatApp
@testable import ChatModel

extension WindowTests {
    @MainActor
    @Suite("Timeline")
    struct TimelineViewTests {
        init() throws { try #require(Toolkit.isReady) }

        @Test("S0-91, S1-32: incoming messages are on the left, outgoing ones on the right, with day separators")
        func sides() async throws {
            let sample = try await TalkSample()
            let old = try await sample.say("But soft!", ago: 3 * 24 * 60)
            let theirs = try await sample.say("What light through yonder window breaks?", ago: TalkSample.noonYesterday)
            let own = try await sample.say("Ay me!", isOwn: true)
            let (window, view) = await sample.open()
            let timeline = view.timeline
            #expect(await Toolkit.eventually { timeline.bubble(of: own)?.root.width ?? 0 > 0 })
            let left = try #require(timeline.bubble(of: theirs))
            let right = try #require(timeline.bubble(of: own))
            let width = Double(timeline.scroller.width)
            let leftPlace = try #require(left.bubble.translate(x: 0, y: 0, to: timeline.scroller))
            let rightPlace = try #require(
                right.bubble.translate(x: Double(right.bubble.width), y: 0, to: timeline.scroller))
            #expect(leftPlace.x < 40)
            #expect(rightPlace.x > width - 40)
            #expect(right.bubble.has(css: "outgoing") && left.bubble.has(css: "incoming"))
            let days = timeline.rows.compactMap { row -> String? in
                if case .day? = row.item { row.line?.text } else { nil }
            }
            #expect(days.count == 3)
            #expect(days.suffix(2) == ["Yesterday", "Today"])
            #expect(timeline.bubble(of: old)?.footer.state?.widget.isVisible != true)
            await Toolkit.picture(window, "timeline-sides")
            window.destroy()
            view.close()
            await sample.end()
        }

        @Test("what a contact answered is told in the conversation, before and between messages")
        func answers() async throws {
            let sample = try await TalkSample()
            let (key, now) = (sample.key, MessageTime.now)
            try await sample.write { store throws(StoreError) in
                for (kind, minutes) in [
                    (ConversationNotice.Kind.contactDeclined, 9), (.contactAccepted, 6), (.contactEnded, 1),
                ] {
                    try store.note(
                        ConversationNotice(kind, in: key.conversation, at: now.advanced(by: Int64(-minutes) * 60_000)),
                        of: key.account)
                }
            }
            let (window, view) = await sample.open()
            let timeline = view.timeline
            func notices() -> [String] {
                timeline.rows.compactMap { row in if case .notice? = row.item { row.notice?.label.text } else { nil } }
            }
            let sentences = [
                "Romeo declined your contact request.", "Romeo accepted your contact request.",
                "Romeo no longer shares status with you.",
            ]
            #expect(await Toolkit.eventually { notices() == sentences })
            try await sample.say("But soft!", ago: 5)
            try await sample.say("What light through yonder window breaks?", ago: 4)
            #expect(await Toolkit.eventually { timeline.rows.count == 6 && notices() == sentences })
            #expect(timeline.rows.allSatisfy { $0.notice?.devices.isVisible != true })
            await Toolkit.picture(window, "timeline-answers")
            window.destroy()
            view.close()
            await sample.end()
        }

        @Test("a conversation opens at the unread separator, and reading there counts")
        func unread() async throws {
            let sample = try await TalkSample()
            try await sample.fill(60)
            let ids = try await sample.messages().map(\.id)
            try await sample.write { store throws(StoreError) in try store.markRead(upTo: ids[39]) }
            let (window, view) = await sample.open()
            let timeline = view.timeline
            #expect(timeline.timeline.initialItem == .unread)
            #expect(await Toolkit.eventually { (timeline.bubble(of: ids[40])?.root.height ?? 0) > 0 })
            let line = try #require(timeline.rows.first { if case .unread? = $0.item { true } else { false } })
            #expect(line.unread?.label.text == "20 new messages")
            func top() -> Double { line.root.translate(x: 0, y: 0, to: timeline.scroller)?.y ?? -1 }
            #expect(await Toolkit.eventually { top() > 0 && top() < 60 })
            #expect(
                await Toolkit.eventually { timeline.newestPlace.isRevealed && timeline.newestCount.text == "20" })
            await Toolkit.picture(window, "timeline-unread")
            // Only visible messages are read, while the user is looking.
            view.isInFront = true
            #expect(await Toolkit.eventually { timeline.timeline.unreadCount < 20 })
            #expect(timeline.timeline.unreadCount > 0)
            timeline.position.showNewest()
            #expect(await Toolkit.eventually { timeline.timeline.unreadCount == 0 && !timeline.newestPlace.isRevealed })
            window.destroy()
            view.close()
            await sample.end()
        }

        @Test("S1-35: each state has an accessible text; an unsent message shows the reason and can be retried")
        func states() async throws {
            let sample = try await TalkSample()
            var marks: [(MessageID, MessageState)] = []
            for (state, words) in [
                // Messages above one that was seen are seen, too.
                (MessageState.displayed, "Good night, good night!"), (.delivered, "Parting is such sweet sorrow"),
                (.sentToServer, "that I shall say good night"),
                (.failed(FailureReason(.refused, condition: "service-unavailable")), "till it be morrow."),
            ] {
                let id = try await sample.say(words, isOwn: true)
                try await sample.write { store throws(StoreError) in try store.advance(id, to: state) }
                marks.append((id, state))
            }
            let unsent = try await sample.home.account(sample.account)?.send(
                .text(MessageText(sampleWords("Good night!"))), in: sample.key)
            let lost = try #require(unsent)
            let (window, view) = await sample.open()
            let timeline = view.timeline
            #expect(await Toolkit.eventually { timeline.bubble(of: lost) != nil })
            for (id, state) in marks {
                #expect(timeline.bubble(of: id)?.footer.state?.text == Wording.state(state))
            }
            #expect(timeline.bubble(of: lost)?.footer.state?.text == "Waiting to be sent")
            try await sample.write { store throws(StoreError) in
                try store.advance(lost, to: .failed(FailureReason(.notSent, condition: "upload-failed")))
            }
            #expect(await Toolkit.eventually { timeline.bubble(of: lost)?.failure?.retry.isVisible == true })
            #expect(
                timeline.bubble(of: lost)?.failure?.label.text == "Not sent: the file could not be uploaded")
            // Retrying cannot help if the server refused the message.
            #expect(timeline.bubble(of: marks[3].0)?.failure?.retry.isVisible == false)
            await Toolkit.picture(window, "timeline-states")
            timeline.bubble(of: lost)?.failure?.retry.click()
            #expect(await Toolkit.eventually { timeline.bubble(of: lost)?.message?.state == .queued })
            #expect(timeline.bubble(of: lost)?.failure?.root.isVisible == false)
            window.destroy()
            view.close()
            await sample.end()
        }

        @Test("edits, replies, reactions and retractions are shown at the message")
        func changes() async throws {
            let sample = try await TalkSample()
            let first = try await sample.say("It is the east, and Juliet is the moon", ago: 4)
            let target = sample.lastReference
            try await sample.say(
                .correction(of: target, MessageText(sampleWords("It is the east, and Juliet is the sun"))), ago: 3)
            let answer = try await sample.say(
                .text(MessageText(sampleWords("Ay me!"), reply: target)), ago: 2, isOwn: true)
            let own = sample.lastReference
            try await sample.say(.reactions(to: own, ["🌹", "❤️"]), ago: 1)
            let gone = try await sample.say("Arise, fair sun", ago: 1)
            try await sample.say(.retraction(of: sample.lastReference))
            let (window, view) = await sample.open()
            let timeline = view.timeline
            #expect(await Toolkit.eventually { timeline.bubble(of: gone) != nil })
            #expect(timeline.timeline.messages.count == 3)
            let edited = try #require(timeline.bubble(of: first))
            #expect(
                edited.footer.edited?.isVisible == true
                    && edited.body.first.text == "It is the east, and Juliet is the sun")
            let answered = try #require(timeline.bubble(of: answer))
            #expect(answered.quotation?.label.text == "It is the east, and Juliet is the sun")
            #expect(answered.quotation?.name.text == "Romeo")
            #expect(answered.reactions?.buttons.count == 2)
            let empty = try #require(timeline.bubble(of: gone))
            #expect(empty.absence?.isVisible == true && !empty.body.isVisible)
            await Toolkit.picture(window, "timeline-changes")
            answered.quotation?.root.click()
            #expect(await Toolkit.eventually { edited.bubble.has(css: "flash") })
            answered.reactions?.buttons.first?.click()
            #expect(await Toolkit.eventually { answered.message?.reactions.first?.isOwn == true })
            #expect(answered.message?.reactions.first?.count == 2)
            window.destroy()
            view.close()
            await sample.end()
        }

        @Test("a few emoji are large; styles and links are shown; Hebrew and Arabic are right-to-left")
        func text() async throws {
            let sample = try await TalkSample()
            let emoji = try await sample.say("🌹", ago: 9)
            let three = try await sample.say("🌹 🌹🌹", ago: 8)
            let styled = try await sample.say("*bold* _slanted_ ~gone~ `code` <b>&amp;", ago: 7)
            let link = try await sample.say(
                "see https://example.org/?a=1&b=\"2\" or xmpp:romeo@montague.example", ago: 6)
            let code = try await sample.say("```\nlet rose = \"rose\"\n```\n> a quotation\nand a line", ago: 5)
            let hebrew = try await sample.say("שלום יולייט, מה שלומך היום?\nhello", ago: 4)
            let arabic = try await sample.say(
                "مرحبا يا روميو، كيف حالك اليوم؟ هذا نص طويل يمتد على أكثر من سطر واحد", ago: 3, isOwn: true)
            let action = try await sample.say("/me climbs the wall", ago: 2)
            let (window, view) = await sample.open()
            let timeline = view.timeline
            #expect(await Toolkit.eventually { timeline.bubble(of: action) != nil })
            func body(_ id: MessageID) throws -> BodyView { try #require(timeline.bubble(of: id)).body }
            #expect(try body(emoji).first.has(css: "emoji-1"))
            #expect(try #require(timeline.bubble(of: emoji)).bubble.has(css: "bare"))
            #expect(try body(three).first.has(css: "emoji-3"))
            let markup = try body(styled).first.markup
            for tag in ["<b>bold</b>", "<i>slanted</i>", "<s>gone</s>", "<tt>code</tt>", "&lt;b&gt;&amp;amp;"] {
                #expect(markup.contains(tag), "\(markup)")
            }
            #expect(try body(link).first.markup.contains("<a href=\"https://example.org/?a=1&amp;b=\">"))
            #expect(try body(link).first.markup.contains("<a href=\"xmpp:romeo@montague.example\">"))
            #expect(try !body(code).first.isVisible)
            #expect(try body(action).first.markup.hasPrefix("<b>Romeo</b>"))
            #expect(try body(hebrew).first.isRightToLeft)
            #expect(try body(arabic).first.isRightToLeft)
            #expect(try !body(styled).first.isRightToLeft)
            await Toolkit.picture(window, "timeline-text")
            window.destroy()
            view.close()
            await sample.end()
        }

        @Test("only a moderator is offered to delete other people's messages, after a confirmation")
        func moderation() async throws {
            let sample = try await TalkSample()
            let key = try sample.key("orchard@rooms.example", .room)
            let said = try await sample.say("Fie!", ago: 1, from: try JID("\(key.address)/Tybalt"), in: key)
            let (window, view) = await sample.open(key)
            #expect(await Toolkit.eventually { view.timeline.bubble(of: said)?.message != nil })
            let message = try #require(view.timeline.bubble(of: said)?.message)
            let room = try #require(view.room?.model)
            func isOffered() -> Bool {
                "\(MessageMenu(message, view.timeline).entries)".contains("message.moderate")
            }
            func show(isModerator: Bool) {
                room.show(
                    RoomState(
                        isInside: true, nickname: "Jule",
                        people: [RoomState.Person(nickname: "Jule", isModerator: isModerator, isOwn: true)]))
            }
            #expect(!isOffered())
            show(isModerator: false)
            #expect(!isOffered())
            show(isModerator: true)
            #expect(isOffered())
            let question = MessageMenu.moderate(message, view.timeline)
            await Toolkit.settle()
            // The room has not archived it.
            question.answer("delete")
            #expect(await Toolkit.eventually { !sample.context.takePendingToasts().isEmpty })
            window.destroy()
            view.close()
            await sample.end()
        }

        @Test("in a room each group of messages shows its sender once")
        func room() async throws {
            let sample = try await TalkSample()
            let key = try sample.key("\(sampleWords("orchard"))@rooms.example", .room)
            func person(_ name: String) throws -> JID { try JID("\(key.address)/\(sampleWords(name))") }
            // On the same day, whenever the test runs.
            let ago = TalkSample.noonYesterday
            let first = try await sample.say("A plague", ago: ago + 2, from: try person("Mercutio"), in: key)
            let second = try await sample.say(
                "o' both your houses!", ago: ago + 1, from: try person("Mercutio"), in: key)
            try await sample.say("Courage, man", ago: ago, from: try person("Romeo"), in: key)
            let (window, view) = await sample.open(key)
            let timeline = view.timeline
            #expect(await Toolkit.eventually { timeline.bubble(of: second) != nil })
            #expect(timeline.bubble(of: first)?.sender?.text == "Mercutio")
            #expect(timeline.bubble(of: first)?.sender?.isVisible == true)
            #expect(timeline.bubble(of: second)?.sender?.isVisible != true)
            #expect(timeline.bubble(of: first)?.picture?.widget.isVisible != true)
            #expect(timeline.bubble(of: second)?.picture?.widget.isVisible == true)
            await Toolkit.picture(window, "timeline-room")
            window.destroy()
            view.close()
            await sample.end()
        }

        @Test("P3-42: the number of unread messages has a rim over a bubble of the same colour")
        func rim() async throws {
            let sample = try await TalkSample()
            let long = String(repeating: "O Romeo, Romeo, wherefore art thou Romeo? ", count: 60)
            let own = try await sample.say(long, ago: 100, isOwn: true)
            try await sample.fill(60)
            let (window, view) = await sample.open()
            let timeline = view.timeline
            timeline.scroller.offset = 0
            let count = timeline.newestCount
            #expect(await Toolkit.eventually { count.isMapped && timeline.bubble(of: own)?.bubble.isMapped == true })
            await Toolkit.settle()
            let bubble = try #require(timeline.bubble(of: own)).bubble
            let pixels = try #require(Pixels(window))
            let frame = try #require(count.frame(in: window))
            let colour = try #require(pixels.background(of: count, in: window))
            func above(_ distance: Int) throws -> Pixels.Colour {
                try #require(pixels.colour(x: Int(frame.x + frame.width / 2), y: Int(frame.y) - distance))
            }
            #expect(try above(4) == pixels.background(of: bubble, in: window) && above(4) == colour)
            #expect(try above(1).contrast(to: colour) >= Marks.needed)
            window.destroy()
            view.close()
            await sample.end()
        }

        @Test("S1-29, S1-31: scrolling up loads older messages and keeps the position; the newest are one click away")
        func scrolling() async throws {
            let sample = try await TalkSample()
            try await sample.fill(400)
            let (window, view) = await sample.open()
            let timeline = view.timeline
            #expect(await Toolkit.eventually { timeline.position.isOpened && timeline.model.count > 0 })
            // It was opened at the unread separator, which is at the beginning.
            timeline.position.showNewest()
            // The position sticks to the end for some frames, whatever height the list computes.
            #expect(
                await Toolkit.eventually {
                    timeline.timeline.isAtNewest && timeline.scroller.remaining < 2 && !timeline.position.isSettling
                })
            let oldest = try #require(timeline.timeline.messages.first?.position)
            timeline.scroller.offset = 100
            #expect(
                await Toolkit.eventually { timeline.timeline.messages.first.map { $0.position < oldest } ?? false })
            #expect(timeline.scroller.offset > 0)
            timeline.position.showNewest()
            #expect(await Toolkit.eventually { timeline.scroller.remaining < 2 && timeline.timeline.isAtNewest })
            window.destroy()
            view.close()
            await sample.end()
        }
    }
}
