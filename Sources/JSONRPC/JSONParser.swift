/// Why a text is not JSON, or more than this program reads.
public enum JSONError: Error, Sendable, Equatable {
    /// The text violates RFC 8259, at a byte.
    case malformed(at: Int)
    /// It is nested deeper, or has more values, than ``JSONValue/depthLimit`` and ``JSONValue/valueLimit`` allow.
    case tooComplex
}

extension JSONValue {
    /// The maximum depth of nesting: requests have three levels.
    public static let depthLimit = 32
    /// The maximum number of values in one text, so that a line of a few bytes per value needs no more than some megabytes.
    public static let valueLimit = 100_000

    /// Reads one value (RFC 8259), and nothing after it but white space.
    ///
    /// It is strict where programs disagree: a repeated name in an object, a lone surrogate and invalid UTF-8 are errors
    /// (RFC 7493 §2).
    public init(parsing bytes: some Collection<UInt8>) throws(JSONError) {
        var parser = JSONParser(bytes: ArraySlice(bytes))
        self = try parser.document()
    }
}

private struct JSONParser {
    let bytes: ArraySlice<UInt8>
    private var position: Int
    private var valuesLeft = JSONValue.valueLimit

    init(bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        position = bytes.startIndex
    }

    mutating func document() throws(JSONError) -> JSONValue {
        let value = try value(depth: 0)
        skipSpace()
        guard position == bytes.endIndex else { throw malformed }
        return value
    }

    private var malformed: JSONError { .malformed(at: position - bytes.startIndex) }

    private var next: UInt8? { position < bytes.endIndex ? bytes[position] : nil }

    private mutating func skipSpace() {
        while let byte = next, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { position += 1 }
    }

    private mutating func take(_ byte: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: byte) else { return false }
        position += 1
        return true
    }

    private mutating func expect(_ word: StaticString, _ value: JSONValue) throws(JSONError) -> JSONValue {
        let isThere = word.withUTF8Buffer { bytes[position...].starts(with: $0) }
        guard isThere else { throw malformed }
        position += word.utf8CodeUnitCount
        return value
    }

    private mutating func value(depth: Int) throws(JSONError) -> JSONValue {
        valuesLeft -= 1
        guard depth < JSONValue.depthLimit, valuesLeft >= 0 else { throw .tooComplex }
        skipSpace()
        switch next {
        case UInt8(ascii: "{"): return try object(depth: depth)
        case UInt8(ascii: "["): return try array(depth: depth)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try expect("true", true)
        case UInt8(ascii: "f"): return try expect("false", false)
        case UInt8(ascii: "n"): return try expect("null", .null)
        default: return try number()
        }
    }

    private mutating func object(depth: Int) throws(JSONError) -> JSONValue {
        position += 1
        var members: [JSONMember] = []
        var names: Set<String> = []
        skipSpace()
        if take("}") { return .object([]) }
        repeat {
            skipSpace()
            guard next == UInt8(ascii: "\"") else { throw malformed }
            let key = try string()
            guard names.insert(key).inserted else { throw malformed }
            skipSpace()
            guard take(":") else { throw malformed }
            members.append(JSONMember(key: key, value: try value(depth: depth + 1)))
            skipSpace()
        } while take(",")
        guard take("}") else { throw malformed }
        return .object(members)
    }

    private mutating func array(depth: Int) throws(JSONError) -> JSONValue {
        position += 1
        var values: [JSONValue] = []
        skipSpace()
        if take("]") { return .array([]) }
        repeat {
            values.append(try value(depth: depth + 1))
            skipSpace()
        } while take(",")
        guard take("]") else { throw malformed }
        return .array(values)
    }

    // MARK: Strings

    private mutating func string() throws(JSONError) -> String {
        position += 1
        let start = position
        // Most strings have no escape and are one piece.
        while let byte = next, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 { position += 1 }
        if take("\"") { return try text(bytes[start..<(position - 1)]) }
        var unescaped = Array(bytes[start..<position])
        while let byte = next {
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return try text(unescaped[...])
            case UInt8(ascii: "\\"): try escape(into: &unescaped)
            case ..<0x20: throw malformed
            default: unescaped.append(byte)
            }
        }
        throw malformed
    }

    private func text(_ bytes: ArraySlice<UInt8>) throws(JSONError) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw malformed }
        return text
    }

    private mutating func escape(into text: inout [UInt8]) throws(JSONError) {
        guard let byte = next else { throw malformed }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"):
            var code = try codeUnit()
            if UTF16.isLeadSurrogate(UInt16(code)) {
                guard take("\\"), take("u") else { throw malformed }
                let trail = try codeUnit()
                guard UTF16.isTrailSurrogate(UInt16(trail)) else { throw malformed }
                code = 0x10000 + (code - 0xD800) << 10 + (trail - 0xDC00)
            }
            guard let scalar = Unicode.Scalar(code) else { throw malformed }
            text += UTF8.encode(scalar).map(Array.init) ?? []
        default: throw malformed
        }
    }

    private mutating func codeUnit() throws(JSONError) -> UInt32 {
        var code: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = next, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { throw malformed }
            code = code << 4 + UInt32(digit)
            position += 1
        }
        return code
    }

    // MARK: Numbers

    private mutating func digits() throws(JSONError) {
        let start = position
        while let byte = next, (0x30...0x39).contains(byte) { position += 1 }
        guard position > start else { throw malformed }
    }

    private mutating func number() throws(JSONError) -> JSONValue {
        let start = position
        var isInteger = true
        _ = take("-")
        if !take("0") { try digits() }
        if take(".") {
            isInteger = false
            try digits()
        }
        if take("e") || take("E") {
            isInteger = false
            if !take("+") { _ = take("-") }
            try digits()
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        if isInteger, let number = Int(text) { return .integer(number) }
        guard let number = Double(text), number.isFinite else { throw malformed }
        return .number(number)
    }
}
