internal import Foundation

/// A compiled catalogue of translations, as written by `msgfmt` (GNU gettext manual, "The Format of GNU MO Files").
struct MessageCatalogue: Sendable {
    private let texts: [String: String]
    /// The forms of each counted text, keyed by the English singular.
    private let forms: [String: [String]]
    private let rule: PluralRule

    private static let magic: UInt32 = 0x9504_12DE
    /// Bytes. Catalogues of this program are far smaller; a larger file is something else.
    private static let maximumByteCount = 4 << 20

    /// - Returns: `nil` if there is no readable catalogue at `path`.
    init?(file path: String) {
        guard let data = FileManager.default.contents(atPath: path), data.count <= Self.maximumByteCount else {
            return nil
        }
        self.init(Array(data))
    }

    init?(_ bytes: [UInt8]) {
        func number(at offset: Int) -> Int? {
            guard offset >= 0, offset + 4 <= bytes.count else { return nil }
            return (0..<4).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) }
        }
        func text(at entry: Int) -> String? {
            guard let length = number(at: entry), let offset = number(at: entry + 4), offset + length <= bytes.count
            else { return nil }
            return String(decoding: bytes[offset..<offset + length], as: UTF8.self)
        }
        guard number(at: 0) == Int(Self.magic), let count = number(at: 8), let originals = number(at: 12),
            let translations = number(at: 16), count <= bytes.count / 16
        else { return nil }
        var texts: [String: String] = [:]
        var forms: [String: [String]] = [:]
        var rule = PluralRule.germanic
        for index in 0..<count {
            guard let original = text(at: originals + 8 * index), let translated = text(at: translations + 8 * index)
            else { return nil }
            // The entry with the empty key describes the catalogue itself; NUL separates the forms of a counted text.
            if original.isEmpty {
                let field = "Plural-Forms:"
                let line = translated.split(separator: "\n").first { $0.hasPrefix(field) }
                rule = line.flatMap { PluralRule($0.dropFirst(field.count)) } ?? rule
            } else if translated.isEmpty {
                continue
            } else if let end = original.firstIndex(of: "\0") {
                forms[String(original[..<end])] = translated.split(separator: "\0", omittingEmptySubsequences: false)
                    .map(String.init)
            } else {
                texts[original] = translated
            }
        }
        self.texts = texts
        self.forms = forms
        self.rule = rule
    }

    subscript(text: String) -> String? { texts[text] }

    /// GNU gettext manual, "Contexts": the key is the context, EOT and the text.
    subscript(text: String, context context: String) -> String? { texts["\(context)\u{4}\(text)"] }

    /// The form for this number; `nil` if the text is not translated or has no such form.
    subscript(singular: String, count count: Int) -> String? {
        guard let forms = forms[singular], let form = rule.form(for: count), form < forms.count, !forms[form].isEmpty
        else { return nil }
        return forms[form]
    }
}
