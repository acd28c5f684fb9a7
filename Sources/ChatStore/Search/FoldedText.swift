internal import Foundation

/// A text in the form that is searched: without case, width and accents, and with one space for each run of separators.
struct FoldedText: Equatable, Sendable {
    /// The classes of scalars that the search distinguishes.
    enum Script: Equatable, Sendable {
        /// Words are separated, so the beginning of a word is defined.
        case spaced
        /// Every character can be a word or begin one: Chinese, Japanese, Korean, Thai, and emoji.
        case unspaced
        case separator

        init(_ scalar: UInt32) {
            switch scalar {
            case 0x20: self = .separator
            case 0...0x0DFF: self = .spaced
            default: self = .unspaced
            }
        }
    }

    private(set) var scalars: [UInt32] = []

    init(_ text: String) {
        scalars.reserveCapacity(text.utf8.count)
        // Most texts begin in ASCII, and many have nothing else.
        var rest = text.unicodeScalars[...]
        let count = text.utf8.withContiguousStorageIfAvailable { bytes in
            bytes.firstIndex { !append(ascii: $0) } ?? bytes.count
        }
        if let count { rest = rest[text.utf8.index(text.startIndex, offsetBy: count)...] }
        for scalar in rest { append(scalar) }
        if scalars.last == 0x20 { scalars.removeLast() }
    }

    /// - Returns: `false` for a byte of another character, which is not appended.
    private mutating func append(ascii byte: UInt8) -> Bool {
        switch byte {
        case 0x61...0x7A, 0x30...0x39: scalars.append(UInt32(byte))
        case 0x41...0x5A: scalars.append(UInt32(byte) + 0x20)
        case 0...0x7F: separate()
        default: return false
        }
        return true
    }

    private mutating func append(_ scalar: Unicode.Scalar) {
        let value = scalar.value
        switch value {
        case 0...0x7F:
            _ = append(ascii: UInt8(value))
            return
        // Full-width letters, digits and signs (U+FF01 to U+FF5E).
        case 0xFF01...0xFF5E:
            if let narrow = Unicode.Scalar(value - 0xFEE0) { append(narrow) }
            return
        // A separate voicing mark is combined with the kana before it.
        case 0x3099, 0x309A:
            if let last = scalars.last, (0x304B...0x30DB).contains(last) {
                scalars[scalars.count - 1] = last + (value == 0x3099 ? 1 : 2)
            }
            return
        case 0x3041...0x30FA, 0x30FC...0x30FF, 0x3400...0x9FFF, 0xAC00...0xD7A3: break
        // Combining marks, joiners and variation selectors only affect the appearance.
        case 0x0300...0x036F, 0x200B...0x200D, 0x2060, 0xFE00...0xFE0F, 0xFEFF: return
        case 0x80..<0x0590: return append(folded: Self.alphabets[Int(value)])
        case 0x1E00..<0x2000: return append(folded: Self.furtherLetters[Int(value) - 0x1E00])
        default:
            switch scalar.properties.generalCategory {
            case .spaceSeparator, .lineSeparator, .paragraphSeparator, .control, .dashPunctuation, .openPunctuation,
                .closePunctuation, .connectorPunctuation, .initialPunctuation, .finalPunctuation, .otherPunctuation,
                .surrogate, .unassigned, .privateUse:
                return separate()
            default: break
            }
        }
        scalars.append(value)
    }

    private mutating func separate() {
        if let last = scalars.last, last != 0x20 { scalars.append(0x20) }
    }

    private mutating func append(folded: [UInt32]) {
        if folded.isEmpty { return separate() }
        scalars += folded
    }

    /// The folded forms of Latin, Greek, Cyrillic and Armenian; empty for separators.
    private static let alphabets = (0..<0x0590).map(fold)

    /// The same for Latin and Greek letters with several accents, as in Vietnamese.
    private static let furtherLetters = (0x1E00..<0x2000).map(fold)

    private static func fold(_ value: Int) -> [UInt32] {
        guard let scalar = Unicode.Scalar(UInt32(value)) else { return [] }
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
            .letterNumber, .otherNumber:
            let folded = String(Character(scalar)).folding(
                options: [.caseInsensitive, .diacriticInsensitive], locale: nil)
            return folded.unicodeScalars.map(\.value).filter { $0 > 0x20 && !(0x0300...0x036F).contains($0) }
        default: return []
        }
    }

    func contains(_ other: ArraySlice<UInt32>, atWordStart: Bool) -> Bool {
        guard let first = other.first, other.count <= scalars.count else { return false }
        for start in 0...(scalars.count - other.count) where scalars[start] == first {
            if atWordStart, start > 0, Script(scalars[start - 1]) == .spaced { continue }
            if scalars[start..<start + other.count].elementsEqual(other) { return true }
        }
        return false
    }

    /// The next run of one script that is not a separator.
    func run(from index: Int) -> (script: Script, range: Range<Int>)? {
        var start = index
        while start < scalars.count {
            let script = Script(scalars[start])
            var end = start + 1
            while end < scalars.count, Script(scalars[end]) == script { end += 1 }
            if script != .separator { return (script, start..<end) }
            start = end
        }
        return nil
    }

    var runs: [(script: Script, range: Range<Int>)] {
        Array(
            sequence(state: 0) { next in
                let run = run(from: next)
                next = run?.range.upperBound ?? scalars.count
                return run
            })
    }

    func text(of range: Range<Int>) -> String {
        String(String.UnicodeScalarView(scalars[range].compactMap(Unicode.Scalar.init)))
    }
}
