import ChatFixtures
import ChatModel
import ChatStore
import Testing
import XMPPAddress

/// Random changes of a store: a model always equals what reading the timeline gives.
@Suite("Shared media under random changes")
@MainActor
struct SharedMediaWalkTests {
    /// None, one or two files of any kind.
    private static func files(_ walk: inout RandomWalk) -> [Attachment] {
        (0..<walk.below(3)).compactMap { number in
            Attachment.Kind(rawValue: walk.below(4)).map { Attachment(kind: $0, name: "\(walk.number)-\(number)") }
        }
    }

    /// One change of the store.
    private static func change(_ walk: inout RandomWalk) async throws {
        let (fixture, occasion) = (walk.fixture, walk.next())
        let (name, target) = (occasion.name, occasion.target)
        let text = MessageText("text \(name)", attachments: files(&walk))
        switch walk.below(12) {
        case 0...4:
            try await walk.receive(.text(text), occasion)
            walk.names.append(name)
        case 5, 6: try await walk.receive(.correction(of: target, text), occasion)
        case 7: try await walk.receive(.retraction(of: target), occasion)
        case 8:
            try await fixture.send(.text(text), id: name, at: occasion.time)
            walk.names.append(name)
        case 9:
            guard let message = try await walk.anyMessage(), !message.text.attachments.isEmpty else { return }
            let file = Attachment(kind: .picture, name: "seen \(name)")
            let index = walk.below(message.text.attachments.count)
            try await fixture.store.write { store throws(StoreError) in
                try store.update(file, at: index, of: message.id)
            }
        case 10: try await walk.removeMessage()
        default:
            guard walk.below(4) == 0 else { return try await walk.receive(.reactions(to: target, ["👍"]), occasion) }
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

    /// The expected files, from the timeline.
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
        for number in 0..<RandomWalk.count / 4 {
            var walk = try await RandomWalk(seed: part * 10_000 + number)
            let fixture = walk.fixture
            let kinds: [Set<Attachment.Kind>] = [[.picture], [.voice], [.file, .video], Set(Attachment.Kind.allCases)]
            let models = kinds.map { kinds in
                SharedMediaModel(
                    fixture.key, kinds: kinds, store: fixture.store, environment: fixture.environment(),
                    pageSize: 1 + walk.below(5))
            }
            for model in models { await model.open() }
            let mirrors = models.map { Mirror($0.items) }
            for step in 0..<RandomWalk.steps {
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
                    let changes = try await walk.changes()
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
