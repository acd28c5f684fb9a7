internal import CGlibc
internal import Glibc

/// The person's language, through gettext: the English text is the key, catalogues are `po/<language>.po`.
enum Localization {
    private static let domain = "hongyan"

    /// Reads the locale from the environment. Call once, before the first text.
    ///
    /// Catalogues are looked for where `HONGYAN_LOCALE_DIR` says, beside the program (`locale` or `../share/locale`),
    /// and where the system keeps them.
    static func start(program: String) {
        setlocale(LC_ALL, "")
        // Numbers in JSON and on the wire stay as they are everywhere.
        setlocale(LC_NUMERIC, "C")
        let directory = String(program[..<(program.lastIndex(of: "/") ?? program.startIndex)])
        let candidates = [
            getenv("HONGYAN_LOCALE_DIR").map { String(cString: $0) }, directory + "/locale",
            directory + "/../share/locale",
        ]
        for case let candidate? in candidates where access(candidate, R_OK) == 0 {
            bindtextdomain(domain, candidate)
            break
        }
        bind_textdomain_codeset(domain, "UTF-8")
    }

    static func translate(_ text: String) -> String {
        text.withCString { key in
            guard let translated = dgettext(domain, key) else { return text }
            return String(cString: translated)
        }
    }
}

/// `text` in the person's language, each `%@` replaced by the next argument.
func localized(_ text: String, _ arguments: any CustomStringConvertible...) -> String {
    var parts = Localization.translate(text).components(separatedBy: "%@")[...]
    var result = String(parts.removeFirst())
    for argument in arguments {
        guard !parts.isEmpty else { break }
        result += argument.description + parts.removeFirst()
    }
    for part in parts { result += "%@" + part }
    return result
}

extension String {
    /// The pieces between occurrences of a separator; at least one.
    fileprivate func components(separatedBy separator: String) -> [Substring] {
        var pieces: [Substring] = []
        var rest = self[...]
        while let range = rest.firstRange(of: separator) {
            pieces.append(rest[..<range.lowerBound])
            rest = rest[range.upperBound...]
        }
        pieces.append(rest)
        return pieces
    }
}
