/// The script of a letter, as far as it matters for names of hosts.
enum LetterScript: Hashable {
    case latin, greek, cyrillic, armenian, hebrew, arabic, indic, thai, georgian, ethiopic, cherokee
    case han, hiragana, katakana, hangul, bopomofo
    /// Digits, marks and signs that belong to no script.
    case common

    /// Scripts that one language is written with.
    static let eastAsian: [Set<LetterScript>] = [
        [.latin, .han, .hiragana, .katakana], [.latin, .han, .hangul], [.latin, .han, .bopomofo],
    ]

    /// Letters of other scripts that look like small Latin ones in usual fonts.
    static let latinLookalikes: Set<Unicode.Scalar> = Set(
        // Cyrillic, Greek, Armenian, Cherokee.
        "аеорсухіѕјԁԛԝһӏвмнткгҽѵԍ".unicodeScalars + "αγεικνορτυχωϲϳ".unicodeScalars + "օոսցհզյ".unicodeScalars
            + "ꭰꭱꭲꭺꮃꮇꮪꮯꮷ".unicodeScalars)

    /// `nil` for what has no place in the name of a host: signs, invisible characters, letters of phonetic and mathematical alphabets.
    init?(_ scalar: Unicode.Scalar) {
        let script: LetterScript? =
            switch scalar.value {
            case 0x00...0x7F: scalar.properties.isAlphabetic ? .latin : .common
            case 0xB7: .common
            case 0xC0...0x24F, 0x1E00...0x1EFF: .latin
            case 0x300...0x36F: .common
            case 0x370...0x3FF, 0x1F00...0x1FFF: .greek
            case 0x400...0x52F, 0x2DE0...0x2DFF, 0xA640...0xA69F: .cyrillic
            case 0x530...0x58F: .armenian
            case 0x590...0x5FF: .hebrew
            case 0x600...0x77F, 0x8A0...0x8FF: .arabic
            case 0x900...0xDFF: .indic
            case 0xE00...0xE7F: .thai
            case 0x10A0...0x10FF, 0x2D00...0x2D2F: .georgian
            case 0x1200...0x139F: .ethiopic
            case 0x13A0...0x13FF, 0xAB70...0xABBF: .cherokee
            case 0x1100...0x11FF, 0xAC00...0xD7A3: .hangul
            case 0x3005...0x3007, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xF900...0xFAFF, 0x2_0000...0x3_FFFF: .han
            case 0x3041...0x309F: .hiragana
            case 0x30A1...0x30FF: .katakana
            case 0x3105...0x312F: .bopomofo
            default: nil
            }
        guard let script else { return nil }
        self = script
    }
}
