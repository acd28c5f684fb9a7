internal import Automation
internal import ChatModel
internal import ChatStore
internal import FileSharing
internal import Foundation
internal import JSONRPC
internal import Localization
internal import Media
internal import TerminalApp
internal import UserProfile
internal import XMPPAddress

extension Command {
    static let send = Command(
        name: "send", synopsis: "ADDRESS TEXT…", summary: "send a text, a picture or a voice message",
        options: [
            .init("picture", value: "FILE", "send this picture, scaled and without its metadata"),
            .init("voice", value: "FILE", "send this sound file as a voice message"),
            .init("record", value: "SECONDS", "record a voice message of this length and send it"),
            .init("inline", "send the file inside the message, as old clients do; for small files"),
            .init("encrypted", "send nothing rather than send it in clear"),
            .init("delivered", "return only when a device of the receiver has it"),
            .init("queue", "without a connection save the message; it is sent with the next one"),
            .init("reply-to", value: "ID", "send the text or file as a reply to this message of `hongyan history`"),
            .init("correct", value: "ID", "replace the text of this message of yours"),
            .init("retract", value: "ID", "retract this message of yours"),
            .init(
                "react", value: "ID",
                "react to this message with the emoji of TEXT, and no others; without any, with none"),
        ], usesProfile: true
    ) { invocation in
        guard let name = invocation.arguments.first else { throw CommandError.usage(localized("Send to whom?")) }
        let text = invocation.arguments.dropFirst().joined(separator: " ")
        let sources = ["picture", "voice", "record"].filter(invocation.options.has)
        let act = try invocation.act(text)
        let needsNothing =
            switch act {
            case .retract, .react: true
            case .reply, .correct, nil: false
            }
        guard needsNothing ? sources.isEmpty : sources.count + (text.isEmpty ? 0 : 1) == 1 else {
            throw CommandError.usage(localized("Give one thing to send: a text, --picture, --voice or --record."))
        }
        guard !MessageLength.isExceeded(by: text) else {
            throw CommandError.failed(localized("This text is too long for one message. Send it in parts."))
        }
        let seconds = try invocation.recordingSeconds()
        let account = try invocation.requireAccount()
        let receiver = try account.partner(name)
        var order = SendOrder(
            from: account, to: receiver, id: UUID().uuidString.lowercased(), text: needsNothing ? "" : text, act: act,
            goal: invocation.options.has("delivered") ? .delivered : .acknowledged,
            waitsOffline: invocation.options.has("queue"),
            timeout: invocation.connection.timeout ?? SendOrder.timeout,
            isEncrypted: invocation.options.has("encrypted") ? true : nil)
        // The file is checked before connecting to the server.
        let file = try await invocation.preparedFile(for: account, to: receiver, seconds: seconds)
        order.file = try file.map { file throws(FileFailure) in
            try SendOrder.File(file, isInline: invocation.options.has("inline"))
        }
        let answer = try await carryOut(order, invocation)
        let kind = file.map { $0.details.json + [("sha256", .string($0.sha256)), ("path", .string($0.path))] }
        guard answer.stage != .queued else {
            return invocation.show(
                localized("Saved; it is sent with the next connection. %@", answer.reason ?? ""),
                json: [
                    "event": "queued", "to": .text(receiver), "id": .integer(Int(answer.message)),
                    "reason": .text(answer.reason),
                ])
        }
        invocation.show(
            localized("Sent to %@.", receiver),
            json: JSONValue(
                [("event", "sent"), ("to", .text(receiver)), ("id", .string(answer.id))]
                    + (kind ?? [("kind", .string(act?.word ?? "text"))]) + [("stage", .string(answer.stage.rawValue))]
                    + [
                        ("protection", answer.protection?.json ?? .null),
                        ("unreadable", answer.unreadable?.json ?? .null),
                    ]))
        if answer.protection?.isEncrypted == true { invocation.showText(localized("It was encrypted.")) }
        for recipient in answer.unreadable ?? [] {
            StandardOutput.report(localized("Not readable for %@", Wording.unreadable(recipient)))
        }
    }

    /// Executes an order: through the program that uses the profile, or with a separate connection.
    private static func carryOut(_ order: SendOrder, _ invocation: Invocation) async throws -> SendAnswer {
        let line = ProgressLine(localized("Uploading"))
        defer { line.finish() }
        let progress: @Sendable (SendStep) -> Void = { step in
            if let percent = step.percent { line.advance(completed: Int64(percent), total: 100) }
        }
        return try await invocation.profile.withHolder { client in
            do throws(JSONRPCError) {
                return try await client.call("send", order, notified: progress)
            } catch {
                throw SendFailure(error) ?? error as any Error
            }
        } orOpen: { store in
            let signIn = try await SignIn(invocation.connection)
            return try await OnlineAccount.whileConnected(signIn, in: store, invocation.profile) { error in
                (error as? SendFailure)?.cause
            } _: { account in
                try await MessageSending(account, isStarting: true).perform(order, progress: progress)
            }
        }
    }
}

extension Invocation {
    /// The account to use; no password is requested.
    func requireAccount() throws(CommandError) -> JID {
        guard let account = try storedAccount() else {
            throw .usage(localized("There is no account yet; name one with --jid, or run `hongyan login` first."))
        }
        return account
    }

    /// The message that `text` refers to, and how.
    fileprivate func act(_ text: String) throws(CommandError) -> SendOrder.Act? {
        let names = ["reply-to", "correct", "retract", "react"].filter(options.has)
        guard names.count <= 1 else {
            throw .usage(localized("Give one of --reply-to, --correct, --retract and --react."))
        }
        guard let name = names.first, let value = options[name] else { return nil }
        guard let number = Int64(value), number > 0 else {
            throw .usage(localized("“%@” is not a message number; `hongyan history --json` shows them.", value))
        }
        switch name {
        case "reply-to": return .reply(to: number)
        case "correct":
            guard !text.isEmpty, !["picture", "voice", "record"].contains(where: options.has) else {
                throw .usage(localized("Give the text that replaces the old one."))
            }
            return .correct(number)
        case "retract":
            guard text.isEmpty else { throw .usage(localized("A retraction has no text.")) }
            return .retract(number)
        default: return .react(to: number, text.split(whereSeparator: \.isWhitespace).map(String.init))
        }
    }

    /// The picture or voice message to send, prepared and stored in the folder of the account; `nil` for a text.
    fileprivate func preparedFile(for account: JID, to receiver: JID, seconds: Int?) async throws -> PreparedFile? {
        let folder = try FileFolder(account: account, in: profile)
        if let path = options["picture"] {
            if options.has("inline") { return try await .inlinePicture(file: path, for: receiver, in: folder) }
            return try await .picture(file: path, in: folder)
        }
        if let path = options["voice"] { return try await .voice(file: path, in: folder) }
        guard let seconds else { return nil }
        return try await .voice(Recording.voice(seconds: seconds), in: folder)
    }

    fileprivate func recordingSeconds() throws(CommandError) -> Int? {
        guard let text = options["record"] else { return nil }
        guard let seconds = Int(text), (1...900).contains(seconds) else {
            throw .usage(localized("“%@” is not a duration; give 1 to 900 seconds.", text))
        }
        return seconds
    }
}

extension SendOrder.Act {
    /// What was sent, in JSON.
    fileprivate var word: String {
        switch self {
        case .reply: "text"
        case .correct: "correction"
        case .retract: "retraction"
        case .react: "reactions"
        }
    }
}

/// Runs `body` with a timeout.
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
