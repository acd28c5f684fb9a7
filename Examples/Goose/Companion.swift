import Foundation
import Hongyan

/// The goose: answers a text with a text, a picture with a picture, a voice message with a honk; asked for a report, it lists what it
/// received from the sender and sent to it.
actor Companion {
    /// What the goose knows of one person.
    private struct Acquaintance {
        var speaksChinese = false
        /// When it was answered, for the last minute.
        var answers: [ContinuousClock.Instant] = []
        var items: [Item] = []
    }

    /// How long the goose seems to write: as long as a person believes, short for somebody who waits.
    private static let writingTime = Duration.milliseconds(600)
    /// Answers to one sender in a minute: more than any person reads. Two companions that answer each other would never
    /// stop otherwise.
    private static let answersPerMinute = 40
    /// People who are remembered at once; with more, everybody is forgotten.
    private static let acquaintanceLimit = 1000
    /// Items of one person that a report lists: what fits into one message.
    private static let itemLimit = 100
    /// The largest file that is fetched: a video from a telephone.
    private static let sizeLimit: UInt64 = 100 << 20

    private let session: Session
    private var talk = SmallTalk()
    private var count = 0
    private var people: [JID: Acquaintance] = [:]

    init(_ session: Session) {
        self.session = session
    }

    /// Replies until the session ends. A file of one peer does not delay the replies to others.
    func run(_ events: SessionEvents) async {
        await withDiscardingTaskGroup { group in
            for await batch in events {
                for case .message(let message) in batch where !message.isError {
                    group.addTask { await self.received(message) }
                }
            }
        }
    }

    func greet(_ address: JID) async {
        await send(SmallTalk.greeting, to: address.bare)
    }

    private func received(_ message: Message) async {
        guard let sender = message.from?.bare, message.type == .chat || message.type == .normal else { return }
        do {
            if let offer = try FileOffer(in: message) {
                guard mayAnswer(sender) else { return }
                try await answer(offer, to: sender)
            } else if let text = message.body, !text.isEmpty {
                guard mayAnswer(sender) else { return }
                people[sender]?.speaksChinese = SmallTalk.isChinese(text)
                if SmallTalk.asksForReport(text) { return await report(to: sender) }
                note(Item(.received, text: text), of: sender)
                await say(talk.answer(to: text), to: sender)
            }
        } catch {
            await say(SmallTalk.apology("\(error)", inChinese: people[sender]?.speaksChinese == true), to: sender)
        }
    }

    private func mayAnswer(_ sender: JID) -> Bool {
        if people.count >= Self.acquaintanceLimit { people = [:] }
        let now = ContinuousClock.now
        var person = people[sender] ?? Acquaintance()
        person.answers.removeAll { now - $0 >= .seconds(60) }
        let isAllowed = person.answers.count < Self.answersPerMinute
        if isAllowed { person.answers.append(now) }
        people[sender] = person
        return isAllowed
    }

    /// In kind, and in the form in which it came.
    private func answer(_ offer: FileOffer, to sender: JID) async throws {
        guard let sharing = session[FileSharing.self] else { return }
        let folder = NSTemporaryDirectory() + "/goose-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let file = try await sharing.fetch(offer, into: folder, limit: Self.sizeLimit)
        note(Item(.received, file, kind: offer.kind), of: sender)
        count += 1
        let answer: OutgoingFile
        switch offer.kind {
        case .picture: answer = GoosePicture.file(number: count)
        case .voice: answer = Honk.file(number: count)
        case .video, .file:
            let sentence = SmallTalk.thanks(bytes: file.byteCount, inChinese: people[sender]?.speaksChinese == true)
            return await say(sentence, to: sender)
        }
        var form = FileSharing.Form.automatic
        if case .content = offer.source, answer.content.count <= InlineMedia.maximumSize { form = .inline }
        await tell(.composing, sender)
        note(Item(.sent, answer), of: sender)
        _ = try await sharing.send(answer, to: sender, form: form)
    }

    /// Neither a report nor a greeting is an item: the one could not list itself, the other comes when it comes.
    private func report(to sender: JID) async {
        let lines = people[sender]?.items.map(\.line) ?? []
        people[sender]?.items = []
        _ = try? await session.send(.chat(to: sender, body: ([SmallTalk.reportTitle] + lines).joined(separator: "\n")))
    }

    private func say(_ text: String, to receiver: JID) async {
        note(Item(.sent, text: text), of: receiver)
        await send(text, to: receiver)
    }

    private func send(_ text: String, to receiver: JID) async {
        await tell(.composing, receiver)
        try? await Task.sleep(for: Self.writingTime)
        var message = Message.chat(to: receiver, body: text)
        message.payloads.append(ChatState.active)
        _ = try? await session.send(message)
    }

    private func tell(_ state: ChatState, _ receiver: JID) async {
        var message = Message(to: receiver, type: .chat)
        message.payloads.append(state)
        _ = try? await session.send(message)
    }

    private func note(_ item: Item, of person: JID) {
        var items = people[person, default: Acquaintance()].items
        items.append(item)
        people[person, default: Acquaintance()].items = items.suffix(Self.itemLimit)
    }
}
