internal import MessageSemantics

/// Writes what the encryption remembers: a byte for the version of the format, then fields in a fixed order; numbers
/// are big-endian.
struct RecordWriter {
    private(set) var bytes: [UInt8]

    init(version: UInt8) { bytes = [version] }

    mutating func write(_ number: UInt8) { bytes.append(number) }

    mutating func write(_ number: UInt32) {
        for shift in stride(from: UInt32(24), through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: number >> shift))
        }
    }

    mutating func write(_ number: Int64) {
        let bits = UInt64(bitPattern: number)
        write(UInt32(truncatingIfNeeded: bits >> 32))
        write(UInt32(truncatingIfNeeded: bits))
    }

    /// A field of bytes, with its length before it.
    mutating func write(_ field: [UInt8]) {
        write(UInt32(field.count))
        bytes.append(contentsOf: field)
    }
}

/// Reads what ``RecordWriter`` has written; whatever differs is a damaged record.
struct RecordReader {
    /// The end of the year 9999, in seconds since 1970.
    private static let latestTime: UInt64 = 253_402_300_799

    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8], version: UInt8) throws(ProtectionError) {
        guard bytes.first == version else { throw .damagedRecord }
        rest = bytes.dropFirst()
    }

    mutating func byte() throws(ProtectionError) -> UInt8 {
        guard let byte = rest.popFirst() else { throw .damagedRecord }
        return byte
    }

    mutating func number() throws(ProtectionError) -> UInt32 {
        var number: UInt32 = 0
        for _ in 0..<4 { number = number << 8 | UInt32(try byte()) }
        return number
    }

    /// In seconds since 1970; times that no clock shows are refused, because computing with them can overflow.
    mutating func time() throws(ProtectionError) -> Int64 {
        let high = UInt64(try number())
        let time = Int64(bitPattern: high << 32 | UInt64(try number()))
        guard time.magnitude <= Self.latestTime else { throw .damagedRecord }
        return time
    }

    mutating func field() throws(ProtectionError) -> [UInt8] {
        guard let count = Int(exactly: try number()), count <= rest.count else { throw .damagedRecord }
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    /// Nothing must follow.
    func end() throws(ProtectionError) {
        guard rest.isEmpty else { throw .damagedRecord }
    }
}

extension ProtectionError {
    static let damagedRecord = ProtectionError(
        .keyMissing, "A record of the encryption is damaged or of a newer version.")
}
