internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization

/// What a person wants with a contact, asked about where that is needed; what goes wrong is said.
final class ContactWishes {
    let model: ContactModel
    /// Over which window questions are asked.
    var window: () -> Window?
    var say: (String) -> Void
    /// The contact was deleted.
    var onDeleted: () -> Void = {}

    private let place: WindowPlace
    private let knownGroups: () -> [String]
    private let open: (ConversationKey) -> Void
    private let showContactPage: (ContactRow.ID) -> Void

    /// - Parameters:
    ///   - place: the main window, which stays when the page of the contact is closed.
    ///   - knownGroups: the groups that contacts of the account are in.
    init(
        _ model: ContactModel, _ place: WindowPlace, knownGroups: @escaping () -> [String],
        open: @escaping (ConversationKey) -> Void, showPage: @escaping (ContactRow.ID) -> Void
    ) {
        self.model = model
        self.place = place
        self.knownGroups = knownGroups
        self.open = open
        showContactPage = showPage
        (window, say) = (place.window, place.toast)
    }

    func write() { open(model.conversation) }
    func showPage() { showContactPage(model.id) }

    /// Does something with the model, and says what went wrong.
    private func wish(_ body: @escaping (ContactModel) async -> Void) {
        Task {
            await body(model)
            if let failure = model.failure {
                say(failure)
                model.clearFailure()
            }
        }
    }

    func rename(to name: String) { wish { await $0.rename(to: name) } }
    func move(to groups: [String]) { wish { await $0.move(to: groups) } }
    func setMuted(_ isMuted: Bool) { wish { await $0.setMuted(isMuted) } }
    func setBlocked(_ isBlocked: Bool) { wish { await $0.setBlocked(isBlocked) } }
    func add() { wish { await $0.add() } }
    func accept() { wish { await $0.accept() } }
    func decline() { wish { await $0.decline() } }

    // MARK: Questions

    /// Asks for another name.
    @discardableResult
    func rename() -> MessageDialog {
        let field = EntryRow(localized("Name"))
        field.text = model.remark ?? ""
        field.activatesDefault()
        let dialog = MessageDialog(
            localized("What do you call %@?", model.name),
            body: localized("Only you see this name. Without one the address is shown."),
            PreferencesGroup("", description: nil, [field]))
        dialog.add("cancel", localized("_Cancel")).add("rename", localized("_Rename"), .suggested)
            .byDefault("rename").onEscape("cancel")
        dialog.present(over: window()) { answer in
            if answer == "rename" { self.rename(to: field.text) }
        }
        field.grabFocus()
        field.selectAll()
        return dialog
    }

    /// Asks which groups the contact shall be in.
    @discardableResult
    func chooseGroups() -> MessageDialog {
        let question = GroupsQuestion(
            known: knownGroups(), chosen: model.groups)
        let dialog = MessageDialog(
            localized("Groups of %@", model.name),
            body: localized("Groups are your own. Your other programs see them, others do not."), question.root)
        dialog.add("cancel", localized("_Cancel")).add("save", localized("_Save"), .suggested)
            .byDefault("save").onEscape("cancel")
        dialog.present(over: window()) { answer in
            if answer == "save" { self.move(to: question.groups) }
        }
        return dialog
    }

    /// Blocks the contact if that is really wanted.
    ///
    /// - Parameter isRequest: it is a stranger's request that is answered so.
    @discardableResult
    func block(isRequest: Bool = false) -> MessageDialog {
        let dialog = MessageDialog(
            localized("Block %@?", model.name),
            body: localized(
                "Nothing from %@ reaches you any more, and it looks as if you were never online. Nobody is told.",
                model.address))
        dialog.add("cancel", localized("_Cancel")).add("block", localized("_Block"), .destructive)
            .byDefault("cancel").onEscape("cancel")
        dialog.present(over: window()) { answer in
            guard answer == "block" else { return }
            self.wish { model in
                // A server lets nothing go to whom it blocks, not even an answer.
                if isRequest { await model.decline() }
                if model.failure == nil { await model.setBlocked(true) }
            }
        }
        return dialog
    }

    /// Removes the contact from the list if that is really wanted.
    @discardableResult
    func delete() -> MessageDialog {
        let dialog = MessageDialog(
            localized("Delete %@ from your contacts?", model.name),
            body: localized(
                "Neither of you sees any more when the other one is online. The conversation stays on this computer."))
        dialog.add("cancel", localized("_Cancel")).add("delete", localized("_Delete"), .destructive)
            .byDefault("cancel").onEscape("cancel")
        dialog.present(over: window()) { answer in
            guard answer == "delete" else { return }
            let name = self.model.name
            self.wish { model in
                guard await model.remove() else { return }
                self.onDeleted()
                self.place.toast(localized("%@ is deleted from your contacts.", name))
            }
        }
        return dialog
    }
}

/// What can be done with a contact in the list.
final class ContactMenu {
    let menu: Menu
    let actions = ActionGroup()

    /// - Parameter wishes: of a contact whose model was refreshed.
    init(_ wishes: ContactWishes) {
        let model = wishes.model
        var first: [Menu.Entry] = [
            .item(localized("Write a message"), "contact.write"), .item(localized("Contact page"), "contact.page"),
        ]
        if model.isMuted != nil {
            first.append(.item(model.isMuted == true ? localized("Notify again") : localized("Mute"), "contact.mute"))
        }
        let block = model.isBlocked ? localized("Unblock") : localized("Block…")
        menu = Menu([
            .section(nil, first),
            .section(
                nil, [.item(localized("Rename…"), "contact.rename"), .item(localized("Groups…"), "contact.groups")]),
            .section(
                nil, [.item(block, "contact.block"), .item(localized("Delete the contact…"), "contact.delete")]),
        ])
        // The actions keep the wishes as long as the menu can be used.
        func add(_ name: String, needsConnection: Bool = true, _ body: @escaping (ContactWishes) -> Void) {
            let action = Action(name) { body(wishes) }
            action.isEnabled = !needsConnection || model.isOnline
            actions.add(action)
        }
        add("write", needsConnection: false) { $0.write() }
        add("page", needsConnection: false) { $0.showPage() }
        add("mute", needsConnection: false) { $0.setMuted($0.model.isMuted != true) }
        add("rename") { $0.rename() }
        add("groups") { $0.chooseGroups() }
        add("block") { if $0.model.isBlocked { $0.setBlocked(false) } else { $0.block() } }
        add("delete") { $0.delete() }
    }

    /// The menu of a contact as it stands now; `nil` where the account is not at work.
    static func menu(_ wishes: ContactWishes?) async -> ContactMenu? {
        guard let wishes else { return nil }
        await wishes.model.refresh()
        return ContactMenu(wishes)
    }
}

/// Which groups somebody is in: those that there are, and one that is new.
final class GroupsQuestion {
    let root: Widget
    private let known: [(name: String, button: CheckButton)]
    let new = EntryRow(localized("New group"))

    /// As high as a few groups; the others are scrolled to.
    private static let height = 280

    init(known names: [String], chosen: [String]) {
        let all = names + chosen.filter { !names.contains($0) }
        known = all.map { name in
            let button = CheckButton().align(vertical: .center).accessible(label: name)
            button.isActive = chosen.contains(name)
            return (name, button)
        }
        let group = PreferencesGroup()
        for (name, button) in known {
            let row = ActionRow(name)
            row.prepend(button)
            row.activates(button)
            group.add(row)
        }
        group.add(new)
        new.activatesDefault()
        root = known.isEmpty ? group : ScrolledWindow(group).growsWithContent(upTo: Self.height)
    }

    /// What is chosen now.
    var groups: [String] { known.filter(\.button.isActive).map(\.name) + (new.text.isEmpty ? [] : [new.text]) }

    /// As a click on a group does.
    func choose(_ name: String, _ isChosen: Bool) {
        known.first { $0.name == name }?.button.isActive = isChosen
    }
}
