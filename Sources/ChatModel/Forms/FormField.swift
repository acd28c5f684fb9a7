package import DataForms
internal import Localization

/// A field of a form as the user fills it in: of the form of a provider, or of a command (XEP-0004 §3.3).
public struct FormField: Sendable, Hashable, Identifiable {
    public enum Kind: Sendable, Hashable {
        case text
        case email
        /// Hidden while it is typed.
        case secret
        /// Each line is a value.
        case multipleLines
        /// Several addresses, each on its line.
        case addresses
        case yesOrNo
        /// One of several options.
        case choice([Option])
        /// Any of several options.
        case choices([Option])
        /// Text without an answer.
        case remark
    }

    public struct Option: Sendable, Hashable {
        public let label: String
        public let value: String
    }

    /// The name of the field in the form.
    public let id: String
    public let label: String
    public let explanation: String?
    public let kind: Kind
    public let isRequired: Bool
    /// The default values.
    public let values: [String]
    /// A CAPTCHA picture (XEP-0158), or another picture to look at.
    public let picture: [UInt8]?
    /// Where to see or hear the CAPTCHA when it is not included.
    public let link: String?

    init(
        id: String, label: String, explanation: String? = nil, kind: Kind, isRequired: Bool = false,
        values: [String] = [], picture: [UInt8]? = nil, link: String? = nil
    ) {
        self.id = id
        self.label = label
        self.explanation = explanation
        self.kind = kind
        self.isRequired = isRequired
        self.values = values
        self.picture = picture
        self.link = link
    }

    /// Options of a multiple choice; each is a switch. A field with more is a list that is typed.
    static let switchLimit = 100
    /// Options of a choice. A field with more is typed.
    static let optionLimit = 500
    /// In bytes of UTF-8, of a label or another text of a form; none that a person reads is longer.
    static let textLimit = 4_096

    /// The beginning of a longer text.
    static func bounded(_ text: String) -> String {
        guard text.utf8.count > textLimit else { return text }
        // A single character can have any number of code points.
        var shown = String.UnicodeScalarView()
        var length = 0
        for scalar in text.unicodeScalars {
            length += UTF8.width(scalar)
            guard length <= textLimit else { break }
            shown.append(scalar)
        }
        return String(shown) + "…"
    }

    /// A text between the fields.
    static func remark(_ text: String) -> FormField? {
        let text = bounded(text).trimmingWhitespace
        return text.isEmpty ? nil : FormField(id: "remark " + text, label: text, kind: .remark)
    }

    /// `nil` for a field that is not shown.
    package init?(_ field: DataFormField, label: String? = nil, picture: [UInt8]? = nil) {
        if field.kind == .fixed {
            guard let remark = Self.remark(field.values.joined(separator: "\n")) else { return nil }
            self = remark
            return
        }
        guard let name = field.name, field.kind != .hidden else { return nil }
        let options = field.options.prefix(Self.optionLimit).map { option in
            Option(label: Self.bounded(option.label ?? option.value), value: option.value)
        }
        let kind: Kind =
            switch field.kind {
            case .boolean: .yesOrNo
            case .textPrivate: .secret
            case .textMulti: .multipleLines
            case .jidMulti: .addresses
            case .listSingle: field.options.count > Self.optionLimit ? .text : .choice(options)
            case .listMulti: field.options.count > Self.switchLimit ? .multipleLines : .choices(options)
            case .fixed: .remark
            case .hidden, .jidSingle, .textSingle: name == "email" ? .email : .text
            }
        let given = field.label.flatMap { $0.trimmingWhitespace.isEmpty ? nil : $0 }
        self.init(
            id: name, label: Self.bounded(label ?? given ?? name), explanation: field.description.map(Self.bounded),
            kind: kind,
            isRequired: field.isRequired, values: field.values, picture: picture,
            link: (field.media?.sources ?? []).map(\.uri).lazy.compactMap(Self.pageAddress).first)
    }

    /// The link comes from an untrusted server: only web addresses are accepted.
    static func pageAddress(_ text: String) -> String? {
        let lowered = text.lowercased()
        return lowered.hasPrefix("https://") || lowered.hasPrefix("http://") ? text : nil
    }

    // MARK: Answers in a line

    /// The values in a line that the user typed: options by number or name, several with commas where the field takes
    /// several.
    package func values(ofLine line: String) -> [String] {
        let words: [String] =
            switch kind {
            case .choices, .addresses: line.split(separator: ",").map { String($0).trimmingWhitespace }
            default: [line]
            }
        return normalized(words.map(option))
    }

    private func option(_ word: String) -> String {
        let options = options
        guard let number = Int(word), options.indices.contains(number - 1),
            !options.contains(where: { $0.value == word })
        else { return word }
        return options[number - 1].value
    }

    package var options: [Option] {
        switch kind {
        case .choice(let options), .choices(let options): options
        default: []
        }
    }

    /// Values as a user writes them, as the form takes them: `yes` is a boolean, the label of an option is its value.
    package func normalized(_ values: [String]) -> [String] {
        switch kind {
        case .yesOrNo:
            values.map { value in
                let word = value.lowercased()
                if Wording.isYes(word) || ["true", "1"].contains(word) { return "true" }
                if [localized("no"), "no", "n", "否", "false", "0"].contains(word) { return "false" }
                return value
            }
        case .choice(let options), .choices(let options):
            values.map { value in
                guard !options.contains(where: { $0.value == value }) else { return value }
                return options.first { $0.label == value }?.value ?? value
            }
        default: values
        }
    }
}
