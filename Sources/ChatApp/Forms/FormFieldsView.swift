internal import ChatModel
internal import GTKBinding
internal import Localization

/// The fields of a form in their order, with the texts and pictures between them.
final class FormFieldsView {
    let root = Box(.vertical, spacing: 18)
    /// The text fields in their order.
    private(set) var fields: [EntryRow] = []
    private var rows: [String: EntryRow] = [:]
    private var others: [String: Widget] = [:]
    private let values: (FormField) -> [String]
    private let set: (FormField, [String]) -> Void

    /// The height in pixels of a CAPTCHA picture.
    private static let pictureHeight = 120
    /// The height in pixels of a field of several lines.
    private static let linesHeight = 84

    /// - Parameters:
    ///   - values: the answer to a field so far.
    ///   - set: called with each change of an answer.
    init(values: @escaping (FormField) -> [String], set: @escaping (FormField, [String]) -> Void) {
        self.values = values
        self.set = set
    }

    func show(_ form: [FormField]) {
        root.removeAll()
        rows = [:]
        others = [:]
        fields = []
        var group: PreferencesGroup?
        for field in form {
            if field.kind == .remark {
                group = nil
                root.append(Label(field.label).wrap(maximumCharacters: 44).textAlignment(0))
                continue
            }
            if let bytes = field.picture {
                group = nil
                let picture = PictureWidget()
                picture.show(alternative: field.label)
                root.append(picture.minimumSize(height: Self.pictureHeight).css("card"))
                // The picture comes from a server that is not trusted yet.
                Task { picture.show(await PictureDecoder.texture(bytes)) }
            } else if let link = field.link {
                group = nil
                root.append(Self.link(localized("Show What Is Asked For in the Browser"), link))
            }
            if field.kind == .multipleLines || field.kind == .addresses {
                group = nil
                root.append(lines(field))
                continue
            }
            let target = group ?? PreferencesGroup()
            if group == nil {
                root.append(target)
                group = target
            }
            for row in widgets(for: field) { target.add(row) }
        }
    }

    func focus(on name: String) { (rows[name] ?? others[name])?.grabFocus() }

    func show(wrong name: String?) {
        for (id, row) in rows { row.isWrong(id == name) }
        for (id, widget) in others { widget.css("error", id == name) }
    }

    private func title(of field: FormField) -> String {
        let canBeEmpty: Bool =
            switch field.kind {
            case .text, .email, .secret, .multipleLines, .addresses: !field.isRequired
            case .yesOrNo, .choice, .choices, .remark: false
            }
        return canBeEmpty ? localized("%@ (optional)", field.label) : field.label
    }

    private func widgets(for field: FormField) -> [Widget] {
        let title = title(of: field)
        let values = values(field)
        switch field.kind {
        case .yesOrNo:
            let row = SwitchRow(title, subtitle: field.explanation)
            row.isActive = values.first == "1" || values.first == "true"
            row.onToggle { [set] in set(field, [$0 ? "1" : "0"]) }
            others[field.id] = row
            return [row]
        case .choice(let options):
            let row = ComboRow(title, subtitle: field.explanation, choices: options.map(\.label))
            let index = options.firstIndex { $0.value == values.first } ?? 0
            row.selected = index
            if options.indices.contains(index) { set(field, [options[index].value]) }
            row.onSelect { [set] index in
                if options.indices.contains(index) { set(field, [options[index].value]) }
            }
            others[field.id] = row
            return [row]
        case .choices(let options):
            return options.map { option in
                let row = SwitchRow(option.label, subtitle: title)
                row.isActive = values.contains(option.value)
                row.onToggle { [set, values = self.values] isOn in
                    var chosen = values(field)
                    chosen.removeAll { $0 == option.value }
                    if isOn { chosen.append(option.value) }
                    set(field, chosen)
                }
                others[field.id] = others[field.id] ?? row
                return row
            }
        case .remark, .multipleLines, .addresses: return []
        case .text, .email, .secret:
            let row = field.kind == .secret ? PasswordEntryRow(title) : EntryRow(title)
            row.text = values.joined(separator: " ")
            if let explanation = field.explanation { row.tip(explanation) }
            row.onChange { [set] in set(field, [$0]) }
            rows[field.id] = row
            fields.append(row)
            return [row]
        }
    }

    private func lines(_ field: FormField) -> Widget {
        let view = TextView().padding(horizontal: 12, vertical: 10)
        view.text = values(field).joined(separator: "\n")
        view.onChange { [set] text in
            set(field, text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init))
        }
        let title = title(of: field)
        view.accessible(label: title)
        if let explanation = field.explanation { view.tip(explanation) }
        others[field.id] = view
        return Box.vertical(
            spacing: 6, Label(title).textAlignment(0).css("heading"),
            ScrolledWindow(view).minimumSize(height: Self.linesHeight).css("card"))
    }

    static func link(_ label: String, _ address: String) -> Widget {
        let button = Button(label).align(horizontal: .center).tip(address)
        button.onClick { ToolkitSettings.open(address, over: nil) }
        return button
    }
}
