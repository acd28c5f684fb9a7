package import AdHocCommands
internal import DataForms
internal import Localization

/// A stage of a command as a person sees it: what the responder says, what it asks, or the result.
///
/// All text comes from the responder and is bounded.
public struct CommandPage: Sendable, Hashable {
    public struct Note: Sendable, Hashable {
        public enum Severity: Sendable, Hashable {
            case information, warning, failure

            package init(_ severity: CommandNote.Severity) {
                self =
                    switch severity {
                    case .info: .information
                    case .warn: .warning
                    case .error: .failure
                    }
            }
        }

        public let severity: Severity
        public let text: String
    }

    /// A field of a result.
    public struct Entry: Sendable, Hashable {
        public let label: String
        public let text: String
    }

    /// Texts, fields and values that are shown, each option of a multiple choice counting as one. A person cannot fill in
    /// more, and each is a row on the screen; a stanza can contain thousands.
    static let limit = 300

    public let title: String?
    /// The instructions above the fields.
    public let paragraphs: [String]
    public let notes: [Note]
    /// The questions, and the texts between them.
    public let fields: [FormField]
    /// A result.
    public let entries: [Entry]
    /// The rows of a table in a result (XEP-0004 §3.4).
    public let rows: [[Entry]]
    /// Texts, fields and rows of a table that are not shown, because there are too many.
    public let hiddenCount: Int

    init(_ stage: CommandStage) {
        notes = stage.notes.prefix(Self.limit).map { note in
            Note(severity: Note.Severity(note.severity), text: FormField.bounded(note.text))
        }
        guard let form = stage.form else {
            (title, paragraphs, fields, entries, rows, hiddenCount) = (nil, [], [], [], [], 0)
            return
        }
        title = form.title.map(FormField.bounded).flatMap { $0.trimmingWhitespace.isEmpty ? nil : $0 }
        paragraphs = form.instructions.prefix(Self.limit).map(FormField.bounded)
            .filter { !$0.trimmingWhitespace.isEmpty }
        if form.kind == .form, !stage.isFinished {
            let all = Self.questions(of: form)
            var room = Self.limit
            fields = Array(
                all.prefix { field in
                    if case .choices(let options) = field.kind { room -= options.count } else { room -= 1 }
                    return room >= 0
                })
            (entries, rows) = ([], [])
            hiddenCount = all.count - fields.count
        } else {
            let shown = form.fields.filter { $0.kind != .hidden }
            fields = []
            entries = shown.prefix(Self.limit).map { Self.entry($0, label: $0.label) }
            let labels = Dictionary(
                form.columns.map { ($0.name, $0.label) }, uniquingKeysWith: { first, _ in first })
            var room = Self.limit - entries.count
            rows = form.rows.prefix { row in
                room -= row.count
                return room >= 0
            }.map { row in row.map { Self.entry($0, label: labels[$0.name] ?? nil) } }
            hiddenCount = shown.count - entries.count + form.rows.count - rows.count
        }
    }

    private static func entry(_ field: DataFormField, label: String?) -> Entry {
        let isText = field.kind == .fixed && field.name == nil
        let values = field.values.map { value in
            field.options.first { $0.value == value }?.label ?? (field.kind == .boolean ? yesOrNo(value) : value)
        }
        return Entry(
            label: isText ? "" : FormField.bounded(label ?? field.label ?? field.name ?? ""),
            text: FormField.bounded(values.joined(separator: "\n")))
    }

    private static func yesOrNo(_ value: String) -> String {
        switch value {
        case "1", "true": localized("yes")
        case "0", "false": localized("no")
        default: value
        }
    }

    /// The fields in the order of the pages, if the form has any (XEP-0141), with their headings; then the others.
    private static func questions(of form: DataForm) -> [FormField] {
        guard !form.pages.isEmpty else { return form.fields.compactMap { FormField($0) } }
        var placed: Set<String> = []
        let named = Dictionary(
            form.fields.compactMap { field in field.name.map { ($0, field) } }, uniquingKeysWith: { first, _ in first })
        func fields(of parts: [DataFormPage.Part]) -> [FormField] {
            parts.flatMap { part -> [FormField] in
                switch part {
                case .text(let text): return [FormField.remark(text)].compactMap(\.self)
                case .section(let label, let parts):
                    return [label.flatMap { FormField.remark($0) }].compactMap(\.self) + fields(of: parts)
                case .field(let name):
                    guard placed.insert(name).inserted, let field = named[name] else { return [] }
                    return [FormField(field)].compactMap(\.self)
                case .table: return []
                }
            }
        }
        let paged = form.pages.flatMap { page in
            [page.label.flatMap { FormField.remark($0) }].compactMap(\.self) + fields(of: page.parts)
        }
        let others = form.fields.filter { field in field.name.map { !placed.contains($0) } ?? true }
        return paged + others.compactMap { FormField($0) }
    }
}
