import Foundation
import Testing
import XMPPAddress

@testable import ChatStore
@testable import ChatStoreTesting

/// The events of one conversation, and all ways in which a device can receive them.
private struct World {
    /// One stanza in the archive.
    struct Event {
        let id: String
        let time: MessageTime
        /// Without the archive's time stamp; `nil` for an irrelevant stanza.
        var copy: MessageCopy?
    }

    enum Step {
        case send(OutgoingMessage)
        case copy(MessageCopy)
        case page(StoredArchivePage)
        case report(StateReport)
    }

    let key: ConversationKey
    let archive: JID
    var events: [Event] = []
    var reports: [StateReport] = []
    private var random: SeededRandom

    init(seed: Int, account: AccountID) {
        random = SeededRandom(seed: UInt64(seed))
        let isRoom = Bool.random(using: &random)
        key = ConversationKey(account: account, address: isRoom ? .balcony : .romeo, kind: isRoom ? .room : .direct)
        archive = isRoom ? .balcony : .juliet
        var time: Int64 = 0
        for number in 0..<Int.random(in: 2...8, using: &random) {
            // Half of them in the same second as the one before, as in archives with time stamps in seconds.
            time += Bool.random(using: &random) ? 0 : Int64.random(in: 1...5, using: &random)
            addEvent(number, at: .at(time))
        }
        repeatSome()
    }

    /// A message that was lost and sent again is in the archive after others and states its original time, no two at
    /// the same moment. Only messages that have their second for themselves: a row has the archive's order within its
    /// second.
    private mutating func repeatSome() {
        for (number, event) in events.enumerated() {
            guard key.kind == .direct, event.copy?.isOutgoing == false,
                events.count(where: { $0.time == event.time }) == 1, Int.random(in: 0..<4, using: &random) == 0
            else { continue }
            let earlier = Int64.random(in: -4...0, using: &random) * 1000 - 500 + Int64(number)
            events[number].copy?.firstSent = event.time.advanced(by: earlier)
        }
    }

    /// Every third message has files. No generator is used, so that existing seeds keep their meaning.
    private static func files(_ number: Int) -> [Attachment] {
        guard number % 3 == 0, let kind = Attachment.Kind(rawValue: number / 3 % 4) else { return [] }
        // What was sent has an address.
        let url = "https://capulet.example/\(number)"
        let first = Attachment(kind: kind, name: "\(number)", url: url)
        return number % 2 == 0 ? [first] : [first, Attachment(kind: .picture, url: url)]
    }

    private mutating func addEvent(_ number: Int, at time: MessageTime) {
        let name = ArchiveReference(archive: archive, id: "\(1000 + number)")
        if Int.random(in: 0..<8, using: &random) == 0 {
            return events.append(Event(id: name.id, time: time, copy: nil))
        }
        let isOutgoing = Int.random(in: 0..<3, using: &random) == 0
        let sender: JID =
            if key.kind == .direct {
                isOutgoing ? .juliet : .romeo
            } else if isOutgoing {
                .julietInBalcony
            } else {
                Bool.random(using: &random) ? .romeoInBalcony : .nurseInBalcony
            }
        // In a room several occupants choose the same ids, each of them once.
        var id = "m\(number)"
        if key.kind == .room,
            !events.contains(where: { $0.copy?.sender == sender && $0.copy?.wireID == "\(number / 3)" })
        {
            id = "\(number / 3)"
        }
        let texts = events.compactMap(\.copy).filter { $0.content.kind == .text }
        var content = MessageContent.text(MessageText("text \(number)", attachments: Self.files(number)))
        if let target = texts.randomElement(using: &random), let wireID = target.wireID {
            let inArchive = target.archiveReferences[0]
            switch Int.random(in: 0..<8, using: &random) {
            // Sometimes of another sender's message, which must have no effect.
            case 0, 1:
                content = .correction(
                    of: .sent(id: wireID), MessageText("edit \(number)", attachments: Self.files(number)))
            case 2: content = .retraction(of: key.kind == .room ? .archived(inArchive) : .sent(id: wireID))
            case 3, 4:
                content = .reactions(
                    to: key.kind == .room ? .archived(inArchive) : .sent(id: wireID),
                    ["a", "b", "c"].filter { _ in Bool.random(using: &random) })
            default: break
            }
        }
        // One sender uses an id twice only in different kinds of stanzas or without origin-id.
        let hasOrigin = isOutgoing || Int.random(in: 0..<4, using: &random) > 0
        events.append(
            Event(
                id: name.id, time: time,
                copy: MessageCopy(
                    route: .archive, sender: sender, occupantID: key.kind == .room ? sender.resource : nil,
                    isOutgoing: isOutgoing,
                    wireID: hasOrigin ? "\(id)-\(number)" : id, originID: hasOrigin ? "\(id)-\(number)" : nil,
                    archiveReferences: [name], time: time, timeSource: .archive, content: content)))
        if isOutgoing, key.kind == .direct, Bool.random(using: &random) {
            reports.append(
                StateReport(
                    Bool.random(using: &random) ? .delivered : .displayed, target: .sent(id: "\(id)-\(number)"),
                    sender: .romeo))
        }
    }

    private func page(_ range: Range<Int>, _ query: StoredArchiveQuery, isComplete: Bool) -> StoredArchivePage {
        StoredArchivePage(
            archive: archive, query: query,
            items: events[range].map { event in
                ArchiveItem(
                    id: event.id, time: event.time, content: event.copy.map { .message($0, in: key) })
            }, isComplete: isComplete)
    }

    /// All events, in order.
    var ideal: [Step] {
        [.page(page(0..<events.count, StoredArchiveQuery(.forward), isComplete: true))] + reports.map { .report($0) }
    }

    /// The pages of one way to query the archive.
    private mutating func pages() -> [Step] {
        var pages: [Step] = []
        var low = 0
        var high = events.count
        // From the newest backward, then perhaps from the other end up to there.
        var isFirst = true
        let turns = Bool.random(using: &random)
        while low < high {
            let size = Int.random(in: 1...4, using: &random)
            if isFirst || !turns || Bool.random(using: &random) {
                let start = max(low, high - size)
                let limit = low > 0 ? events[low - 1].id : nil
                let query = StoredArchiveQuery(.backward, anchor: isFirst ? nil : events[high].id, limit: limit)
                pages.append(.page(page(start..<high, query, isComplete: start == low)))
                high = start
            } else {
                let end = min(high, low + size)
                let query = StoredArchiveQuery(
                    .forward, anchor: low > 0 ? events[low - 1].id : nil, limit: events[high].id)
                pages.append(.page(page(low..<end, query, isComplete: end == high)))
                low = end
            }
            isFirst = false
            // A page that was lost after it was stored is requested again.
            if Int.random(in: 0..<6, using: &random) == 0, let last = pages.last { pages.append(last) }
        }
        return pages
    }

    /// One of the orders in which a device can receive all of this.
    mutating func interleaving() -> [Step] {
        var streams: [[Step]] = [pages()]
        for event in events {
            guard var copy = event.copy else { continue }
            var steps: [Step] = []
            let isHere = copy.isOutgoing && Bool.random(using: &random)
            if isHere, let origin = copy.originID {
                steps.append(
                    .send(
                        OutgoingMessage(
                            sender: copy.sender, originID: origin, time: skewed(event.time), content: copy.content)))
            }
            // Live, again after a resumption, as a carbon or reflection: any number of times.
            for _ in 0..<Int.random(in: 0...2, using: &random) {
                copy.route = copy.isOutgoing ? (key.kind == .room ? .reflection : .carbon) : .live
                copy.time = skewed(event.time)
                copy.timeSource = Int.random(in: 0..<4, using: &random) == 0 ? .delay : .clock
                // No server had it before it was sent.
                if copy.timeSource == .delay, let first = copy.firstSent { copy.time = max(copy.time, first) }
                var seen = copy
                if copy.originID != nil, Int.random(in: 0..<4, using: &random) == 0 { seen.archiveReferences = [] }
                steps.append(.copy(seen))
            }
            if !steps.isEmpty { streams.append(steps) }
        }
        for report in reports { streams.append([.report(report)]) }
        // Each stream has its own order; the order between streams is random.
        var mixed: [Step] = []
        while !streams.isEmpty {
            let index = streams.indices.randomElement(using: &random) ?? 0
            mixed.append(streams[index].removeFirst())
            if streams[index].isEmpty { streams.remove(at: index) }
        }
        return mixed
    }

    /// Queries what the store regards as missing. A page that was stored twice can leave such a gap if all of it has
    /// the same second, so that nothing proves its position; the query closes the gap.
    func fillGaps(in store: some RecordStorage) throws(StoreError) {
        for _ in 0..<events.count {
            let gaps = try store.archiveGaps(of: archive, with: nil, account: key.account)
            guard let gap = gaps.first else { return }
            let end = events.firstIndex { $0.id == gap.before.id } ?? events.count
            let start = gap.after.flatMap { after in events.firstIndex { $0.id == after.id } }.map { $0 + 1 } ?? 0
            let query = StoredArchiveQuery(.backward, anchor: gap.before.id, limit: gap.after?.id)
            try store.receive(page(min(start, end)..<end, query, isComplete: true), account: key.account)
        }
    }

    private mutating func skewed(_ time: MessageTime) -> MessageTime {
        time.advanced(by: Int64.random(in: -4000...4000, using: &random))
    }

    func take(_ step: Step, into store: some RecordStorage) throws(StoreError) {
        switch step {
        case .send(let message):
            // Already known by another route: then another device wrote it.
            let conversation = try store.openConversation(key)
            if try store.records(sentAs: message.originID, in: conversation).isEmpty {
                _ = try store.send(message, in: key)
            }
        case .copy(let copy): _ = try store.receive(copy, in: key)
        case .page(let page): try store.receive(page, account: key.account)
        case .report(let report): try store.receive(report, in: key)
        }
    }
}

/// A conversation as the user sees it.
private struct View: Equatable, CustomStringConvertible {
    struct Line: Equatable, CustomStringConvertible {
        let body: String
        let sender: JID
        let isOutgoing: Bool
        let time: MessageTime
        let state: MessageState
        let isEdited: Bool
        let isRetracted: Bool
        let reactions: [Reaction]
        let files: [Attachment]

        var description: String {
            "\(sender.resource ?? sender.description) \(time.millisecondsSince1970 % 1_000_000 / 1000) '\(body)' \(state)"
                + (isEdited ? " edited" : "") + (isRetracted ? " retracted" : "")
                + reactions.map { " \($0.emoji):\($0.sender.resource ?? $0.sender.description)" }.joined()
        }
    }

    let lines: [Line]
    let last: String?
    let unread: Int
    let waitsToBeSent: Int
    let intervals: [String]

    var description: String {
        lines.map { "\n  \($0)" }.joined()
            + "\n  last: \(last ?? "-"), unread: \(unread), queue: \(waitsToBeSent), \(intervals)"
    }

    init(_ world: World, in store: some RecordStorage) throws(StoreError) {
        let conversation = try store.openConversation(world.key)
        lines = try store.timeline(of: conversation, .newest, limit: 1000).map { message in
            Line(
                body: message.text.body, sender: message.sender, isOutgoing: message.isOutgoing, time: message.time,
                state: message.state, isEdited: message.editTime != nil, isRetracted: message.isRetracted,
                reactions: message.reactions, files: message.text.attachments)
        }
        for kind in Attachment.Kind.allCases {
            let found = try store.sharedMedia(of: conversation, [kind], before: nil, limit: 1000).map(\.id)
            let wanted = try store.timeline(of: conversation, .newest, limit: 1000).reversed().filter { message in
                message.text.attachments.contains { $0.kind == kind }
            }
            if found != wanted.map(\.id) { Issue.record("\(kind): \(found) is not \(wanted.map(\.id))") }
        }
        let row = try store.conversation(conversation)
        last = row?.lastMessage?.text.body
        unread = row?.unreadCount ?? -1
        waitsToBeSent = try store.sendQueue(of: world.key.account).count
        intervals = try store.archiveIntervals(of: world.archive, with: nil, account: world.key.account).map {
            "\($0.reachesStart) \($0.first.id) \($0.last.id)"
        }
    }
}

@Suite("Random interleavings")
struct InterleavingTests {
    /// HONGYAN_LONG_TESTS=1 also runs all cases on the file.
    private static let isLong = ProcessInfo.processInfo.environment["HONGYAN_LONG_TESTS"] == "1"

    private func ideal(_ world: World) throws -> View {
        let store = MemoryTransaction(MemoryState())
        _ = try store.addAccount(.juliet)
        for step in world.ideal { try world.take(step, into: store) }
        return try View(world, in: store)
    }

    @Test(
        "live messages, carbons, archive pages, resumptions and reflections in any order give the same timeline: in memory"
    )
    func memory() throws {
        for seed in 0..<10_000 {
            let store = MemoryTransaction(MemoryState())
            var world = World(seed: seed, account: try store.addAccount(.juliet))
            // Reports about a conversation that is not stored are ignored.
            _ = try store.openConversation(world.key)
            for step in world.interleaving() { try world.take(step, into: store) }
            try world.fillGaps(in: store)
            let (seen, wanted) = (try View(world, in: store), try ideal(world))
            try #require(seen == wanted, "seed \(seed)")
        }
    }

    @Test(
        "live messages, carbons, archive pages, resumptions and reflections in any order give the same timeline: in a file"
    )
    func file() throws {
        let folder = try TemporaryFolder()
        let connection = try SQLiteConnection(path: folder.path + "/chat.db", mode: .readWrite)
        try StoreSettings.apply(to: connection, maximumSize: nil)
        _ = try Migration.migrate(connection)
        let cache = ConnectionCache()
        for seed in 0..<(Self.isLong ? 10_000 : 1_000) {
            try connection.transaction(immediate: true) { () throws(StoreError) in
                let first = SQLiteTransaction(connection, cache: cache)
                let account = try first.addAccount(.juliet)
                var world = World(seed: seed, account: account)
                _ = try first.openConversation(world.key)
                try first.finish()
                for step in world.interleaving() {
                    let store = SQLiteTransaction(connection, cache: cache)
                    try world.take(step, into: store)
                    try store.finish()
                }
                let store = SQLiteTransaction(connection, cache: cache)
                try world.fillGaps(in: store)
                let seen = try View(world, in: store)
                let memory = MemoryTransaction(MemoryState())
                // The ids are set to those of the ideal view, because each store assigns its own.
                memory.state.lastAccount = account.rawValue - 1
                _ = try memory.addAccount(.juliet)
                for step in world.ideal { try world.take(step, into: memory) }
                let wanted = try View(world, in: memory)
                #expect(seen == wanted, "seed \(seed)")
                try store.removeAccount(account)
            }
        }
        #expect(try StoreVerification.problems(in: connection).isEmpty)
    }
}
