package import ChatEngine
package import ChatStore
package import JSONRPC
package import UserProfile

/// What programs can do with the accounts of a profile: its methods are offered on the socket of the profile, on standard
/// input and output, and as tools of the Model Context Protocol.
package struct AutomationService: Sendable {
    let events: EventMethods
    private let groups: [any MethodGroup]

    package init(
        _ profile: Profile, _ store: any LocalStore, isStarting: Bool = false,
        accounts: @escaping @Sendable () async -> [ChatAccount]
    ) {
        let context = AutomationContext(profile: profile, store: store, accounts: accounts, isStarting: isStarting)
        events = EventMethods(context: context)
        groups = [
            AccountMethods(context: context), ConversationMethods(context: context), MessageMethods(context: context),
            ContactMethods(context: context), RoomMethods(context: context), QueueMethods(context: context), events,
        ]
    }

    /// All methods, sorted by topic.
    package var methods: [AutomationMethod] {
        let methods = groups.flatMap(\.methods)
        let list = JSONValue.array(
            methods.map { ["name": .string($0.name), "text": .string($0.text), "schema": $0.schema] })
        return methods + [
            AutomationMethod("methods.list", "Lists the methods with their parameters as JSON Schema.") {
                _, _ throws(JSONRPCError) in ["methods": list, "version": .string(Release.version)]
            }
        ]
    }
}

/// The accounts of the program.
struct AccountMethods: MethodGroup {
    let context: AutomationContext

    var methods: [AutomationMethod] {
        [
            AutomationMethod("accounts.list", "Lists the accounts and their connections.") {
                [self] _, _ throws(JSONRPCError) in
                var list: [JSONValue] = []
                for account in await context.accounts() {
                    list.append(
                        JSONValue(
                            [("address", .text(account.address))] + (await account.connectionState.facts(as: nil))
                                + [("caughtUp", await account.history.hasCaughtUp ? true : .null)]))
                }
                return ["accounts": .array(list)]
            }
        ]
    }
}

/// The sender of calls that this program makes itself: it gets the results and nothing else.
package final class DetachedClient: ProfileRequestClient {
    package init() {}

    package func notify(_ method: String, _ parameters: JSONValue) {}
    package func waitForRoom() async {}
    package func run(_ name: String, after id: JSONRPCID?, _ body: @escaping @Sendable () async -> Void) async {}
    package func stop(_ name: String) async {}
    package func ask(
        _ method: String, _ parameters: JSONValue, within time: Duration
    ) async -> Result<JSONValue, JSONRPCError>? { nil }
    package func cancel(_ id: JSONRPCID) {}
}

extension AutomationService {
    /// Calls a method from within the program.
    package func call(_ method: String, _ parameters: JSONValue) async throws(JSONRPCError) -> JSONValue {
        guard let found = methods.first(where: { $0.name == method }) else { throw .unknownMethod }
        return try await found.profileMethod.answer(
            ProfileRequest(parameters: parameters, id: nil, client: DetachedClient()))
    }
}
