package import ChatEngine
package import ChatStore
internal import JSONRPC
internal import Synchronization
package import UserProfile
internal import XMPPAddress

/// What programs can do with the accounts of a profile: its methods are offered on the socket of the profile, on standard
/// input and output, and as tools of the Model Context Protocol.
package final class AutomationService: Sendable {
    let profile: Profile
    let store: any LocalStore
    /// The accounts of the program, connected or not.
    let accounts: @Sendable () async -> [ChatAccount]
    /// Whether the accounts begin to connect now, so that a message waits for that.
    let isStarting: Bool
    /// The running subscriptions, by the name of their reader.
    let subscriptions = Mutex<[String: EventSubscription]>([:])

    package init(
        _ profile: Profile, _ store: any LocalStore, isStarting: Bool = false,
        accounts: @escaping @Sendable () async -> [ChatAccount]
    ) {
        self.profile = profile
        self.store = store
        self.isStarting = isStarting
        self.accounts = accounts
    }

    /// All methods, sorted by topic.
    package var methods: [AutomationMethod] {
        let methods =
            accountMethods + conversationMethods + messageMethods + contactMethods + roomMethods + queueMethods
            + eventMethods
        let list = JSONValue.array(
            methods.map { ["name": .string($0.name), "text": .string($0.text), "schema": $0.schema] })
        return methods + [
            AutomationMethod("methods.list", "Lists the methods with their parameters as JSON Schema.") {
                _, _ throws(JSONRPCError) in ["methods": list, "version": .string(Release.version)]
            }
        ]
    }

    // MARK: Accounts

    static let accountParameter = AutomationMethod.Parameter(
        "account", .address, "the address of the account; not needed if there is only one")

    /// The account that a call means.
    func account(_ arguments: Arguments) async throws(JSONRPCError) -> ChatAccount {
        let accounts = await accounts()
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

    var accountMethods: [AutomationMethod] {
        [
            AutomationMethod("accounts.list", "Lists the accounts and their connections.") {
                [self] _, _ throws(JSONRPCError) in
                var list: [JSONValue] = []
                for account in await accounts() {
                    list.append(
                        JSONValue(
                            [("address", .text(account.address))] + (await account.connectionState.facts(as: nil))))
                }
                return ["accounts": .array(list)]
            }
        ]
    }

    /// Reads the store; its failures become failures of the method.
    func read<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreReader) throws(StoreError) -> Result
    ) async throws(JSONRPCError) -> Result {
        do throws(StoreError) {
            return try await store.read(body)
        } catch {
            throw JSONRPCError(error)
        }
    }

    func write<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreWriter) throws(StoreError) -> Result
    ) async throws(JSONRPCError) -> Result {
        do throws(StoreError) {
            return try await store.write(body)
        } catch {
            throw JSONRPCError(error)
        }
    }
}
