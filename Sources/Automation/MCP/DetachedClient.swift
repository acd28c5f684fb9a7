package import JSONRPC
internal import UserProfile

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
