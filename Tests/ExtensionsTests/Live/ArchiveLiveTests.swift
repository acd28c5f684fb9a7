import EntityInformation
import MessageFeatures
import MessageHistory
import ServerFixtures
import ServiceDiscovery
import Testing
import XMLStreaming
import XMPPAddress
import XMPPClient
import XMPPStanzas

@Suite("Archives of real servers")
struct ArchiveLiveTests {
    private static let count = 50

    /// Sends numbered messages and returns when the receiver has all of them.
    private func send(_ count: Int = count, from sender: Session, to receiver: Session) async throws {
        let events = receiver.events(.messages)
        let address = try #require(await receiver.address).bare
        for number in 1...count { try await sender.send(.chat(to: address, body: "\(number)")) }
        _ = try await events.firstMessage { $0.body == "\(count)" ? true : nil }
    }

    private func numbers(_ messages: [ArchivedMessage]) -> [Int] {
        messages.compactMap { $0.message?.body.flatMap { Int($0) } }
    }

    /// Runs sessions that only read archives: Prosody archives receipts too, and they would be counted.
    private func withTwo(
        _ kind: LiveServer, _ body: @escaping @Sendable (_ romeo: Session, _ juliet: Session) async throws -> Void
    ) async throws {
        let server = try await kind.server
        func client(_ name: String) async throws -> Client {
            let account = try await server.newAccount(name)
            var configuration = ClientConfiguration(address: try JID(account.address), password: account.password)
            configuration.host = server.host
            configuration.port = server.port
            configuration.trust = .certificateAuthority(server.authorityFile)
            // The speed of a machine that runs other tests at the same time is not tested.
            configuration.loginTimeout = .seconds(120)
            configuration.add { ServiceDiscovery($0) }
            configuration.add { MessageArchive($0) }
            return Client(configuration)
        }
        let juliet = try await client("juliet")
        try await client("romeo").run { first in
            try await first.send(Presence())
            try await juliet.run { second in
                try await second.send(Presence())
                // The server answers in order: it knows that both are available.
                try await second.ping()
                try await withDeadline { try await body(first, second) }
            }
        }
    }

    private func withConversation(
        _ kind: LiveServer, count: Int = count,
        _ body: @escaping @Sendable (_ archive: MessageArchive, _ filter: ArchiveFilter) async throws -> Void
    ) async throws {
        try await withTwo(kind) { romeo, juliet in
            try await send(count, from: romeo, to: juliet)
            let archive = try #require(juliet[MessageArchive.self])
            try await body(archive, ArchiveFilter(with: try #require(await romeo.address).bare))
        }
    }

    @Test(
        "the newest page first, then page by page to the beginning and forward again", arguments: LiveServer.allCases
    )
    func paging(kind: LiveServer) async throws {
        try await withConversation(kind) { archive, filter in
            let newest = try await archive.page(filter: filter, page: .newest(20))
            #expect(numbers(newest.messages) == Array(31...50))
            #expect(!newest.isComplete)
            #expect(newest.oldestID == newest.messages.first?.id && newest.newestID == newest.messages.last?.id)
            #expect(newest.messages.allSatisfy { $0.stamp != nil })

            var backward: [[Int]] = []
            for try await page in archive.pages(filter: filter, from: .newest(20)) {
                backward.append(numbers(page.messages))
            }
            #expect(backward.filter { !$0.isEmpty } == [Array(31...50), Array(11...30), Array(1...10)])

            var forward: [Int] = []
            for try await page in archive.pages(filter: filter, from: .oldest(15)) { forward += numbers(page.messages) }
            #expect(forward == Array(1...50))

            let id = try #require(newest.oldestID)
            let before = try await archive.page(filter: filter, page: .before(id, 5))
            #expect(numbers(before.messages) == Array(26...30))
            let after = try await archive.page(filter: filter, page: .after(id, 30))
            #expect(numbers(after.messages) == Array(32...50))
            #expect(after.isComplete)
        }
    }

    @Test("live messages contain the archive id", arguments: LiveServer.allCases)
    func identifiers(kind: LiveServer) async throws {
        try await withTwo(kind) { romeo, juliet in
            let events = juliet.events(.messages)
            let account = try #require(await juliet.address).bare
            try await romeo.send(.chat(to: account, body: "x"))
            let live = try await events.firstMessage { $0.body == nil ? nil : $0 }
            let page = try await juliet[MessageArchive.self]?.page(page: .newest(1))
            let archived = try #require(page?.messages.first)
            #expect(archived.archive == account)
            #expect(live.archiveID(assignedBy: account) == archived.id)
            #expect(archived.message?.id == live.id)
        }
    }

    @Test("a time in the future has no messages, and one in the past has all", arguments: LiveServer.allCases)
    func times(kind: LiveServer) async throws {
        try await withConversation(kind, count: 3) { archive, filter in
            var later = filter
            let last = try #require(try await archive.page(filter: filter, page: .newest(1)).messages.first?.stamp)
            later.start = Timestamp(millisecondsSince1970: last.millisecondsSince1970 + 60_000)
            let none = try await archive.page(filter: later, page: .newest(10))
            #expect(none.messages.isEmpty && none.isComplete)
            later.start = Timestamp(millisecondsSince1970: last.millisecondsSince1970 - 3_600_000)
            #expect(try await archive.page(filter: later, page: .oldest(10)).messages.count == 3)
        }
    }

    @Test(
        "extended archives: by ids, flipped, and their ends; others report that they do not support it",
        arguments: LiveServer.allCases)
    func extended(kind: LiveServer) async throws {
        try await withConversation(kind, count: 10) { archive, filter in
            let capabilities = try await archive.capabilities()
            #expect(capabilities.isAvailable)
            let all = try await archive.page(filter: filter, page: .oldest(50)).messages
            #expect(numbers(all) == Array(1...10))
            guard capabilities.isExtended else {
                for filter in [ArchiveFilter(beforeID: "1"), .init(afterID: "1"), .init(ids: ["1"])] {
                    let error = await #expect(throws: ArchiveError.self) {
                        try await archive.page(filter: filter, page: .newest(1))
                    }
                    #expect(error?.code == .notSupported)
                }
                return
            }
            let wanted = [all[2].id, all[7].id]
            let found = try await archive.messages(withIDs: wanted)
            #expect(numbers(found) == [3, 8])
            var between = filter
            between.afterID = all[1].id
            between.beforeID = all[8].id
            let middle = try await archive.page(filter: between, page: .oldest(50))
            #expect(numbers(middle.messages) == Array(3...8))
            let flipped = try await archive.page(filter: filter, page: .newest(4), flipped: true)
            #expect(numbers(flipped.messages) == [10, 9, 8, 7])
            #expect(flipped.oldestID == all[6].id && flipped.newestID == all[9].id)
            let metadata = try await archive.metadata()
            #expect(metadata.start?.id == all[0].id && metadata.end?.id == all[9].id)
        }
    }

    @Test(
        "a cursor that the archive does not have is a specific error, or an empty page", arguments: LiveServer.allCases
    )
    func vanished(kind: LiveServer) async throws {
        try await withConversation(kind, count: 2) { archive, filter in
            do throws(ArchiveError) {
                let page = try await archive.page(filter: filter, page: .before("1", 10))
                // ejabberd uses times as ids, and before the first of them there is nothing.
                #expect(kind == .ejabberd && page.messages.isEmpty)
            } catch {
                #expect(error.code == .messageVanished)
            }
            guard try await archive.capabilities().isExtended else { return }
            let error = await #expect(throws: ArchiveError.self) {
                try await archive.messages(withIDs: ["no-such-message"])
            }
            #expect(error?.code == .messageVanished)
        }
    }

    @Test("preferences are read, changed and read again", arguments: LiveServer.allCases)
    func preferences(kind: LiveServer) async throws {
        try await withTwo(kind) { romeo, juliet in
            let archive = try #require(juliet[MessageArchive.self])
            let friend = try #require(await romeo.address).bare
            let before = try await archive.preferences()
            #expect(before.standard == .always && before.never.isEmpty)
            let wanted = ArchivePreferences(.always, never: [friend])
            #expect(try await archive.setPreferences(wanted) == wanted)
            #expect(try await archive.preferences() == wanted)
            try await send(2, from: romeo, to: juliet)
            #expect(try await archive.page(filter: ArchiveFilter(with: friend), page: .newest(5)).messages.isEmpty)
        }
    }

    /// 100 attributes with a prefix are written with 100 declarations: more than the limit.
    private func unreadable(to receiver: JID, _ type: Message.Kind) -> Message {
        var message = Message(to: receiver, type: type, body: "unreadable")
        message.payloads.append(
            XMLElement(XMLName("x", "urn:x")) { writer in
                for number in 0..<100 { writer.attribute(XMLName("a\(number)", "urn:y"), "") }
            })
        return message
    }

    @Test(
        "an unreadable item has a position in its page, and paging continues after it", arguments: LiveServer.allCases)
    func unreadable(kind: LiveServer) async throws {
        try await withTwo(kind) { romeo, juliet in
            let events = juliet.events([.messages, .elements])
            let account = try #require(await juliet.address).bare
            for number in 1...4 {
                try await romeo.send(.chat(to: account, body: "\(number)"))
                if number != 3 { try await romeo.send(unreadable(to: account, .chat)) }
            }
            try await romeo.send(.chat(to: account, body: "end"))
            var skipped = 0
            search: for await batch in events {
                for event in batch {
                    if case .skipped(let element) = event, element.name.local == "message" { skipped += 1 }
                    if case .message(let message) = event, message.body == "end" { break search }
                }
            }
            #expect(skipped == 3)
            let archive = try #require(juliet[MessageArchive.self])
            let filter = ArchiveFilter(with: try #require(await romeo.address).bare)
            let whole = try await archive.page(filter: filter, page: .newest(20))
            #expect(whole.unreadable == 3 && whole.isComplete)
            #expect(whole.messages.map { $0.message?.body } == ["1", nil, "2", nil, "3", "4", nil, "end"])
            #expect(Set(whole.messages.map(\.id)).count == 8)
            for start in [ArchivePosition.newest(1), .oldest(1), .newest(3), .oldest(3)] {
                var found: Set<String> = []
                var count = 0
                for try await page in archive.pages(filter: filter, from: start) {
                    found.formUnion(page.messages.map(\.id))
                    count += page.unreadable
                }
                #expect(found == Set(whole.messages.map(\.id)) && count == 3)
            }
        }
    }

    @Test(
        "an unreadable stanza of one occupant ends no session, and paging of the room's archive continues after it",
        arguments: LiveServer.allCases)
    func unreadableInRoom(kind: LiveServer) async throws {
        try await withTwo(kind) { romeo, juliet in
            let room = try JID("coven-\(UInt32.random(in: 0...UInt32.max))@conference.xmpp.test")
            for (session, name) in [(romeo, "romeo"), (juliet, "juliet")] {
                let events = session.events(.messages)
                var join = Presence()
                join.to = try room.with(resource: name)
                join.payloads.append(try XMLElement(parsing: "<x xmlns='http://jabber.org/protocol/muc'/>"))
                try await session.send(join)
                _ = try await events.firstMessage { $0.type == .groupchat && $0.subject != nil ? true : nil }
                guard name == "romeo" else { continue }
                // Prosody does not let others join before.
                var configuration = IQ(type: .set, to: room)
                configuration.payloads.append(
                    try XMLElement(
                        parsing: "<query xmlns='http://jabber.org/protocol/muc#owner'>"
                            + "<x xmlns='jabber:x:data' type='submit'/></query>"))
                _ = try await romeo.request(configuration)
            }
            let events = juliet.events(.messages)
            try await romeo.send(unreadable(to: room, .groupchat))
            try await romeo.send(Message(to: room, type: .groupchat, body: "1"))
            _ = try await events.firstMessage { $0.body == "1" ? true : nil }
            let page = try await juliet[MessageArchive.self]?.page(in: room, page: .newest(2))
            #expect(page?.messages.map { $0.message?.body } == [nil, "1"] && page?.unreadable == 1)
            #expect(await juliet.isOnline)
            #expect(await romeo.isOnline)
        }
    }

    @Test("a result without a query is not delivered", arguments: LiveServer.allCases)
    func forged(kind: LiveServer) async throws {
        try await withTwo(kind) { romeo, juliet in
            let victim = try #require(await juliet.address)
            let events = juliet.events([.messages, .filtered])
            var inner = Message(type: .chat, body: "forged")
            inner.from = try JID("nurse@capulet.lit")
            var message = Message(to: victim, type: .chat, body: "outer")
            message.append(ArchiveResult(queryID: "q1", id: "1", forwarded: ForwardedMessage(inner)))
            try await romeo.send(message)
            try await romeo.send(.chat(to: victim, body: "end"))
            var wasFiltered = false
            search: for await batch in events {
                for event in batch {
                    switch event {
                    case .filtered(.message(let message), .incoming):
                        wasFiltered = wasFiltered || message.payloads.contains(ArchiveResult.name)
                    case .message(let message):
                        #expect(message.body == "end")
                        if message.body == "end" { break search }
                    default: break
                    }
                }
            }
            #expect(wasFiltered)
        }
    }

    @Test("a cancelled query leaves nothing behind, and the next one works", arguments: LiveServer.allCases)
    func cancelled(kind: LiveServer) async throws {
        try await withConversation(kind, count: 5) { archive, filter in
            let task = Task { try await archive.page(filter: filter, page: .newest(5)) }
            task.cancel()
            if case .failure(let error) = await task.result { #expect((error as? ArchiveError)?.code == .cancelled) }
            let page = try await archive.page(filter: filter, page: .newest(5))
            #expect(numbers(page.messages) == Array(1...5))
        }
    }

    @Test("a room has its own archive, and only the room's results are accepted for it", arguments: LiveServer.allCases)
    func room(kind: LiveServer) async throws {
        try await withTwo(kind) { romeo, juliet in
            let room = try JID("coven-\(UInt32.random(in: 0...UInt32.max))@conference.xmpp.test")
            let events = romeo.events(.messages)
            var join = Presence()
            join.to = try room.with(resource: "romeo")
            join.payloads.append(try XMLElement(parsing: "<x xmlns='http://jabber.org/protocol/muc'/>"))
            try await romeo.send(join)
            // The subject is the last stanza that a room sends to a joining occupant.
            _ = try await events.firstMessage { $0.type == .groupchat && $0.subject != nil ? true : nil }
            for number in 1...5 { try await romeo.send(Message(to: room, type: .groupchat, body: "\(number)")) }
            let last = try await events.firstMessage { $0.body == "5" ? $0 : nil }

            let archive = try #require(romeo[MessageArchive.self])
            #expect(try await archive.capabilities(of: room).isAvailable)
            let page = try await archive.page(in: room, page: .newest(3))
            #expect(numbers(page.messages) == [3, 4, 5])
            #expect(page.messages.allSatisfy { $0.archive == room && $0.message?.from == join.to })
            #expect(last.archiveID(assignedBy: room) == page.messages.last?.id)
            var backward: [Int] = []
            for try await page in archive.pages(in: room, from: .newest(2)) { backward += numbers(page.messages) }
            #expect(backward.sorted() == [1, 2, 3, 4, 5])
        }
    }

    @Test("the archive of another user cannot be read", arguments: LiveServer.allCases)
    func othersArchive(kind: LiveServer) async throws {
        try await withTwo(kind) { romeo, juliet in
            let events = romeo.events(.messages)
            let other = try #require(await romeo.address).bare
            try await romeo.send(.chat(to: other, body: "to myself"))
            _ = try await events.firstMessage { $0.body }
            #expect(try await romeo[MessageArchive.self]?.page(page: .newest(9)).messages.isEmpty == false)
            do throws(ArchiveError) {
                // ejabberd returns the messages of our own archive instead of the requested ones.
                let page = try await juliet[MessageArchive.self]?.page(in: other, page: .newest(9))
                #expect(kind == .ejabberd && page?.messages.isEmpty == true)
            } catch {
                #expect(error.code == .forbidden || error.code == .notSupported)
            }
        }
    }
}
