internal import ChatModel
internal import GTKBinding
internal import Localization

/// What a provider asks for beside name and password, as rows.
final class RegistrationFormView {
    let root = Box(.vertical, spacing: 18)
    private let model: RegistrationModel
    private var rows: [String: EntryRow] = [:]
    /// Those in which something is typed, in their order.
    private(set) var fields: [EntryRow] = []
    /// Of the picture that a person reads something from, in pixels.
    private static let pictureHeight = 120

    init(_ model: RegistrationModel) { self.model = model }

    func show(_ form: RegistrationForm) {
        root.removeAll()
        rows = [:]
        fields = []
        for paragraph in form.instructions {
            root.append(Label(paragraph).wrap(maximumCharacters: 44).textAlignment(0).css("dim-label"))
        }
        if let page = form.webPage {
            root.append(
                Self.link(
                    form.isOnlyOnWeb ? localized("Open the web page") : localized("Create it on the web instead"), page)
            )
        }
        var group: PreferencesGroup?
        for field in form.fields {
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
                // It comes from a server that nothing is known of yet.
                Task { picture.show(await PictureBytes.texture(bytes)) }
            } else if let link = field.link {
                group = nil
                root.append(Self.link(localized("Show what is asked for in the browser"), link))
            }
            let place = group ?? PreferencesGroup()
            if group == nil {
                root.append(place)
                group = place
            }
            for row in widgets(for: field) { place.add(row) }
        }
    }

    func show(wrong name: String?) {
        for (id, row) in rows { row.isWrong(id == name) }
    }

    private func widgets(for field: RegistrationForm.Field) -> [Widget] {
        let canBeEmpty: Bool =
            switch field.kind {
            case .text, .email, .secret, .multipleLines: !field.isRequired
            case .yesOrNo, .choice, .choices, .remark: false
            }
        let title = canBeEmpty ? localized("%@ (optional)", field.label) : field.label
        let values = model.answers[field.id] ?? field.values
        func set(_ values: [String]) { model.answers[field.id] = values }
        switch field.kind {
        case .yesOrNo:
            let row = SwitchRow(title, subtitle: field.explanation)
            row.isActive = values.first == "1" || values.first == "true"
            row.onToggle { [weak model] in model?.answers[field.id] = [$0 ? "1" : "0"] }
            return [row]
        case .choice(let options):
            let row = ComboRow(title, subtitle: field.explanation, choices: options.map(\.label))
            let index = options.firstIndex { $0.value == values.first } ?? 0
            row.selected = index
            if options.indices.contains(index) { set([options[index].value]) }
            row.onSelect { [weak model] index in
                if options.indices.contains(index) { model?.answers[field.id] = [options[index].value] }
            }
            return [row]
        case .choices(let options):
            return options.map { option in
                let row = SwitchRow(option.label, subtitle: title)
                row.isActive = values.contains(option.value)
                row.onToggle { [weak model] isOn in
                    var chosen = model?.answers[field.id] ?? field.values
                    chosen.removeAll { $0 == option.value }
                    if isOn { chosen.append(option.value) }
                    model?.answers[field.id] = chosen
                }
                return row
            }
        case .remark: return []
        case .text, .email, .secret, .multipleLines:
            let row = field.kind == .secret ? PasswordEntryRow(title) : EntryRow(title)
            row.text = values.joined(separator: " ")
            if let explanation = field.explanation { row.tip(explanation) }
            row.onChange { [weak model] in model?.answers[field.id] = [$0] }
            rows[field.id] = row
            fields.append(row)
            return [row]
        }
    }

    private static func link(_ label: String, _ address: String) -> Widget {
        let button = Button(label).align(horizontal: .center).tip(address)
        button.onClick { ToolkitSettings.open(address, over: nil) }
        return button
    }
}
