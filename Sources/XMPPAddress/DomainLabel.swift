/// One label of a domain name under IDNA2008: the checks as an LDH label or U-label, and the ASCII form (RFC 5890 §2.3,
/// RFC 5891 §5).
enum DomainLabel {
    /// The longest label in octets of its ASCII form (RFC 1034 §3.1).
    static let maximumLength = 63

    private static let prefix: [Unicode.Scalar] = ["x", "n", "-", "-"]

    /// A label in its canonical form; an A-label becomes the U-label that it encodes.
    ///
    /// - Parameter label: a label after mapping, in lower case and NFC.
    static func prepare(_ label: [Unicode.Scalar]) throws(AddressError) -> [Unicode.Scalar] {
        guard !label.isEmpty else { throw AddressError(.domain, .emptyLabel) }
        guard label.allSatisfy(\.isASCII) else {
            try checkUnicode(label)
            return label
        }
        guard label.count <= maximumLength else { throw AddressError(.domain, .labelTooLong(octets: label.count)) }
        for scalar in label where !ASCIISet.label.contains(UInt8(scalar.value)) {
            throw AddressError(.domain, .disallowed(scalar))
        }
        guard label.starts(with: prefix) else {
            try checkHyphens(label)
            return label
        }
        // The decoded label must be a U-label, and the A-label must be its only spelling (RFC 5891 §5.4).
        guard let decoded = Punycode.decode(label[prefix.count...]), !decoded.allSatisfy(\.isASCII) else {
            throw AddressError(.domain, .invalidALabel)
        }
        var composed = decoded
        CanonicalComposition.compose(&composed)
        guard composed == decoded, ascii(decoded) == label else { throw AddressError(.domain, .invalidALabel) }
        try checkUnicode(decoded)
        return decoded
    }

    /// The form for DNS: the A-label of a U-label, any other label unchanged.
    static func ascii(_ label: [Unicode.Scalar]) -> [Unicode.Scalar] {
        label.allSatisfy(\.isASCII) ? label : prefix + Punycode.encode(label)
    }

    private static func checkUnicode(_ label: [Unicode.Scalar]) throws(AddressError) {
        try checkHyphens(label)
        if let first = label.first, first.isMark { throw AddressError(.domain, .leadingMark(first)) }
        for (index, scalar) in label.enumerated() {
            switch IDNAClass(scalar) {
            case .valid: continue
            case .contextual:
                guard ContextRule.allows(at: index, in: label) else {
                    throw AddressError(.domain, .outOfContext(scalar))
                }
            case .disallowed: throw AddressError(.domain, .disallowed(scalar))
            }
        }
        let length = ascii(label).count
        guard length <= maximumLength else { throw AddressError(.domain, .labelTooLong(octets: length)) }
    }

    private static func checkHyphens(_ label: [Unicode.Scalar]) throws(AddressError) {
        guard label.first != "-", label.last != "-", label.count < 4 || label[2] != "-" || label[3] != "-" else {
            throw AddressError(.domain, .misplacedHyphen)
        }
    }
}

/// The IDNA2008 class of a code point: the derived property of RFC 5892 §3.
private enum IDNAClass {
    /// PVALID
    case valid
    /// CONTEXTJ or CONTEXTO
    case contextual
    /// DISALLOWED or UNASSIGNED
    case disallowed

    init(_ scalar: Unicode.Scalar) {
        if let exception = CodePointException(scalar) {
            self =
                switch exception {
                case .valid: .valid
                case .contextual: .contextual
                case .disallowed: .disallowed
                }
            return
        }
        if scalar.isASCII {
            // LDH (§2.4). Capitals were mapped before the class is needed, and would be Unstable.
            self =
                ASCIISet.label.contains(UInt8(scalar.value)) && !("A"..."Z" ~= scalar) ? .valid : .disallowed
            return
        }
        let properties = scalar.properties
        if properties.isJoinControl {
            self = .contextual
            return
        }
        // Unstable (§2.2), IgnorableProperties (§2.3), IgnorableBlocks (§2.4), OldHangulJamo (§2.9). NFKC_Casefold
        // changes exactly the unstable code points and the default ignorable ones, which are refused too.
        if properties.changesWhenNFKCCaseFolded || properties.isDefaultIgnorableCodePoint || properties.isWhitespace
            || properties.isNoncharacterCodePoint || Self.isIgnorableBlock(scalar) || scalar.isConjoiningJamo
        {
            self = .disallowed
            return
        }
        self =
            switch properties.generalCategory {
            // LetterDigits (§2.1)
            case .lowercaseLetter, .uppercaseLetter, .otherLetter, .decimalNumber, .modifierLetter, .nonspacingMark,
                .spacingMark:
                .valid
            default: .disallowed
            }
    }

    /// Combining marks for symbols, musical symbols and ancient Greek musical notation.
    private static func isIgnorableBlock(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x20D0...0x20FF, 0x1D100...0x1D1FF, 0x1D200...0x1D24F: true
        default: false
        }
    }
}

extension Unicode.Scalar {
    fileprivate var isMark: Bool {
        switch properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: true
        default: false
        }
    }
}
