/// Why a request has no result (JSON-RPC 2.0 §5.1).
public struct JSONRPCError: Error, Sendable, Hashable {
    public var code: Int
    public var message: String
    /// Details of the failure, defined by the method.
    public var data: JSONValue?

    public init(_ code: Int, _ message: String, data: JSONValue? = nil) {
        self.code = code
        self.message = message
        self.data = data
    }

    public var json: JSONValue {
        ["code": .integer(code), "message": .string(message), "data": data ?? .null]
    }

    init?(_ json: JSONValue) {
        guard let code = json["code"]?.integer, let message = json["message"]?.string else { return nil }
        self.init(code, message, data: json["data"])
    }
}

extension JSONRPCError {
    /// The line is not JSON, or too complex.
    public static func unreadable(_ message: String = "Parse error") -> Self { Self(-32700, message) }
    /// The object is no request.
    public static func invalidRequest(_ message: String) -> Self { Self(-32600, message) }
    public static let unknownMethod = Self(-32601, "Method not found")
    public static func invalidParameters(_ message: String = "Invalid params") -> Self { Self(-32602, message) }
    public static let internalError = Self(-32603, "Internal error")
    /// Too many requests or clients at a time. It can be sent again later.
    public static let busy = Self(-32001, "Too many clients or requests")
}
