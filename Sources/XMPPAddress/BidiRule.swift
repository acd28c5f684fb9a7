/// The Bidi Rule, which prevents text with right-to-left letters from being displayed in a misleading order (RFC 5893
/// §2).
enum BidiRule {
    /// Whether a separate text, such as a local part, satisfies the rule. Text without right-to-left letters always
    /// does.
    static func allows(_ scalars: [Unicode.Scalar]) -> Bool {
        !isRightToLeft(scalars) || holds(for: scalars)
    }

    /// Whether the text contains a character of class R, AL or AN, which makes a domain name a Bidi domain name.
    static func isRightToLeft(_ scalars: [Unicode.Scalar]) -> Bool {
        scalars.contains { scalar in
            guard scalar.value >= 0x590 else { return false }
            switch BidiClass(scalar) {
            case .rightToLeft, .arabicNumber: return true
            default: return false
            }
        }
    }

    /// The six conditions, for one label.
    static func holds(for scalars: [Unicode.Scalar]) -> Bool {
        let classes = scalars.map(BidiClass.init)
        guard let last = classes.last(where: { $0 != .nonspacingMark }) else { return false }
        switch classes.first {
        case .rightToLeft:
            // Conditions 2, 3 and 4.
            return !classes.contains(.leftToRight)
                && (last == .rightToLeft || last == .europeanNumber || last == .arabicNumber)
                && !(classes.contains(.europeanNumber) && classes.contains(.arabicNumber))
        case .leftToRight:
            // Conditions 5 and 6.
            return !classes.contains(.rightToLeft) && !classes.contains(.arabicNumber)
                && (last == .leftToRight || last == .europeanNumber)
        default:
            // Condition 1.
            return false
        }
    }
}

/// The values of Bidi_Class that the Bidi Rule distinguishes, for code points that an address may contain.
private enum BidiClass {
    case leftToRight
    /// R and AL.
    case rightToLeft
    case arabicNumber
    case europeanNumber
    case nonspacingMark
    /// ES, CS, ET, ON and BN: allowed in either direction, but not at the end.
    case neutral

    init(_ scalar: Unicode.Scalar) {
        if scalar.isASCII {
            switch scalar {
            case "a"..."z", "A"..."Z": self = .leftToRight
            case "0"..."9": self = .europeanNumber
            default: self = .neutral
            }
        } else if UnicodeTables.contains(scalar, in: UnicodeTables.rightToLeft)
            || UnicodeTables.contains(scalar, in: UnicodeTables.arabicLetter)
        {
            self = .rightToLeft
        } else if UnicodeTables.contains(scalar, in: UnicodeTables.arabicNumber) {
            self = .arabicNumber
        } else if UnicodeTables.contains(scalar, in: UnicodeTables.europeanNumber) {
            self = .europeanNumber
        } else if UnicodeTables.contains(scalar, in: UnicodeTables.otherNeutral)
            || UnicodeTables.contains(scalar, in: UnicodeTables.boundaryNeutral)
        {
            self = .neutral
        } else {
            switch scalar.properties.generalCategory {
            case .nonspacingMark, .enclosingMark:
                self = UnicodeTables.contains(scalar, in: UnicodeTables.leftToRight) ? .leftToRight : .nonspacingMark
            default: self = .leftToRight
            }
        }
    }
}
