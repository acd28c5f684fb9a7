/// Reads numbers and ranges from unchecked bytes; reading past the end throws and never traps.
struct ByteCursor {
    private let bytes: [UInt8]
    private(set) var offset: Int
    private let end: Int

    init(_ bytes: [UInt8], in range: Range<Int>? = nil) {
        self.bytes = bytes
        let range = (range ?? 0..<bytes.count).clamped(to: 0..<bytes.count)
        offset = range.lowerBound
        end = range.upperBound
    }

    var remaining: Int { end - offset }
    var isAtEnd: Bool { offset >= end }

    /// The next `count` bytes as a range of the whole.
    mutating func take(_ count: Int) throws(MediaError) -> Range<Int> {
        guard count >= 0, count <= remaining else { throw .corrupt("it ends too early") }
        defer { offset += count }
        return offset..<(offset + count)
    }

    mutating func skip(_ count: Int) throws(MediaError) {
        _ = try take(count)
    }

    mutating func byte() throws(MediaError) -> UInt8 {
        bytes[try take(1).lowerBound]
    }

    /// An unsigned number of `count` ≤ 7 bytes, most significant byte first.
    mutating func bigEndian(_ count: Int) throws(MediaError) -> Int {
        var value = 0
        for index in try take(count) { value = value << 8 | Int(bytes[index]) }
        return value
    }

    /// An unsigned number of `count` ≤ 7 bytes, least significant byte first.
    mutating func littleEndian(_ count: Int) throws(MediaError) -> Int {
        var value = 0
        for index in try take(count).reversed() { value = value << 8 | Int(bytes[index]) }
        return value
    }

    /// The next `count` bytes as ASCII text, such as the name of a chunk.
    mutating func code(_ count: Int) throws(MediaError) -> String {
        let range = try take(count)
        return String(decoding: bytes[range], as: Unicode.ASCII.self)
    }
}

extension [UInt8] {
    /// Whether the bytes at `offset` equal the text.
    func has(_ text: StaticString, at offset: Int = 0) -> Bool {
        guard offset >= 0, offset + text.utf8CodeUnitCount <= count else { return false }
        return text.withUTF8Buffer { code in
            for index in 0..<code.count where self[offset + index] != code[index] { return false }
            return true
        }
    }

    func has(_ prefix: [UInt8], at offset: Int = 0) -> Bool {
        guard offset >= 0, offset + prefix.count <= count else { return false }
        return self[offset..<(offset + prefix.count)].elementsEqual(prefix)
    }
}
