extension JID {
    /// The local part: the account or room; `nil` if there is none (RFC 7622 §3.3).
    public var local: String? {
        domainStart > start ? text(Int(start)..<Int(domainStart) - 1) : nil
    }

    /// The domain part: a name with its labels in Unicode, an IPv4 address, or an IPv6 address in brackets (RFC 7622
    /// §3.2). See ``asciiDomain`` for the form that DNS and TLS use.
    public var domain: String {
        text(Int(domainStart)..<Int(domainEnd))
    }

    /// The resource part: a device, or the nickname of an occupant; `nil` if there is none (RFC 7622 §3.4).
    public var resource: String? {
        end > domainEnd ? text(Int(domainEnd) + 1..<Int(end)) : nil
    }

    /// Whether the address has no resource part.
    public var isBare: Bool { end == domainEnd }

    /// The address without its resource part. It shares the string of this one, so it allocates nothing.
    public var bare: JID {
        JID(
            storage: storage, start: Int(start), domainStart: Int(domainStart), domainEnd: Int(domainEnd),
            end: Int(domainEnd))
    }

    /// The domain part as an address. It shares the string of this one, so it allocates nothing.
    public var domainJID: JID {
        JID(
            storage: storage, start: Int(domainStart), domainStart: Int(domainStart), domainEnd: Int(domainEnd),
            end: Int(domainEnd))
    }

    /// The address with another resource, such as an occupant of a room; `nil` gives the bare address.
    ///
    /// - Throws: ``AddressError`` if the resource is not valid.
    public func with(resource: String?) throws(AddressError) -> JID {
        guard let resource else { return bare }
        let prepared = try ResourcePart.prepare(resource)
        var string = bare.description
        let shift = Int(start)
        string += "/"
        string += prepared
        return JID(
            storage: string, domainStart: Int(domainStart) - shift, domainEnd: Int(domainEnd) - shift,
            end: string.utf8.count)
    }

    /// Calls a closure with the octets of the address as sent on the wire, before XML escaping.
    public func withUTF8<Result>(_ body: (UnsafeBufferPointer<UInt8>) throws -> Result) rethrows -> Result {
        let range = Int(start)..<Int(end)
        if let result = try storage.utf8.withContiguousStorageIfAvailable({ octets in
            try body(UnsafeBufferPointer(rebasing: octets[range]))
        }) {
            return result
        }
        return try Array(storage.utf8).withUnsafeBufferPointer { octets in
            try body(UnsafeBufferPointer(rebasing: octets[range]))
        }
    }

    /// Whether the storage contains only this address.
    var isWhole: Bool { start == 0 && Int(end) == storage.utf8.count }

    private func text(_ range: Range<Int>) -> String {
        let utf8 = storage.utf8
        let first = utf8.index(utf8.startIndex, offsetBy: range.lowerBound)
        let last = utf8.index(first, offsetBy: range.count)
        return String(storage[first..<last])
    }
}

extension JID: CustomStringConvertible {
    /// The address as sent on the wire, before XML escaping. Parsing it gives an equal address.
    public var description: String {
        isWhole ? storage : text(Int(start)..<Int(end))
    }
}

extension JID {
    /// The kind of a domain part, which decides how to find a server and how to verify its certificate.
    public enum DomainKind: Hashable, Sendable {
        /// A domain name to look up in DNS (RFC 6120 §3.2).
        case name
        /// An IPv4 address to connect to directly.
        case ipv4Address
        /// An IPv6 address to connect to directly.
        case ipv6Address
    }

    /// The kind of the domain part.
    public var domainKind: DomainKind {
        let domain = domain
        if domain.utf8.first == UInt8(ascii: "[") { return .ipv6Address }
        return IPv4Address(domain[...]) == nil ? .name : .ipv4Address
    }

    /// The domain part for DNS and TLS: U-labels as A-labels, an IPv6 address without its brackets (RFC 5890 §2.3.2.1).
    ///
    /// `bücher.example` gives `xn--bcher-kva.example`, `[::1]` gives `::1`.
    public var asciiDomain: String {
        let domain = domain
        if domain.utf8.first == UInt8(ascii: "[") { return String(domain.dropFirst().dropLast()) }
        if domain.utf8.allSatisfy({ $0 < 0x80 }) { return domain }
        return domain.unicodeScalars.split(separator: ".").map { String(DomainLabel.ascii(Array($0))) }
            .joined(separator: ".")
    }
}

extension JID: Hashable {
    /// Whether both denote the same entity. Both are canonical, so this compares octets (RFC 7622 §3.1).
    public static func == (left: JID, right: JID) -> Bool {
        right.withUTF8 { left.isWritten($0) }
    }

    public func hash(into hasher: inout Hasher) {
        withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

extension JID {
    /// Whether exactly these octets are the wire form of the address.
    package func isWritten(_ octets: UnsafeBufferPointer<UInt8>) -> Bool {
        guard octets.count == Int(end &- start) else { return false }
        return withUTF8 { own in
            let (one, two) = (UnsafeRawBufferPointer(own), UnsafeRawBufferPointer(octets))
            var offset = 0
            while offset &+ 8 <= one.count {
                let word = one.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                guard word == two.loadUnaligned(fromByteOffset: offset, as: UInt64.self) else { return false }
                offset &+= 8
            }
            while offset < one.count {
                guard one[offset] == two[offset] else { return false }
                offset &+= 1
            }
            return true
        }
    }
}

extension JID: Comparable {
    /// Sorts by domain, then local part, then resource, each by code point; an absent part comes first.
    public static func < (left: JID, right: JID) -> Bool {
        left.withUTF8 { l in
            right.withUTF8 { r in
                let domains = compare(l[left.domainRange], r[right.domainRange])
                if domains != 0 { return domains < 0 }
                let locals = compare(l[..<left.localLength], r[..<right.localLength])
                if locals != 0 { return locals < 0 }
                return compare(l[left.domainRange.upperBound...], r[right.domainRange.upperBound...]) < 0
            }
        }
    }

    /// The domain part, relative to the start of the address.
    private var domainRange: Range<Int> {
        Int(domainStart - start)..<Int(domainEnd - start)
    }

    private var localLength: Int {
        max(0, Int(domainStart - start) - 1)
    }

    /// -1, 0 or 1. The order of UTF-8 octets is the order of code points.
    private static func compare(_ left: Slice<UnsafeBufferPointer<UInt8>>, _ right: Slice<UnsafeBufferPointer<UInt8>>)
        -> Int
    {
        for (l, r) in zip(left, right) where l != r {
            return l < r ? -1 : 1
        }
        return (left.count - right.count).signum()
    }
}
