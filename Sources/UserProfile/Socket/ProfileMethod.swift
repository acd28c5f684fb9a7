internal import Foundation
public import JSONRPC

/// A method that a program offers to others, on the socket of its profile or elsewhere.
public struct ProfileMethod: Sendable {
    public let name: String
    package let answer: @Sendable (ProfileRequest) async throws(JSONRPCError) -> JSONValue

    /// - Parameter body: answers one request; an error that it throws is sent to the client.
    public init(
        _ name: String, _ body: @escaping @Sendable (ProfileRequest) async throws(JSONRPCError) -> JSONValue
    ) {
        self.name = name
        answer = body
    }

    /// A method whose parameters and result are values of Swift.
    public init<Parameters: Decodable & Sendable, Result: Encodable & Sendable>(
        _ name: String,
        _ body: @escaping @Sendable (Parameters, ProfileRequest) async throws(JSONRPCError) -> Result
    ) {
        self.init(name) { request throws(JSONRPCError) in
            let parameters: Parameters? = request.parameters.decoded()
            guard let parameters else { throw .invalidParameters() }
            return JSONValue(encoding: try await body(parameters, request))
        }
    }
}

/// One request of a client.
public struct ProfileRequest: Sendable {
    public let parameters: JSONValue
    let id: JSONRPCID?
    package let client: any ProfileRequestClient

    package init(parameters: JSONValue, id: JSONRPCID?, client: any ProfileRequestClient) {
        self.parameters = parameters
        self.id = id
        self.client = client
    }

    /// Whether the sender waits for the result.
    package var isAnswered: Bool { id != nil }

    /// Runs work that outlasts the request and ends with the connection; it begins after the answer was written. It takes
    /// the place of work with the same name.
    package func run(_ name: String, _ body: @escaping @Sendable () async -> Void) async {
        await client.run(name, after: id, body)
    }

    /// Notifies the client before the result, for example of progress.
    public func notify(_ method: String, _ value: some Encodable) {
        client.notify(method, ["request": id?.json ?? .null, "value": JSONValue(encoding: value)])
    }
}

/// The sender of a request, as far as a method knows it.
package protocol ProfileRequestClient: AnyObject, Sendable {
    /// Sends a notification; waits for nothing.
    func notify(_ method: String, _ parameters: JSONValue)
    /// Waits, if too much waits for the client, until it has read it.
    func waitForRoom() async
    /// See ``ProfileRequest/run(_:_:)``.
    func run(_ name: String, after id: JSONRPCID?, _ body: @escaping @Sendable () async -> Void) async
    /// Ends that work.
    func stop(_ name: String) async
    /// Asks the client, and waits for its answer; `nil` if there is none in this time.
    func ask(
        _ method: String, _ parameters: JSONValue, within time: Duration
    ) async -> Result<JSONValue, JSONRPCError>?
    /// Cancels a request of the client, which is not answered any more.
    func cancel(_ id: JSONRPCID)
}

extension JSONValue {
    /// The value of Swift; `nil` if it is another one.
    package func decoded<Value: Decodable>() -> Value? {
        // A request without parameters is one with none of the optional ones.
        let json = self == .null ? .object([]) : self
        return try? JSONDecoder().decode(Value.self, from: Data(json.description.utf8))
    }

    package init(encoding value: some Encodable) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
        let data = try? encoder.encode(value)
        self = data.flatMap { try? JSONValue(parsing: $0) } ?? .null
    }
}

extension JSONRPCError {
    /// The method describes the failure in `data`.
    public static let refusedCode = -32000
    static let otherUser = JSONRPCError(-32002, "Another user")
    /// The connection ended before the response: the result of the request is unknown.
    public static let disconnected = JSONRPCError(-32003, "The program that has the profile open has ended")
}
