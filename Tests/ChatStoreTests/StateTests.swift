import ChatStore
import Testing
import XMPPAddress

@Suite("Both stores: states and the send queue")
struct StateTests {
    private func queue(_ store: TestStore) async throws -> [String] {
        let account = store.account
        return try await store.store.read { store throws(StoreError) in
            try store.sendQueue(of: account).map(\.message.text.body)
        }
    }

    private func advance(_ id: MessageID, _ state: MessageState, in store: TestStore) async throws {
        try await store.store.write { store throws(StoreError) in try store.advance(id, to: state) }
    }

    @Test("the store knows whether the user has written in a conversation", arguments: StoreKind.allCases)
    func written(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        func hasWritten() async throws -> Bool {
            let key = store.romeo
            return try await store.store.read { reader throws(StoreError) in
                guard let conversation = try reader.conversation(key) else { return false }
                return try reader.hasWritten(in: conversation)
            }
        }
        #expect(try await !hasWritten())
        try await store.receive(.text("hi", id: "a", at: 1))
        #expect(try await !hasWritten())
        _ = try await store.send("who?", id: "b", at: 2)
        #expect(try await hasWritten())
    }

    @Test(
        "the send queue is read by position; entries that leave it or move to its end are reported",
        arguments: StoreKind.allCases)
    func places(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        var ids: [MessageID] = []
        for number in 0..<5 { ids.append(try await store.send("\(number)", id: "m\(number)", at: Int64(number))) }
        let (all, account) = (ids, store.account)
        func page(after position: Int64, limit: Int) async throws -> SendQueuePage {
            try await store.store.read { reader throws(StoreError) in
                try reader.sendQueue(of: account, in: nil, after: position, limit: limit)
            }
        }
        let first = try await page(after: 0, limit: 2)
        #expect(first.messages.map(\.message.id) == [all[0], all[1]])
        let second = try await page(after: try #require(first.end), limit: 10)
        #expect(second.messages.map(\.message.id) == [all[2], all[3], all[4]] && second.end == nil)
        let end = try #require(second.messages.last?.position)
        var changes = store.store.changes().makeAsyncIterator()
        try await store.store.write { writer throws(StoreError) in
            try writer.acknowledge(["m1", "unknown"], of: account)
            try writer.advance(all[2], to: .failed(FailureReason(.notSent, condition: "too-large")))
            try writer.sendAgain(all[0])
        }
        #expect(await changes.next()?.dequeued == Set(all))
        #expect(try await page(after: end, limit: 10).messages.map(\.message.id) == [all[0], all[3], all[4]])
        #expect(try await page(after: 0, limit: 10).messages.map(\.message.id) == [all[0], all[3], all[4]])
        let queued = try await store.store.read { reader throws(StoreError) in try reader.queued(among: Set(all)) }
        #expect(queued == [all[0], all[3], all[4]])
        let conversation = try #require(try await page(after: 0, limit: 1).messages.first?.message.conversation)
        let there = try await store.store.read { reader throws(StoreError) in
            try reader.sendQueue(of: account, in: conversation, after: end, limit: 10).messages.map(\.message.id)
        }
        #expect(there == [all[0], all[3], all[4]])
    }

    @Test("states only move forward, in whatever order reports arrive", arguments: StoreKind.allCases)
    func forward(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        let id = try await store.send("hi", id: "a", at: 1)
        try await store.report(StateReport(.displayed, target: .sent(id: "a"), sender: .romeoPhone))
        try await store.report(StateReport(.delivered, target: .sent(id: "a"), sender: .romeoPhone))
        try await advance(id, .sentToServer, in: store)
        #expect(try await store.timeline().map(\.state) == [.displayed])
        #expect(try await queue(store).isEmpty)
    }

    @Test(
        "a marker applies to earlier messages that were delivered: those with a receipt, and those in the archive",
        arguments: StoreKind.allCases)
    func markers(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        for (number, id) in ["received", "archived", "lost", "seen", "later"].enumerated() {
            let message = try await store.send(id, id: id, at: Int64(number))
            try await advance(message, .sentToServer, in: store)
        }
        _ = try await store.send("queued", id: "queued", at: 9)
        try await store.report(StateReport(.delivered, target: .sent(id: "received"), sender: .romeo))
        try await store.receive(
            .text(
                "archived", from: .juliet, origin: "archived", archived: "7", at: 1, isOutgoing: true, route: .archive))
        try await store.report(StateReport(.displayed, target: .sent(id: "seen"), sender: .romeo))
        #expect(
            try await store.timeline().map(\.state) == [
                .displayed, .displayed, .sentToServer, .displayed, .sentToServer, .queued,
            ])
        // It is looked for and sent again; then it is shown as read as well.
        let account = store.account
        let doubtful = try await store.store.read { store throws(StoreError) in
            try store.unconfirmed(of: account, sentIn: .at(0)...(.at(20)))
        }
        #expect(doubtful.map(\.text.body) == ["lost", "later"])
        try await store.report(StateReport(.delivered, target: .sent(id: "lost"), sender: .romeo))
        #expect(try await store.timeline().map(\.state)[2] == .displayed)
    }

    @Test("a receipt that arrives before its message waits for it", arguments: StoreKind.allCases)
    func early(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        try await store.receive(.text("hello", origin: "h", at: 0))
        try await store.report(StateReport(.delivered, target: .sent(id: "a"), sender: .romeo))
        try await store.report(StateReport(.displayed, target: .sent(id: "a"), sender: .romeo))
        try await store.report(StateReport(.delivered, target: .sent(id: "a"), sender: .romeo))
        try await store.receive(
            .text("from the phone", from: .juliet, origin: "a", at: 1, isOutgoing: true, route: .carbon))
        #expect(try await store.timeline().map(\.state) == [.delivered, .displayed])
    }

    @Test("nobody has received a file that has no address yet, whatever is reported", arguments: StoreKind.allCases)
    func waitingFile(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        try await store.receive(.text("hello", origin: "h", at: 0))
        let reports = [
            StateReport(.delivered, target: .sent(id: "f"), sender: .romeo),
            StateReport(.displayed, target: .sent(id: "f"), sender: .romeo),
            StateReport(.refused(condition: "forbidden", text: nil), target: .sent(id: "f"), sender: .romeo),
        ]
        // One that came before the message waits for it.
        try await store.report(reports[1])
        let file = Attachment(kind: .file, name: "a.csv", contentHash: "sha-256:1", isLocal: true)
        let (key, sent) = (
            store.romeo,
            OutgoingMessage(
                sender: .juliet, originID: "f", time: .at(2), content: .text(MessageText("", attachments: [file])))
        )
        let id = try await store.store.write { store throws(StoreError) in try store.send(sent, in: key) }
        for report in reports {
            try await store.report(report)
            #expect(try await store.timeline().last?.state == .queued)
            #expect(try await queue(store).count == 1)
        }
        // Once it is uploaded, it can have been sent before a crash that lost the confirmation.
        var uploaded = file
        uploaded.url = "https://capulet.example/a.csv"
        let known = uploaded
        try await store.store.write { store throws(StoreError) in try store.update(known, at: 0, of: id) }
        try await store.report(reports[0])
        #expect(try await store.timeline().last?.state == .delivered)
        #expect(try await queue(store).isEmpty)
    }

    @Test("receipts are only accepted from the recipient", arguments: StoreKind.allCases)
    func forged(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        _ = try await store.send("hi", id: "a", at: 1)
        try await store.report(StateReport(.displayed, target: .sent(id: "a"), sender: .tybalt))
        #expect(try await store.timeline().map(\.state) == [.queued])
        _ = try await store.send("hi all", id: "b", at: 1, in: store.balcony)
        try await store.report(
            StateReport(.displayed, target: .sent(id: "b"), sender: .nurseInBalcony), in: store.balcony)
        #expect(try await store.timeline(store.balcony).map(\.state) == [.queued])
    }

    @Test(
        "who has seen our messages in a room is stored at the last one that they cover; their state stays",
        arguments: StoreKind.allCases)
    func readers(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        let room = store.balcony
        func marker(_ id: String, _ nickname: String, at seconds: Int64) async throws {
            try await store.report(
                StateReport(
                    .displayed, target: .archived(ArchiveReference(archive: .balcony, id: id)),
                    sender: try JID("balcony@rooms.example/\(nickname)"), time: .at(seconds)), in: room)
        }
        for (number, isOwn) in [true, false, true, false].enumerated() {
            try await store.receive(
                .text(
                    "\(number)", from: isOwn ? try JID("balcony@rooms.example/Juliet") : .nurseInBalcony,
                    archived: "\(number)", by: .balcony, at: Int64(number), isOutgoing: isOwn), in: room)
        }
        try await marker("0", "Nurse", at: 5)
        try await marker("1", "Peter", at: 6)
        try await marker("3", "Nurse", at: 7)
        try await marker("3", "Nurse", at: 8)
        try await marker("unknown", "Tybalt", at: 9)
        try await store.report(
            StateReport(.displayed, target: .archived(ArchiveReference(archive: .balcony, id: "0")), sender: .tybalt),
            in: room)
        let messages = try await store.timeline(room)
        #expect(messages.map { $0.receipts.map(\.device) } == [["Nurse", "Peter"], [], ["Nurse"], []])
        #expect(messages.allSatisfy { $0.state != .displayed })
        #expect(messages[2].receipts.map(\.time) == [.at(7)])
        for number in 0..<100 { try await marker("0", "guest \(number)", at: 10) }
        #expect(try await store.timeline(room)[0].receipts.count == 64)
    }

    @Test("a failure has a reason, and a proof of delivery overrides it", arguments: StoreKind.allCases)
    func failures(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        let lost = try await store.send("lost", id: "a", at: 1)
        let reason = FailureReason(.notSent, condition: "upload-failed", text: "413 \"too\" large")
        try await advance(lost, .failed(reason), in: store)
        #expect(try await store.timeline().map(\.state) == [.failed(reason)])
        #expect(try await queue(store).isEmpty)
        // The archive has it after all.
        try await store.receive(
            .text("lost", from: .juliet, origin: "a", archived: "1", at: 2, isOutgoing: true, route: .archive))
        #expect(try await store.timeline().map(\.state) == [.sentToServer])
        let refused = FailureReason(.refused, condition: "service-unavailable", text: "User not found")
        try await store.report(
            StateReport(
                .refused(condition: refused.condition, text: refused.text), target: .sent(id: "a"), sender: .romeo))
        try await advance(lost, .sentToServer, in: store)
        #expect(try await store.timeline().map(\.state) == [.failed(refused)])
        try await store.report(StateReport(.delivered, target: .sent(id: "a"), sender: .romeo))
        #expect(try await store.timeline().map(\.state) == [.delivered])
    }

    @Test("the queue has the order in which messages were written, and their attempts", arguments: StoreKind.allCases)
    func order(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        let first = try await store.send("one", id: "1", at: 5)
        _ = try await store.send("two", id: "2", at: 3)
        _ = try await store.send("three", id: "3", at: 4, in: store.balcony)
        #expect(try await queue(store) == ["one", "two", "three"])
        let account = store.account
        try await store.store.write { store throws(StoreError) in try store.noteAttempt(first, notBefore: .at(60)) }
        let entry = try await store.store.read { store throws(StoreError) in try store.sendQueue(of: account).first }
        #expect(entry?.attempts == 1)
        #expect(entry?.notBefore == .at(60))
        #expect(entry?.message.originID == "1")
        // After its acknowledgement it leaves the queue; if that proves wrong, it is queued again with the same id.
        try await advance(first, .sentToServer, in: store)
        #expect(try await queue(store) == ["two", "three"])
        let unconfirmed = try await store.store.read { store throws(StoreError) in
            try store.unconfirmed(of: account, sentIn: .at(0)...(.at(10)))
        }
        #expect(unconfirmed.map(\.id) == [first])
        try await store.store.write { store throws(StoreError) in try store.sendAgain(first) }
        // Before the messages of its conversation that were written after it, of which some may wait.
        #expect(try await queue(store) == ["three", "one", "two"])
        #expect(try await store.timeline().map(\.originID) == ["1", "2"])
    }

    @Test(
        "when the backoffs end, everything may be tried, and what was tried before stays so",
        arguments: StoreKind.allCases)
    func backoffs(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        let account = store.account
        let ids = [
            try await store.send("one", id: "1", at: 1), try await store.send("two", id: "2", at: 2),
            try await store.send("three", id: "3", at: 3),
        ]
        let other = try await store.store.write { store throws(StoreError) in
            for _ in 0..<3 { try store.noteAttempt(ids[1], notBefore: .at(300)) }
            for _ in 0..<2 { try store.noteAttempt(ids[2], notBefore: nil) }
            let other = try store.addAccount(.romeo)
            let message = OutgoingMessage(
                sender: .romeo, originID: "4", time: .at(4), content: .text(MessageText("four")))
            let id = try store.send(message, in: ConversationKey(account: other, address: .juliet, kind: .direct))
            try store.noteAttempt(id, notBefore: .at(300))
            try store.endBackoffs(of: account)
            return other
        }
        let entries = try await store.store.read { store throws(StoreError) in
            try store.sendQueue(of: account) + store.sendQueue(of: other)
        }
        #expect(entries.map(\.attempts) == [0, 1, 2, 1])
        #expect(entries.map(\.notBefore) == [nil, nil, nil, .at(300)])
    }

    @Test("corrections, retractions and reactions are queued like messages", arguments: StoreKind.allCases)
    func contents(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        let id = try await store.send("tow", id: "a", at: 1)
        let romeo = store.romeo
        let contents: [MessageContent] = [
            .correction(of: .sent(id: "a"), MessageText("two")), .reactions(to: .sent(id: "b"), ["🌹"]),
            .retraction(of: .sent(id: "c")),
        ]
        try await store.store.write { store throws(StoreError) in
            for (number, content) in contents.enumerated() {
                _ = try store.send(
                    OutgoingMessage(sender: .juliet, originID: "x\(number)", time: .at(2), content: content), in: romeo)
            }
        }
        let account = store.account
        let queued = try await store.store.read { store throws(StoreError) in
            try store.sendQueue(of: account).map(\.content)
        }
        #expect(queued == [.text(MessageText("tow"))] + contents)
        #expect(try await store.bodies() == ["two"])
        _ = id
    }

    @Test("an unsent message can be cancelled, a sent one cannot", arguments: StoreKind.allCases)
    func cancel(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        let kept = try await store.send("kept", id: "a", at: 1)
        let dropped = try await store.send("dropped", id: "b", at: 2)
        try await store.store.write { store throws(StoreError) in try store.cancel(dropped) }
        #expect(try await store.bodies() == ["kept"])
        #expect(try await queue(store) == ["kept"])
        #expect(try await store.conversation()?.lastMessage?.id == kept)
        try await advance(kept, .sentToServer, in: store)
        await #expect(throws: StoreError.self) {
            try await store.store.write { store throws(StoreError) in try store.cancel(kept) }
        }
        // Cancelling a correction restores the text.
        let romeo = store.romeo
        let edit = try await store.store.write { store throws(StoreError) in
            try store.send(
                OutgoingMessage(
                    sender: .juliet, originID: "c", time: .at(3),
                    content: .correction(of: .sent(id: "a"), MessageText("edited"))), in: romeo)
        }
        #expect(try await store.bodies() == ["edited"])
        try await store.store.write { store throws(StoreError) in try store.cancel(edit) }
        #expect(try await store.bodies() == ["kept"])
        #expect(try await store.found("kept") == ["kept"])
        #expect(try await store.found("edited").isEmpty)
    }

    @Test("the entry of one message in the send queue", arguments: StoreKind.allCases)
    func queueEntry(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        let (first, second) = (
            try await store.send("one", id: "a", at: 1), try await store.send("two", id: "b", at: 2)
        )
        try await store.store.write { store throws(StoreError) in
            try store.noteAttempt(second, notBefore: .at(9))
            try store.advance(first, to: .sentToServer)
        }
        let (gone, waiting) = try await store.store.read { store throws(StoreError) in
            (try store.queued(first), try store.queued(second))
        }
        #expect(gone == nil)
        #expect(waiting?.attempts == 1 && waiting?.notBefore == .at(9) && waiting?.message.text.body == "two")
    }
}
