internal import XMPPAddress

/// What a user should know about the target of a link before opening it.
///
/// `https://аррӏе.example` in Cyrillic letters looks like another address, and `https://bank.example@evil.example`
/// leads to the second host.
public struct LinkHost: Sendable, Hashable {
    /// The host in ASCII form (RFC 5890 §2.3.2.1), `xn--…`, if it differs from the link.
    public let asciiName: String?
    /// The host to show beside the link: in ASCII form if it differs from the link.
    public let shown: String
    /// Whether it can be mistaken for another host: mixed scripts, only letters that look like Latin ones, characters
    /// that no host name has, or another name in front of it.
    public let isDeceptive: Bool

    /// In bytes; longer names do not exist (RFC 1035 §2.3.4).
    private static let lengthLimit = 253 * 4

    /// `nil` if the link has no host.
    public init?(_ link: String) {
        guard let (host, hasUser) = Self.host(of: link), !host.isEmpty else { return nil }
        if host.utf8.allSatisfy({ $0 < 0x80 }) {
            (asciiName, isDeceptive, shown) = (hasUser ? host : nil, hasUser, host)
            return
        }
        guard host.utf8.count <= Self.lengthLimit, let address = try? JID(host), address.local == nil, address.isBare
        else {
            let name = Self.spelled(host)
            (asciiName, isDeceptive, shown) = (name, true, name)
            return
        }
        asciiName = address.asciiDomain
        shown = address.asciiDomain
        isDeceptive = hasUser || address.domain.split(separator: ".").contains { Self.isDeceptive($0) }
    }

    private static func host(of link: String) -> (String, hasUser: Bool)? {
        guard let colon = link.firstIndex(of: ":") else { return nil }
        let scheme = link[..<colon].lowercased()
        var rest = link[link.index(after: colon)...]
        switch scheme {
        case "http", "https":
            guard rest.hasPrefix("//") else { return nil }
            rest = rest.dropFirst(2).prefix { !"/?#".contains($0) }
            let user = rest.lastIndex(of: "@")
            if let user { rest = rest[rest.index(after: user)...] }
            // The port; an IPv6 address is in brackets and ASCII only.
            if !rest.hasPrefix("["), let port = rest.lastIndex(of: ":") { rest = rest[..<port] }
            return (String(rest), user != nil)
        case "xmpp", "mailto":
            rest = rest.prefix { !"/?#;,".contains($0) }
            guard let sign = rest.lastIndex(of: "@") else { return (String(rest), false) }
            return (String(rest[rest.index(after: sign)...]), false)
        default: return nil
        }
    }

    /// A host that cannot be looked up, with the code points of its characters.
    private static func spelled(_ host: String) -> String {
        host.unicodeScalars.prefix(Self.lengthLimit).map { scalar in
            scalar.isASCII ? String(scalar) : "<U+\(String(scalar.value, radix: 16, uppercase: true))>"
        }.joined()
    }

    private static func isDeceptive(_ label: Substring) -> Bool {
        var scripts: Set<LetterScript> = []
        var looksLatin = true
        for scalar in label.unicodeScalars where !scalar.isASCII || scalar.properties.isAlphabetic {
            guard let script = LetterScript(scalar) else { return true }
            scripts.insert(script)
            if script != .latin, !LetterScript.latinLookalikes.contains(scalar) { looksLatin = false }
        }
        scripts.remove(.common)
        if scripts.isEmpty || scripts == [.latin] { return false }
        // Japanese, Chinese and Korean mix several scripts with Latin letters (UTS 39 §5.2).
        if LetterScript.eastAsian.contains(where: { scripts.isSubset(of: $0) }) { return false }
        return scripts.count > 1 || looksLatin
    }
}

/// The script of a letter, as far as it matters for host names.
enum LetterScript: Hashable {
    case latin, greek, cyrillic, armenian, hebrew, arabic, indic, thai, georgian, ethiopic, cherokee
    case han, hiragana, katakana, hangul, bopomofo
    /// Digits, marks and symbols without a script.
    case common

    /// Scripts that are mixed in one language.
    static let eastAsian: [Set<LetterScript>] = [
        [.latin, .han, .hiragana, .katakana], [.latin, .han, .hangul], [.latin, .han, .bopomofo],
    ]

    /// Letters of other scripts that look like small Latin letters in common fonts.
    static let latinLookalikes: Set<Unicode.Scalar> = Set(
        // Cyrillic, Greek, Armenian.
        "аеорсухіѕјԁԛԝһӏвмнткгҽѵԍ".unicodeScalars + "αγεικνορτυχωϲϳ".unicodeScalars + "օոսցհզյ".unicodeScalars
            + "ꭰꭱꭲꭺꮃꮇꮪꮯꮷ".unicodeScalars)

    /// `nil` for characters that are not used in host names: symbols, invisible characters, phonetic and mathematical
    /// letters.
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
