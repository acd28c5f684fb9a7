/// Where the parts of an address begin and end, if the address is valid as it stands but for the case of its letters.
///
/// Nearly every address on the wire is ASCII. For ASCII all of RFC 7622 comes to what is tested here: width mapping,
/// NFC and the Bidi Rule change nothing, and `xn--` labels, IP literals and all errors are left to the long way.
struct ASCIIAddress {
    var domainStart = 0
    var domainEnd = 0
    var end = 0
    var hasUppercase = false

    /// `nil` if the octets need the long way.
    init?(_ octets: UnsafeBufferPointer<UInt8>) {
        let count = octets.count
        var index = 0
        var cases: UInt8 = 0
        while index < count, ASCIISet.localPart.contains(octets[index]) {
            cases |= octets[index].uppercaseFlag
            index += 1
        }
        if index < count, octets[index] == UInt8(ascii: "@") {
            guard index > 0, index <= JID.maximumPartLength else { return nil }
            index += 1
            domainStart = index
        } else {
            index = 0
            cases = 0
        }

        var labelStart = index
        var letters: UInt8 = 0
        while true {
            let octet = index < count ? octets[index] : UInt8(ascii: "/")
            if ASCIISet.label.contains(octet) {
                cases |= octet.uppercaseFlag
                letters |= octet & 0x40
                index += 1
                continue
            }
            let length = index - labelStart
            guard length > 0, length <= DomainLabel.maximumLength, octets[labelStart] != UInt8(ascii: "-"),
                octets[index - 1] != UInt8(ascii: "-"),
                length < 4 || octets[labelStart + 2] != UInt8(ascii: "-") || octets[labelStart + 3] != UInt8(ascii: "-")
            else { return nil }
            guard octet == UInt8(ascii: ".") else { break }
            index += 1
            labelStart = index
        }
        // Digits alone may be an IPv4 address.
        guard letters != 0, index - domainStart <= JID.maximumPartLength else { return nil }
        domainEnd = index
        hasUppercase = cases != 0

        if index < count {
            guard octets[index] == UInt8(ascii: "/") else { return nil }
            guard (1...JID.maximumPartLength).contains(count - index - 1) else { return nil }
            index += 1
            while index < count {
                guard octets[index] &- 0x20 < 0x5F else { return nil }
                index += 1
            }
        }
        end = count
    }
}

/// A set of ASCII characters as 128 bits.
struct ASCIISet: Sendable {
    private var low: UInt64 = 0
    private var high: UInt64 = 0

    /// The characters of a string; those outside ASCII are left out.
    init(_ characters: String) {
        for octet in characters.utf8 where octet < 0x80 {
            if octet < 64 { low |= 1 << UInt64(octet) } else { high |= 1 << UInt64(octet & 63) }
        }
    }

    private init(low: UInt64, high: UInt64) {
        self.low = low
        self.high = high
    }

    /// Letters and digits.
    static let alphanumeric = ASCIISet("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")

    /// The set and more characters.
    func union(_ characters: String) -> ASCIISet {
        let more = ASCIISet(characters)
        return ASCIISet(low: low | more.low, high: high | more.high)
    }

    @inline(__always) func contains(_ octet: UInt8) -> Bool {
        guard octet < 0x80 else { return false }
        return (octet < 64 ? low : high) >> UInt64(octet & 63) & 1 != 0
    }

    /// U+0021 to U+007E without `" & ' / : < > @` (RFC 7622 §3.3.1). As literals, because the loops that use it are hot.
    static var localPart: ASCIISet { ASCIISet(low: 0xABFF_7F3A_0000_0000, high: 0x7FFF_FFFF_FFFF_FFFE) }
    /// Letters, digits and the hyphen (RFC 5890 §2.3.1).
    static var label: ASCIISet { ASCIISet(low: 0x03FF_2000_0000_0000, high: 0x07FF_FFFE_07FF_FFFE) }
}

extension UInt8 {
    /// Not 0 for `A` to `Z`.
    @inline(__always) var uppercaseFlag: UInt8 { self &- 0x41 < 26 ? 1 : 0 }

    var asciiLowercased: UInt8 { self &- 0x41 < 26 ? self | 0x20 : self }
}
