import ChatEngine
import ChatFixtures
import ChatModel
import ChatStore
import Testing
import XMPPAddress

/// What the models cost over a store in a file; the figures are printed, and limits are far from them.
@Suite("Cost of the models", .enabled(if: LongTests.isOn))
@MainActor
struct ModelSpeedTests {
    private static func median(_ count: Int, _ body: @MainActor () async throws -> Void) async throws -> Duration {
        var times: [Duration] = []
        for _ in 0..<count { times.append(try await ContinuousClock().measure { try await body() }) }
        return times.sorted()[count / 2]
    }

    /// 2,500 pictures in 100,000 messages, and one voice message near their beginning.
    private nonisolated static func files(_ number: Int) -> [Attachment] {
        if number == 100 { return [Attachment(kind: .voice, duration: 900)] }
        return number % 40 == 7 ? [Attachment(kind: .picture, name: "\(number)")] : []
    }

    @Test("100,000 messages in a conversation, 1,000 conversations, 1,000 contacts")
    func figures() async throws {
        let folder = try SpareFolder()
        let store = try await SQLiteStore.open(at: folder.path + "/chat.db")
        let juliet = try JID("juliet@capulet.example")
        let peers = try (0..<1000).map { try JID("u\($0)@x.example") }
        let account = try await store.write { store throws(StoreError) in
            let account = try store.addAccount(juliet)
            for (number, peer) in peers.enumerated() {
                try store.save(StoredContact(address: peer, name: "Name \(number)", subscription: .both), of: account)
                _ = try store.receive(
                    MessageCopy(
                        route: .live, sender: peer, wireID: "first\(number)", time: ModelFixture.time(Int64(number)),
                        content: .text(MessageText("Hello from \(number)"))),
                    in: ConversationKey(account: account, address: peer, kind: .direct))
            }
            return account
        }
        let key = ConversationKey(account: account, address: peers[0], kind: .direct)
        for part in 0..<20 {
            try await store.write { store throws(StoreError) in
                for number in part * 5_000..<(part + 1) * 5_000 {
                    _ = try store.receive(
                        MessageCopy(
                            route: .live, sender: key.address, isOutgoing: number % 3 == 0, wireID: "m\(number)",
                            originID: "m\(number)", time: ModelFixture.time(2000 + Int64(number) * 20),
                            content: .text(
                                MessageText("Number \(number)", attachments: Self.files(number)))), in: key)
                }
            }
        }
        let environment = ModelEnvironment()
        let start = try await Self.median(5) {
            await ConversationList(store: store, environment: environment).reload()
        }
        let list = ConversationList(store: store, environment: environment)
        await list.reload()
        let timeline = Timeline(key, store: store, environment: environment)
        let opened = try await Self.median(5) { await timeline.open() }
        await timeline.showNewest()
        let page = try await Self.median(9) { await timeline.loadOlder() }
        await timeline.showNewest()

        let voice = try await Self.median(9) {
            await SharedMediaModel(key, kinds: [.voice], store: store, environment: environment).open()
        }
        let shared = SharedMediaModel(key, kinds: [.picture], store: store, environment: environment)
        let sharedOpened = await ContinuousClock().measure { await shared.open() }
        let sharedPage = try await Self.median(9) { await shared.loadMore() }
        #expect(shared.items.elements.count == 600)

        let sequence = store.changes()
        var number = 0
        func receive() async throws -> StoreChanges? {
            number += 1
            let (id, peer, time) = (
                "new\(number)", peers[number * 31 % 1000], ModelFixture.time(3_000_000 + Int64(number))
            )
            try await store.write { store throws(StoreError) in
                _ = try store.receive(
                    MessageCopy(
                        route: .live, sender: peer, wireID: id, time: time,
                        content: .text(MessageText("New"))),
                    in: ConversationKey(account: account, address: peer, kind: .direct))
                _ = try store.receive(
                    MessageCopy(
                        route: .live, sender: key.address, wireID: id + "here",
                        time: time, content: .text(MessageText("New here"))),
                    in: key)
            }
            var iterator = sequence.makeAsyncIterator()
            return await iterator.next()
        }
        var listTimes: [Duration] = []
        var timelineTimes: [Duration] = []
        var sharedTimes: [Duration] = []
        for _ in 0..<20 {
            let changes = try #require(try await receive())
            listTimes.append(await ContinuousClock().measure { await list.apply(changes) })
            timelineTimes.append(await ContinuousClock().measure { await timeline.apply(changes) })
            sharedTimes.append(await ContinuousClock().measure { await shared.apply(changes) })
        }
        let contacts = ContactList(store: store, environment: environment)
        await contacts.reload()
        var turn = 0
        let flood = try await Self.median(5) {
            turn += 1
            var presences: [JID: ContactPresence] = [:]
            for (index, peer) in peers.enumerated() where (index + turn) % 3 > 0 {
                presences[peer] = ContactPresence(section: (index + turn) % 3 == 1 ? .online : .away)
            }
            contacts.show(presences: presences, of: account)
        }
        print(
            """
            conversations read: \(start); a message in the list: \(listTimes.sorted()[10])
            timeline opened: \(opened); page: \(page); a message in the timeline: \(timelineTimes.sorted()[10])
            shared pictures opened: \(sharedOpened); page: \(sharedPage); the one voice message: \(voice); \
            a message beside 600 pictures: \(sharedTimes.sorted()[10])
            667 of 1,000 contacts come, go and change places: \(flood)
            """)
        #expect(opened < .milliseconds(500) && page < .milliseconds(500) && flood < .seconds(2))
        await store.close()
    }
}
