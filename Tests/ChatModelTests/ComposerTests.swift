import ChatFixtures
import ChatModel
import ChatStore
import Testing
import XMPPAddress

@Suite("Composer")
@MainActor
struct ComposerTests {
    private struct Desk {
        let fixture: ModelFixture
        let actions: StoreActions
        let clock = ManualClock()

        @MainActor
        init() async throws {
            fixture = try await ModelFixture()
            actions = StoreActions(store: fixture.store, own: fixture.juliet)
        }

        @MainActor
        func composer() -> Composer {
            Composer(
                fixture.key, store: fixture.store, actions: actions,
                environment: ModelEnvironment(now: { [clock] in clock.messageTime }, clock: clock))
        }

        func draft() async throws -> Draft? {
            let key = await fixture.key
            return try await fixture.store.read { store throws(StoreError) in
                guard let conversation = try store.conversation(key) else { return nil as Draft? }
                return try store.draft(in: conversation)
            }
        }
    }

    @Test("a draft is saved a second after the last keystroke, and restored after a restart")
    func draft() async throws {
        let desk = try await Desk()
        let composer = desk.composer()
        composer.text = "But so"
        // The draft and the typing timeout are pending.
        await desk.clock.sleeps(2)
        desk.clock.advance(by: .milliseconds(900))
        #expect(try await desk.draft() == nil)
        composer.text = "But soft"
        await desk.clock.sleeps(3)
        desk.clock.advance(by: .milliseconds(900))
        #expect(try await desk.draft() == nil)
        desk.clock.advance(by: .milliseconds(100))
        await eventually { (try? await desk.draft()) != nil }
        #expect(try await desk.draft()?.body == "But soft")

        let again = desk.composer()
        await again.open()
        #expect(again.text == "But soft")
        again.text = ""
        await again.close()
        #expect(try await desk.draft() == nil)
    }

    @Test("closing saves the draft at once, with its reply")
    func close() async throws {
        let desk = try await Desk()
        let message = try await desk.fixture.receive("What man art thou?", id: "a", at: 1)
        let composer = desk.composer()
        composer.text = "By a name"
        try await composer.reply(to: message)
        await composer.close()
        #expect(try await desk.draft()?.reply == message)
        let again = desk.composer()
        await again.open()
        #expect(again.reply?.id == message)
        #expect(again.reply?.preview.text == "What man art thou?")
    }

    @Test("an empty composer creates no conversation")
    func nothing() async throws {
        let desk = try await Desk()
        let composer = desk.composer()
        composer.text = "x"
        composer.text = ""
        await composer.close()
        #expect(try await desk.fixture.all().isEmpty)
        #expect(try await composer.send() == nil)
        composer.text = " \n"
        #expect(try await composer.send() == nil)
        let key = desk.fixture.key
        let conversation = try await desk.fixture.store.read { store throws(StoreError) in
            try store.conversation(key)
        }
        #expect(conversation == nil)
    }

    @Test("S0-91, S1-33: a sent message is stored when the call returns; the text and its draft are cleared")
    func send() async throws {
        let desk = try await Desk()
        let composer = desk.composer()
        composer.text = "Good night\n"
        await composer.flush()
        let id = try #require(try await composer.send())
        #expect(composer.text.isEmpty)
        let all = try await desk.fixture.all()
        #expect(all.map(\.id) == [id])
        #expect(all.first?.text.body == "Good night")
        #expect(try await desk.draft() == nil)
    }

    @Test("S1-35: a text that could not be stored is back in the composer")
    func failure() async throws {
        let desk = try await Desk()
        let composer = desk.composer()
        composer.text = "Good night"
        await desk.fixture.store.close()
        await #expect(throws: StoreError.self) { try await composer.send() }
        #expect(composer.text == "Good night")
    }

    @Test("a reply refers to the message by its sender's id")
    func reply() async throws {
        let desk = try await Desk()
        let message = try await desk.fixture.receive("What man art thou?", id: "a", at: 1)
        let composer = desk.composer()
        try await composer.reply(to: message)
        composer.text = "By a name"
        _ = try await composer.send()
        #expect(composer.reply == nil)
        #expect(try await desk.fixture.all().last?.text.reply == .sent(id: "a"))
    }

    @Test("the last own message is corrected, and the text before comes back")
    func correct() async throws {
        let desk = try await Desk()
        let composer = desk.composer()
        #expect(try await !composer.correctLast())
        composer.text = "Gud night"
        let id = try await composer.send()
        let other = try await desk.fixture.receive("Farewell", id: "f", at: 2_000_000)
        #expect(try await !composer.correct(other))
        composer.text = "half a sen"
        #expect(try await composer.correctLast())
        #expect(composer.edit?.id == id)
        #expect(composer.text == "Gud night")
        composer.text = "Good night"
        _ = try await composer.send()
        #expect(composer.text == "half a sen")
        #expect(try await desk.draft()?.body == "half a sen")
        let all = try await desk.fixture.all()
        #expect(all.count == 2)
        #expect(all.first { $0.id == id }?.text.body == "Good night")
        #expect(all.first { $0.id == id }?.editTime != nil)

        #expect(try await composer.correctLast())
        composer.cancelCorrection()
        #expect(composer.edit == nil)
        #expect(composer.text == "half a sen")
    }

    @Test("typing notifications: composing at the first keystroke, paused after 30 seconds")
    func typing() async throws {
        let desk = try await Desk()
        let composer = desk.composer()
        composer.text = "B"
        await eventually { desk.actions.log.composing == [true] }
        await desk.clock.sleeps(2)
        desk.clock.advance(by: .seconds(20))
        composer.text = "Bu"
        await desk.clock.sleeps(3)
        desk.clock.advance(by: .seconds(15))
        // 35 seconds after the first keystroke, 15 after the last one: the timeout is pending again.
        await desk.clock.sleeps(4)
        #expect(desk.actions.log.composing == [true])
        desk.clock.advance(by: .seconds(15))
        await eventually { desk.actions.log.composing.count == 2 }
        #expect(desk.actions.log.composing == [true, false])
        composer.text = "But s"
        await eventually { desk.actions.log.composing.count == 3 }
        _ = try await composer.send()
        await eventually { desk.actions.log.composing.count == 4 }
        #expect(desk.actions.log.composing == [true, false, true, false])
    }

    @Test("P13: a text that is too long for one message stays in the composer")
    func tooLong() async throws {
        let desk = try await Desk()
        let composer = desk.composer()
        let longest = String(repeating: "a", count: MessageLength.maximumBytes)
        for text in [longest + "a", String(repeating: "&", count: 60_000), String(repeating: "好", count: 80_000)] {
            composer.text = text
            #expect(composer.isTooLong)
            #expect(try await composer.send() == nil)
            #expect(composer.text == text)
        }
        #expect(try await desk.fixture.all().isEmpty)
        composer.text = longest
        #expect(try await composer.send() != nil)
        await composer.close()
    }

    @Test("each file is a message of its own, in order, and the text stays")
    func separateMessages() async throws {
        let desk = try await Desk()
        let composer = desk.composer()
        composer.text = "not yet"
        try await composer.send(files: ["a", "b"].map { Attachment(kind: .picture, name: $0) })
        let sent = try await desk.fixture.all()
        #expect(sent.map { $0.text.attachments.map(\.name) } == [["a"], ["b"]])
        #expect(sent.map(\.text.body) == ["", ""])
        #expect(composer.text == "not yet")
        await composer.close()
    }

    @Test(
        "nicknames are completed without case and accents, and only at the end of a word",
        arguments: [
            ("ty", ["Tybalt"], "Tybalt: "), ("Hi @RO", ["Romeo", "Rosaline"], "@Romeo "),
            ("@", ["Ábel", "张三", "Romeo", "Tybalt", "Rosaline"], nil), ("abe", ["Ábel"], "Ábel: "), ("xyz", nil, nil),
            ("", nil, nil), ("see @张", ["张三"], "@张三 "),
        ] as [(String, [String]?, String?)])
    func mention(text: String, names: [String]?, first: String?) {
        let occupants = ["Romeo", "Rosaline", "Tybalt", "Ábel", "张三"]
        let completion = MentionCompletion(in: text, at: text.endIndex, of: occupants)
        #expect(completion.map { Set($0.candidates) } == names.map { Set($0) })
        if let first, let completion {
            #expect(completion.replacement(for: completion.candidates[0]) == first)
        }
    }
}
