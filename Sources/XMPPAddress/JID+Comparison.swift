extension JID: Hashable {
    /// Whether both denote the same entity. Both are canonical, so this compares octets (RFC 7622 §3.1).
    public static func == (left: JID, right: JID) -> Bool {
        guard left.end - left.start == right.end - right.start else { return false }
        if left.isWhole, right.isWhole {
            // Both strings are in NFC, so the standard library compares octets as well.
            return left.storage == right.storage
        }
        return left.withUTF8 { l in right.withUTF8 { r in l.elementsEqual(r) } }
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
