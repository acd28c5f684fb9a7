import Testing

@testable import JSONRPC

@Suite("A JSON-RPC connection")
struct JSONRPCConnectionTests {
    private static let small = JSONRPCConnection.Limits(lineLength: 100, requests: 2)

    private func request(_ id: JSONRPCID, _ method: String = "m", _ parameters: JSONValue = .null)
        -> JSONRPCConnection.Event
    {
        .request(id, method: method, parameters: parameters)
    }

    /// The code of an error object without an id.
    private func refusal(_ event: JSONRPCConnection.Event?) -> Int? {
        guard case .write(let line)? = event, let json = try? JSONValue(parsing: line), json["id"] == nil else {
            return nil
        }
        return json["error"]?["code"]?.integer
    }

    @Test("requests, notifications and responses are told apart")
    func kinds() {
        var connection = JSONRPCConnection()
        let (id, line) = connection.request("ask", ["a": 1])
        #expect(
            String(decoding: line, as: UTF8.self) == #"{"jsonrpc":"2.0","id":1,"method":"ask","params":{"a":1}}"# + "\n"
        )
        let text = """
            {"jsonrpc":"2.0","id":7,"method":"m","params":[1]}
            {"jsonrpc":"2.0","id":"x","method":"m"}\r

            {"jsonrpc":"2.0","method":"n","params":{"a":null}}
            {"jsonrpc":"2.0","id":1,"result":null}
            {"jsonrpc":"2.0","id":1,"result":"twice"}
            {"jsonrpc":"2.0","id":99,"error":{"code":1,"message":"nobody asked"}}
            {"jsonrpc":"2.0","id":null,"error":{"code":2,"message":"go away","data":[]}}

            """
        #expect(
            connection.received(text.utf8) == [
                request(.integer(7), "m", [1]), request(.string("x")),
                .notification(method: "n", parameters: .object([.init(key: "a", value: .null)])),
                .response(id, .success(.null)), .refused(JSONRPCError(2, "go away", data: [])),
            ])
        let count = connection.requestCount
        #expect(count == 2)
        let answer = connection.answer(.string("x"), .success(.null))
        #expect(
            answer.map { String(decoding: $0, as: UTF8.self) } == #"{"jsonrpc":"2.0","id":"x","result":null}"# + "\n")
        #expect(connection.answer(.string("x"), .success(true)) == nil)
        let failure = connection.answer(.integer(7), .failure(.invalidParameters()))
        #expect(
            failure.map { String(decoding: $0, as: UTF8.self) }
                == #"{"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"Invalid params"}}"# + "\n")
    }

    @Test(
        "a line that is no request is answered with an error object, and the next one is read",
        arguments: [
            ("hello", -32700), ("{", -32700), ("\u{0}", -32700),
            (#"{"jsonrpc":"2.0","id":1,"id":2,"method":"m"}"#, -32700),
            ("[]", -32600), (#"[{"jsonrpc":"2.0","id":1,"method":"m"}]"#, -32600), ("1", -32600), ("null", -32600),
            ("{}", -32600),
            (#"{"jsonrpc":"1.0","method":"m"}"#, -32600), (#"{"jsonrpc":"2.0"}"#, -32600),
            (#"{"jsonrpc":"2.0","method":1}"#, -32600),
            (#"{"jsonrpc":"2.0","id":null,"method":"m"}"#, -32600),
            (#"{"jsonrpc":"2.0","id":1.5,"method":"m"}"#, -32600),
            (#"{"jsonrpc":"2.0","id":{},"method":"m"}"#, -32600),
            (#"{"jsonrpc":"2.0","method":"m","params":5}"#, -32600),
            (#"{"jsonrpc":"2.0","result":1,"error":{"code":1,"message":""}}"#, -32600),
            (String(repeating: "x", count: 101), -32600), (String(repeating: "x", count: 1000), -32600),
            (String(repeating: "[", count: 90), -32700),
        ])
    func malformed(_ line: String, _ code: Int) {
        let good = #"{"jsonrpc":"2.0","id":1,"method":"m"}"# + "\n"
        var whole = JSONRPCConnection(limits: Self.small)
        let events = whole.received((line + "\n" + good).utf8)
        #expect(events.count == 2)
        #expect(refusal(events.first) == code)
        #expect(events.last == request(.integer(1)))
        // The same one byte at a time.
        var slow = JSONRPCConnection(limits: Self.small)
        var one: [JSONRPCConnection.Event] = []
        for byte in (line + "\n" + good).utf8 { one += slow.received([byte]) }
        #expect(one == events)
    }

    @Test("a request with an id is refused with its id")
    func named() {
        var connection = JSONRPCConnection(limits: Self.small)
        func refused(_ line: String) -> JSONValue? {
            guard case .write(let bytes)? = connection.received((line + "\n").utf8).first else { return nil }
            return try? JSONValue(parsing: bytes)
        }
        let bad = refused(#"{"jsonrpc":"2.0","id":"a","method":1}"#)
        #expect(bad?["id"] == "a" && bad?["error"]?["code"] == -32600)
        #expect(connection.received(#"{"jsonrpc":"2.0","id":1,"method":"m"}"#.utf8).isEmpty)
        var isInside = connection.isInsideLine
        #expect(isInside)
        #expect(connection.received("\n".utf8) == [request(.integer(1))])
        isInside = connection.isInsideLine
        #expect(!isInside)
        let twice = refused(#"{"jsonrpc":"2.0","id":1,"method":"m"}"#)
        #expect(twice?["id"] == 1 && twice?["error"]?["code"] == -32600)
        _ = connection.received((#"{"jsonrpc":"2.0","id":2,"method":"m"}"# + "\n").utf8)
        let many = refused(#"{"jsonrpc":"2.0","id":3,"method":"m"}"#)
        #expect(many?["id"] == 3 && many?["error"]?["code"] == -32001)
        // There is room again after an answer, or a cancellation.
        #expect(connection.answer(.integer(1), .success(.null)) != nil)
        #expect(connection.received((#"{"jsonrpc":"2.0","id":1,"method":"m"}"# + "\n").utf8) == [request(.integer(1))])
        #expect(connection.cancel(.integer(2)) && !connection.cancel(.integer(2)))
        #expect(connection.answer(.integer(2), .success(.null)) == nil)
        #expect(connection.received((#"{"jsonrpc":"2.0","id":4,"method":"m"}"# + "\n").utf8) == [request(.integer(4))])
    }

    @Test("a line without an end is refused when the input ends, and nothing is read after that")
    func end() {
        var connection = JSONRPCConnection()
        #expect(connection.received(#"{"jsonrpc":"2.0","#.utf8).isEmpty)
        #expect(connection.inputEnded().compactMap { refusal($0) } == [-32700])
        #expect(connection.inputEnded().isEmpty)
        #expect(connection.received("\n{}\n".utf8).isEmpty)
        var quiet = JSONRPCConnection()
        #expect(quiet.inputEnded().isEmpty)
    }

    @Test("a line without an end takes no more memory than its limit, and no more time than its length")
    func memory() {
        var connection = JSONRPCConnection()
        let piece = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 16)
        var count = 0
        for _ in 0..<128 { count += connection.received(piece).count }
        #expect(count == 1)
        #expect(connection.received("\n".utf8).isEmpty)
        #expect(connection.received((#"{"jsonrpc":"2.0","id":1,"method":"m"}"# + "\n").utf8) == [request(.integer(1))])
    }

    @Test("whatever the pieces, the events are the same")
    func pieces() {
        let lines = [
            #"{"jsonrpc":"2.0","id":1,"method":"m"}"#, "nonsense", "", #"{"jsonrpc":"2.0","method":"n"}"#,
            String(repeating: "鸿", count: 200), #"{"jsonrpc":"2.0","id":"鸿","method":"m"}"#,
        ]
        let bytes = Array(lines.map { $0 + "\n" }.joined().utf8)
        var whole = JSONRPCConnection(limits: Self.small)
        let expected = whole.received(bytes)
        for _ in 0..<200 {
            var connection = JSONRPCConnection(limits: Self.small)
            var events: [JSONRPCConnection.Event] = []
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = min(rest.count, Int.random(in: 1...40))
                events += connection.received(rest.prefix(count))
                rest = rest.dropFirst(count)
            }
            #expect(events == expected)
        }
    }
}
