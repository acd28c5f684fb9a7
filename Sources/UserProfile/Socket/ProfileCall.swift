public import Foundation

/// The protocol on the socket of a profile: JSON-RPC 2.0, one object per line.
///
/// ```
/// C: {"jsonrpc":"2.0","id":1,"method":"send","params":{"account":"juliet@capulet.example", …}}
/// S: {"jsonrpc":"2.0","method":"stage","params":{"request":1,"value":{"stage":"queued"}}}
/// S: {"jsonrpc":"2.0","id":1,"result":{"id":"0f6c…","stage":"acknowledged"}}
/// ```
enum ProfileCall {
    static let version = "2.0"

    /// The members that determine the kind of an object.
    struct Head: Decodable {
        var jsonrpc: String
        var id: Int?
        var method: String?
    }

    struct Parameters<Value: Decodable>: Decodable { var params: Value }

    struct Request<Value: Encodable>: Encodable {
        var jsonrpc = version
        var id: Int
        var method: String
        var params: Value
    }

    struct Notice<Value: Codable>: Codable {
        struct Content: Codable {
            var request: Int
            var value: Value
        }

        var jsonrpc = version
        var method: String
        var params: Content
    }

    struct Answer<Value: Codable>: Codable {
        var jsonrpc = version
        var id: Int?
        var result: Value?
        var error: ProfileFault?
    }

    static func encode(_ value: some Encodable) -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
        return (try? encoder.encode(value)) ?? Data("{}".utf8)
    }
}

/// Why a call has no result (JSON-RPC 2.0 §5.1).
public struct ProfileFault: Error, Codable, Sendable, Equatable {
    public var code: Int
    public var message: String
    /// Details of the failure, defined by the method.
    public var data: [String: String]?

    public init(_ code: Int, _ message: String, data: [String: String]? = nil) {
        self.code = code
        self.message = message
        self.data = data
    }

    static let unreadable = ProfileFault(-32700, "Parse error")
    static let invalidRequest = ProfileFault(-32600, "Invalid request")
    /// The program does not offer this method.
    public static let unknownMethod = ProfileFault(-32601, "Method not found")
    static let invalidParameters = ProfileFault(-32602, "Invalid params")
    /// The method describes the failure in `data`.
    public static let refusedCode = -32000
    static let busy = ProfileFault(-32001, "Too many clients or requests")
    static let otherUser = ProfileFault(-32002, "Another user")
    /// The connection ended before the response: the result of the request is unknown.
    public static let disconnected = ProfileFault(-32003, "The program that has the profile open has ended")
}

/// A method that a program offers to others on the socket of its profile.
public struct ProfileMethod: Sendable {
    public let name: String
    let answer: @Sendable (ProfileRequest) async throws(ProfileFault) -> Data

    /// - Parameter body: answers one request; an error that it throws is sent to the client.
    public init<Parameters: Decodable & Sendable, Result: Codable & Sendable>(
        _ name: String,
        _ body: @escaping @Sendable (Parameters, ProfileRequest) async throws(ProfileFault) -> Result
    ) {
        self.name = name
        answer = { request throws(ProfileFault) in
            guard
                let content = try? JSONDecoder().decode(ProfileCall.Parameters<Parameters>.self, from: request.line)
            else { throw .invalidParameters }
            return ProfileCall.encode(
                ProfileCall.Answer(id: request.id, result: try await body(content.params, request)))
        }
    }
}

/// One request of a client.
public struct ProfileRequest: Sendable {
    let id: Int
    let line: Data
    let connection: SocketLine

    /// Notifies the client before the result, for example of progress.
    public func notify(_ method: String, _ value: some Codable & Sendable) {
        connection.write(
            ProfileCall.encode(ProfileCall.Notice(method: method, params: .init(request: id, value: value))))
    }
}
