/// Finds links in a text: `https:`, `http:`, `xmpp:`, `mailto:`, `geo:`, `tel:`, and text that begins with `www.`.
///
/// Other schemes stay text: one that starts a program must not be one click away.
struct LinkFinder {
    let ranges: [Range<String.Index>]

    private static let schemes = ["https://", "http://", "xmpp:", "mailto:", "geo:", "tel:", "www."]
    /// In characters; longer links are not useful.
    private static let lengthLimit = 2048

    init(_ text: String) {
        var ranges: [Range<String.Index>] = []
        var mayBegin = true
        var index = text.startIndex
        while index < text.endIndex {
            let rest = text[index...]
            if mayBegin, let scheme = Self.schemes.first(where: { Self.begins(rest, with: $0) }),
                let end = Self.end(of: rest, after: scheme.count)
            {
                ranges.append(index..<end)
                index = end
                mayBegin = false
                continue
            }
            let character = text[index]
            // Chinese is written without spaces, so a link may follow any of its characters.
            mayBegin = !(character.isASCII && (character.isLetter || character.isNumber))
            index = text.index(after: index)
        }
        self.ranges = ranges
    }

    /// The URL to open.
    static func target(of address: String) -> String {
        begins(address[...], with: "www.") ? "https://" + address : address
    }

    private static func begins(_ text: Substring, with scheme: String) -> Bool {
        var octets = text.utf8.makeIterator()
        for expected in scheme.utf8 {
            guard let octet = octets.next() else { return false }
            let lower = octet >= 0x41 && octet <= 0x5A ? octet + 0x20 : octet
            guard lower == expected else { return false }
        }
        return true
    }

    /// The end of the link; `nil` if there is nothing after the scheme.
    private static func end(of text: Substring, after schemeLength: Int) -> String.Index? {
        var end = text.startIndex
        var length = 0
        while end < text.endIndex, length < lengthLimit, !stops(text[end]) {
            end = text.index(after: end)
            length += 1
        }
        var address = text[..<end]
        // The surplus of closing brackets per kind; counted once, or ")))))" would take quadratic time.
        var surplus: [Character: Int] = [:]
        for character in address {
            if let opening = opening(of: character) {
                surplus[opening, default: 0] += 1
            } else if "([{".contains(character) {
                surplus[character, default: 0] -= 1
            }
        }
        // Punctuation at the end of a sentence, and an unmatched parenthesis, do not belong to the link.
        while let last = address.last {
            if ".,;:!?'\"*_~".contains(last) {
                address.removeLast()
            } else if let opening = opening(of: last), surplus[opening, default: 0] > 0 {
                surplus[opening, default: 0] -= 1
                address.removeLast()
            } else {
                break
            }
        }
        return address.count > schemeLength ? address.endIndex : nil
    }

    private static func opening(of character: Character) -> Character? {
        switch character {
        case ")": "("
        case "]": "["
        case "}": "{"
        default: nil
        }
    }

    private static func stops(_ character: Character) -> Bool {
        if character.isWhitespace || "<>\"`|\\".contains(character) { return true }
        // Chinese and Japanese punctuation, full-width forms, and marks that reorder or hide text end a link; letters
        // do not.
        guard let scalar = character.unicodeScalars.first else { return true }
        switch scalar.value {
        case 0..<0x20, 0x61C, 0x200B...0x200F, 0x202A...0x202E, 0x2060...0x206F, 0xFEFF, 0x2018...0x201F, 0x2026,
            0x3000...0x3003, 0x3008...0x3011, 0xFF01...0xFF0F, 0xFF1A...0xFF20,
            0xFF3B...0xFF40, 0xFF5B...0xFF65:
            return true
        default: return false
        }
    }
}
