internal import Localization
internal import TerminalApp

/// A text whose language is chosen when it is shown: on the terminal the person's, in JSON always English.
///
/// The English text is the key of the catalogue, as in ``localized(_:_:)``. Two phrases with the same parts are equal
/// whatever the language is.
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

    private let template: String
    /// Of a counted text: its plural in English, and the number.
    private var counted: Counted?
    private let arguments: [Argument]
    /// Whether the arguments are put one after the other, as the language separates them.
    private let isList: Bool

    /// - Parameter arguments: what fills the places `%@`; a phrase among them is translated, too.
    init(_ template: String, _ arguments: (any CustomStringConvertible)...) {
        self.template = template
        isList = false
        self.arguments = arguments.map { argument in
            (argument as? Phrase).map(Argument.phrase) ?? .text(TerminalText.harmless(argument.description))
        }
    }

    /// A counted text, as in ``localized(_:plural:count:_:)``.
    ///
    /// - Parameter arguments: what fills the places; where none is given, the number does.
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

    /// Text that is the same in every language: an address, a name of the protocol, a server's own words.
    static func verbatim(_ text: some CustomStringConvertible) -> Phrase {
        Phrase("%@", text)
    }

    /// Phrases one after the other.
    static func list(_ phrases: [Phrase]) -> Phrase { Phrase(listing: phrases) }

    /// The text in the person's language.
    var text: String {
        let translated =
            counted.map { Localization.translate(template, plural: $0.plural, count: $0.count) }
            ?? Localization.translate(template)
        return assembled(translated, arguments.map(\.text))
    }

    /// The text in English.
    var english: String {
        let form = counted.map { Localization.untranslated(template, plural: $0.plural, count: $0.count) }
        return assembled(form ?? template, arguments.map(\.english))
    }

    private func assembled(_ template: String, _ arguments: [String]) -> String {
        isList ? arguments.joined(separator: template) : filled(template, with: arguments)
    }

    var description: String { english }
}
