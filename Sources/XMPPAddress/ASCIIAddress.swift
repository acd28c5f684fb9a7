/// The boundaries of the parts of an address that is valid as written, apart from the case of its letters.
///
/// Nearly every address on the wire is ASCII. For ASCII, all of RFC 7622 reduces to the checks here: width mapping, NFC
/// and the Bidi Rule change nothing. `xn--` labels, IP literals and all errors are left to the full preparation.
///
/// Room names and nicknames are often Chinese, and nicknames contain emoji. Ideographs, and pictographs in a resource
/// part, are therefore accepted here too: the profiles allow them and change none of them.
struct ASCIIAddress {
    var domainStart = 0
    var domainEnd = 0
    var end = 0
    var hasUppercase = false

    /// `nil` if the octets need the full preparation.
    init?(_ octets: UnsafeBufferPointer<UInt8>) {
        let count = octets.count
        var index = 0
        var cases: UInt8 = 0
        while index < count {
            if ASCIISet.localPart.contains(octets[index]) {
                cases |= octets[index].uppercaseFlag
                index += 1
            } else {
                guard octets.ideographLength(at: index) > 0 else { break }
                index += 3
            }
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
        // A label of digits only may be part of an IPv4 address.
        guard letters != 0, index - domainStart <= JID.maximumPartLength else { return nil }
        domainEnd = index
        hasUppercase = cases != 0

        if index < count {
            guard octets[index] == UInt8(ascii: "/") else { return nil }
            guard (1...JID.maximumPartLength).contains(count - index - 1) else { return nil }
            index += 1
            while index < count {
                let octet = octets[index]
                if octet &- 0x20 < 0x5F {
                    index += 1
                } else if octet >= 0x80 {
                    let length = max(octets.ideographLength(at: index), octets.pictographLength(at: index))
                    guard length > 0 else { return nil }
                    index += length
                } else {
                    return nil
                }
            }
        }
        end = count
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// 3 if one of the unified ideographs of Unicode 1.1, U+4E00…U+9FA5, begins at `index`; otherwise 0.
    ///
    /// All of them are PVALID, are written from left to right, have no case and no width, and NFC neither decomposes
    /// nor composes them.
    fileprivate func ideographLength(at index: Int) -> Int {
        guard 0xE4...0xE9 ~= self[index], let second = continuation(index + 1), let third = continuation(index + 2)
        else { return 0 }
        let scalar = UInt32(self[index] & 0x0F) << 12 | second << 6 | third
        return 0x4E00...0x9FA5 ~= scalar ? 3 : 0
    }

    /// 4 if a pictograph or emoticon, U+1F300…U+1F64F, begins at `index`; otherwise 0.
    ///
    /// All of them are symbols, which the FreeformClass allows, and NFC neither decomposes nor composes them.
    fileprivate func pictographLength(at index: Int) -> Int {
        guard self[index] == 0xF0, let second = continuation(index + 1), let third = continuation(index + 2),
            let fourth = continuation(index + 3)
        else { return 0 }
        let scalar = second << 12 | third << 6 | fourth
        return 0x1F300...0x1F64F ~= scalar ? 4 : 0
    }

    private func continuation(_ index: Int) -> UInt32? {
        guard index < count, self[index] & 0xC0 == 0x80 else { return nil }
        return UInt32(self[index] & 0x3F)
    }
}

/// A set of ASCII characters as 128 bits.
struct ASCIISet: Sendable {
    private var low: UInt64 = 0
    private var high: UInt64 = 0

    /// The ASCII characters of a string.
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

    /// The union of the set and more characters.
    func union(_ characters: String) -> ASCIISet {
        let more = ASCIISet(characters)
        return ASCIISet(low: low | more.low, high: high | more.high)
    }

    @inline(__always) func contains(_ octet: UInt8) -> Bool {
        guard octet < 0x80 else { return false }
        return (octet < 64 ? low : high) >> UInt64(octet & 63) & 1 != 0
    }

    /// U+0021 to U+007E without `" & ' / : < > @` (RFC 7622 §3.3.1). Written as literals because they are used in hot
    /// loops.
    static var localPart: ASCIISet { ASCIISet(low: 0xABFF_7F3A_0000_0000, high: 0x7FFF_FFFF_FFFF_FFFE) }
    /// Letters, digits and the hyphen (RFC 5890 §2.3.1).
    static var label: ASCIISet { ASCIISet(low: 0x03FF_2000_0000_0000, high: 0x07FF_FFFE_07FF_FFFE) }
}

extension UInt8 {
    /// Non-zero for `A` to `Z`.
    @inline(__always) var uppercaseFlag: UInt8 { self &- 0x41 < 26 ? 1 : 0 }

    var asciiLowercased: UInt8 { self &- 0x41 < 26 ? self | 0x20 : self }
}
