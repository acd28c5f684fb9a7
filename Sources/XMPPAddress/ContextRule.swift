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
