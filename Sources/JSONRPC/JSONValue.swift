/// A JSON value whose objects preserve the order of their members, so that output is reproducible.
public enum JSONValue: Sendable, Hashable, CustomStringConvertible {
    case string(String)
    case integer(Int)
    case number(Double)
    case bool(Bool)
    case array([JSONValue])
    case object([JSONMember])
    case null

    /// The value on one line.
    public var description: String {
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
public struct JSONMember: Sendable, Hashable {
    public var key: String
    public var value: JSONValue

    public init(key: String, value: JSONValue) {
        self.key = key
        self.value = value
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral {
    public init(stringLiteral value: String) { self = .string(value) }
    public init(integerLiteral value: Int) { self = .integer(value) }
    public init(booleanLiteral value: Bool) { self = .bool(value) }

    /// The text, or `null`.
    public static func text(_ value: (any CustomStringConvertible)?) -> JSONValue {
        value.map { .string($0.description) } ?? .null
    }

    /// The number, or `null`.
    public static func count(_ value: (any BinaryInteger)?) -> JSONValue {
        value.map { .integer(Int(clamping: $0)) } ?? .null
    }
}

extension JSONValue: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral {
    /// An object; members with the value `null` are omitted.
    public init(dictionaryLiteral elements: (String, JSONValue)...) { self.init(elements) }

    /// An object of these members; those with the value `null` are omitted.
    public init(_ members: [(String, JSONValue)]) {
        self = .object(members.filter { $0.1 != .null }.map { JSONMember(key: $0.0, value: $0.1) })
    }

    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
}

extension JSONValue {
    /// A member of an object; `nil` if this is none, or has none with this name, or it is `null`.
    public subscript(_ key: String) -> JSONValue? {
        guard case .object(let members) = self, let value = members.first(where: { $0.key == key })?.value,
            value != .null
        else { return nil }
        return value
    }

    public var string: String? { if case .string(let text) = self { text } else { nil } }
    public var integer: Int? { if case .integer(let number) = self { number } else { nil } }
    public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    public var array: [JSONValue]? { if case .array(let values) = self { values } else { nil } }
    public var members: [JSONMember]? { if case .object(let members) = self { members } else { nil } }
}
