import Foundation
import Hongyan
import SampleMedia

/// A conversation that a program plays with a ``Companion``: text, picture, voice message, and a picture inside a message. Then it
/// asks for a report and compares it with what it saw itself.
struct ScriptedConversation {
    /// Why the conversation did not go as it should.
    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    /// What the companion sends: each item, or its report.
    private enum Answer: Sendable {
        case item(Item)
        case report([Item])
        case failure(String)
    }

    /// How long all of it may take: a few seconds, and more on a very busy machine.
    private static let timeout = Duration.seconds(120)
    /// The largest file that is fetched, bytes.
    private static let sizeLimit: UInt64 = 1 << 20

    let companion: JID
    let session: Session
    private let roster: Roster
    private let sharing: FileSharing

    init(with companion: JID, in session: Session) throws(Failure) {
        guard let roster = session[Roster.self], let sharing = session[FileSharing.self] else {
            throw Failure(description: "The session is over.")
        }
        self.companion = companion.bare
        self.session = session
        self.roster = roster
        self.sharing = sharing
    }

    func play() async throws {
        try await withThrowingTaskGroup { group in
            group.addTask { try await perform() }
            group.addTask {
                try await Task.sleep(for: Self.timeout)
                throw Failure(description: "\(companion) did not answer in time; the last line says to what.")
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    private func perform() async throws {
        var answers = answers(session.events(.messages)).makeAsyncIterator()
        try await session.send(Presence())
        try await befriend()
        // What was said before belongs to another conversation.
        try await session.send(.chat(to: companion, body: "report"))
        _ = try await nextReport(&answers)

        var seen: [Item] = []
        for step in Self.steps {
            let item: Item
            let token: SendToken
            switch step {
            case .text(let text):
                item = Item(.sent, text: text)
                token = try await session.send(.chat(to: companion, body: text))
            case .file(let file, let form):
                item = Item(.sent, file)
                token = try await sharing.send(file, to: companion, form: form)
            }
            Goose.say(item.line)
            try await token.reached(.delivered)
            let answer = try await nextItem(item.kind, &answers)
            Goose.say(answer.line)
            seen += [item, answer]
        }
        try await session.send(.chat(to: companion, body: "report"))
        try await Self.compare(seen, nextReport(&answers).map(\.mirrored))
    }

    /// The order does not count: a file may be overtaken by a text.
    private static func compare(_ seen: [Item], _ reported: [Item]) throws(Failure) {
        var missing = reported
        for item in seen {
            guard let index = missing.firstIndex(of: item) else {
                throw Failure(description: "The companion does not know of this: \(item.line)")
            }
            missing.remove(at: index)
        }
        if let item = missing.first { throw Failure(description: "Only the companion knows of this: \(item.line)") }
        Goose.say("All \(seen.count) items arrived exactly as they were sent.")
    }

    // MARK: Steps

    private enum Step {
        case text(String)
        case file(OutgoingFile, FileSharing.Form)
    }

    private static var steps: [Step] {
        let picture = OutgoingFile(
            kind: .picture, name: "squares.png", mediaType: "image/png", content: SampleMedia.picture)
        let voice = OutgoingFile(kind: .voice, name: "tune.wav", mediaType: "audio/wav", content: SampleMedia.sound)
        let small = OutgoingFile(
            kind: .picture, name: "envelope.png", mediaType: "image/png", content: SampleMedia.smallPicture)
        return [
            .text("Hello, goose! 你好，鸿雁！ 🪿"), .file(picture, .automatic), .file(voice, .automatic),
            .file(small, .inline),
        ]
    }

    /// Asks where that is needed, and waits until both see each other.
    private func befriend() async throws {
        let changes = await roster.events()
        if await roster.contact(companion)?.item.subscription == .both { return }
        _ = try await roster.add(companion, name: companion.local)
        if await roster.requests.contains(companion) { try await roster.accept(companion) }
        for await batch in changes {
            for event in batch {
                if case .request(companion, _) = event { try await roster.accept(companion) }
                if case .changed(let contact) = event, contact.address == companion,
                    contact.item.subscription == .both
                {
                    return
                }
            }
        }
    }

    // MARK: Answers

    private func answers(_ events: SessionEvents) -> AsyncStream<Answer> {
        AsyncStream { [companion, sharing] continuation in
            let work = Task {
                for await batch in events {
                    for case .message(let message) in batch where message.from?.bare == companion {
                        if let answer = await Self.answer(message, sharing) { continuation.yield(answer) }
                    }
                }
                continuation.finish()
            }
            continuation.onTermination = { _ in work.cancel() }
        }
    }

    private static func answer(_ message: Message, _ sharing: FileSharing) async -> Answer? {
        do {
            if let offer = try FileOffer(in: message) {
                let folder = NSTemporaryDirectory() + "/goose-\(UUID().uuidString)"
                defer { try? FileManager.default.removeItem(atPath: folder) }
                let file = try await sharing.fetch(offer, into: folder, limit: sizeLimit)
                return .item(Item(.received, file, kind: offer.kind))
            }
        } catch {
            return .failure("\(error)")
        }
        guard let body = message.body, !body.isEmpty, body != SmallTalk.greeting else { return nil }
        let lines = body.split(separator: "\n")
        if lines.first.map(String.init) == SmallTalk.reportTitle {
            return .report(lines.dropFirst().compactMap { Item(line: $0) })
        }
        return .item(Item(.received, text: body))
    }

    private func nextReport(_ answers: inout AsyncStream<Answer>.Iterator) async throws(Failure) -> [Item] {
        while let answer = await answers.next() {
            switch answer {
            case .report(let items): return items
            case .item: continue
            case .failure(let reason): throw Failure(description: reason)
            }
        }
        throw Failure(description: "The session is over.")
    }

    private func nextItem(
        _ kind: String, _ answers: inout AsyncStream<Answer>.Iterator
    ) async throws(Failure) -> Item {
        while let answer = await answers.next() {
            switch answer {
            case .item(let item) where item.kind == kind: return item
            case .item, .report: continue
            case .failure(let reason): throw Failure(description: reason)
            }
        }
        throw Failure(description: "The session is over.")
    }
}
