import Testing

@testable import JSONRPC

@Suite("JSON")
struct JSONParserTests {
    private func parse(_ text: String) throws(JSONError) -> JSONValue { try JSONValue(parsing: text.utf8) }

    @Test(
        "values are read and written",
        arguments: [
            ("{}", JSONValue.object([])), ("[]", .array([])),
            (
                " [1 , -2,\t0.5e1,\n1E2, 12345678901234567890 ] ",
                .array([1, -2, .number(5), .number(100), .number(12_345_678_901_234_567_168)])
            ),
            ("[true,false,null]", .array([true, false, .null])), (#""""#, ""),
            (#""\"\\\/\b\f\n\r\t\u00e9\u9e3f\ud83d\ude00""#, "\"\\/\u{8}\u{C}\n\r\té鸿😀"),
            (
                #"{"b":1,"a":{"c":[{}]}}"#,
                .object([.init(key: "b", value: 1), .init(key: "a", value: ["c": [.object([])]])])
            ),
            (#""鸿雁 🕊️""#, "鸿雁 🕊️"), ("-0", 0),
        ])
    func values(_ text: String, _ value: JSONValue) throws {
        #expect(try parse(text) == value)
        #expect(try parse(value.description) == value)
        // A piece of a larger array has other indices.
        #expect(try JSONValue(parsing: Array(("xx" + text).utf8)[2...]) == value)
    }

    @Test(
        "what is not JSON is refused",
        arguments: [
            "", " ", "{", "}", "[", "[1", "[1,]", "[,1]", "[1 2]", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}",
            "{\"a\":1 \"b\":2}",
            "{\"a\":1,\"a\":2}", "tru", "nul", "True", "NaN", "Infinity", "01", "+1", "1.", ".5", "1e", "1e+", "--1",
            "0x1", "1e999", "\"", "\"\\\"",
            "\"\\x\"", "\"\\u12\"", "\"\\u12g4\"", "\"\\ud800\"", "\"\\ud800\\n\"", "\"\\udc00\"", "\"\\ud800\\ud800\"",
            "\"\u{1}\"", "\"a\nb\"",
            "'a'", "1 1", "{} {}", "[] x", "\u{FEFF}{}", "/**/1",
        ])
    func malformed(_ text: String) { #expect(throws: JSONError.self) { try self.parse(text) } }

    @Test("invalid UTF-8 is refused")
    func encoding() {
        for bytes: [UInt8] in [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xE9]] {
            #expect(throws: JSONError.self) { try JSONValue(parsing: [0x22] + bytes + [0x22]) }
            #expect(throws: JSONError.self) { try JSONValue(parsing: [0x22, 0x5C, 0x6E] + bytes + [0x22]) }
        }
    }

    @Test("depth and number of values are limited")
    func limits() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        _ = try parse(nested(JSONValue.depthLimit))
        #expect(throws: JSONError.tooComplex) { try self.parse(nested(JSONValue.depthLimit + 1)) }
        #expect(throws: JSONError.tooComplex) { try self.parse(String(repeating: "[", count: 100_000)) }
        #expect(throws: JSONError.tooComplex) { try self.parse(String(repeating: "{\"a\":", count: 100_000)) }
        let many = "[" + Array(repeating: "1", count: JSONValue.valueLimit).joined(separator: ",") + "]"
        #expect(throws: JSONError.tooComplex) { try self.parse(many) }
    }

    @Test("random bytes never stop the program, and what is read is written and read again")
    func random() throws {
        let pieces = [
            "{", "}", "[", "]", ",", ":", "\"a\"", "\"", "\\", "1", "-", ".", "e", "true", "null", " ", "\\u00e9", "鸿",
            "\u{0}",
        ]
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<20_000 {
            let text = (0..<Int.random(in: 0..<12, using: &generator)).map { _ in pieces.randomElement() ?? "" }
                .joined()
            guard let value = try? parse(text) else { continue }
            #expect(try parse(value.description) == value, "\(text)")
        }
    }
}
