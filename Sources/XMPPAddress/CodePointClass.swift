/// The PRECIS class of a code point: the derived property of RFC 8264 §8, computed from the properties in the standard
/// library's Unicode version.
enum CodePointClass {
    /// PVALID: allowed in IdentifierClass and FreeformClass.
    case valid
    /// ID_DIS or FREE_PVAL: allowed in FreeformClass alone.
    case freeformOnly
    /// CONTEXTJ or CONTEXTO: allowed where ``ContextRule`` says so.
    case contextual
    /// DISALLOWED or UNASSIGNED.
    case disallowed

    init(_ scalar: Unicode.Scalar) {
        let value = scalar.value
        // ASCII7 (§9.11), the space, and Controls (§9.12).
        guard value >= 0x80 else {
            self = 0x21...0x7E ~= value ? .valid : value == 0x20 ? .freeformOnly : .disallowed
            return
        }
        if let exception = CodePointException(scalar) {
            self =
                switch exception {
                case .valid: .valid
                case .contextual: .contextual
                case .disallowed: .disallowed
                }
            return
        }
        // JoinControl (§9.8), OldHangulJamo (§9.9) and PrecisIgnorableProperties (§9.13) come before the categories.
        let properties = scalar.properties
        if properties.isJoinControl {
            self = .contextual
        } else if scalar.isConjoiningJamo || properties.isDefaultIgnorableCodePoint
            || properties.isNoncharacterCodePoint
        {
            self = .disallowed
        } else {
            self =
                switch properties.generalCategory {
                // LetterDigits (§9.1), unless HasCompat (§9.17).
                case .lowercaseLetter, .uppercaseLetter, .otherLetter, .decimalNumber, .modifierLetter,
                    .nonspacingMark, .spacingMark:
                    UnicodeTables.contains(scalar, in: UnicodeTables.compatibility) ? .freeformOnly : .valid
                // OtherLetterDigits (§9.18), Spaces (§9.14), Symbols (§9.15), Punctuation (§9.16).
                case .titlecaseLetter, .letterNumber, .otherNumber, .enclosingMark, .spaceSeparator, .mathSymbol,
                    .currencySymbol, .modifierSymbol, .otherSymbol, .connectorPunctuation, .dashPunctuation,
                    .openPunctuation, .closePunctuation, .initialPunctuation, .finalPunctuation, .otherPunctuation:
                    .freeformOnly
                default: .disallowed
                }
        }
    }
}

/// The code points that PRECIS (RFC 8264 §9.6) and IDNA (RFC 5892 §2.6) classify individually.
enum CodePointException {
    case valid
    case contextual
    case disallowed

    init?(_ scalar: Unicode.Scalar) {
        switch scalar.value {
        case 0x00DF, 0x03C2, 0x06FD, 0x06FE, 0x0F0B, 0x3007: self = .valid
        case 0x00B7, 0x0375, 0x05F3, 0x05F4, 0x30FB, 0x0660...0x0669, 0x06F0...0x06F9: self = .contextual
        case 0x0640, 0x07FA, 0x302E, 0x302F, 0x3031...0x3035, 0x303B: self = .disallowed
        default: return nil
        }
    }
}

extension Unicode.Scalar {
    /// Hangul_Syllable_Type L, V or T: OldHangulJamo (RFC 8264 §9.9, RFC 5892 §2.9).
    var isConjoiningJamo: Bool {
        switch value {
        case 0x1100...0x11FF, 0xA960...0xA97C, 0xD7B0...0xD7C6, 0xD7CB...0xD7FB: true
        default: false
        }
    }

    /// The code point with fullwidth and halfwidth forms mapped to the ordinary ones (RFC 8265 §3.3.2 item 1).
    var widthMapped: Unicode.Scalar {
        if value == 0x3000 { return " " }
        guard 0xFF00...0xFFEF ~= value else { return self }
        let mapped = UnicodeMappings.halfwidthAndFullwidthForms[Int(value) - 0xFF00]
        return mapped == 0 ? self : Unicode.Scalar(mapped) ?? self
    }
}

extension [Unicode.Scalar] {
    /// The text in lower case, each code point on its own: `Σ` becomes `σ` even at the end of a word.
    ///
    /// - Parameter isCased: which code points outside ASCII to map.
    func lowercased(where isCased: (Unicode.Scalar) -> Bool = \.properties.changesWhenLowercased) -> [Unicode.Scalar] {
        var result: [Unicode.Scalar] = []
        result.reserveCapacity(count)
        for scalar in self {
            if scalar.isASCII {
                result.append(Unicode.Scalar(UInt8(scalar.value).asciiLowercased))
            } else if isCased(scalar) {
                result.append(contentsOf: scalar.properties.lowercaseMapping.unicodeScalars)
            } else {
                result.append(scalar)
            }
        }
        return result
    }
}

/// The rules for code points that are allowed only in certain contexts (RFC 5892 Appendix A; RFC 8264 §9.6 and §9.8).
enum ContextRule {
    private static let viramaClass: UInt8 = 9

    /// Whether the CONTEXTJ or CONTEXTO code point at the index is allowed there.
    static func allows(at index: Int, in scalars: [Unicode.Scalar]) -> Bool {
        let before = index > 0 ? scalars[index - 1] : nil
        let after = index + 1 < scalars.count ? scalars[index + 1] : nil
        switch scalars[index].value {
        case 0x200C:  // zero width non-joiner (A.1)
            return isVirama(before) || joins(at: index, in: scalars)
        case 0x200D:  // zero width joiner (A.2)
            return isVirama(before)
        case 0x00B7:  // middle dot, as in Catalan "col·lega" (A.3)
            return before == "l" && after == "l"
        case 0x0375:  // Greek lower numeral sign (A.4)
            return after.map { UnicodeTables.contains($0, in: UnicodeTables.greek) } ?? false
        case 0x05F3, 0x05F4:  // Hebrew geresh, gershayim (A.5, A.6)
            return before.map { UnicodeTables.contains($0, in: UnicodeTables.hebrew) } ?? false
        case 0x30FB:  // Katakana middle dot (A.7)
            return scalars.contains { UnicodeTables.contains($0, in: UnicodeTables.kanaOrHan) }
        case 0x0660...0x0669:  // Arabic-Indic digits (A.8)
            return !scalars.contains { 0x06F0...0x06F9 ~= $0.value }
        case 0x06F0...0x06F9:  // extended Arabic-Indic digits (A.9)
            return !scalars.contains { 0x0660...0x0669 ~= $0.value }
        default:
            return false
        }
    }

    private static func isVirama(_ scalar: Unicode.Scalar?) -> Bool {
        scalar?.properties.canonicalCombiningClass.rawValue == viramaClass
    }

    /// Whether letters on both sides would join: `(L|D) T* ZWNJ T* (R|D)` in terms of Joining_Type.
    private static func joins(at index: Int, in scalars: [Unicode.Scalar]) -> Bool {
        guard let left = scalars[..<index].last(where: { !isTransparent($0) }),
            let right = scalars[(index + 1)...].first(where: { !isTransparent($0) })
        else { return false }
        let joinsLeft =
            UnicodeTables.contains(left, in: UnicodeTables.leftJoining)
            || UnicodeTables.contains(left, in: UnicodeTables.dualJoining)
        return joinsLeft
            && (UnicodeTables.contains(right, in: UnicodeTables.rightJoining)
                || UnicodeTables.contains(right, in: UnicodeTables.dualJoining))
    }

    /// Joining_Type T; of the format characters that also have it, none is allowed in an address.
    private static func isTransparent(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark: true
        default: false
        }
    }
}
