internal import Localization
internal import TerminalApp

/// A text whose language is chosen when it is shown: the user's on the terminal, always English in JSON.
///
/// The English text is the key of the catalogue, as in ``localized(_:_:)``. Two phrases with the same parts are equal
/// in every language.
struct Phrase: Sendable, Equatable, CustomStringConvertible {
    private struct Counted: Sendable, Equatable {
        let plural: String
        let count: Int
    }

    private enum Argument: Sendable, Equatable {
        case text(String)
        case phrase(Phrase)

        var text: String {
            switch self {
            case .text(let text): text
            case .phrase(let phrase): phrase.text
            }
        }

        var english: String {
            switch self {
            case .text(let text): text
            case .phrase(let phrase): phrase.english
            }
        }
    }

    /// A text of ``Wording``, which has its own arguments.
    private struct Spoken: Sendable, Equatable {
        let text: String
        let english: String
    }

    private var spoken: Spoken?
    private let template: String
    /// For a counted text: its English plural, and the number.
    private var counted: Counted?
    private let arguments: [Argument]
    /// Whether the arguments are joined, with the separator of the language.
    private let isList: Bool

    /// - Parameter arguments: the values of the placeholders `%@`; a phrase among them is translated too.
    init(_ template: String, _ arguments: (any CustomStringConvertible)...) {
        self.template = template
        isList = false
        self.arguments = arguments.map { argument in
            (argument as? Phrase).map(Argument.phrase) ?? .text(TerminalText.harmless(argument.description))
        }
    }

    /// A counted text, as in ``localized(_:plural:count:_:)``.
    ///
    /// - Parameter arguments: the values of the placeholders; by default the number.
    init(_ singular: String, plural: String, count: Int, _ arguments: (any CustomStringConvertible)...) {
        template = singular
        counted = Counted(plural: plural, count: count)
        isList = false
        let arguments = arguments.isEmpty ? [count] : arguments
        self.arguments = arguments.map { .text(TerminalText.harmless($0.description)) }
    }

    private init(listing phrases: [Phrase]) {
        template = ", "
        isList = true
        arguments = phrases.map(Argument.phrase)
    }

    /// A text of ``Wording``.
    static func wording(_ text: () -> String) -> Phrase {
        var phrase = Phrase("%@")
        phrase.spoken = Spoken(
            text: TerminalText.harmless(text()), english: TerminalText.harmless(Localization.inEnglish(text)))
        return phrase
    }

    /// Text that is the same in every language: an address, a protocol name, a text of the server.
    static func verbatim(_ text: some CustomStringConvertible) -> Phrase {
        Phrase("%@", text)
    }

    /// A list of phrases.
    static func list(_ phrases: [Phrase]) -> Phrase { Phrase(listing: phrases) }

    /// The text in the user's language.
    var text: String {
        if let spoken { return spoken.text }
        let translated =
            counted.map { Localization.translate(template, plural: $0.plural, count: $0.count) }
            ?? Localization.translate(template)
        return assembled(translated, arguments.map(\.text))
    }

    /// The text in English.
    var english: String {
        if let spoken { return spoken.english }
        let form = counted.map { Localization.untranslated(template, plural: $0.plural, count: $0.count) }
        return assembled(form ?? template, arguments.map(\.english))
    }

    private func assembled(_ template: String, _ arguments: [String]) -> String {
        isList ? arguments.joined(separator: template) : filled(template, with: arguments)
    }

    var description: String { english }
}
