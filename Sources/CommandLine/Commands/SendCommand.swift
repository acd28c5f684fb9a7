internal import FileSharing
internal import Media
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
        ]
    ) { invocation in
        guard let name = invocation.arguments.first else { throw CommandError.usage(localized("Send to whom?")) }
        let text = invocation.arguments.dropFirst().joined(separator: " ")
        let sources = ["picture", "voice", "record"].filter(invocation.options.has)
        guard sources.count + (text.isEmpty ? 0 : 1) == 1 else {
            throw CommandError.usage(localized("Give one thing to send: a text, --picture, --voice or --record."))
        }
        let seconds = try invocation.recordingSeconds()
        let signIn = try await SignIn(invocation.connection)
        let receiver = try ContactAddress.parse(name, account: signIn.address)
        let folder = try FileFolder(account: signIn.address)
        // The file is looked at before the server is bothered.
        var file: PreparedFile?
        if let path = invocation.options["picture"] { file = try await .picture(file: path, in: folder) }
        if let path = invocation.options["voice"] { file = try await .voice(file: path, in: folder) }
        if let seconds { file = try await .voice(Recording.voice(seconds: seconds), in: folder) }
        let prepared = file
        try await signIn.run(signIn.configuration()) { session in
            let token: SendToken
            if let prepared {
                token = try await upload(prepared, to: receiver, in: session, invocation)
            } else {
                token = try await session.send(.chat(to: receiver, body: text))
            }
            try await confirm(token, in: session, invocation)
            invocation.show(
                localized("Sent to %@.", receiver),
                json: JSONValue(
                    [("event", "sent"), ("to", .text(receiver)), ("id", .string(token.id))]
                        + (prepared.map {
                            $0.details.json + [("sha256", .string($0.sha256)), ("path", .string($0.path))]
                        }
                            ?? [("kind", "text")])
                        + [("stage", .string(token.stage >= .delivered ? "delivered" : "acknowledged"))]))
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
            throw .usage(localized("“%@” is no length; give 1 to 900 seconds.", text))
        }
        return seconds
    }
}

/// Runs `body`, but no longer than that.
package func withDeadline<Value: Sendable>(
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
