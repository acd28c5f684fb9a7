import ChatStore
import Testing
import XMPPAddress
import XMPPStream

@Suite("Both stores: conversations and timelines")
struct ContractTests {
    @Test("S1-28: an opened conversation shows its history", arguments: StoreKind.allCases)
    func history(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        try await store.receive(.text("But, soft!", origin: "a", at: 1))
        _ = try await store.send("Ay me!", id: "b", at: 2)
        let page = try await store.timeline()
        #expect(page.map(\.text.body) == ["But, soft!", "Ay me!"])
        #expect(page.map(\.isOutgoing) == [false, true])
        #expect(page.map(\.state) == [.delivered, .queued])
        #expect(page.map(\.time) == [.at(1), .at(2)])
        #expect(page.map(\.sender) == [.romeoPhone, .juliet])
    }

    @Test("S1-29: a conversation contains only its own messages, in the order of time", arguments: StoreKind.allCases)
    func separation(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        let tybalt = ConversationKey(account: store.account, address: .tybalt, kind: .direct)
        try await store.receive(.text("two", origin: "b", at: 2, source: .delay))
        try await store.receive(.text("other", from: .tybalt, origin: "c", at: 1), in: tybalt)
        try await store.receive(.text("one", origin: "a", at: 1, source: .delay))
        #expect(try await store.bodies() == ["one", "two"])
        #expect(try await store.bodies(tybalt) == ["other"])
    }

    @Test("every field of a message is read back as it was stored", arguments: StoreKind.allCases)
    func fields(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        let attachment = Attachment(
            kind: .picture, mediaType: "image/jpeg", name: "../../etc/passwd", size: 5_000_000_000, width: 40,
            height: 30,
            duration: 1200, url: "https://files.example/x", contentHash: String(repeating: "0a", count: 32),
            isLocal: true, thumbnail: [0, 1, 255])
        let text = MessageText(
            "with\u{0}everything 🕊️ 鸿雁", subject: "subject", thread: "thread",
            reply: .archived(ArchiveReference(archive: .romeo, id: "r")),
            attachments: [attachment, Attachment(kind: .file)])
        var copy = MessageCopy.with(
            .text(text), id: "AAAAAAAA-0000-0000-0000-000000000000", origin: "0b9e1f9a-6f0e-4a52-b2f5-000000000000",
            archived: "1720000000000001", at: 7, source: .delay, occupant: "occupant")
        copy.archiveReferences.append(ArchiveReference(archive: .romeo, id: "007"))
        let id = try await store.receive(copy).id
        let message = try #require(try await store.timeline().first)
        #expect(message.id == id)
        #expect(message.text == text)
        #expect(message.wireID == "AAAAAAAA-0000-0000-0000-000000000000")
        #expect(message.originID == "0b9e1f9a-6f0e-4a52-b2f5-000000000000")
        #expect(message.archiveReference == ArchiveReference(archive: .juliet, id: "1720000000000001"))
        #expect(message.occupantID == "occupant")
        #expect(message.timeSource == .delay)
        let romeo = store.romeo
        let byFurtherName = try await store.store.read { store throws(StoreError) -> StoredMessage? in
            guard let conversation = try store.conversation(romeo) else { return nil }
            return try store.message(.archived(ArchiveReference(archive: .romeo, id: "007")), in: conversation)
        }
        #expect(byFurtherName == message)
    }

    @Test("identifiers are read back in their exact spelling", arguments: StoreKind.allCases)
    func identifiers(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        let ids = [
            "0", "1", "01", "00", "-1", "+1", "1.0", "1e3", " 1", "999999999999999999", "1000000000000000000",
            "99999999999999999999", "0b9e1f9a-6f0e-4a52-b2f5-2f8e6c2f1a11", "0B9E1F9A-6F0E-4A52-B2F5-2F8E6C2F1A11",
            "0b9e1f9a6f0e4a52b2f52f8e6c2f1a11", "0b9e1f9a-6f0e-4a52-b2f5-2f8e6c2f1a1", "鸿雁", "x\u{0}y", "",
        ]
        for (index, id) in ids.enumerated() {
            try await store.receive(.text("m", origin: id, archived: id, at: Int64(index), source: .delay))
        }
        let page = try await store.timeline()
        #expect(page.map(\.originID) == ids)
        #expect(page.map { $0.archiveReference?.id } == ids)
        for (index, id) in ids.enumerated() {
            #expect(try await store.receive(.text("m", origin: id, at: 99)) == .known(page[index].id))
        }
    }

    @Test("pages before and after an anchor have no gap or overlap", arguments: StoreKind.allCases)
    func pages(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        for number in 0..<25 {
            // Several messages have the same time.
            try await store.receive(
                .text("\(number)", origin: "\(number)", at: Int64(number / 4), source: .delay))
        }
        let all = try await store.timeline()
        #expect(all.map(\.text.body) == (0..<25).map { "\($0)" })
        var backward: [StoredMessage] = []
        var anchor = TimelineAnchor.newest
        while true {
            let page = try await store.timeline(nil, anchor, limit: 4)
            guard let first = page.first else { break }
            backward = page + backward
            anchor = .before(first.position)
        }
        #expect(backward == all)
        var forward: [StoredMessage] = []
        anchor = .after(.start(of: .at(-10)))
        while true {
            let page = try await store.timeline(nil, anchor, limit: 4)
            guard let last = page.last else { break }
            forward += page
            anchor = .after(last.position)
        }
        #expect(forward == all)
        #expect(try await store.timeline(nil, .newest, limit: 0).isEmpty)
    }

    @Test("a jump shows the messages around a message or a date", arguments: StoreKind.allCases)
    func jump(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        for number in 0..<20 {
            try await store.receive(.text("\(number)", origin: "\(number)", at: Int64(number), source: .delay))
        }
        let all = try await store.timeline()
        #expect(
            try await store.timeline(nil, .around(all[10].position), limit: 5).map(\.text.body)
                == ["8", "9", "10", "11", "12"])
        #expect(
            try await store.timeline(nil, .around(.start(of: .at(15))), limit: 4).map(\.text.body)
                == ["13", "14", "15", "16"])
    }

    @Test(
        "the list shows the last message, unread count and draft; pinned conversations first, then the newest",
        arguments: StoreKind.allCases
    )
    func list(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        let tybalt = ConversationKey(account: store.account, address: .tybalt, kind: .direct)
        try await store.receive(.text("old", from: .tybalt, origin: "t", at: 1), in: tybalt)
        try await store.receive(.text("one", origin: "a", at: 2))
        try await store.receive(.text("two", origin: "b", at: 3))
        let romeo = store.romeo
        let draft = Draft(body: "Dear", time: .at(9))
        try await store.store.write { store throws(StoreError) in
            try store.saveDraft(draft, in: store.openConversation(romeo))
        }
        var list = try await store.store.read { store throws(StoreError) in try store.conversations() }
        #expect(list.map(\.key) == [romeo, tybalt])
        #expect(list.map { $0.lastMessage?.text.body } == ["two", "old"])
        #expect(list.map(\.unreadCount) == [2, 1])
        #expect(list.map(\.draft) == [draft, nil])
        var settings = list[1].settings
        settings.isPinned = true
        settings.pinRank = 3
        settings.notifications = .mentions
        settings.mutedUntil = .at(100)
        settings.isUnshared = true
        let (pinned, id) = (settings, list[1].id)
        try await store.store.write { store throws(StoreError) in try store.update(pinned, of: id) }
        list = try await store.store.read { store throws(StoreError) in try store.conversations() }
        #expect(list.map(\.key) == [tybalt, romeo])
        #expect(list[0].settings == pinned)
        try await store.store.write { store throws(StoreError) in
            try store.saveDraft(nil, in: store.openConversation(romeo))
        }
        #expect(try await store.conversation()?.draft == nil)
        // Without a message the time at which the user has begun it counts.
        let balcony = ConversationKey(account: store.account, address: .balcony, kind: .room)
        let bookmarked = ConversationKey(account: store.account, address: .tybalt, kind: .room)
        // A contact to whom nothing was said stays in the list; a row that only waits for a message is not in it.
        let mercutio = ConversationKey(
            account: store.account, address: try JID("mercutio@verona.example"), kind: .direct)
        let paris = ConversationKey(account: store.account, address: try JID("paris@verona.example"), kind: .direct)
        try await store.store.write { store throws(StoreError) in
            try store.update(ConversationSettings(), of: id)
            try store.noteBeginning(of: store.openConversation(balcony), at: .at(2))
            _ = try store.openConversation(bookmarked)
            try store.noteBeginning(of: store.openConversation(mercutio), at: .at(0))
            _ = try store.openConversation(paris)
        }
        list = try await store.store.read { store throws(StoreError) in try store.conversations() }
        #expect(list.map(\.key) == [romeo, balcony, tybalt, mercutio, bookmarked])
        #expect(list.map(\.begun) == [nil, .at(2), nil, .at(0), nil])
    }

    @Test("the unread line is above the first unread message", arguments: StoreKind.allCases)
    func unread(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        var ids: [MessageID] = []
        for number in 0..<5 {
            ids.append(try await store.receive(.text("\(number)", origin: "\(number)", at: Int64(number))).id)
        }
        _ = try await store.send("mine", id: "mine", at: 9)
        let (second, fourth) = (ids[1], ids[3])
        try await store.store.write { store throws(StoreError) in try store.markRead(upTo: fourth) }
        // It never moves back.
        try await store.store.write { store throws(StoreError) in try store.markRead(upTo: second) }
        let conversation = try #require(try await store.conversation())
        #expect(conversation.unreadCount == 1)
        let line = try await store.store.read { store throws(StoreError) in
            try store.firstUnread(in: conversation.id)
        }
        #expect(line?.id == ids[4])
        // A retracted message does not count as unread.
        try await store.receive(.with(.retraction(of: .sent(id: "4")), id: "r", at: 10))
        #expect(try await store.conversation()?.unreadCount == 0)
    }

    @Test("reading on another device counts, even before the message arrives", arguments: StoreKind.allCases)
    func readElsewhere(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        try await store.receive(.text("one", origin: "a", archived: "1", at: 1))
        let romeo = store.romeo
        try await store.store.write { store throws(StoreError) in
            let conversation = try store.openConversation(romeo)
            try store.markRead(upTo: .archived(ArchiveReference(archive: .juliet, id: "2")), in: conversation)
        }
        #expect(try await store.conversation()?.unreadCount == 1)
        try await store.receive(.text("two", origin: "b", archived: "2", at: 2))
        #expect(try await store.conversation()?.unreadCount == 0)
    }

    @Test("the unread count stops at its limit", arguments: StoreKind.allCases)
    func unreadLimit(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        let romeo = store.romeo
        try await store.store.write { store throws(StoreError) in
            for number in 0..<Conversation.unreadLimit + 5 {
                _ = try store.receive(.text("x", origin: "\(number)", at: Int64(number)), in: romeo)
            }
        }
        #expect(try await store.conversation()?.unreadCount == Conversation.unreadLimit)
    }

    @Test("a failed transaction changes nothing", arguments: StoreKind.allCases)
    func rollback(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        try await store.receive(.text("kept", origin: "a", at: 1))
        let before = try await store.conversation()
        let romeo = store.romeo
        let tybalt = ConversationKey(account: store.account, address: .tybalt, kind: .direct)
        await #expect(throws: StoreError.self) {
            try await store.store.write { store throws(StoreError) in
                _ = try store.receive(.text("lost", origin: "b", at: 2), in: romeo)
                _ = try store.receive(.text("lost", from: .tybalt, origin: "c", at: 2), in: tybalt)
                throw StoreError(.invalidRequest, "changed my mind")
            }
        }
        #expect(try await store.conversation() == before)
        #expect(try await store.store.read { store throws(StoreError) in try store.conversation(tybalt) } == nil)
        try await store.receive(.text("found", from: .tybalt, origin: "c", at: 3), in: tybalt)
        #expect(try await store.bodies(tybalt) == ["found"])
    }

    @Test("removing a conversation removes its messages", arguments: StoreKind.allCases)
    func removal(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        try await store.receive(.text("needle", origin: "a", archived: "1", at: 1))
        _ = try await store.send("needle too", id: "q", at: 2)
        let id = try #require(try await store.conversation()?.id)
        try await store.store.write { store throws(StoreError) in try store.removeConversation(id) }
        #expect(try await store.conversation() == nil)
        #expect(try await store.found("needle").isEmpty)
        let account = store.account
        #expect(try await store.store.read { store throws(StoreError) in try store.sendQueue(of: account) }.isEmpty)
        // It can be created again.
        try await store.receive(.text("again", origin: "a", archived: "1", at: 1))
        #expect(try await store.bodies() == ["again"])
    }

    @Test("observers get the changes of a transaction, joined if they are slow", arguments: StoreKind.allCases)
    func changes(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        let changes = store.store.changes()
        let first = try await store.receive(.text("one", origin: "a", at: 1)).id
        let second = try await store.send("two", id: "b", at: 2)
        let conversation = try #require(try await store.conversation()?.id)
        var iterator = changes.makeAsyncIterator()
        let seen = try #require(await iterator.next())
        #expect(seen.messages == [conversation: [first, second]])
        #expect(seen.conversations == [conversation])
        #expect(seen.sendQueue)
        // A reaction changes the message that it refers to.
        try await store.receive(.with(.reactions(to: .sent(id: "a"), ["👍"]), id: "r", at: 3))
        #expect(await iterator.next()?.messages == [conversation: [first]])
        await store.store.close()
        #expect(await iterator.next() == nil)
    }

    @Test("a closed store reports that it is closed", arguments: StoreKind.allCases)
    func closing(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        await store.store.close()
        do {
            _ = try await store.timeline()
            Issue.record("a closed store was read")
        } catch let error as StoreError {
            #expect(error.code == .closed)
        }
    }
}
