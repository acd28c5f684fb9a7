/// Normalisation Form C (Unicode Standard Annex #15), the last step of every profile (RFC 8264 §5.2.4).
///
/// The standard library normalises only for comparison, and Foundation uses an older Unicode version than the standard
/// library. So this is the algorithm itself, over a table from the same source as ``UnicodeTables``.
enum CanonicalComposition {
    /// Nothing below U+0300 changes under NFC.
    private static let firstChanging: UInt32 = 0x300

    static func compose(_ scalars: inout [Unicode.Scalar]) {
        guard scalars.contains(where: { $0.value >= firstChanging }) else { return }
        var decomposed: [Unicode.Scalar] = []
        decomposed.reserveCapacity(scalars.count + scalars.count / 2)
        for scalar in scalars { decompose(scalar, into: &decomposed) }
        order(&decomposed)
        scalars = recompose(decomposed)
    }

    private static func decompose(_ scalar: Unicode.Scalar, into result: inout [Unicode.Scalar]) {
        if scalar.value < 0xC0 {
            result.append(scalar)
        } else if let syllable = HangulSyllable(scalar) {
            result.append(contentsOf: syllable.jamo)
        } else if let (first, second) = decomposition(of: scalar) {
            decompose(first, into: &result)
            if let second { result.append(second) }
        } else {
            result.append(scalar)
        }
    }

    /// One step of the canonical decomposition.
    private static func decomposition(of scalar: Unicode.Scalar) -> (Unicode.Scalar, Unicode.Scalar?)? {
        let table = UnicodeMappings.canonicalDecompositions
        let value = UInt64(scalar.value)
        var low = 0
        var high = table.count
        while low < high {
            let middle = (low + high) / 2
            if table[middle] >> 42 < value { low = middle + 1 } else { high = middle }
        }
        guard low < table.count, table[low] >> 42 == value,
            let first = Unicode.Scalar(UInt32(table[low] >> 21 & 0x1F_FFFF))
        else { return nil }
        let second = UInt32(table[low] & 0x1F_FFFF)
        return (first, second == 0 ? nil : Unicode.Scalar(second))
    }

    /// The Canonical Ordering Algorithm: marks between two starters sort by combining class, stably.
    private static func order(_ scalars: inout [Unicode.Scalar]) {
        var index = 0
        while index < scalars.count {
            let start = index
            while index < scalars.count, scalars[index].combiningClass != 0 { index += 1 }
            if index - start > 1 {
                let marks = scalars[start..<index].enumerated().sorted {
                    ($0.element.combiningClass, $0.offset) < ($1.element.combiningClass, $1.offset)
                }
                scalars.replaceSubrange(start..<index, with: marks.map(\.element))
            }
            index += 1
        }
    }

    /// The Canonical Composition Algorithm: each mark joins the last starter unless another mark blocks it.
    private static func recompose(_ scalars: [Unicode.Scalar]) -> [Unicode.Scalar] {
        var result: [Unicode.Scalar] = []
        result.reserveCapacity(scalars.count)
        var starter: Int?
        var lastClass: UInt8 = 0
        for scalar in scalars {
            let combiningClass = scalar.combiningClass
            if let position = starter {
                let adjacent = position == result.count - 1
                if adjacent || (lastClass < combiningClass && lastClass != 0),
                    let composed = composition(of: result[position], scalar)
                {
                    result[position] = composed
                    continue
                }
            }
            if combiningClass == 0 { starter = result.count }
            lastClass = combiningClass
            result.append(scalar)
        }
        return result
    }

    private static func composition(of first: Unicode.Scalar, _ second: Unicode.Scalar) -> Unicode.Scalar? {
        HangulSyllable.compose(first, second) ?? compositions[UInt64(first.value) << 21 | UInt64(second.value)]
    }

    /// The inverse of the decompositions, without those that composition excludes.
    private static let compositions: [UInt64: Unicode.Scalar] = {
        var pairs: [UInt64: Unicode.Scalar] = [:]
        for entry in UnicodeMappings.canonicalDecompositions {
            guard let composed = Unicode.Scalar(UInt32(entry >> 42)), !composed.properties.isFullCompositionExclusion
            else { continue }
            pairs[entry & 0x3FF_FFFF_FFFF] = composed
        }
        return pairs
    }()
}

extension Unicode.Scalar {
    fileprivate var combiningClass: UInt8 {
        value < 0x300 ? 0 : properties.canonicalCombiningClass.rawValue
    }
}

/// A Hangul syllable, which composes by arithmetic (The Unicode Standard §3.12).
private struct HangulSyllable {
    private static let base: UInt32 = 0xAC00
    private static let leadingBase: UInt32 = 0x1100
    private static let vowelBase: UInt32 = 0x1161
    /// One below the first trailing consonant: 0 stands for none.
    private static let trailingBase: UInt32 = 0x11A7
    private static let leadingCount: UInt32 = 19
    private static let vowelCount: UInt32 = 21
    private static let trailingCount: UInt32 = 28
    private static let count = leadingCount * vowelCount * trailingCount

    private let index: UInt32

    init?(_ scalar: Unicode.Scalar) {
        guard scalar.value >= Self.base, scalar.value - Self.base < Self.count else { return nil }
        index = scalar.value - Self.base
    }

    var jamo: [Unicode.Scalar] {
        let trailing = index % Self.trailingCount
        let parts = [
            Self.leadingBase + index / (Self.vowelCount * Self.trailingCount),
            Self.vowelBase + index / Self.trailingCount % Self.vowelCount,
        ]
        return (trailing == 0 ? parts : parts + [Self.trailingBase + trailing]).compactMap { Unicode.Scalar($0) }
    }

    static func compose(_ first: Unicode.Scalar, _ second: Unicode.Scalar) -> Unicode.Scalar? {
        let leading = first.value &- leadingBase
        let vowel = second.value &- vowelBase
        if leading < leadingCount, vowel < vowelCount {
            return Unicode.Scalar(base + (leading * vowelCount + vowel) * trailingCount)
        }
        let trailing = second.value &- trailingBase
        if let syllable = HangulSyllable(first), syllable.index % trailingCount == 0, trailing > 0,
            trailing < trailingCount
        {
            return Unicode.Scalar(first.value + trailing)
        }
        return nil
    }
}
