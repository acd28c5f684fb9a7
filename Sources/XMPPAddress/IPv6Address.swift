/// An IPv6 address: read in any of the forms of RFC 4291 §2.2, written in that of RFC 5952 §4.
///
/// A zone index (RFC 4007) is refused: it has a meaning on one machine only, but an address is used on others.
struct IPv6Address: Hashable, CustomStringConvertible {
    private static let groupCount = 8
    private let groups: [UInt16]

    init?(_ text: Substring) {
        var fields = text.split(separator: ":", omittingEmptySubsequences: false)[...]
        guard fields.count >= 3 else { return nil }
        // A colon at either end is allowed only as half of "::".
        if fields.first?.isEmpty == true {
            fields.removeFirst()
            guard fields.first?.isEmpty == true else { return nil }
        }
        if fields.last?.isEmpty == true {
            fields.removeLast()
            guard fields.last?.isEmpty == true else { return nil }
        }
        var groups: [UInt16] = []
        var gap: Int?
        for (position, field) in fields.enumerated() {
            if field.isEmpty {
                guard gap == nil else { return nil }
                gap = groups.count
            } else if position == fields.count - 1, field.utf8.contains(UInt8(ascii: ".")) {
                guard let address = IPv4Address(field) else { return nil }
                groups += address.groups
            } else {
                guard field.utf8.count <= 4, field.utf8.allSatisfy(\.isHexDigit), let group = UInt16(field, radix: 16)
                else { return nil }
                groups.append(group)
            }
        }
        if let gap {
            guard groups.count < Self.groupCount else { return nil }
            groups.insert(contentsOf: repeatElement(0, count: Self.groupCount - groups.count), at: gap)
        }
        guard groups.count == Self.groupCount else { return nil }
        self.groups = groups
    }

    var description: String {
        let hex = groups.map { String($0, radix: 16) }
        guard let zeros = longestZeros else { return hex.joined(separator: ":") }
        return hex[..<zeros.lowerBound].joined(separator: ":") + "::" + hex[zeros.upperBound...].joined(separator: ":")
    }

    /// The first of the longest runs of at least two zero groups (RFC 5952 §4.2).
    private var longestZeros: Range<Int>? {
        var longest: Range<Int>?
        var start = 0
        while start < groups.count {
            var end = start
            while end < groups.count, groups[end] == 0 { end += 1 }
            if end - start >= 2, end - start > longest?.count ?? 0 { longest = start..<end }
            start = end + 1
        }
        return longest
    }
}

/// An IPv4 address of four decimal numbers without leading zeros (RFC 3986 §3.2.2).
struct IPv4Address: Hashable {
    private let octets: [UInt8]

    init?(_ text: Substring) {
        let fields = text.split(separator: ".", omittingEmptySubsequences: false)
        guard fields.count == 4 else { return nil }
        octets = fields.compactMap { field in
            guard (1...3).contains(field.utf8.count), field.utf8.allSatisfy({ 0x30...0x39 ~= $0 }),
                field.utf8.count == 1 || field.utf8.first != UInt8(ascii: "0")
            else { return nil }
            return UInt8(field)
        }
        guard octets.count == 4 else { return nil }
    }

    /// The address as the last two groups of an IPv6 address.
    var groups: [UInt16] {
        [UInt16(octets[0]) << 8 | UInt16(octets[1]), UInt16(octets[2]) << 8 | UInt16(octets[3])]
    }
}

extension UInt8 {
    var isHexDigit: Bool {
        0x30...0x39 ~= self || 0x41...0x46 ~= self || 0x61...0x66 ~= self
    }
}
