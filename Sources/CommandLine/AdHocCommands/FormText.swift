internal import AdHocCommands
internal import ChatModel
internal import DataForms
internal import JSONRPC
internal import Localization
internal import TerminalApp

/// The forms and results of commands as text and as JSON. All text comes from others.
enum FormText {
    /// The rows of a result: `Service: httpd`, one field on a line, an empty line between the rows of a table.
    static func result(_ form: DataForm) -> String {
        var parts: [String] = []
        if let title = form.title, !title.isEmpty { parts.append(TerminalText.harmless(title)) }
        let fields = form.fields.filter { $0.kind != .hidden }.map { line($0, label: $0.shownLabel) }
        if !fields.isEmpty { parts.append(fields.joined(separator: "\n")) }
        for row in form.rows {
            let lines = row.map { field in
                line(field, label: form.columns.first { $0.name == field.name }?.shownLabel ?? field.shownLabel)
            }
            parts.append(lines.joined(separator: "\n"))
        }
        return parts.joined(separator: "\n\n")
    }

    private static func line(_ field: DataFormField, label: String) -> String {
        let values = field.values.map { TerminalText.harmless($0) }
        if field.kind == .fixed, field.name == nil { return values.joined(separator: "\n") }
        return values.count > 1
            ? label + ":\n" + values.map { "  " + $0 }.joined(separator: "\n")
            : label + ": " + (values.first ?? "")
    }

    /// The questions of a form, for a user who has to give the answers as arguments.
    static func questions(_ form: DataForm) -> String {
        form.questions.map { field in
            var line = "  \(TerminalText.harmless(field.name ?? ""))=…  \(field.shownLabel)"
            if field.isRequired { line += " (" + localized("required") + ")" }
            let options = field.options.map { TerminalText.harmless($0.value) }
            if !options.isEmpty { line += ": " + options.joined(separator: ", ") }
            return line
        }.joined(separator: "\n")
    }

    static func introduction(_ form: DataForm) -> String? {
        let parts = [form.title].compactMap(\.self) + form.instructions
        let text = parts.filter { !$0.trimmed.isEmpty }.map { TerminalText.harmless($0) }.joined(separator: "\n")
        return text.isEmpty ? nil : text
    }

    static func note(_ note: CommandNote) -> String {
        Wording.note(TerminalText.harmless(note.text), CommandPage.Note.Severity(note.severity))
    }

    /// `{"event":"result","status":"completed","notes":[…],"fields":{…},"rows":[…]}`.
    static func json(_ stage: CommandStage) -> JSONValue {
        [
            "event": "result", "node": .string(stage.node), "status": .string(stage.status.rawValue),
            "notes": .array(
                stage.notes.map { ["severity": .string($0.severity.rawValue), "text": .string($0.text)] }),
            "title": .text(stage.form?.title), "fields": object(stage.form?.fields ?? []),
            "rows": .array((stage.form?.rows ?? []).map(object)),
        ]
    }

    private static func object(_ fields: [DataFormField]) -> JSONValue {
        .object(
            fields.compactMap { field in
                field.name.map { JSONMember(key: $0, value: .array(field.values.map(JSONValue.string))) }
            })
    }
}
