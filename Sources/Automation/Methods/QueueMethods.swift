internal import ChatEngine
internal import ChatStore
internal import JSONRPC
internal import UserProfile

/// Messages that wait to be sent or have failed.
struct QueueMethods: MethodGroup {
    let context: AutomationContext

    private static let messageParameter = AutomationMethod.Parameter(
        "message", .integer(1 ... .max), isRequired: true, "the number of the message")

    var methods: [AutomationMethod] {
        [
            AutomationMethod(
                "queue.list", "Lists the messages that wait to be sent or have failed.", [Self.accountParameter]
            ) { [self] arguments, _ throws(JSONRPCError) in
                let account = try await account(arguments)
                let policy = (try? AccountFile())?.account(account.address)?.encryption
                let id = account.id
                return try await read { store throws(StoreError) in
                    ["messages": .array(try QueueListing(of: id, policy, in: store).entries.map(\.json))]
                }
            },
            AutomationMethod(
                "queue.cancel", "Cancels a message that was not sent yet, or has failed.",
                [Self.accountParameter, Self.messageParameter]
            ) { [self] arguments, _ throws(JSONRPCError) in
                try await change(arguments) { account, message throws(StoreError) in try await account.cancel(message) }
            },
            AutomationMethod(
                "queue.retry", "Sends a failed message again.", [Self.accountParameter, Self.messageParameter]
            ) { [self] arguments, _ throws(JSONRPCError) in
                try await change(arguments) { account, message throws(StoreError) in try await account.retry(message) }
            },
        ]
    }

    private func change(
        _ arguments: Arguments, _ body: (ChatAccount, MessageID) async throws(StoreError) -> Void
    ) async throws(JSONRPCError) -> JSONValue {
        let account = try await account(arguments)
        let id = arguments.message("message")
        let isOurs = try await read { [owner = account.id] store throws(StoreError) in
            guard let id, let message = try store.message(id), message.isOutgoing, message.isInOurHands else {
                return false
            }
            return try store.conversation(message.conversation)?.key.account == owner
        }
        guard isOurs, let id else { throw .failure(.notFound, "No such message is waiting or has failed") }
        do throws(StoreError) {
            try await body(account, id)
        } catch {
            throw JSONRPCError(error)
        }
        return [:]
    }
}
