import ChatFixtures
import ChatModel
import ChatStore
import MessageFeatures
import Testing
import XMPPAddress

@Suite("Timeline")
@MainActor
struct TimelineTests {
    @Test("S1-28, S1-29, S1-31: opened, it shows the stored messages, oldest first, at the newest one")
    func open() async throws {
        let fixture = try await ModelFixture()
        try await fixture.receive("one", id: "a", at: 1, isOutgoing: true)
        let last = try await fixture.receive("two", id: "b", at: 2)
        try await fixture.receive("elsewhere", id: "c", at: 3, in: fixture.key("nurse@capulet.example"))
        try await fixture.markRead(last)
        let actions = StoreActions(store: fixture.store, own: fixture.juliet)
        let timeline = fixture.timeline(actions: actions)
        await timeline.open()
        #expect(timeline.sketch == ["2026-11-1", "one", "two"])
        #expect(timeline.isAtNewest)
        #expect(timeline.initialItem == nil)
        #expect(actions.log.opened == [fixture.key])
    }

    @Test("messages between opening and following are shown")
    func openingAndFollowing() async throws {
        let fixture = try await ModelFixture()
        try await fixture.receive("one", id: "a", at: 1)
        let timeline = fixture.timeline()
        await timeline.open()
        try await fixture.receive("two", id: "b", at: 2)
        let following = Task { await timeline.run() }
        await eventually { timeline.messages.count == 2 }
        #expect(timeline.messages.map(\.text.body) == ["one", "two"])
        following.cancel()
        await following.value
    }

    @Test("S1-32: own and other people's messages are distinguished, with their names")
    func sides() async throws {
        let fixture = try await ModelFixture()
        try await fixture.receive("one", id: "a", at: 1, isOutgoing: true)
        try await fixture.receive("two", id: "b", at: 2)
        let timeline = fixture.timeline()
        await timeline.open()
        let messages = timeline.items.elements.compactMap(\.message)
        #expect(messages.map(\.isOutgoing) == [true, false])
        #expect(messages.map(\.senderName) == ["juliet", "romeo"])
    }

    @Test("S0-91, S1-34, S1-36: a new message is one insertion at the end, and only in its own conversation")
    func append() async throws {
        let fixture = try await ModelFixture()
        try await fixture.receive("one", id: "a", at: 1)
        let timeline = fixture.timeline()
        await timeline.open()
        _ = await fixture.changes()
        let mirror = Mirror(timeline.items)
        try await fixture.receive("elsewhere", id: "x", at: 2, in: fixture.key("nurse@capulet.example"))
        await timeline.apply(await fixture.changes())
        #expect(mirror.takeSteps().isEmpty)
        try await fixture.send(.text(MessageText("mine")), id: "own", at: 1000)
        await timeline.apply(await fixture.changes())
        let row = try #require(timeline.items.elements.last)
        #expect(mirror.takeSteps() == [.insert([row], at: 3)])
        #expect(row.message?.state == .queued)
    }

    @Test("S1-35: a failure shows at the message, and retry and cancel work")
    func failure() async throws {
        let fixture = try await ModelFixture()
        let actions = StoreActions(store: fixture.store, own: fixture.juliet)
        let timeline = fixture.timeline(actions: actions)
        let id = try await actions.send(.text(MessageText("hello")), in: fixture.key)
        await timeline.open()
        _ = await fixture.changes()
        let mirror = Mirror(timeline.items)
        try await fixture.store.write { store throws(StoreError) in
            try store.advance(id, to: .failed(FailureReason(.notSent, condition: "too-large")))
        }
        await timeline.apply(await fixture.changes())
        #expect(mirror.takeSteps() == [.update(timeline.items.elements[1], at: 1)])
        try await timeline.actions.retry(id)
        await timeline.apply(await fixture.changes())
        #expect(timeline.items.elements.last?.message?.state == .queued)
        try await timeline.actions.cancel(id)
        await timeline.apply(await fixture.changes())
        #expect(timeline.items.elements.isEmpty)
    }

    @Test("states, corrections, reactions and retractions are one update of their row")
    func updates() async throws {
        let fixture = try await ModelFixture()
        let first = try await fixture.send(.text(MessageText("first")), id: "f", at: 1)
        try await fixture.receive("second", id: "s", at: 1000)
        let timeline = fixture.timeline()
        await timeline.open()
        _ = await fixture.changes()
        let mirror = Mirror(timeline.items)
        func expectOneUpdate(_ line: Int, _ what: Comment) async {
            await timeline.apply(await fixture.changes())
            #expect(mirror.takeSteps() == [.update(timeline.items.elements[line], at: line)], what)
        }
        try await fixture.store.write { store throws(StoreError) in try store.advance(first, to: .sentToServer) }
        await expectOneUpdate(1, "one tick")
        let (romeo, key) = (fixture.romeo, fixture.key)
        try await fixture.store.write { store throws(StoreError) in
            try store.receive(StateReport(.displayed, target: .sent(id: "f"), sender: romeo), in: key)
        }
        await expectOneUpdate(1, "seen")
        #expect(timeline.items.elements[1].message?.state == .displayed)
        try await fixture.receive(.correction(of: .sent(id: "s"), MessageText("Second")), id: "c", at: 1001)
        await expectOneUpdate(3, "correction")
        #expect(timeline.items.elements[3].message?.isEdited == true)
        try await fixture.receive(.reactions(to: .sent(id: "f"), ["👍", "🎉"]), id: "r", at: 1002)
        await expectOneUpdate(1, "reaction")
        #expect(timeline.items.elements[1].message?.reactions.map(\.names) == [["romeo"], ["romeo"]])
        try await fixture.receive(.retraction(of: .sent(id: "s")), id: "t", at: 1003)
        await expectOneUpdate(3, "retraction")
        #expect(timeline.items.elements[3].message?.isRetracted == true)
        #expect(timeline.items.elements[3].message?.text.body == "")
    }

    @Test("a marker for the last message applies to all before it")
    func marker() async throws {
        let fixture = try await ModelFixture()
        for number in 0..<3 {
            let id = try await fixture.send(.text(MessageText("x")), id: "m\(number)", at: Int64(number))
            try await fixture.store.write { store throws(StoreError) in try store.advance(id, to: .delivered) }
        }
        let timeline = fixture.timeline()
        await timeline.open()
        _ = await fixture.changes()
        let (romeo, key) = (fixture.romeo, fixture.key)
        try await fixture.store.write { store throws(StoreError) in
            try store.receive(StateReport(.displayed, target: .sent(id: "m2"), sender: romeo), in: key)
        }
        await timeline.apply(await fixture.changes())
        #expect(timeline.items.elements.compactMap(\.message).allSatisfy { $0.state == .displayed })
    }

    @Test(
        "days begin in the user's time zone",
        arguments: [
            ("UTC", ["2026-11-1", "a", "2026-11-2", "b"]), ("Asia/Shanghai", ["2026-11-2", "a", "b"]),
            ("America/Los_Angeles", ["2026-11-1", "a", "b"]), ("Pacific/Kiritimati", ["2026-11-2", "a", "b"]),
        ])
    func days(zone: String, rows: [String]) async throws {
        let fixture = try await ModelFixture()
        // 20:00 and 00:30 of the next day in UTC.
        try await fixture.receive("a", id: "a", at: 8 * 3600, isOutgoing: true)
        try await fixture.receive("b", id: "b", at: 12 * 3600 + 1800, isOutgoing: true)
        let timeline = fixture.timeline(zone: zone)
        await timeline.open()
        #expect(timeline.sketch == rows)
    }

    @Test("the day on which the clocks are set back is one day")
    func longDay() async throws {
        let fixture = try await ModelFixture()
        // From 2026-11-01T00:00 to 23:59 in Los Angeles, 25 hours.
        for hour in -5..<20 { try await fixture.receive("x", id: "h\(hour)", at: Int64(hour * 3600), isOutgoing: true) }
        let timeline = fixture.timeline(zone: "America/Los_Angeles")
        await timeline.open()
        #expect(timeline.sketch.filter { $0 != "x" } == ["2026-11-1"])
        #expect(timeline.items.elements.count == 26)
    }

    @Test("the unread separator stays until the conversation is opened again")
    func unread() async throws {
        let fixture = try await ModelFixture()
        let read = try await fixture.receive("old", id: "a", at: 1)
        try await fixture.markRead(read)
        try await fixture.receive("new", id: "b", at: 2)
        let actions = StoreActions(store: fixture.store, own: fixture.juliet)
        let timeline = fixture.timeline(actions: actions)
        await timeline.open()
        #expect(timeline.sketch == ["2026-11-1", "old", "unread 1", "new"])
        #expect(timeline.initialItem == .unread)
        let last = try await fixture.receive("newer", id: "c", at: 3)
        try await timeline.seen(last)
        await timeline.apply(await fixture.changes())
        try await timeline.seen(last)
        #expect(timeline.sketch == ["2026-11-1", "old", "unread 1", "new", "newer"])
        await timeline.apply(await fixture.changes())
        #expect(actions.log.read == [last])
        #expect(timeline.unreadCount == 0)
        await timeline.open()
        #expect(timeline.sketch == ["2026-11-1", "old", "new", "newer"])
    }

    @Test("the unread separator goes when what is below it was read and answered")
    func answered() async throws {
        let fixture = try await ModelFixture()
        try await fixture.markRead(try await fixture.receive("old", id: "a", at: 1))
        let new = try await fixture.receive("new", id: "b", at: 2)
        let timeline = fixture.timeline(actions: StoreActions(store: fixture.store, own: fixture.juliet))
        await timeline.open()
        try await fixture.receive("typed before it was seen", id: "c", at: 3, isOutgoing: true)
        await timeline.refresh()
        #expect(timeline.sketch.contains("unread 1"))
        try await timeline.seen(new)
        await timeline.refresh()
        #expect(timeline.sketch == ["2026-11-1", "old", "new", "typed before it was seen"])
    }

    @Test("messages of one sender within five minutes form a group")
    func groups() async throws {
        let fixture = try await ModelFixture()
        for (index, second) in [0, 60, 400, 460, 461].enumerated() {
            try await fixture.receive("x", id: "m\(index)", at: Int64(second), isOutgoing: index == 3)
        }
        let last = try #require(await fixture.all().last)
        try await fixture.markRead(last.id)
        let timeline = fixture.timeline()
        await timeline.open()
        let messages = timeline.items.elements.compactMap(\.message)
        #expect(messages.map(\.beginsGroup) == [true, false, true, true, true])
        #expect(messages.map(\.endsGroup) == [false, true, true, true, true])
    }

    @Test("a reply shows the current text of its target, or that it is missing")
    func reply() async throws {
        let fixture = try await ModelFixture()
        let first = try await fixture.receive("What *man* art thou?", id: "a", at: 1)
        try await fixture.receive(
            .text(MessageText("By a name", reply: .sent(id: "a"))), id: "b", at: 2, isOutgoing: true)
        try await fixture.receive(
            .text(MessageText("What?", reply: .sent(id: "nothing"))), id: "c", at: 3, isOutgoing: true)
        let timeline = fixture.timeline()
        await timeline.open()
        func quotation(_ index: Int) -> TimelineMessage.Quotation? {
            timeline.items.elements.compactMap(\.message)[index].quotation
        }
        #expect(quotation(0) == nil)
        #expect(quotation(1)?.id == first)
        #expect(quotation(1)?.preview?.text == "What man art thou?")
        #expect(quotation(1)?.preview?.senderName == "romeo")
        #expect(quotation(2)?.id == nil)
        #expect(quotation(2) != nil)
        _ = await fixture.changes()
        try await fixture.receive(.correction(of: .sent(id: "a"), MessageText("Who art thou?")), id: "e", at: 4)
        await timeline.apply(await fixture.changes())
        #expect(quotation(1)?.preview?.text == "Who art thou?")
    }

    @Test("a message that was passed to a connection is retracted although the server has not confirmed it yet")
    func retractAttempted() async throws {
        let fixture = try await ModelFixture()
        _ = try await fixture.receive("one", id: "a", at: 1)
        let actions = StoreActions(store: fixture.store, own: fixture.juliet)
        let timeline = fixture.timeline(actions: actions)
        await timeline.open()
        let id = try await actions.send(.text(MessageText("adieu")), in: timeline.key)
        try await fixture.store.write { store throws(StoreError) in try store.noteAttempt(id, notBefore: nil) }
        #expect(try await timeline.actions.retract(id))
        #expect(actions.log.sent == 2, "cancelling alone would leave it with the other side")
        let waiting = try await actions.send(.text(MessageText("not yet")), in: timeline.key)
        #expect(try await timeline.actions.retract(waiting))
        #expect(actions.log.sent == 3, "what has not left need not be retracted")
    }

    @Test("own reactions are added to and removed from the existing ones")
    func react() async throws {
        let fixture = try await ModelFixture()
        let id = try await fixture.receive("one", id: "a", at: 1)
        let actions = StoreActions(store: fixture.store, own: fixture.juliet)
        let timeline = fixture.timeline(actions: actions)
        await timeline.open()
        func own() async -> [String] {
            await timeline.refresh()
            return timeline.items.elements.last?.message?.reactions.filter(\.isOwn).map(\.emoji) ?? []
        }
        try await timeline.actions.toggleReaction("👍", to: id)
        try await timeline.actions.toggleReaction("🎉", to: id)
        #expect(await Set(own()) == ["👍", "🎉"])
        try await timeline.actions.toggleReaction("👍", to: id)
        #expect(await own() == ["🎉"])
        try await timeline.actions.toggleReaction("🎉\u{FE0F}", to: id)
        #expect(await own() == [], "What GTK's window for emoji gives is the same emoji.")
        try await timeline.actions.retract(id)
        #expect(actions.log.sent == 4, "Others' messages are not ours to take back.")
    }

    @Test("own reactions in a room stay ours after a change of nickname, and the next set contains them")
    func reactionsAfterNicknameChange() async throws {
        let fixture = try await ModelFixture()
        let room = try await Balcony(fixture, nickname: "jule")
        try await room.react(["👍"], as: "jule", isOutgoing: true, at: 2)
        try await room.rename(to: "juliet")
        #expect(await room.own() == ["👍"])
        try await room.timeline.actions.toggleReaction("🎉", to: room.message)
        #expect(await room.own() == ["👍", "🎉"])
    }

    @Test("reactions of an earlier occupant with our nickname are not ours and are not sent as ours")
    func reactionsOfNamesake() async throws {
        let fixture = try await ModelFixture()
        let room = try await Balcony(fixture, nickname: "jule")
        try await room.react(["👎"], as: "juliet", isOutgoing: false, at: 2)
        try await room.rename(to: "juliet")
        #expect(await room.own() == [])
        try await room.timeline.actions.toggleReaction("🎉", to: room.message)
        #expect(await room.own() == ["🎉"])
    }

    /// A room with a message of another occupant.
    @MainActor
    private struct Balcony {
        let fixture: ModelFixture
        let key: ConversationKey
        let message: MessageID
        let timeline: Timeline

        init(_ fixture: ModelFixture, nickname: String) async throws {
            self.fixture = fixture
            key = try fixture.key("balcony@rooms.example", .room)
            let (own, key) = (try key.address.with(resource: nickname), key)
            let copy = MessageCopy(
                route: .live, sender: try key.address.with(resource: "romeo"), occupantID: "romeo", wireID: "a",
                archiveReferences: [Self.reference(key)], time: ModelFixture.time(1), content: .text(MessageText("hi")))
            message = try await fixture.store.write { store throws(StoreError) in try store.receive(copy, in: key).id }
            timeline = fixture.timeline(of: key, actions: StoreActions(store: fixture.store, own: own))
            try await rename(to: nickname)
            await timeline.open()
        }

        private nonisolated static func reference(_ key: ConversationKey) -> ArchiveReference {
            ArchiveReference(archive: key.address, id: "1")
        }

        func react(_ emojis: [String], as nickname: String, isOutgoing: Bool, at seconds: Int64) async throws {
            let key = key
            let copy = MessageCopy(
                route: isOutgoing ? .reflection : .live, sender: try key.address.with(resource: nickname),
                occupantID: isOutgoing ? "juliet" : "nurse", isOutgoing: isOutgoing, wireID: "r",
                time: ModelFixture.time(seconds), content: .reactions(to: .archived(Self.reference(key)), emojis))
            try await fixture.store.write { store throws(StoreError) in _ = try store.receive(copy, in: key) }
        }

        /// The user's own reactions as the timeline shows them.
        func own() async -> Set<String> {
            await timeline.refresh()
            let reactions = timeline.items.elements.last?.message?.reactions ?? []
            return Set(reactions.filter(\.isOwn).map(\.emoji))
        }

        func rename(to nickname: String) async throws {
            let (account, room) = (fixture.account, StoredRoom(address: key.address, nickname: nickname))
            try await fixture.store.write { store throws(StoreError) in try store.save(room, of: account) }
        }
    }

    @Test("where fewer reactions are accepted, one takes the place of another, and others are not sent (XEP-0444 §2.2)")
    func restrictedReactions() async throws {
        let fixture = try await ModelFixture()
        let id = try await fixture.receive("one", id: "a", at: 1)
        let actions = StoreActions(store: fixture.store, own: fixture.juliet)
        let timeline = fixture.timeline(actions: actions)
        await timeline.open()
        func own() async -> [String] {
            await timeline.refresh()
            return timeline.items.elements.last?.message?.reactions.filter(\.isOwn).map(\.emoji) ?? []
        }
        #expect(timeline.actions.offeredReactions(["👍"], limit: 8) == (["👍"], true))
        timeline.actions.reactionRestrictions = ReactionRestrictions(maximumPerUser: 1)
        #expect(timeline.actions.offeredReactions(["👍"], limit: 8) == (["👍"], true))
        timeline.actions.reactionRestrictions = ReactionRestrictions(maximumPerUser: 0)
        #expect(timeline.actions.offeredReactions(["👍"], limit: 8) == ([], false))
        timeline.actions.reactionRestrictions = ReactionRestrictions(maximumPerUser: 1, allowed: ["💘", "💜"])
        #expect(timeline.actions.offeredReactions(["👍"], limit: 8) == (["💘", "💜"], false))
        #expect(timeline.actions.offeredReactions(["👍"], limit: 1) == (["💘"], false))
        #expect(try await timeline.actions.toggleReaction("💘", to: id))
        #expect(try await timeline.actions.toggleReaction("💜", to: id))
        #expect(await own() == ["💜"])
        #expect(try await !timeline.actions.toggleReaction("👍", to: id))
        #expect(await own() == ["💜"])
        #expect(try await timeline.actions.toggleReaction("💜", to: id))
        #expect(await own() == [])
    }

    @Test("an encrypted message that could not be opened shows a text, never an empty line")
    func notOpened() async throws {
        let fixture = try await ModelFixture()
        let key = fixture.key
        let reasons = [
            "other-device", "damaged", "forged", "requested", "no-session", "unknown-pre-key", "key-discarded",
            "wrong-time", "not-supported", "own-keys", "key-missing", "something new",
        ]
        try await fixture.store.write { store throws(StoreError) in
            for (number, reason) in reasons.enumerated() {
                _ = try store.receive(
                    MessageCopy(
                        route: .live, sender: key.address, wireID: "m\(number)", time: ModelFixture.time(Int64(number)),
                        content: .text(MessageText("")),
                        protection: .notOpened(scheme: "urn:xmpp:omemo:2", reason: reason)), in: key)
            }
        }
        let timeline = fixture.timeline(pageSize: 20)
        await timeline.open()
        let shown = timeline.items.elements.compactMap(\.message)
        #expect(shown.map(\.notOpened).compactMap { $0 }.count == reasons.count)
        #expect(Set(shown.map(\.notOpened)).count == reasons.count - 1)
        #expect(shown.allSatisfy { $0.text.body.isEmpty })
        let preview = MessagePreview(
            kind: .notOpened, text: "", senderName: "Romeo", isOutgoing: false, state: .delivered)
        #expect(!Wording.preview(preview).isEmpty)
    }
}
