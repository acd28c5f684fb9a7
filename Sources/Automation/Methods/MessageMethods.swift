internal import ChatEngine
internal import ChatModel
internal import ChatStore
internal import Foundation
package import JSONRPC
package import UserProfile
internal import XMPPAddress

/// Sending messages, and the files of messages.
struct MessageMethods: MethodGroup {
    let context: AutomationContext

    private static let number = AutomationMethod.Parameter.Kind.integer(1 ... .max)

    var methods: [AutomationMethod] {
        [
            AutomationMethod(
                "message.send",
                "Sends a text, a picture, a voice message or a file; or corrects, retracts or reacts to a message.",
                [
                    Self.accountParameter,
                    .init(
                        "to", .address, isRequired: true, "the address of a contact, a room, or an occupant of a room"),
                    .init("text", .text(limit: MessageLength.maximumBytes), "the text"),
                    .init(
                        "picture", .path, "the absolute path of a picture, which is sent scaled and without metadata"),
                    .init("voice", .path, "the absolute path of a sound, which is sent as a voice message"),
                    .init("file", .path, "the absolute path of a file, which is sent as it is"),
                    .init("reply", Self.number, "the number of the message that this replies to"),
                    .init("correct", Self.number, "the number of an own message, whose text is replaced"),
                    .init("retract", Self.number, "the number of an own message to retract"),
                    .init("react", Self.number, "the number of the message to react to"),
                    .init("emojis", .texts(limit: 20), "all own reactions to it from now on; empty to remove them"),
                    .init(
                        "id", .text(limit: 64),
                        "an identifier chosen by the caller: the same call twice with it sends one message"),
                    .init(
                        "wait", .choice(["queued", "acknowledged", "delivered"]),
                        "what to wait for; acknowledged by the server if it is missing"),
                    .init("queue", .flag, "without a connection save the message, which is sent with the next one"),
                    .init("encrypted", .flag, "send nothing rather than send it in clear"),
                    .init("inline", .flag, "send the file inside of the message"),
                    .init("timeout", .integer(1...86_400), "in seconds, 60 if it is missing"),
                ]
            ) { [self] arguments, request throws(JSONRPCError) in
                let account = try await account(arguments)
                let order = try await order(arguments, for: account)
                do throws(SendFailure) {
                    return try await MessageSending(account, isStarting: context.isStarting).perform(order) {
                        request.notify("stage", $0)
                    }.json
                } catch {
                    throw error.fault
                }
            },
            AutomationMethod(
                "media.fetch", "Downloads a file of a message, and returns where it is on this computer.",
                [
                    Self.accountParameter,
                    .init("message", Self.number, isRequired: true, "the number of the message"),
                    .init("with", .address, "the address of its conversation"),
                    .init("index", .integer(0...100), "which of its files, 0 if it is missing"),
                ]
            ) { [self] arguments, _ throws(JSONRPCError) in
                let account = try await account(arguments)
                guard let message = arguments.message("message"), let fetcher = await account.fetcher else {
                    throw .failure(.store, "Files cannot be stored")
                }
                let index = arguments.integer("index") ?? 0
                if arguments.address("with") != nil {
                    let (_, key) = try await conversation(arguments, "with")
                    _ = try await self.message(arguments, "message", in: key)
                }
                guard
                    try await read({ [id = account.id] store throws(StoreError) in
                        guard let found = try store.message(message) else { return false }
                        return try store.conversation(found.conversation)?.key.account == id
                            && found.text.attachments.indices.contains(index)
                    })
                else { throw .failure(.notFound, "There is no such file") }
                do throws(AttachmentFailure) {
                    let path = try await fetcher.fetch(index, of: message)
                    let details = await FileDetails(path: path)
                    return JSONValue([("path", .string(path))] + details.json)
                } catch {
                    throw .failure(.refused, Wording.failure(any: error), ("condition", .string(error.code.rawValue)))
                }
            },
        ]
    }

    /// The message that a call means.
    private func order(_ arguments: Arguments, for account: ChatAccount) async throws(JSONRPCError) -> SendOrder {
        let contents = ["text", "picture", "voice", "file", "retract", "react"].filter {
            arguments.text($0) != nil || arguments.integer($0) != nil
        }
        guard contents.count == 1, let content = contents.first else {
            throw .invalidParameters("Give one of text, picture, voice, file, retract and react")
        }
        let isFile = ["picture", "voice", "file"].contains(content)
        let (replies, corrects) = (arguments.integer("reply") != nil, arguments.integer("correct") != nil)
        guard !replies || content == "text" || isFile, !corrects || content == "text" && !replies else {
            throw .invalidParameters("Only a text or a file is a reply, and only a text is a correction")
        }
        if let text = arguments.text("text") {
            guard !text.isEmpty else { throw .invalidParameters("“text” is empty") }
            guard !MessageLength.isExceeded(by: text) else {
                throw .invalidParameters("This text is too long for one message")
            }
        }
        var order = SendOrder(
            from: account.address, to: try arguments.requiredAddress("to"),
            id: arguments.text("id") ?? UUID().uuidString.lowercased(), text: arguments.text("text") ?? "",
            goal: arguments.text("wait").flatMap { SendOrder.Goal(rawValue: $0) } ?? .acknowledged,
            waitsOffline: arguments.flag("queue"), timeout: arguments.integer("timeout") ?? SendOrder.timeout,
            isEncrypted: arguments.flag("encrypted") ? true : nil)
        if let message = arguments.integer("reply") { order.act = .reply(to: Int64(message)) }
        if let message = arguments.integer("correct") { order.act = .correct(Int64(message)) }
        if let message = arguments.integer("retract") { order.act = .retract(Int64(message)) }
        if let message = arguments.integer("react") {
            guard let emojis = arguments.texts("emojis") else { throw .invalidParameters("“emojis” is missing") }
            order.act = .react(to: Int64(message), emojis)
        }
        order.file = try await file(arguments, for: account)
        return order
    }

    private func file(
        _ arguments: Arguments, for account: ChatAccount
    ) async throws(JSONRPCError) -> SendOrder.File? {
        let isInline = arguments.flag("inline")
        do {
            let folder = try FileFolder(account: account.address, in: context.profile)
            if let path = arguments.text("picture") {
                return try SendOrder.File(try await .picture(file: path, in: folder), isInline: isInline)
            }
            if let path = arguments.text("voice") {
                return try SendOrder.File(try await .voice(file: path, in: folder), isInline: isInline)
            }
            guard let path = arguments.text("file") else { return nil }
            return try await SendOrder.File(path: path, isInline: isInline)
        } catch let error as FileFailure {
            throw .failure(.file, error.message)
        } catch {
            throw .failure(.file, Wording.failure(any: error))
        }
    }
}

extension SendAnswer {
    /// One object, independent of the language of the user but for the reason.
    package var json: JSONValue {
        [
            "id": .string(id), "message": .integer(Int(message)), "stage": .string(stage.rawValue),
            "reason": .text(reason), "protection": protection?.json ?? .null, "unreadable": unreadable?.json ?? .null,
        ]
    }
}
