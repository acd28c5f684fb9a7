internal import ChatEngine
internal import ChatStore
internal import JSONRPC
internal import UserProfile
internal import XMPPAddress

/// What the methods work with.
struct AutomationContext: Sendable {
    let profile: Profile
    let store: any LocalStore
    /// The accounts of the program, connected or not.
    let accounts: @Sendable () async -> [ChatAccount]
    /// Whether the accounts begin to connect now, so that a message waits for that.
    let isStarting: Bool

    /// The maximum number of messages in one page.
    static let pageLimit = 500
    /// The maximum size of a page in bytes; further messages and events are in the next one.
    static let pageBytes = 256 << 10
}

/// The methods of one topic.
protocol MethodGroup: Sendable {
    var context: AutomationContext { get }
    var methods: [AutomationMethod] { get }
}

/// What a call means, and the store with the failures of methods.
extension MethodGroup {
    static var accountParameter: AutomationMethod.Parameter {
        .init("account", .address, "the address of the account; not needed if there is only one")
    }

    /// The account that a call means.
    func account(_ arguments: Arguments) async throws(JSONRPCError) -> ChatAccount {
        let accounts = await context.accounts()
        guard let address = arguments.address("account") else {
            guard accounts.count == 1, let account = accounts.first else {
                throw accounts.isEmpty
                    ? .failure(.account, "There is no account") : .invalidParameters("“account” is missing")
            }
            return account
        }
        guard let account = accounts.first(where: { $0.address == address.bare }) else {
            throw .failure(.account, "There is no such account")
        }
        return account
    }

    /// The account and the conversation that a call means.
    func conversation(
        _ arguments: Arguments, _ name: String
    ) async throws(JSONRPCError) -> (ChatAccount, ConversationKey) {
        let account = try await account(arguments)
        let address = try arguments.requiredAddress(name)
        do throws(StoreError) {
            return (account, try await account.conversation(with: address))
        } catch {
            throw JSONRPCError(error)
        }
    }

    /// A message of a conversation.
    func message(
        _ arguments: Arguments, _ name: String, in key: ConversationKey
    ) async throws(JSONRPCError) -> StoredMessage {
        let id = arguments.message(name)
        let message = try await read { store throws(StoreError) -> StoredMessage? in
            guard let id, let message = try store.message(id), try store.conversation(key) == message.conversation
            else { return nil }
            return message
        }
        guard let message else { throw .failure(.notFound, "There is no such message in this conversation") }
        return message
    }

    /// Reads the store; its failures become failures of the method.
    func read<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreReader) throws(StoreError) -> Result
    ) async throws(JSONRPCError) -> Result {
        do throws(StoreError) {
            return try await context.store.read(body)
        } catch {
            throw JSONRPCError(error)
        }
    }

    func write<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreWriter) throws(StoreError) -> Result
    ) async throws(JSONRPCError) -> Result {
        do throws(StoreError) {
            return try await context.store.write(body)
        } catch {
            throw JSONRPCError(error)
        }
    }
}
