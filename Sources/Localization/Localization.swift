internal import Glibc

/// The user's language. The English text is the key; catalogues are `po/<language>.po`, compiled by `msgfmt`.
///
/// The catalogues are read here and not by the C library, which translates only if the system has the locale of the
/// language installed. Containers and servers rarely do.
public enum Localization {
    private static let loaded = load()
    private static var catalogue: MessageCatalogue? { isEnglish ? nil : loaded.catalogue }
    @TaskLocal private static var isEnglish = false

    /// What `body` makes of texts in English instead of the user's language: for output that programs read.
    public static func inEnglish<Result>(_ body: () throws -> Result) rethrows -> Result {
        try $isEnglish.withValue(true, operation: body)
    }

    /// The text in the user's language, or unchanged if there is no translation.
    public static func translate(_ text: String) -> String {
        catalogue?[text] ?? text
    }

    /// The translation of a text that reads differently elsewhere: its entry has the same `msgctxt` in the catalogue.
    public static func translate(_ text: String, context: String) -> String {
        catalogue?[text, context: context] ?? text
    }

    /// The text for this number in the user's language; English has one form for 1 and one for all others.
    ///
    /// In a catalogue it is an entry with `msgid` and `msgid_plural`; the header `Plural-Forms` says which form belongs
    /// to which number.
    public static func translate(_ singular: String, plural: String, count: Int) -> String {
        catalogue?[singular, count: count] ?? untranslated(singular, plural: plural, count: count)
    }

    /// The English text for this number.
    public static func untranslated(_ singular: String, plural: String, count: Int) -> String {
        PluralRule.germanic.form(for: count) == 0 ? singular : plural
    }

    /// The language of the texts, for example `zh_CN`: that of the catalogue in use; `en` without a catalogue.
    ///
    /// Other variants of English keep their country, because they write dates differently.
    public static var language: String { isEnglish ? "en" : loaded.language }

    /// The catalogue of the first preferred language that has one; English is the source language and ends the search.
    private static func load() -> (catalogue: MessageCatalogue?, language: String) {
        for language in languages(in: { variable in getenv(variable).map { String(cString: $0) } }) {
            if language == "en" || language.hasPrefix("en_") { return (nil, language) }
            if language == "C" || language == "POSIX" { break }
            for folder in folders {
                let path = "\(folder)/\(language)/LC_MESSAGES/hongyan.mo"
                if let catalogue = MessageCatalogue(file: path) { return (catalogue, language) }
            }
        }
        return (nil, "en")
    }

    /// The languages that the user has set, best first: `de_AT`, `de`, `en`; `C` for none.
    public static var preferredLanguages: [String] {
        languages(in: { variable in getenv(variable).map { String(cString: $0) } })
    }

    /// The preferred languages, best first, each as named and then without its country, in the order of gettext: the
    /// list `LANGUAGE`, otherwise the first of `LC_ALL`, `LC_MESSAGES` and `LANG` that is set.
    static func languages(in environment: (String) -> String?) -> [String] {
        func value(_ name: String) -> String? {
            environment(name).flatMap { $0.isEmpty ? nil : $0 }
        }
        let locale = value("LC_ALL") ?? value("LC_MESSAGES") ?? value("LANG") ?? "C"
        let list = value("LANGUAGE")?.split(separator: ":").map(String.init) ?? []
        return (list + [locale]).flatMap { name -> [String] in
            let bare = String(name.prefix { $0 != "." && $0 != "@" })
            let language = String(bare.prefix { $0 != "_" })
            return [bare] + (language == bare ? [] : [language]) + further(bare).filter { $0 != bare }
        }
    }

    /// The catalogues that people of a variant of Chinese can read: traditional characters in Taiwan, Hong Kong and
    /// Macau; simplified ones everywhere else, which is also the default without a country.
    private static func further(_ locale: String) -> [String] {
        guard locale == "zh" || locale.hasPrefix("zh_") else { return [] }
        let traditional = ["zh_TW", "zh_HK", "zh_MO", "zh_Hant"].contains { locale.hasPrefix($0) }
        return traditional ? ["zh_TW"] : ["zh_CN"]
    }

    /// The folders of catalogues: `HONGYAN_LOCALE_DIR`, the folder of the program, and those of the system.
    private static var folders: [String] {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &buffer, buffer.count - 1)
        let program = String(decoding: buffer.prefix(max(count, 0)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let folder = String(program[..<(program.lastIndex(of: "/") ?? program.startIndex)])
        let own = getenv("HONGYAN_LOCALE_DIR").map { [String(cString: $0)] } ?? []
        return own + [folder + "/locale", folder + "/../share/locale", "/usr/share/locale"]
    }
}

/// `text` in the user's language, each `%@` replaced by the next argument; a translation may use `%1$@`, `%2$@` … to
/// change their order.
public func localized(_ text: String, _ arguments: any CustomStringConvertible...) -> String {
    filled(Localization.translate(text), with: arguments.map(\.description))
}

/// `text` in the user's language, where one English word has several translations.
///
///     localized("People", context: "filter of conversations")
///
/// - Parameter context: the `msgctxt` of the catalogue.
public func localized(_ text: String, context: String) -> String {
    Localization.translate(text, context: context)
}

/// A counted text in the user's language, in the form for this number.
///
///     localized("%@ new message", plural: "%@ new messages", count: unread)
///
/// - Parameter arguments: the values of the placeholders; by default the number.
public func localized(
    _ singular: String, plural: String, count: Int, _ arguments: any CustomStringConvertible...
) -> String {
    let arguments = arguments.isEmpty ? [count] : arguments
    return filled(
        Localization.translate(singular, plural: plural, count: count), with: arguments.map(\.description))
}

/// `template` with its placeholders replaced. Placeholders inside arguments are not replaced.
package func filled(_ template: String, with arguments: [String]) -> String {
    var result = ""
    var next = 0
    var rest = template[...]
    while let percent = rest.firstIndex(of: "%") {
        result += rest[..<percent]
        rest = rest[percent...]
        if rest.hasPrefix("%@") {
            rest = rest.dropFirst(2)
            append(next < arguments.count ? arguments[next] : "%@", to: &result, before: &rest)
            next += 1
        } else if let number = rest.dropFirst().first?.wholeNumberValue, rest.dropFirst(2).hasPrefix("$@"),
            (1...max(arguments.count, 1)).contains(number), number <= arguments.count
        {
            rest = rest.dropFirst(4)
            append(arguments[number - 1], to: &result, before: &rest)
        } else {
            result += "%"
            rest = rest.dropFirst()
        }
    }
    return result + rest
}

/// Chinese typography puts a space between Chinese and Latin letters, so templates have one on both sides of a
/// placeholder. If the argument itself is Chinese, the spaces are removed, and also after a Chinese full stop.
private func append(_ argument: String, to result: inout String, before rest: inout Substring) {
    if result.last == " ", let before = result.dropLast().last,
        before.isHan && argument.first?.isHan == true || before.isHan && !before.isLetter
    {
        result.removeLast()
    }
    result += argument
    if argument.last?.isHan == true, rest.first == " ", rest.dropFirst().first?.isHan == true {
        rest = rest.dropFirst()
    }
}

extension Character {
    /// A Chinese character or punctuation mark.
    fileprivate var isHan: Bool {
        guard let value = unicodeScalars.first?.value else { return false }
        return (0x3001...0x303F).contains(value) || (0x3400...0x9FFF).contains(value)
            || (0xFF00...0xFFEF).contains(value) || (0x20000...0x3FFFF).contains(value)
    }
}
