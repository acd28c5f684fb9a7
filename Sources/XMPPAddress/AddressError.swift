/// Why a string is not an XMPP address: the invalid part and the reason (RFC 7622 §3).
public struct AddressError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The part of `[local@]domain[/resource]` that an error is about.
    public enum Part: String, Hashable, Sendable {
        case local
        case domain
        case resource
        /// The string as a whole, before it was split into parts.
        case whole
    }

    /// The problem of the part.
    public enum Reason: Hashable, Sendable {
        /// The part is empty where at least one octet is required (RFC 7622 §3.2–3.4).
        case empty
        /// More octets than ``JID/maximumPartLength``, after preparation.
        case tooLong(octets: Int)
        /// The octets are not UTF-8.
        case invalidUTF8
        /// A code point that this part never contains.
        case disallowed(Unicode.Scalar)
        /// A code point that is allowed only next to certain others, and is not here (RFC 5892 Appendix A).
        case outOfContext(Unicode.Scalar)
        /// Left-to-right and right-to-left text in an order that the Bidi Rule forbids (RFC 5893 §2).
        case mixedDirection
        /// Two consecutive dots, or a leading dot.
        case emptyLabel
        /// A label of more than 63 octets in its ASCII form (RFC 5890 §2.3.2.1).
        case labelTooLong(octets: Int)
        /// A hyphen at the start or end of a label, or in its third and fourth position (RFC 5891 §4.2.3.1).
        case misplacedHyphen
        /// A label that begins with a combining mark (RFC 5891 §4.2.3.2).
        case leadingMark(Unicode.Scalar)
        /// A label that begins with `xn--` and encodes no valid U-label (RFC 5891 §5.4).
        case invalidALabel
        /// Four numbers that are not an IPv4 address.
        case invalidIPv4Address
        /// Brackets around something that is not an IPv6 address (RFC 4291 §2.2).
        case invalidIPv6Address
        /// A space at the start or end of a local part to escape (XEP-0106 §3.2).
        case spaceAtEnd
    }

    /// The invalid part.
    public var part: Part
    /// Why the part is invalid.
    public var reason: Reason

    /// An error about one part.
    public init(_ part: Part, _ reason: Reason) {
        self.part = part
        self.reason = reason
    }

    /// A description of the error in English. It names code points by number and never repeats the address.
    public var message: String {
        "The \(part.noun) \(reason.predicate)."
    }

    public var description: String { message }
}

extension AddressError.Part {
    fileprivate var noun: String {
        switch self {
        case .local: "local part of the address"
        case .domain: "domain part of the address"
        case .resource: "resource part of the address"
        case .whole: "address"
        }
    }
}

extension AddressError.Reason {
    fileprivate var predicate: String {
        switch self {
        case .empty: "is empty"
        case .tooLong(let octets): "has \(octets) octets, more than the \(JID.maximumPartLength) allowed"
        case .invalidUTF8: "is not valid UTF-8"
        case .disallowed(let scalar): "contains \(scalar.codePoint), which is not allowed there"
        case .outOfContext(let scalar): "contains \(scalar.codePoint) in a position where it is not allowed"
        case .mixedDirection: "mixes left-to-right and right-to-left text in an order that is not allowed"
        case .emptyLabel: "has an empty label"
        case .labelTooLong(let octets):
            "has a label of \(octets) octets, more than the \(DomainLabel.maximumLength) allowed"
        case .misplacedHyphen: "has a label with a hyphen in a position where it is not allowed"
        case .leadingMark(let scalar): "has a label that begins with the combining mark \(scalar.codePoint)"
        case .invalidALabel: "has a label that begins with xn-- and is not a valid internationalised label"
        case .invalidIPv4Address: "has the form of an IPv4 address but is not valid"
        case .invalidIPv6Address: "has brackets around something that is not an IPv6 address"
        case .spaceAtEnd: "begins or ends with a space"
        }
    }
}

extension Unicode.Scalar {
    /// The usual notation, such as `U+0040`.
    fileprivate var codePoint: String {
        let digits = String(value, radix: 16, uppercase: true)
        return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
