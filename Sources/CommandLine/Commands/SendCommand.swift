internal import ChatModel
internal import ChatStore
internal import FileSharing
internal import Localization
internal import Media
internal import UserProfile
internal import XMPPAddress
internal import XMPPClient
internal import XMPPStanzas

extension Command {
    static let send = Command(
        name: "send", synopsis: "ADDRESS TEXT…", summary: "send a text, a picture or a voice message",
        options: [
            .init("picture", value: "FILE", "send this picture, scaled and without its metadata"),
            .init("voice", value: "FILE", "send this sound file as a voice message"),
            .init("record", value: "SECONDS", "record a voice message of this length and send it"),
            .init("inline", "send the file inside the message, as old clients do; for small files"),
            .init("delivered", "return only when a device of the receiver has it"),
            .init("queue", "without a connection save the text; `hongyan chat` sends it later"),
        ], usesProfile: true
    ) { invocation in
        guard let name = invocation.arguments.first else { throw CommandError.usage(localized("Send to whom?")) }
        let text = invocation.arguments.dropFirst().joined(separator: " ")
        let sources = ["picture", "voice", "record"].filter(invocation.options.has)
        guard sources.count + (text.isEmpty ? 0 : 1) == 1 else {
            throw CommandError.usage(localized("Give one thing to send: a text, --picture, --voice or --record."))
        }
        guard !MessageLength.isExceeded(by: text) else {
            throw CommandError.failed(localized("This text is too long for one message. Send it in parts."))
        }
        let seconds = try invocation.recordingSeconds()
        let signIn = try await SignIn(invocation.connection)
        let receiver = try ContactAddress.parse(name, account: signIn.address)
        if !text.isEmpty { return try await send(text, to: receiver, as: signIn, invocation) }
        let folder = try FileFolder(account: signIn.address, in: invocation.profile)
        // The file is looked at before the server is bothered.
        var file: PreparedFile?
        if let path = invocation.options["picture"] { file = try await .picture(file: path, in: folder) }
        if let path = invocation.options["voice"] { file = try await .voice(file: path, in: folder) }
        if let seconds { file = try await .voice(Recording.voice(seconds: seconds), in: folder) }
        guard let prepared = file else { return }
        try await signIn.run(signIn.configuration()) { session in
            let token = try await upload(prepared, to: receiver, in: session, invocation)
            try await confirm(token, in: session, invocation)
            invocation.show(
                localized("Sent to %@.", receiver),
                json: JSONValue(
                    [("event", "sent"), ("to", .text(receiver)), ("id", .string(token.id))] + prepared.details.json
                        + [("sha256", .string(prepared.sha256)), ("path", .string(prepared.path)), stage(of: token)]))
        }
    }

    private static func stage(of token: SendToken) -> (String, JSONValue) {
        ("stage", .string(token.stage >= .delivered ? "delivered" : "acknowledged"))
    }

    /// A text is kept before it goes out, so that nothing is lost whatever ends the program.
    private static func send(
        _ text: String, to receiver: JID, as signIn: SignIn, _ invocation: Invocation
    ) async throws {
        try await invocation.profile.withStore(for: .writing) { store in
            let queued = try await QueuedText(text, to: receiver, from: signIn.address, in: store)
            do {
                try await signIn.run(signIn.configuration()) { session in
                    let token = try await queued.send(in: session, to: receiver)
                    do {
                        try await confirm(token, in: session, invocation)
                    } catch {
                        try await note(token, queued)
                        throw error
                    }
                    try await note(token, queued, isConfirmed: true)
                    invocation.show(
                        localized("Sent to %@.", receiver),
                        json: JSONValue([
                            ("event", "sent"), ("to", .text(receiver)), ("id", .string(token.id)), ("kind", "text"),
                            stage(of: token),
                        ]))
                }
            } catch {
                let reason = CommandError(error)
                guard try await queued.isWaiting else { throw reason }
                guard invocation.options.has("queue"), reason.status == .connection else {
                    try await queued.cancel()
                    throw reason
                }
                invocation.show(
                    localized("Saved; it is sent with the next `hongyan chat`. %@", reason),
                    json: [
                        "event": "queued", "to": .text(receiver), "id": .integer(Int(queued.id.rawValue)),
                        "reason": .string(reason.description),
                    ])
            }
        }
    }

    /// What became of a text, for the history.
    private static func note(_ token: SendToken, _ queued: QueuedText, isConfirmed: Bool = false) async throws {
        if let failure = token.failure {
            guard let refusal = failure.stanzaError else { return }
            try await queued.note(
                .failed(
                    FailureReason(
                        .refused, condition: refusal.condition.rawValue, text: refusal.text.best(for: []))))
        } else if token.stage >= .delivered {
            try await queued.note(.delivered)
        } else if isConfirmed || token.stage >= .acknowledged {
            try await queued.note(.sentToServer)
        }
    }

    private static func upload(
        _ file: PreparedFile, to receiver: JID, in session: Session, _ invocation: Invocation
    ) async throws -> SendToken {
        let progress = ProgressLine(localized("Uploading"))
        defer { progress.finish() }
        return try await session.extensionInUse(FileSharing.self).send(
            file.outgoing, to: receiver, form: invocation.options.has("inline") ? .inline : .automatic,
            progress: progress.handler)
    }

    /// Waits for the server's word, or the receiver's, and for an error that comes back at once.
    private static func confirm(_ token: SendToken, in session: Session, _ invocation: Invocation) async throws {
        if await session.agreement?.isManaged == true { try await token.reached(.acknowledged) }
        try await session.settle()
        if let failure = token.failure {
            throw CommandError.failed(localized("The message was not delivered: %@", CommandError(failure)))
        }
        if invocation.options.has("delivered") {
            try await withDeadline(seconds: invocation.connection.timeout ?? 60) {
                try await token.reached(.delivered)
            } orThrow: {
                CommandError.failed(
                    localized("The server has the message, but no device of the receiver confirmed it in time."))
            }
        }
    }
}

extension Invocation {
    fileprivate func recordingSeconds() throws(CommandError) -> Int? {
        guard let text = options["record"] else { return nil }
        guard let seconds = Int(text), (1...900).contains(seconds) else {
            throw .usage(localized("“%@” is not a duration; give 1 to 900 seconds.", text))
        }
        return seconds
    }
}

/// Runs `body`, but no longer than that.
func withDeadline<Value: Sendable>(
    seconds: Int, _ body: @escaping @Sendable () async throws -> Value,
    orThrow late: @escaping @Sendable () -> any Error
) async throws -> Value {
    try await withThrowingTaskGroup(of: Value.self) { group in
        group.addTask(operation: body)
        group.addTask {
            try await Task.sleep(for: .seconds(seconds))
            throw late()
        }
        defer { group.cancelAll() }
        guard let value = try await group.next() else { throw late() }
        return value
    }
}
