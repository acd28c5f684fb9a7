internal import AdHocCommands
internal import DataForms
internal import Localization

/// A stage of a command as a person sees it: what the responder says, what it asks, or the result.
///
/// All text comes from the responder and is bounded.
public struct CommandPage: Sendable, Hashable {
    public struct Note: Sendable, Hashable {
        public enum Severity: Sendable, Hashable {
            case information, warning, failure
        }

        public let severity: Severity
        public let text: String
    }

    /// A field of a result.
    public struct Entry: Sendable, Hashable {
        public let label: String
        public let text: String
    }

    /// Fields that are shown. More of them cannot be filled in by a person.
    static let fieldLimit = 200
    /// Rows of a result that are shown; a table of a server can have thousands.
    static let rowLimit = 500
    /// In characters, of one text.
    static let textLimit = 4_000

    public let title: String?
    /// What is to be read before the fields.
    public let paragraphs: [String]
    public let notes: [Note]
    /// The questions, and the texts between them.
    public let fields: [FormField]
    /// A result.
    public let entries: [Entry]
    /// The rows of a table in a result (XEP-0004 §3.4).
    public let rows: [[Entry]]
    /// Fields and rows that are not shown, because there are too many.
    public let hiddenCount: Int

    init(_ stage: CommandStage) {
        notes = stage.notes.map { note in
            let severity: Note.Severity =
                switch note.severity {
                case .info: .information
                case .warn: .warning
                case .error: .failure
                }
            return Note(severity: severity, text: Self.bounded(note.text))
        }
        guard let form = stage.form else {
            (title, paragraphs, fields, entries, rows, hiddenCount) = (nil, [], [], [], [], 0)
            return
        }
        title = form.title.map(Self.bounded).flatMap { $0.trimmingWhitespace.isEmpty ? nil : $0 }
        paragraphs = form.instructions.map(Self.bounded).filter { !$0.trimmingWhitespace.isEmpty }
        if form.kind == .form, !stage.isFinished {
            let all = Self.questions(of: form)
            fields = Array(all.prefix(Self.fieldLimit))
            (entries, rows) = ([], [])
            hiddenCount = all.count - fields.count
        } else {
            let shown = form.fields.filter { $0.kind != .hidden }
            fields = []
            entries = shown.prefix(Self.fieldLimit).map { Self.entry($0, label: $0.label) }
            rows = form.rows.prefix(Self.rowLimit).map { row in
                row.prefix(Self.fieldLimit).map { field in
                    Self.entry(field, label: form.columns.first { $0.name == field.name }?.label)
                }
            }
            hiddenCount = max(0, shown.count - Self.fieldLimit) + max(0, form.rows.count - Self.rowLimit)
        }
    }

    private static func bounded(_ text: String) -> String { String(text.prefix(textLimit)) }

    private static func entry(_ field: DataFormField, label: String?) -> Entry {
        let isText = field.kind == .fixed && field.name == nil
        let values = field.values.map { value in
            field.options.first { $0.value == value }?.label ?? (field.kind == .boolean ? yesOrNo(value) : value)
        }
        return Entry(
            label: isText ? "" : bounded(label ?? field.label ?? field.name ?? ""),
            text: bounded(values.joined(separator: "\n")))
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
        func fields(of parts: [DataFormPage.Part]) -> [FormField] {
            parts.flatMap { part -> [FormField] in
                switch part {
                case .text(let text): return [FormField.remark(bounded(text))].compactMap(\.self)
                case .section(let label, let parts):
                    return [label.flatMap { FormField.remark(bounded($0)) }].compactMap(\.self) + fields(of: parts)
                case .field(let name):
                    guard placed.insert(name).inserted, let field = form[name] else { return [] }
                    return [FormField(field)].compactMap(\.self)
                case .table: return []
                }
            }
        }
        let paged = form.pages.flatMap { page in
            [page.label.flatMap { FormField.remark(bounded($0)) }].compactMap(\.self) + fields(of: page.parts)
        }
        let others = form.fields.filter { field in field.name.map { !placed.contains($0) } ?? true }
        return paged + others.compactMap { FormField($0) }
    }
}
