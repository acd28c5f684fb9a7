internal import ChatModel
internal import DataForms
internal import Localization
internal import TerminalApp
internal import UserProfile

/// The answers that a user gives to the forms of a command: as arguments `FIELD=VALUE`, or in a file.
struct FormAnswers {
    /// The values by the name of their field; a field that is given twice has two values.
    private var given: [String: [String]] = [:]
    /// The fields that stand on the command line, where other users of the machine can read them.
    private let visible: Set<String>
    /// The names in the order in which they were given.
    private let names: [String]

    /// - Parameter file: a file with one `FIELD=VALUE` on each line, `-` for standard input.
    init(_ words: some Sequence<String>, file: String?) throws {
        var pairs = try words.map(Self.pair)
        visible = Set(pairs.map(\.name))
        if let file {
            let reader = try LineReader(file)
            while let line = try reader.next() {
                if !line.isEmpty { pairs.append(try Self.pair(line)) }
            }
        }
        for pair in pairs { given[pair.name, default: []].append(pair.value) }
        names = pairs.map(\.name)
    }

    private static func pair(_ text: String) throws(CommandError) -> (name: String, value: String) {
        guard let sign = text.firstIndex(of: "="), sign > text.startIndex else {
            throw .usage(localized("“%@” is not an answer; write FIELD=VALUE.", TerminalText.harmless(text)))
        }
        return (String(text[..<sign]), String(text[text.index(after: sign)...]))
    }

    subscript(name: String) -> [String]? { given[name] }

    /// The names of fields that are answered but asked by none of these forms.
    func unasked(in forms: [DataForm]) -> [String] {
        let asked = Set(forms.flatMap(\.fields).compactMap(\.name))
        return names.filter { !asked.contains($0) }
    }

    /// The answers to a form: what was given, otherwise what the form suggests.
    ///
    /// - Throws: a usage error, if a secret stands on the command line.
    func values(for form: DataForm) throws(CommandError) -> [String: [String]] {
        var values: [String: [String]] = [:]
        for field in form.questions {
            guard let name = field.name else { continue }
            guard let own = given[name] else {
                if !field.values.isEmpty { values[name] = field.values }
                continue
            }
            guard field.kind != .textPrivate || !visible.contains(name) else {
                throw .usage(
                    localized("“%@” is secret and must not be an argument; use --answers.", field.shownLabel))
            }
            values[name] = FormField(field)?.normalized(own) ?? own
        }
        return values
    }
}

extension DataForm {
    /// The fields that a person answers, in the order of the pages if there are any.
    var questions: [DataFormField] {
        let asked = fields.filter { $0.name != nil && $0.kind != .hidden && $0.kind != .fixed }
        let order = pages.flatMap(\.fieldNames)
        guard !order.isEmpty else { return asked }
        let placed = order.compactMap { name in asked.first { $0.name == name } }
        return placed + asked.filter { field in !placed.contains { $0.name == field.name } }
    }
}

extension DataFormField {
    /// The label for a person, without control characters.
    var shownLabel: String {
        let text = label.flatMap { $0.trimmed.isEmpty ? nil : $0 } ?? name ?? ""
        return TerminalText.harmless(text)
    }
}
