import CommandLine
import FileSharing
import MessageFeatures
import Roster
import XMPPAddress
import XMPPClient
import XMPPStanzas

/// The goose: befriends who asks, answers a text with a text, a picture with a picture, a voice message with a honk.
actor Companion {
    /// How long the goose seems to write: as long as a person believes, short for who waits.
    private static let writingTime = Duration.milliseconds(600)

    private let session: Session
    private let folder: FileFolder
    private let report: CompanionReport
    private var talk = SmallTalk()
    private var count = 0
    private var speaksChinese: [JID: Bool] = [:]
    /// When the goose answered whom, for the last minute.
    private var answers: [JID: [ContinuousClock.Instant]] = [:]

    /// Answers to one sender in a minute: more than any person reads. Two companions that answer each other would never
    /// stop otherwise.
    private static let answersPerMinute = 40

    init(_ session: Session, folder: FileFolder, report: CompanionReport) {
        self.session = session
        self.folder = folder
        self.report = report
    }

    /// Answers until the session ends. Different people wait for nobody but themselves.
    func run(_ events: SessionEvents) async {
        await withDiscardingTaskGroup { group in
            for await batch in events {
                for case .message(let message) in batch {
                    group.addTask { await self.received(message) }
                }
            }
        }
    }

    private func received(_ message: Message) async {
        guard let sender = message.from?.bare, message.type == .chat || message.type == .normal else { return }
        if case .nothing = IncomingContent(message) { return }
        guard mayAnswer(sender) else { return }
        count += 1
        let number = count
        switch IncomingContent(message) {
        case .nothing: break
        case .text(let text):
            note("received", kind: "text", bytes: Array(text.utf8), peer: sender)
            speaksChinese[sender] = SmallTalk.isChinese(text)
            await say(talk.answer(to: text), to: sender)
        case .unusableFile(let reason): await apologise(reason, to: sender)
        case .file(let offer):
            do {
                let file = try await FetchedFile(offer, in: session, folder: folder)
                report.write(
                    [("event", "received"), ("kind", .string(kind(of: file, offer))), ("from", .text(sender))]
                        + file.json)
                try await answer(file, offer, to: sender, number: number)
            } catch {
                await apologise(CommandError(error).description, to: sender)
            }
        }
    }

    private func mayAnswer(_ sender: JID) -> Bool {
        let now = ContinuousClock.now
        answers = answers.mapValues { $0.filter { now - $0 < .seconds(60) } }.filter { !$0.value.isEmpty }
        guard answers[sender, default: []].count < Self.answersPerMinute else { return false }
        answers[sender, default: []].append(now)
        return true
    }

    /// In kind, and in the form in which it came.
    private func answer(_ file: FetchedFile, _ offer: FileOffer, to sender: JID, number: Int) async throws {
        var form = FileSharing.Form.automatic
        if case .content = offer.source { form = .inline }
        await tell(.composing, sender)
        let answer: PreparedFile
        switch file.details.kind {
        case .picture: answer = try await .picture(GoosePicture.png(number: number), in: folder)
        case .audio: answer = try await .voice(Honk.voice(number: number), in: folder)
        default:
            let reason = "\(file.details.description)"
            return await say(
                speaksChinese[sender] == true ? "收到文件：\(reason)" : "I have received it: \(reason)", to: sender)
        }
        _ = try await session.extensionInUse(FileSharing.self).send(answer.outgoing, to: sender, form: form)
        report.write(
            [("event", "sent"), ("kind", .string(answer.outgoing.kind.word)), ("to", .text(sender))] + answer.json)
    }

    private func kind(of file: FetchedFile, _ offer: FileOffer) -> String {
        switch file.details.kind {
        case .picture: "picture"
        case .audio: "voice"
        default: offer.kind.word
        }
    }

    func greet(_ address: JID) async {
        await say(SmallTalk.greeting, to: address.bare)
    }

    private func apologise(_ reason: String, to sender: JID) async {
        report.write([("event", "unusable"), ("from", .text(sender)), ("reason", .string(reason))])
        await say(SmallTalk.apology(reason, inChinese: speaksChinese[sender] == true), to: sender)
    }

    private func say(_ text: String, to receiver: JID) async {
        await tell(.composing, receiver)
        try? await Task.sleep(for: Self.writingTime)
        var message = Message.chat(to: receiver, body: text)
        message.payloads.append(ChatState.active)
        guard (try? await session.send(message)) != nil else { return }
        note("sent", kind: "text", bytes: Array(text.utf8), peer: receiver)
    }

    private func tell(_ state: ChatState, _ receiver: JID) async {
        var message = Message(to: receiver, type: .chat)
        message.payloads.append(state)
        _ = try? await session.send(message)
    }

    private func note(_ event: String, kind: String, bytes: [UInt8], peer: JID) {
        report.write([
            ("event", .string(event)), ("kind", .string(kind)), (event == "sent" ? "to" : "from", .text(peer)),
            ("bytes", .integer(bytes.count)), ("sha256", .string(ContentHash.of(bytes))),
        ])
    }
}
