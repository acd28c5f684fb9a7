internal import XMPPAddress

/// What a person should know about where a link leads before it is opened.
///
/// `https://аррӏе.example` in Cyrillic letters looks like another address, and `https://bank.example@evil.example` leads to the second
/// of its names.
public struct LinkHost: Sendable, Hashable {
    /// The host as it is looked up (RFC 5890 §2.3.2.1), `xn--…`, where that is not what stands in the link.
    public let asciiName: String?
    /// It can be taken for another host: letters of several scripts, letters that all look like Latin ones, characters that are in
    /// no host name, or another name in front of it.
    public let isDeceptive: Bool

    /// Longer names do not exist (RFC 1035 §2.3.4), in octets.
    private static let lengthLimit = 253 * 4

    /// `nil` where the link has no host.
    public init?(_ link: String) {
        guard let (host, hasUser) = Self.host(of: link), !host.isEmpty else { return nil }
        if host.utf8.allSatisfy({ $0 < 0x80 }) {
            (asciiName, isDeceptive) = (hasUser ? host : nil, hasUser)
            return
        }
        guard host.utf8.count <= Self.lengthLimit, let address = try? JID(host), address.local == nil, address.isBare
        else {
            (asciiName, isDeceptive) = (Self.spelled(host), true)
            return
        }
        asciiName = address.asciiDomain
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
            // The port; an IPv6 address has brackets and no other letters than ASCII.
            if !rest.hasPrefix("["), let port = rest.lastIndex(of: ":") { rest = rest[..<port] }
            return (String(rest), user != nil)
        case "xmpp", "mailto":
            rest = rest.prefix { !"/?#;,".contains($0) }
            guard let sign = rest.lastIndex(of: "@") else { return (String(rest), false) }
            return (String(rest[rest.index(after: sign)...]), false)
        default: return nil
        }
    }

    /// A name that cannot be looked up, with the numbers of its characters.
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
        // Japanese, Chinese and Korean are each written with several scripts, and with Latin letters between (UTS 39 §5.2).
        if LetterScript.eastAsian.contains(where: { scripts.isSubset(of: $0) }) { return false }
        return scripts.count > 1 || looksLatin
    }
}
