import ChatEngine
import ChatFixtures
import ChatStore
import Testing
import XMPPAddress

@Suite("What of the send queue goes out next")
struct SendPlanTests {
    static let time = MessageTime(millisecondsSince1970: 1_000_000)

    /// A store with two conversations, in which messages were written in turns.
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

    static func plan(
        _ store: MemoryStore, _ account: AccountID, inFlight: Set<MessageID> = [], now: MessageTime = time,
        readiness: (ConversationID) -> SendPlan.Readiness = { _ in .open }
    ) async throws -> SendPlan {
        let queue = try await store.read { reader throws(StoreError) in try reader.sendQueue(of: account) }
        return SendPlan(queue, inFlight: inFlight, now: now, readiness: readiness)
    }

    @Test("Where one may be refused and the next not, the next waits until nobody has the one before any more")
    func oneByOne() async throws {
        let (store, account, ids) = try await Self.queue()
        let first = try #require(try await store.read { reader throws(StoreError) in try reader.message(ids[0]) })
        func plan(_ inFlight: Set<MessageID>, _ readiness: SendPlan.Readiness) async throws -> [MessageID] {
            try await Self.plan(store, account, inFlight: inFlight) {
                $0 == first.conversation ? readiness : .open
            }.messages.map(\.message.id)
        }
        #expect(try await plan([], .oneByOne) == [ids[0], ids[1], ids[3]])
        #expect(try await plan([ids[0]], .oneByOne) == [ids[1], ids[3]])
        #expect(try await plan([ids[0]], .open) == [ids[1], ids[2], ids[3]])
        #expect(try await plan([], .closed) == [ids[1], ids[3]])
    }

    @Test("Everything in the order of writing, without what the stream has already")
    func order() async throws {
        let (store, account, ids) = try await Self.queue()
        #expect(try await Self.plan(store, account).messages.map(\.message.id) == ids)
        let rest = try await Self.plan(store, account, inFlight: [ids[0], ids[1]])
        #expect(rest.messages.map(\.message.id) == [ids[2], ids[3]])
    }

    @Test("A file that is to be uploaded holds back its own conversation and no other, until it has an address")
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
        #expect(plan.messages.map(\.message.id) == ids)
        #expect(plan.uploads.map(\.message.id) == [first])
        #expect(plan.nextTime == nil)
        try await store.write { writer throws(StoreError) in
            try writer.advance(first, to: .uploading(percent: 100))
            var uploaded = picture
            uploaded.url = "https://example.com/p.jpg"
            try writer.update(uploaded, at: 0, of: first)
        }
        #expect(try await Self.plan(store, account).messages.map(\.message.id) == ids + [first, second])
    }

    @Test("A pause holds back its conversation until it is over")
    func pause() async throws {
        let (store, account, ids) = try await Self.queue()
        let later = Self.time.advanced(by: 5000)
        try await store.write { writer throws(StoreError) in try writer.noteAttempt(ids[1], notBefore: later) }
        let plan = try await Self.plan(store, account)
        #expect(plan.messages.map(\.message.id) == [ids[0], ids[2]])
        #expect(plan.nextTime == later)
        #expect(try await Self.plan(store, account, now: later).messages.map(\.message.id) == ids)
    }
}

/// That of a message; tests have attachments, too.
typealias Attachment = ChatStore.Attachment
