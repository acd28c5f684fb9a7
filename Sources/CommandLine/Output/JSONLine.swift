/// A JSON value whose objects preserve the order of their members, so that output is reproducible.
enum JSONValue: Sendable, Equatable, CustomStringConvertible {
    case string(String)
    case integer(Int)
    case number(Double)
    case bool(Bool)
    case array([JSONValue])
    case object([JSONMember])
    case null

    /// The value on one line.
    var description: String {
        switch self {
        case .string(let text): Self.quote(text)
        case .integer(let number): String(number)
        case .number(let number): number.isFinite ? String(number) : "null"
        case .bool(let value): value ? "true" : "false"
        case .array(let values): "[" + values.map(\.description).joined(separator: ",") + "]"
        case .object(let members):
            "{" + members.map { Self.quote($0.key) + ":" + $0.value.description }.joined(separator: ",") + "}"
        case .null: "null"
        }
    }

    /// RFC 8259 §7; C1 control characters and line separators are escaped too, because terminals and line readers
    /// interpret them.
    private static func quote(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            default:
                switch scalar.value {
                case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029:
                    let digits = String(scalar.value, radix: 16)
                    result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                default: result.unicodeScalars.append(scalar)
                }
            }
        }
        return result + "\""
    }
}

/// A member of an object.
struct JSONMember: Sendable, Equatable {
    var key: String
    var value: JSONValue
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral {
    init(stringLiteral value: String) { self = .string(value) }
    init(integerLiteral value: Int) { self = .integer(value) }
    init(booleanLiteral value: Bool) { self = .bool(value) }

    /// The text, or `null`.
    static func text(_ value: (any CustomStringConvertible)?) -> JSONValue {
        value.map { .string($0.description) } ?? .null
    }

    /// The number, or `null`.
    static func count(_ value: (any BinaryInteger)?) -> JSONValue {
        value.map { .integer(Int(clamping: $0)) } ?? .null
    }
}

extension JSONValue: ExpressibleByDictionaryLiteral {
    /// An object; members with the value `null` are omitted.
    init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(elements.filter { $0.1 != .null }.map { JSONMember(key: $0.0, value: $0.1) })
    }
}

extension JSONValue {
    /// An object of these members; those with the value `null` are omitted.
    init(_ members: [(String, JSONValue)]) {
        self = .object(members.filter { $0.1 != .null }.map { JSONMember(key: $0.0, value: $0.1) })
    }
}
