internal import FileSharing
internal import Glibc
internal import Localization
internal import Media
internal import MessageFeatures
internal import Roster
internal import TerminalApp
internal import XMPPAddress
internal import XMPPClient
internal import XMPPStanzas

extension Command {
    static let converse = Command(
        name: "converse", synopsis: "ADDRESS",
        summary: "play a scripted conversation with a companion and check every byte of it",
        options: [
            .init("register", "register the account first if the server does not know it"),
            .init("peer-report", value: "FILE", "compare with what the companion wrote into this file"),
        ]
    ) { invocation in
        let text = try invocation.onlyArgument()
        let signIn = try await SignIn(invocation.connection)
        let peer = try ContactAddress.parse(text, account: signIn.address).bare
        let script = ConversationScript(
            invocation: invocation, signIn: signIn, peer: peer, folder: try FileFolder(account: signIn.address),
            report: invocation.options["peer-report"].map(PeerReport.init))
        let isMissing: SignIn.MissingAccount = invocation.options.has("register") ? .register : .fail
        try await signIn.run(signIn.configuration(), missingAccount: isMissing) { session in
            try await script.play(in: session)
        }
    }
}

/// A conversation that a program plays: friendship, text, picture, voice, and a picture in the old form.
struct ConversationScript {
    let invocation: Invocation
    let signIn: SignIn
    let peer: JID
    let folder: FileFolder
    let report: PeerReport?

    /// Seconds that each step may take.
    private var patience: Int { invocation.connection.timeout ?? 60 }

    func play(in session: Session) async throws {
        let roster = try session.extensionInUse(Roster.self)
        let correspondence = Correspondence(with: peer)
        let events = session.events(.messages)
        try await session.send(Presence())
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await correspondence.collect(events, in: session, folder) }
            try await befriend(roster)
            tell(localized("%@ and %@ are contacts.", signIn.address.bare, peer))

            let words = "Hello, goose! 你好，鸿雁！ 🪿"
            try await exchange(.text(words), correspondence) {
                try await session.send(.chat(to: peer, body: words))
            }
            let picture = try await PreparedFile.picture(SampleMedia.picture, in: folder)
            try await exchange(.file(picture), correspondence) { try await send(picture, .automatic, in: session) }
            let voice = try await PreparedFile.voice(VoiceMessage.make(fromBytes: SampleMedia.sound), in: folder)
            try await exchange(.file(voice), correspondence) { try await send(voice, .automatic, in: session) }
            let small = try await PreparedFile.picture(SampleMedia.smallPicture, in: folder)
            var item = Correspondence.Item.file(small)
            item.words += ", " + localized("inside the message")
            try await exchange(item, correspondence) { try await send(small, .inline, in: session) }
            try await compare(correspondence)
            group.cancelAll()
        }
    }

    /// Asks where that is needed, and waits until both see each other.
    private func befriend(_ roster: Roster) async throws {
        let changes = await roster.events()
        if await roster.contact(peer)?.item.subscription == .both { return }
        _ = try await roster.add(peer, name: peer.local)
        if await roster.requests.contains(peer) { try await roster.accept(peer) }
        try await within(localized("%@ did not become a friend in time.", peer)) {
            for await batch in changes {
                for event in batch {
                    if case .request(peer, _) = event { try await roster.accept(peer) }
                    if case .changed(let contact) = event, contact.address == peer, contact.item.subscription == .both {
                        return
                    }
                }
            }
            throw CommandError(.connection, localized("The connection to the server is over; try again."))
        }
    }

    /// Sends one thing and waits for the receipt and for an answer of the same kind.
    private func exchange(
        _ item: Correspondence.Item, _ correspondence: Correspondence, send: () async throws -> SendToken
    ) async throws {
        let before = await correspondence.received.count
        show(signIn.address.bare, item, event: "sent")
        let token = try await send()
        await correspondence.noteSent(item)
        try await within(localized("%@ did not confirm the %@ in time.", peer, item.kind)) {
            try await token.reached(.delivered)
        }
        let answer = try await within(localized("%@ did not answer the %@ in time.", peer, item.kind)) {
            try await correspondence.item(item.kind, after: before)
        }
        show(peer, answer, event: "received")
    }

    private func send(_ file: PreparedFile, _ form: FileSharing.Form, in session: Session) async throws -> SendToken {
        let progress = ProgressLine(localized("Uploading"))
        defer { progress.finish() }
        return try await session.extensionInUse(FileSharing.self).send(
            file.outgoing, to: peer, form: form, progress: progress.handler)
    }

    /// How long the companion may take to write down what it did last, and the last answer to arrive.
    private static let reportPatience = Duration.seconds(10)
    private static let reportPause = Duration.milliseconds(50)

    private func compare(_ correspondence: Correspondence) async throws {
        guard let report else { return }
        let end = ContinuousClock.now + Self.reportPatience
        var mine = (sent: await correspondence.sent, received: await correspondence.received)
        var theirs = report.lines
        // The companion writes after it has sent, and a greeting of its own may still be on its way.
        while PeerReport.difference(mine: mine, theirs: theirs) != nil, .now < end {
            try await Task.sleep(for: Self.reportPause)
            mine.received = await correspondence.received
            theirs = report.lines
        }
        tell(localized("%@ received:", peer))
        for line in theirs where line.event == "received" { tell("  " + Self.words(line)) }
        tell(localized("%@ received:", signIn.address.bare))
        for item in mine.received { tell("  " + item.line) }
        if let difference = PeerReport.difference(mine: mine, theirs: theirs) { throw CommandError.failed(difference) }
        invocation.show(
            localized(
                "%@ item arrived exactly as it was sent: %@ there, %@ here.",
                plural: "All %@ items arrived exactly as they were sent: %@ there, %@ here.",
                count: mine.sent.count + mine.received.count, mine.sent.count + mine.received.count, mine.sent.count,
                mine.received.count),
            json: [
                "event": "compared", "equal": true, "sent": .integer(mine.sent.count),
                "received": .integer(mine.received.count),
            ])
    }

    private static func words(_ line: PeerReport.Line) -> String {
        Correspondence.Item(
            kind: line.kind ?? "", bytes: line.bytes ?? 0, sha256: line.sha256 ?? "", words: ""
        ).line.trimmed
    }

    private func within<Value: Sendable>(
        _ complaint: String, _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await withDeadline(seconds: patience, body) { CommandError.failed(complaint) }
    }

    private func tell(_ text: String) {
        if !invocation.isJSON { StandardOutput.writeLine(text) }
    }

    private func show(_ author: JID, _ item: Correspondence.Item, event: String) {
        let name = author.local ?? author.description
        invocation.show(
            DisplayWidth.padded(name + ":", to: 10) + item.line,
            json: JSONValue([("event", .string(event)), ("by", .text(author))] + item.json))
    }
}
