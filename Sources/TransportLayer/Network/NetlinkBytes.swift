/// The bytes of a netlink message; reading beyond their end returns `nil`.
struct NetlinkBytes {
    /// `nlmsghdr`.
    static let headerLength = 16
    /// NLM_F_DUMP_INTR.
    static let interrupted: UInt16 = 0x10
    /// NLM_F_REQUEST and NLM_F_DUMP.
    static let listRequest: UInt16 = 0x301

    private let bytes: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
    }

    var count: Int { bytes.count }
    var array: [UInt8] { Array(bytes) }

    func byte(at offset: Int) -> UInt8? {
        offset < count ? bytes[bytes.startIndex + offset] : nil
    }

    func short(at offset: Int) -> UInt16? {
        load(offset, 2).map { UInt16(truncatingIfNeeded: $0) }
    }

    func number(at offset: Int) -> UInt32? {
        load(offset, 4)
    }

    /// In the byte order of the machine.
    private func load(_ offset: Int, _ size: Int) -> UInt32? {
        guard offset + size <= count else { return nil }
        let start = bytes.startIndex + offset
        let isLittle = UInt16(littleEndian: 1) == 1
        let part = bytes[start..<start + size]
        return (isLittle ? Array(part.reversed()) : Array(part)).reduce(0) { $0 << 8 | UInt32($1) }
    }

    func part(from start: Int, to end: Int) -> NetlinkBytes {
        let end = min(end, count)
        guard start < end else { return NetlinkBytes([]) }
        return NetlinkBytes(bytes[bytes.startIndex + start..<bytes.startIndex + end])
    }

    static func aligned(_ length: Int) -> Int { (length + 3) & ~3 }

    /// The attributes from `offset` on, by their type (`rtattr`: length, type, value). The first of a type counts.
    func attributes(from offset: Int) -> [UInt16: NetlinkBytes] {
        var found: [UInt16: NetlinkBytes] = [:]
        var rest = part(from: offset, to: count)
        while let length = rest.short(at: 0), length >= 4, Int(length) <= rest.count, let type = rest.short(at: 2) {
            // The two highest bits are flags about the value.
            let key = type & 0x3FFF
            if found[key] == nil { found[key] = rest.part(from: 4, to: Int(length)) }
            rest = rest.part(from: Self.aligned(Int(length)), to: rest.count)
        }
        return found
    }

    /// A request for a list. The structure of the type follows the header and is zero except for the family: all
    /// families.
    static func listRequest(type: UInt16, bodyLength: Int, sequence: UInt32) -> [UInt8] {
        var bytes: [UInt8] = []
        func append<Number: FixedWidthInteger>(_ number: Number) {
            withUnsafeBytes(of: number) { bytes.append(contentsOf: $0) }
        }
        append(UInt32(headerLength + bodyLength))
        append(type)
        append(listRequest)
        append(sequence)
        append(UInt32(0))
        return bytes + [UInt8](repeating: 0, count: bodyLength)
    }
}
