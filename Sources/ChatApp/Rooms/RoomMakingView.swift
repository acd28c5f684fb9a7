internal import ChatEngine
internal import ChatModel
internal import GTKBinding
internal import Localization

/// What a new room shall be called, and who may enter it.
final class RoomMakingView {
    let page = FormPage(title: localized("Make a room"), description: nil, button: localized("_Make the room"))
    let name = EntryRow(localized("Name"))
    let shownName = EntryRow(localized("What it is called")).hidden()
    let nickname = EntryRow(localized("Your nickname"))
    let access: ComboRow

    private let model: RoomEntryModel
    private let group: PreferencesGroup
    private static let choices: [RoomSettings.Access] = [.membersOnly, .everybody, .standard]

    init(_ model: RoomEntryModel) {
        self.model = model
        access = ComboRow(
            localized("Who may enter"),
            choices: [
                localized("Who is invited"), localized("Everybody"), localized("As the server likes"),
            ])
        group = PreferencesGroup("", description: nil, [name, shownName])
        page.add(group)
        page.add(PreferencesGroup("", description: nil, [access]))
        page.add(PreferencesGroup("", description: nil, [nickname]))
        page.order([name, shownName, nickname])
        name.onChange { [weak model] text in if let model, model.text != text { model.text = text } }
        shownName.onChange { [weak model] text in
            if let model, model.settings.name != text { model.settings.name = text }
        }
        nickname.onChange { [weak model] text in if let model, model.nickname != text { model.nickname = text } }
        access.onSelect { [weak model] index in
            if let model, Self.choices.indices.contains(index) { model.settings.access = Self.choices[index] }
        }
        observe(self) { view in view.show() }
    }

    func focus() { name.grabFocus() }

    func show(failure: String?) { page.show(failure: failure) }

    private func show() {
        if name.text != model.text { name.text = model.text }
        if nickname.text != model.nickname { nickname.text = model.nickname }
        // A name is both; an address tells nothing of how the room is called.
        let isAddress = model.text.contains("@")
        shownName.isVisible = isAddress
        group.show(description: model.hint)
        access.selected = Self.choices.firstIndex(of: model.settings.access) ?? 0
        let consequence =
            switch model.settings.access {
            case .membersOnly: localized("It is in no list; who is inside can invite others.")
            case .everybody: localized("It is in the list of public rooms.")
            case .standard: localized("With the settings that new rooms have there.")
            }
        access.show(subtitle: consequence)
        page.show(progress: model.isWorking ? localized("Making the room…") : nil)
    }
}
