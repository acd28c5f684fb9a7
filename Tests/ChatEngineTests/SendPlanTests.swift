import ChatFixtures
import ChatStore
import ChatStoreTesting
import Testing
import XMPPAddress

@testable import ChatEngine

@Suite("Planning the send queue")
struct SendPlanTests {
    static let time = MessageTime(millisecondsSince1970: 1_000_000)

    /// A store with messages written alternately in two conversations.
    static func queue() async throws -> (store: MemoryStore, account: AccountID, ids: [MessageID]) {
        let store = MemoryStore()
        let juliet = try JID("juliet@example.com")
        let (account, ids) = try await store.write { writer throws(StoreError) in
            let account = try writer.addAccount(juliet)
            var ids: [MessageID] = []
            for number in 0..<4 {
                let peer = number % 2 == 0 ? "romeo@example.com" : "nurse@example.com"
                guard let address = try? JID(peer) else { return (account, ids) }
                let key = ConversationKey(account: account, address: address, kind: .direct)
                ids.append(
                    try writer.send(
                        OutgoingMessage(
                            sender: juliet, originID: "m\(number)", time: time.advanced(by: Int64(number)),
                            content: .text(MessageText("\(number)"))), in: key))
            }
            return (account, ids)
        }
        return (store, account, ids)
    }

    /// The result of a plan for the whole queue.
    struct Outcome {
        var plan = SendPlan()
        var messages: [MessageID] = []
        var uploads: [MessageID] = []

        mutating func show(
            _ entries: [QueuedMessage], inFlight: Set<MessageID> = [], now: MessageTime = time,
            readiness: (ConversationID) -> SendPlan.Readiness = { _ in .open }
        ) {
            for entry in entries {
                switch plan.shown(
                    entry, isInFlight: inFlight.contains(entry.message.id), now: now,
                    readiness: readiness(entry.message.conversation))
                {
                case .send: messages.append(entry.message.id)
                case .upload: uploads.append(entry.message.id)
                case .wait: break
                }
            }
        }
    }

    static func entries(_ store: MemoryStore, _ account: AccountID) async throws -> [QueuedMessage] {
        try await store.read { reader throws(StoreError) in try reader.sendQueue(of: account) }
    }

    static func plan(
        _ store: MemoryStore, _ account: AccountID, inFlight: Set<MessageID> = [], now: MessageTime = time,
        readiness: (ConversationID) -> SendPlan.Readiness = { _ in .open }
    ) async throws -> Outcome {
        var outcome = Outcome()
        outcome.show(try await entries(store, account), inFlight: inFlight, now: now, readiness: readiness)
        return outcome
    }

    @Test("an entry is shown once; skipped ones are shown when their block is over, before later ones")
    func releases() async throws {
        let (store, account, ids) = try await Self.queue()
        let later = Self.time.advanced(by: 5000)
        try await store.write { writer throws(StoreError) in try writer.noteAttempt(ids[0], notBefore: later) }
        let entries = try await Self.entries(store, account)
        var outcome = try await Self.plan(store, account)
        #expect(outcome.messages == [ids[1], ids[3]])
        #expect(outcome.plan.end == entries[3].position && outcome.plan.nextRelease == nil)
        outcome.plan.timePassed(now: Self.time)
        #expect(outcome.plan.nextRelease == nil)
        outcome.plan.timePassed(now: later)
        let release = try #require(outcome.plan.nextRelease)
        #expect(release.conversation == entries[0].message.conversation && release.position < entries[0].position)
        // A message written meanwhile waits for those before it.
        let romeo = ConversationKey(account: account, address: try JID("romeo@example.com"), kind: .direct)
        let message = OutgoingMessage(
            sender: romeo.address, originID: "late", time: Self.time, content: .text(MessageText("late")))
        _ = try await store.write { writer throws(StoreError) in try writer.send(message, in: romeo) }
        let all = try await Self.entries(store, account)
        outcome.show([all[4]], now: later)
        #expect(outcome.messages == [ids[1], ids[3]])
        outcome.show([all[0], all[2], all[4]], now: later)
        #expect(outcome.messages == [ids[1], ids[3], ids[0], ids[2], all[4].message.id])
        outcome.plan.caughtUp(release.conversation)
        #expect(outcome.plan.nextRelease == nil)
    }

    @Test("a block ends when its message leaves the queue, and if a room waited for it the room is named")
    func dequeued() async throws {
        let (store, account, ids) = try await Self.queue()
        let entries = try await Self.entries(store, account)
        let room = entries[0].message.conversation
        var outcome = try await Self.plan(store, account) { $0 == room ? .oneByOne : .open }
        #expect(outcome.messages == [ids[0], ids[1], ids[3]] && outcome.plan.awaited == [ids[0]])
        #expect(outcome.plan.dequeued([ids[1]]) == [])
        #expect(outcome.plan.dequeued([ids[0]]) == [room])
        #expect(outcome.plan.nextRelease?.position == entries[0].position)
    }

    @Test("where a message may be rejected, the next one waits until it is confirmed")
    func oneByOne() async throws {
        let (store, account, ids) = try await Self.queue()
        let first = try #require(try await store.read { reader throws(StoreError) in try reader.message(ids[0]) })
        func plan(_ inFlight: Set<MessageID>, _ readiness: SendPlan.Readiness) async throws -> [MessageID] {
            try await Self.plan(store, account, inFlight: inFlight) {
                $0 == first.conversation ? readiness : .open
            }.messages
        }
        #expect(try await plan([], .oneByOne) == [ids[0], ids[1], ids[3]])
        #expect(try await plan([ids[0]], .oneByOne) == [ids[1], ids[3]])
        #expect(try await plan([ids[0]], .open) == [ids[1], ids[2], ids[3]])
        #expect(try await plan([], .closed) == [ids[1], ids[3]])
    }

    @Test("everything in the order of writing, without what was passed to the stream already")
    func order() async throws {
        let (store, account, ids) = try await Self.queue()
        #expect(try await Self.plan(store, account).messages == ids)
        let rest = try await Self.plan(store, account, inFlight: [ids[0], ids[1]])
        #expect(rest.messages == [ids[2], ids[3]])
    }

    @Test("an upload blocks its own conversation only, until the file has a URL")
    func upload() async throws {
        let (store, account, ids) = try await Self.queue()
        let picture = ChatStore.Attachment(kind: .picture, contentHash: "00", isLocal: true)
        let key = ConversationKey(account: account, address: try JID("nurse@example.com"), kind: .direct)
        let (first, second) = try await store.write { writer throws(StoreError) in
            func message(_ id: String, _ attachments: [ChatStore.Attachment]) -> OutgoingMessage {
                OutgoingMessage(
                    sender: key.address, originID: id, time: Self.time,
                    content: .text(MessageText("", attachments: attachments)))
            }
            return (
                try writer.send(message("picture", [picture]), in: key), try writer.send(message("behind", []), in: key)
            )
        }
        let plan = try await Self.plan(store, account)
        #expect(plan.messages == ids)
        #expect(plan.uploads == [first])
        #expect(plan.plan.nextTime == nil)
        try await store.write { writer throws(StoreError) in
            var uploaded = picture
            uploaded.url = "https://example.com/p.jpg"
            try writer.update(uploaded, at: 0, of: first)
        }
        #expect(try await Self.plan(store, account).messages == ids + [first, second])
    }

    @Test("a backoff blocks its conversation until it is over")
    func pause() async throws {
        let (store, account, ids) = try await Self.queue()
        let later = Self.time.advanced(by: 5000)
        try await store.write { writer throws(StoreError) in try writer.noteAttempt(ids[1], notBefore: later) }
        let plan = try await Self.plan(store, account)
        #expect(plan.messages == [ids[0], ids[2]])
        #expect(plan.plan.nextTime == later)
        #expect(try await Self.plan(store, account, now: later).messages == ids)
    }

    @Test("a backoff that was stored while the clock was hours ahead is over when the clock is right again")
    func wrongClock() async throws {
        let (store, account, ids) = try await Self.queue()
        let hours = Self.time.advanced(by: 2 * 3_600_000)
        try await store.write { writer throws(StoreError) in try writer.noteAttempt(ids[1], notBefore: hours) }
        #expect(try await Self.plan(store, account).messages == ids)
        // Also if the clock is corrected while it waits.
        var plan = try await Self.plan(store, account, now: hours.advanced(by: -5000)).plan
        #expect(plan.nextRelease == nil)
        plan.timePassed(now: Self.time)
        #expect(plan.nextRelease != nil)
    }
}

/// The type for messages; the test framework has a type of this name, too.
typealias Attachment = ChatStore.Attachment
