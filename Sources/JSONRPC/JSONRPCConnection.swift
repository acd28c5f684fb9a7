/// One side of a JSON-RPC 2.0 connection, without I/O: one object on each line, in both directions.
///
/// ```
/// C: {"jsonrpc":"2.0","id":1,"method":"history.read","params":{"with":"romeo@montague.example"}}
/// S: {"jsonrpc":"2.0","id":1,"result":{"messages":[]}}
/// ```
///
/// What cannot be read is answered with an error object and costs no other line: not JSON (−32700), no request, too
/// long, an array of several requests, or the id of a request that is not answered yet (−32600), too many requests at a
/// time (−32001). A line that is too long is skipped to its end in constant memory.
///
///     for event in connection.received(bytes) {
///         switch event {
///         case .request(let id, let method, let parameters): …  // later: connection.answer(id, .success(result))
///         case .notification(let method, let parameters): …
///         case .response(let id, let result): …
///         case .write(let line): …
///         }
///     }
public struct JSONRPCConnection: ~Copyable, Sendable {
    public struct Limits: Sendable, Equatable {
        /// The longest line in bytes, without its end.
        public var lineLength: Int
        /// The maximum number of requests of the peer that are not answered yet.
        public var requests: Int

        public init(lineLength: Int, requests: Int) {
            self.lineLength = lineLength
            self.requests = requests
        }

        /// The longest text of a message with each byte escaped fits into a line; no program waits for more requests at once.
        public static let standard = Limits(lineLength: 2 << 20, requests: 64)
    }

    public enum Event: Sendable, Equatable {
        /// A request, to be answered with ``JSONRPCConnection/answer(_:_:)``. Missing parameters are `null`.
        case request(JSONRPCID, method: String, parameters: JSONValue)
        case notification(method: String, parameters: JSONValue)
        /// The response to a request of ``JSONRPCConnection/request(_:_:)``.
        case response(Int, Result<JSONValue, JSONRPCError>)
        /// The peer could not read a line, or refuses the connection: an error without an id.
        case refused(JSONRPCError)
        /// A line to write, with its end.
        case write([UInt8])
    }

    private enum State: Sendable {
        /// The beginning of a line.
        case reading([UInt8])
        /// The rest of a line that is too long.
        case skipping
        case ended
    }

    public let limits: Limits
    private var state = State.reading([])
    /// Requests of the peer that are not answered yet.
    private var open: Set<JSONRPCID> = []
    /// Own requests without a response.
    private var asked: Set<Int> = []
    private var lastID = 0

    public init(limits: Limits = .standard) { self.limits = limits }

    /// The number of requests of the peer that are not answered yet.
    public var requestCount: Int { open.count }

    /// Whether the peer has begun a line.
    public var isInsideLine: Bool {
        switch state {
        case .reading(let line): !line.isEmpty
        case .skipping: true
        case .ended: false
        }
    }

    // MARK: Receiving

    public mutating func received(_ bytes: some Collection<UInt8>) -> [Event] {
        var events: [Event] = []
        var rest = ArraySlice(bytes)
        while !rest.isEmpty {
            switch state {
            case .ended: return events
            case .skipping:
                guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else { return events }
                rest = rest[(end + 1)...]
                state = .reading([])
            case .reading(var line):
                // Otherwise the line would be copied for each piece.
                state = .ended
                if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    line += rest[..<end]
                    rest = rest[(end + 1)...]
                    state = .reading([])
                    if line.count > limits.lineLength {
                        events.append(tooLong)
                    } else if let event = read(line) {
                        events.append(event)
                    }
                } else {
                    line += rest
                    rest = []
                    if line.count > limits.lineLength {
                        state = .skipping
                        events.append(tooLong)
                    } else {
                        state = .reading(line)
                    }
                }
            }
        }
        return events
    }

    /// The peer sends nothing any more. A last line without its end is refused.
    public mutating func inputEnded() -> [Event] {
        let wasInsideLine = isInsideLine
        state = .ended
        return wasInsideLine ? [Self.refusal(of: nil, .unreadable())] : []
    }

    private var tooLong: Event {
        Self.refusal(of: nil, .invalidRequest("The line is longer than \(limits.lineLength) bytes"))
    }

    private static func refusal(of id: JSONRPCID?, _ error: JSONRPCError) -> Event {
        .write(Self.line([("id", id?.json), ("error", error.json)]))
    }

    private mutating func read(_ line: [UInt8]) -> Event? {
        // An empty line means nothing.
        guard !line.allSatisfy({ [0x20, 0x09, 0x0D].contains($0) }) else { return nil }
        let object: JSONValue
        do throws(JSONError) {
            object = try JSONValue(parsing: line)
        } catch {
            return Self.refusal(of: nil, .unreadable())
        }
        guard case .object = object else {
            return Self.refusal(of: nil, .invalidRequest("Invalid request: write one object on each line"))
        }
        let id = object["id"].flatMap { JSONRPCID($0) }
        guard object["jsonrpc"] == "2.0" else { return Self.refusal(of: id, .invalidRequest("Invalid request")) }
        guard let method = object["method"] else { return response(object) }
        let parameters = object["params"] ?? .null
        guard case .string(let method) = method, parameters.isStructure else {
            return Self.refusal(of: id, .invalidRequest("Invalid request"))
        }
        guard object.members?.contains(where: { $0.key == "id" }) == true else {
            return .notification(method: method, parameters: parameters)
        }
        guard let id else {
            return Self.refusal(of: nil, .invalidRequest("Invalid request: an id is a string or an integer"))
        }
        guard !open.contains(id) else {
            return Self.refusal(of: id, .invalidRequest("Invalid request: this id is in use"))
        }
        guard open.count < limits.requests else { return Self.refusal(of: id, .busy) }
        open.insert(id)
        return .request(id, method: method, parameters: parameters)
    }

    private mutating func response(_ object: JSONValue) -> Event? {
        let error = object["error"].map { JSONRPCError($0) ?? .internalError }
        let hasResult = object.members?.contains { $0.key == "result" } == true
        guard hasResult != (error != nil) else {
            return Self.refusal(of: object["id"].flatMap { JSONRPCID($0) }, .invalidRequest("Invalid request"))
        }
        if let error, object["id"] == nil { return .refused(error) }
        // Nothing was asked, or it was answered already.
        guard let id = object["id"]?.integer, asked.remove(id) != nil else { return nil }
        return .response(id, error.map { .failure($0) } ?? .success(object["result"] ?? .null))
    }

    // MARK: Sending

    /// The line that answers a request; `nil` if the request is not open.
    public mutating func answer(_ id: JSONRPCID, _ result: Result<JSONValue, JSONRPCError>) -> [UInt8]? {
        guard open.remove(id) != nil else { return nil }
        switch result {
        case .success(let value): return Self.line([("id", id.json), ("result", value)])
        case .failure(let error): return Self.line([("id", id.json), ("error", error.json)])
        }
    }

    /// Forgets a request that its sender has cancelled, so that it is not answered.
    ///
    /// - Returns: whether it was open.
    public mutating func cancel(_ id: JSONRPCID) -> Bool { open.remove(id) != nil }

    /// The line of a request to the peer, and the id with which its response is reported.
    public mutating func request(_ method: String, _ parameters: JSONValue) -> (id: Int, line: [UInt8]) {
        lastID += 1
        asked.insert(lastID)
        return (
            lastID,
            Self.line([("id", .integer(lastID)), ("method", .string(method)), ("params", parameters)])
        )
    }

    /// The line of a notification, which has no response.
    public static func notification(_ method: String, _ parameters: JSONValue) -> [UInt8] {
        line([("method", .string(method)), ("params", parameters == .null ? nil : parameters)])
    }

    /// The line of an error that concerns no request, but the connection.
    public static func refusal(_ error: JSONRPCError) -> [UInt8] {
        line([("id", JSONValue.null), ("error", error.json)])
    }

    /// A member with the value `nil` is omitted, except an id, which is `null`.
    private static func line(_ members: [(String, JSONValue?)]) -> [UInt8] {
        var object = [JSONMember(key: "jsonrpc", value: "2.0")]
        for (key, value) in members where value != nil || key == "id" {
            object.append(JSONMember(key: key, value: value ?? .null))
        }
        return Array((JSONValue.object(object).description + "\n").utf8)
    }
}

/// The id of a request (JSON-RPC 2.0 §4): a string or an integer. Other numbers and `null` are refused, because a
/// response could not be assigned to its request.
public enum JSONRPCID: Hashable, Sendable {
    case integer(Int)
    case string(String)

    public init?(_ json: JSONValue) {
        switch json {
        case .integer(let number): self = .integer(number)
        case .string(let text): self = .string(text)
        case .number, .bool, .array, .object, .null: return nil
        }
    }

    public var json: JSONValue {
        switch self {
        case .integer(let number): .integer(number)
        case .string(let text): .string(text)
        }
    }
}

extension JSONValue {
    /// Whether it can be the parameters of a method (JSON-RPC 2.0 §4.2).
    fileprivate var isStructure: Bool {
        switch self {
        case .array, .object, .null: true
        case .string, .integer, .number, .bool: false
        }
    }
}
