import ChatFixtures
import ChatStore
import Testing
import XMPPAddress

@testable import ChatModel

@Suite("The life of a message")
@MainActor
struct MessageLifeTests {
    private func life(
        of state: MessageState, isOnline: Bool = true, isRoom: Bool = false
    ) async throws -> MessageLife {
        let fixture = try await ModelFixture()
        try await fixture.send(.text(MessageText("Ay me!")), id: "m", at: 1)
        let id = try #require(await fixture.all().last?.id)
        if state != .queued {
            try await fixture.store.write { store throws(StoreError) in try store.advance(id, to: state) }
        }
        let timeline = fixture.timeline()
        await timeline.open()
        return try #require(try await timeline.life(of: id, isOnline: isOnline))
    }

    @Test(
        "each state is a step further",
        arguments: [
            (MessageState.queued, [MessageLife.Progress.done, .waiting, .open, .open, .open]),
            (.sentToServer, [.done, .done, .open, .waiting, .open]),
            (.delivered, [.done, .done, .open, .done, .waiting]),
            (.displayed, [.done, .done, .open, .done, .done]),
        ])
    func steps(state: MessageState, progress: [MessageLife.Progress]) async throws {
        #expect(try await life(of: state).steps.map(\.progress) == progress)
    }

    @Test("offline, it waits for a connection and nothing is to be done")
    func offline() async throws {
        let life = try await life(of: .queued, isOnline: false)
        #expect(life.steps[1].detail == "It waits for a connection.")
        #expect(life.advice == "It is sent as soon as you are connected.")
        #expect(try await self.life(of: .queued).advice == nil)
    }

    @Test("a failure says who refused it and what to do")
    func failures() async throws {
        let refused = try await life(of: .failed(FailureReason(.refused, condition: "item-not-found")))
        #expect(refused.steps.map(\.progress) == [.done, .failed])
        #expect(refused.steps.last?.detail == "It was refused: there is no such address")
        #expect(refused.advice == "Check the address, or ask the person for the current one.")
        let unsent = try await life(of: .failed(FailureReason(.notSent, condition: "upload-failed")))
        #expect(unsent.steps.last?.detail == "It was not sent: the file could not be uploaded")
        #expect(unsent.advice == "Send it again.")
    }

    @Test("a file that goes to the contact's device says so while it waits and when it is there")
    func directFile() async throws {
        let fixture = try await ModelFixture()
        let file = Attachment(kind: .file, name: "a.csv", contentHash: "00", isLocal: true)
        let id = try await fixture.send(.text(MessageText("", attachments: [file])), id: "m", at: 1)
        let timeline = fixture.timeline()
        await timeline.open()
        let waiting = try #require(try await timeline.life(of: id, isOnline: true, file: .offered))
        #expect(waiting.steps[1].detail == "The server does not accept the file. Offered to the contact")
        let uploading = try #require(try await timeline.life(of: id, isOnline: true, file: .uploading(3)))
        #expect(uploading.steps[1].detail == "The file is uploaded first.")
        try await fixture.store.write { store throws(StoreError) in try store.advance(id, to: .delivered) }
        let delivered = try #require(try await timeline.life(of: id, isOnline: true))
        #expect(delivered.steps.map(\.progress) == [.done, .done])
        #expect(delivered.steps[1].detail.contains("No server has it."))
    }

    @Test("each device that has confirmed it is named, once, and those of strangers are not")
    func devices() async throws {
        let fixture = try await ModelFixture()
        try await fixture.send(.text(MessageText("Ay me!")), id: "m", at: 1)
        let key = fixture.key
        func report(_ kind: StateReport.Kind, _ sender: String, at seconds: Int64) async throws {
            let report = StateReport(
                kind, target: .sent(id: "m"), sender: try JID(sender), time: ModelFixture.time(seconds))
            try await fixture.store.write { store throws(StoreError) in try store.receive(report, in: key) }
        }
        try await report(.delivered, "romeo@montague.example/phone", at: 2)
        try await report(.delivered, "romeo@montague.example/phone", at: 3)
        try await report(.delivered, "romeo@montague.example/desk", at: 4)
        try await report(.displayed, "romeo@montague.example/desk", at: 5)
        try await report(.displayed, "tybalt@capulet.example/sword", at: 6)
        let stored = try #require(await fixture.all().last)
        #expect(stored.receipts.map(\.device) == ["phone", "desk", "desk"])
        #expect(stored.receipts.map(\.time) == [2, 4, 5].map { ModelFixture.time($0) })
        let timeline = fixture.timeline()
        await timeline.open()
        let life = try #require(try await timeline.life(of: stored.id, isOnline: true))
        #expect(life.steps[3].detail.split(separator: "\n").count == 2)
        #expect(life.steps[3].detail.contains("on the device “desk”"))
        #expect(life.steps[4].detail.contains("desk"))
    }

    @Test("a room that lets one write only once in a while is told in a sentence, with its own words")
    func slowMode() async throws {
        let words = "You have to wait 20 seconds between messages."
        let life = try await life(
            of: .failed(FailureReason(.refused, condition: FailureReason.tooFast, text: words)))
        #expect(
            life.steps.last?.detail
                == "It was refused: the room lets you write only once in a while; wait a moment\n“\(words)”")
        #expect(life.advice == "Wait a moment, then send it again.")
    }

    @Test("in a room it is listed who has seen it, or a later message; nothing where nobody says so")
    func readers() async throws {
        let fixture = try await ModelFixture()
        let key = try fixture.key("balcony@rooms.example", .room)
        let room = key.address
        try await fixture.store.write { store throws(StoreError) in
            for (number, body) in ["O", "Ay me!"].enumerated() {
                _ = try store.receive(
                    MessageCopy(
                        route: .reflection, sender: room, isOutgoing: true, wireID: body, originID: body,
                        archiveReferences: [ArchiveReference(archive: room, id: "\(number)")],
                        time: ModelFixture.time(Int64(number)), content: .text(MessageText(body))), in: key)
            }
        }
        func marker(_ id: String, _ nickname: String, at seconds: Int64) async throws {
            let report = StateReport(
                .displayed, target: .archived(ArchiveReference(archive: room, id: id)),
                sender: try JID("balcony@rooms.example/\(nickname)"), time: ModelFixture.time(seconds))
            try await fixture.store.write { store throws(StoreError) in try store.receive(report, in: key) }
        }
        let messages = try await fixture.all(key)
        let timeline = fixture.timeline(of: key)
        await timeline.open()
        func last(_ index: Int) async throws -> MessageLife.Step? {
            try await timeline.life(of: messages[index].id, isOnline: true)?.steps.last
        }
        #expect(try await last(0)?.title == "Archived")
        try await marker("0", "Romeo", at: 5)
        try await marker("1", "Nurse", at: 6)
        #expect(try await last(0)?.title == "Seen by 2 people")
        #expect(try await last(0)?.detail.contains("Romeo") == true)
        #expect(try await last(1)?.title == "Seen by 1 person")
        #expect(try await last(1)?.detail.hasPrefix("Nurse, ") == true)
    }

    @Test("readers in a room are told apart by occupant id where it assigns one, else by nickname")
    func readersByIdentity() async throws {
        let fixture = try await ModelFixture()
        let key = try fixture.key("balcony@rooms.example", .room)
        let room = key.address
        try await fixture.store.write { store throws(StoreError) in
            for number in 0..<2 {
                _ = try store.receive(
                    MessageCopy(
                        route: .reflection, sender: room, isOutgoing: true, wireID: "o\(number)",
                        originID: "o\(number)",
                        archiveReferences: [ArchiveReference(archive: room, id: "\(number)")],
                        time: ModelFixture.time(Int64(number)), content: .text(MessageText("Ay me!"))), in: key)
            }
        }
        func marker(_ id: String, _ nickname: String, occupant: String?, at seconds: Int64) async throws {
            var report = StateReport(
                .displayed, target: .archived(ArchiveReference(archive: room, id: id)),
                sender: try JID("balcony@rooms.example/\(nickname)"), time: ModelFixture.time(seconds))
            report.occupantID = occupant
            try await fixture.store.write { [report] store throws(StoreError) in try store.receive(report, in: key) }
        }
        let messages = try await fixture.all(key)
        let timeline = fixture.timeline(of: key)
        await timeline.open()
        func seen() async throws -> MessageLife.Step? {
            try await timeline.life(of: messages[0].id, isOnline: true)?.steps.last
        }
        // One person under two names, at two messages and at one.
        try await marker("0", "Romeo", occupant: "r", at: 5)
        try await marker("0", "Montague", occupant: "r", at: 6)
        try await marker("1", "Montague", occupant: "r", at: 7)
        #expect(try await seen()?.title == "Seen by 1 person")
        #expect(try await seen()?.detail.hasPrefix("Romeo, ") == true)
        // Another one under the name that has become free.
        try await marker("1", "Romeo", occupant: "t", at: 8)
        #expect(try await seen()?.title == "Seen by 2 people")
        // Without an id, as of an earlier version, the nickname says who it is.
        try await marker("1", "Nurse", occupant: nil, at: 9)
        try await marker("1", "Nurse", occupant: "n", at: 10)
        #expect(try await seen()?.title == "Seen by 3 people")
        // One character can have any number of bytes; such an id is not kept.
        let heavy = "x" + String(repeating: "\u{301}", count: 100_000)
        try await marker("1", "Tybalt", occupant: heavy, at: 11)
        #expect(try await seen()?.title == "Seen by 4 people")
        #expect(try await fixture.all(key).flatMap(\.receipts).allSatisfy { $0.occupantID?.utf8.count ?? 0 <= 512 })
    }

    @Test("other people's messages have no such life")
    func others() async throws {
        let fixture = try await ModelFixture()
        try await fixture.receive("one", id: "a", at: 1)
        let timeline = fixture.timeline()
        await timeline.open()
        let id = try #require(timeline.messages.first?.id)
        #expect(try await timeline.life(of: id, isOnline: true) == nil)
    }
}
