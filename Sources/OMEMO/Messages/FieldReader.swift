/// Reads the tagged fields in which OMEMO writes its messages (XEP-0384 §12: protocol buffers), and stored sessions.
///
/// A field is a key, which is its number and wire type as a variable-length integer, and a value. Unknown fields are
/// skipped; of a field that occurs twice the last value counts. Nothing is allocated for a length that the input does not
/// have.
struct FieldReader {
    enum Value: Equatable {
        case integer(UInt64)
        case bytes(ArraySlice<UInt8>)
        /// A value of eight or four bytes; no message of OMEMO has one.
        case fixed
    }

    /// The highest field number of the encoding.
    private static let maximumNumber: UInt64 = 1 << 29

    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    /// The next field, or `nil` at the end. Throws ``OMEMOError/Code/malformed``.
    mutating func next() throws(OMEMOError) -> (number: Int, value: Value)? {
        guard !rest.isEmpty else { return nil }
        let key = try integer()
        let number = key >> 3
        guard number >= 1, number < Self.maximumNumber else { throw OMEMOError(.malformed) }
        let value: Value
        switch key & 7 {
        case 0: value = .integer(try integer())
        case 1:
            _ = try take(8)
            value = .fixed
        case 2: value = .bytes(try take(try integer()))
        case 5:
            _ = try take(4)
            value = .fixed
        default: throw OMEMOError(.malformed)
        }
        return (Int(number), value)
    }

    private mutating func integer() throws(OMEMOError) -> UInt64 {
        var result: UInt64 = 0
        for shift in stride(from: UInt64(0), through: 63, by: 7) {
            guard let byte = rest.popFirst() else { throw OMEMOError(.malformed) }
            // The tenth byte has one bit left.
            guard shift < 63 || byte <= 1 else { throw OMEMOError(.malformed) }
            result |= UInt64(byte & 0x7f) << shift
            if byte & 0x80 == 0 { return result }
        }
        throw OMEMOError(.malformed)
    }

    private mutating func take(_ count: UInt64) throws(OMEMOError) -> ArraySlice<UInt8> {
        guard count <= UInt64(rest.count) else { throw OMEMOError(.malformed) }
        defer { rest = rest.dropFirst(Int(count)) }
        return rest.prefix(Int(count))
    }
}

/// The fields of one message by number.
struct Fields {
    /// By number, from 0 on: a stored session has dozens of small messages, for which a dictionary costs too much.
    private var values: [FieldReader.Value?]

    /// Reads all fields; keeps those in `known`.
    init(_ bytes: ArraySlice<UInt8>, known: ClosedRange<Int>) throws(OMEMOError) {
        values = Array(repeating: nil, count: known.upperBound + 1)
        var reader = FieldReader(bytes)
        while let (number, value) = try reader.next() {
            if known.contains(number) { values[number] = value }
        }
    }

    /// A required field of bytes.
    func bytes(_ number: Int) throws(OMEMOError) -> ArraySlice<UInt8> {
        guard case .bytes(let bytes)? = values[number] else { throw OMEMOError(.malformed) }
        return bytes
    }

    /// An optional field of bytes.
    func optionalBytes(_ number: Int) throws(OMEMOError) -> ArraySlice<UInt8>? {
        values[number] == nil ? nil : try bytes(number)
    }

    /// A required integer of 64 bits.
    func integer(_ number: Int) throws(OMEMOError) -> UInt64 {
        guard case .integer(let integer)? = values[number] else { throw OMEMOError(.malformed) }
        return integer
    }

    /// A required integer without sign of 32 bits. A negative one is written with 64 bits and is out of range.
    func counter(_ number: Int) throws(OMEMOError) -> UInt32 {
        guard let counter = UInt32(exactly: try integer(number)) else { throw OMEMOError(.counterOutOfRange) }
        return counter
    }

    /// An optional integer without sign of 32 bits.
    func optionalCounter(_ number: Int) throws(OMEMOError) -> UInt32? {
        values[number] == nil ? nil : try counter(number)
    }
}

/// Writes the fields that ``FieldReader`` reads.
struct FieldWriter {
    private(set) var bytes: [UInt8] = []

    init() { bytes.reserveCapacity(Self.usualByteCount) }

    /// Bytes of most messages, so that writing one is one allocation.
    private static let usualByteCount = 128

    mutating func write(_ number: Int, _ integer: UInt64) {
        append(UInt64(number) << 3)
        append(integer)
    }

    mutating func write(_ number: Int, _ integer: UInt32) { write(number, UInt64(integer)) }

    mutating func write(_ number: Int, _ value: some Collection<UInt8>) {
        append(UInt64(number) << 3 | 2)
        append(UInt64(value.count))
        bytes.append(contentsOf: value)
    }

    private mutating func append(_ integer: UInt64) {
        var rest = integer
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }
}
