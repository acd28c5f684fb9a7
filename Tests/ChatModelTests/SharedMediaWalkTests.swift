import ChatModel
import ChatStore
import Testing
import XMPPAddress

/// Random changes of a store: what a model shows must always be what one finds by going through the timeline.
@Suite("Shared media under random changes")
@MainActor
struct SharedMediaWalkTests {
    private static let walks = LongTests.isOn ? 1_000 : 60
    private static let steps = 50

    private struct Walk {
        let fixture: ModelFixture
        var generator: SeededGenerator
        var names: [String] = []
        var clock: Int64 = 0
        var count = 0

        mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &generator) }

        /// None, one or two files of any kind.
        mutating func files() -> [Attachment] {
            (0..<below(3)).compactMap { number in
                Attachment.Kind(rawValue: below(4)).map { Attachment(kind: $0, name: "\(count)-\(number)") }
            }
        }
    }

    /// One change of the store by somebody.
    private static func change(_ walk: inout Walk) async throws {
        let fixture = walk.fixture
        walk.count += 1
        let name = "w\(walk.count)"
        walk.clock += Int64(walk.below(4000))
        let isOld = walk.below(4) == 0
        let time = isOld ? Int64(walk.below(Int(walk.clock + 1))) : walk.clock
        let isOwn = walk.below(3) == 0
        let target = walk.names.randomElement(using: &walk.generator) ?? "later"
        let text = MessageText("text \(name)", attachments: walk.files())
        func receive(_ content: MessageContent) async throws {
            try await fixture.receive(
                content, id: name, at: time, isOutgoing: isOwn, route: isOld ? .archive : .live)
        }
        switch walk.below(12) {
        case 0...4:
            try await receive(.text(text))
            walk.names.append(name)
        case 5, 6: try await receive(.correction(of: .sent(id: target), text))
        case 7: try await receive(.retraction(of: .sent(id: target)))
        case 8:
            try await fixture.send(.text(text), id: name, at: time)
            walk.names.append(name)
        case 9:
            guard let message = try await fixture.all().randomElement(using: &walk.generator) else { return }
            let file = Attachment(kind: .picture, name: "seen \(name)")
            guard !message.text.attachments.isEmpty else { return }
            let index = walk.below(message.text.attachments.count)
            try await fixture.store.write { store throws(StoreError) in
                try store.update(file, at: index, of: message.id)
            }
        case 10:
            guard let message = try await fixture.all().randomElement(using: &walk.generator) else { return }
            try await fixture.store.write { store throws(StoreError) in try store.removeMessage(message.id) }
        default:
            guard walk.below(4) == 0 else { return try await receive(.reactions(to: .sent(id: target), ["👍"])) }
            let key = fixture.key
            try await fixture.store.write { store throws(StoreError) in
                if let id = try store.conversation(key) { try store.removeConversation(id) }
            }
            walk.names = []
        }
    }

    private struct Line: Equatable {
        let id: SharedMediaItem.ID
        let attachment: Attachment
        let position: TimelinePosition
    }

    /// What one finds by going through the timeline.
    private static func wanted(_ fixture: ModelFixture, _ kinds: Set<Attachment.Kind>) async throws -> [Line] {
        try await fixture.all().reversed().flatMap { message in
            message.text.attachments.enumerated().reversed().filter { kinds.contains($0.element.kind) }.map {
                Line(
                    id: .init(message: message.id, index: $0.offset), attachment: $0.element,
                    position: message.position)
            }
        }
    }

    @Test("walks of 50 steps: it always equals the filtered timeline", arguments: 0..<4)
    func walk(part: Int) async throws {
        for number in 0..<Self.walks / 4 {
            let fixture = try await ModelFixture()
            var walk = Walk(fixture: fixture, generator: SeededGenerator(seed: UInt64(part * 10_000 + number)))
            let kinds: [Set<Attachment.Kind>] = [[.picture], [.voice], [.file, .video], Set(Attachment.Kind.allCases)]
            let models = kinds.map { kinds in
                SharedMediaModel(
                    fixture.key, kinds: kinds, store: fixture.store, environment: fixture.environment(),
                    pageSize: 1 + walk.below(5))
            }
            for model in models { await model.open() }
            let mirrors = models.map { Mirror($0.items) }
            for step in 0..<Self.steps {
                let place: Comment = "walk \(part * 10_000 + number), step \(step)"
                if walk.below(5) == 0 {
                    for model in models {
                        let (count, hadMore) = (model.items.elements.count, model.hasMore)
                        let isMore = await model.loadMore()
                        #expect(isMore == (model.items.elements.count > count), place)
                        #expect(hadMore || !isMore, place)
                    }
                } else {
                    try await Self.change(&walk)
                    let own = ConversationKey(account: fixture.account, address: fixture.juliet, kind: .direct)
                    try await fixture.store.write { store throws(StoreError) in
                        // Something has changed for certain, so that the next line does not wait.
                        try store.update(ConversationSettings(), of: try store.openConversation(own))
                    }
                    let changes = await fixture.changes()
                    for model in models { await model.apply(changes) }
                }
                for (model, mirror) in zip(models, mirrors) {
                    let wanted = try await Self.wanted(fixture, model.kinds)
                    let shown = model.items.elements.map {
                        Line(id: $0.id, attachment: $0.attachment, position: $0.message.position)
                    }
                    #expect(shown == Array(wanted.prefix(shown.count)), place)
                    #expect(model.hasMore || shown.count == wanted.count, place)
                    #expect(mirror.rows == model.items.elements && mirror.allFit, place)
                }
            }
            #expect(fixture.reports.all.isEmpty)
        }
    }
}
