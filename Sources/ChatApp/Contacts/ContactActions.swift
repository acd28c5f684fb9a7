internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization

/// The actions on a contact. They ask for confirmation where needed, and show errors.
final class ContactActions {
    let model: ContactModel
    /// The parent window of the dialogs.
    var window: () -> Window?
    var showToast: (String) -> Void
    /// Opens the commands of the contact.
    var showCommands: () -> Void = {}
    /// Called when the contact was deleted.
    var onDeleted: () -> Void = {}

    private let context: WindowContext
    private let knownGroups: () -> [String]
    private let open: (ConversationKey) -> Void
    private let showContactPage: (ContactRow.ID) -> Void

    /// - Parameters:
    ///   - context: the main window, which stays open when the contact's page is closed.
    ///   - knownGroups: the groups of the account's contacts.
    init(
        _ model: ContactModel, _ context: WindowContext, knownGroups: @escaping () -> [String],
        open: @escaping (ConversationKey) -> Void, showPage: @escaping (ContactRow.ID) -> Void
    ) {
        self.model = model
        self.context = context
        self.knownGroups = knownGroups
        self.open = open
        showContactPage = showPage
        (window, showToast) = (context.window, context.showToast)
    }

    func write() { open(model.conversation) }
    func open(_ room: ContactModel.CommonRoom) { open(room.key) }
    func showPage() { showContactPage(model.id) }

    /// Runs an operation of the model and shows its error.
    private func perform(_ body: @escaping (ContactModel) async -> Void) {
        Task {
            await body(model)
            if let failure = model.failure {
                showToast(failure)
                model.clearFailure()
            }
        }
    }

    func rename(to name: String) { perform { await $0.rename(to: name) } }
    func move(to groups: [String]) { perform { await $0.move(to: groups) } }
    func setMuted(_ isMuted: Bool) { perform { await $0.setMuted(isMuted) } }
    func setBlocked(_ isBlocked: Bool) { perform { await $0.setBlocked(isBlocked) } }
    func add() { perform { await $0.add() } }
    /// Accepts the contact request and opens the conversation.
    func accept() {
        perform { [open] model in
            await model.accept()
            if model.failure == nil { open(model.conversation) }
        }
    }
    func decline() { perform { await $0.decline() } }

    // MARK: Dialogs

    /// Asks for a new name.
    @discardableResult
    func rename() -> MessageDialog {
        let field = EntryRow(localized("Name"))
        field.text = model.remark ?? ""
        field.activatesDefault()
        let dialog = MessageDialog(
            localized("Name of %@", model.name),
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

    /// Asks for the groups of the contact.
    @discardableResult
    func chooseGroups() -> MessageDialog {
        let question = GroupChooser(
            known: knownGroups(), chosen: model.groups)
        let dialog = MessageDialog(
            localized("Groups of %@", model.name),
            body: localized("Groups are private: your other programs see them, other users do not."), question.root)
        dialog.add("cancel", localized("_Cancel")).add("save", localized("_Save"), .suggested)
            .byDefault("save").onEscape("cancel")
        dialog.present(over: window()) { answer in
            if answer == "save" { self.move(to: question.groups) }
        }
        return dialog
    }

    /// Blocks the contact after a confirmation.
    ///
    /// - Parameter isRequest: blocks the sender of a contact request, which is declined too.
    @discardableResult
    func block(isRequest: Bool = false) -> MessageDialog {
        let dialog = MessageDialog(
            localized("Block this user?"), about: model.name, model.address.description,
            body: localized(
                "You receive nothing from them any more, and you appear offline to them. They are not notified."))
        dialog.add("cancel", localized("_Cancel")).add("block", localized("_Block"), .destructive)
            .byDefault("cancel").onEscape("cancel")
        dialog.present(over: window()) { answer in
            guard answer == "block" else { return }
            self.perform { model in
                // The server delivers nothing to a blocked address, so the request is declined first.
                if isRequest { await model.decline() }
                if model.failure == nil { await model.setBlocked(true) }
            }
        }
        return dialog
    }

    /// Blocks a stranger and reports why, after a confirmation.
    @discardableResult
    func report() -> MessageDialog {
        let spam = CheckButton(localized("Unwanted advertising"))
        let abuse = CheckButton(localized("Threats, insults or other abuse"), inGroupOf: spam)
        spam.isActive = true
        let text = EntryRow(localized("More about it"))
        let dialog = MessageDialog(
            localized("Report this user?"), about: model.address.description,
            body: localized(
                "The operators of your server learn the address and the reason. The address is blocked, too."),
            Box.vertical(spacing: 6, spam, abuse, PreferencesGroup("", description: nil, [text])))
        dialog.add("cancel", localized("_Cancel")).add("report", localized("_Report and Block"), .destructive)
            .byDefault("cancel").onEscape("cancel")
        dialog.present(over: window()) { answer in
            guard answer == "report" else { return }
            let (reason, text): (ContactModel.ReportReason, String) = (abuse.isActive ? .abuse : .spam, text.text)
            self.perform { await $0.block(reporting: reason, text: text) }
        }
        return dialog
    }

    /// Deletes the contact after a confirmation.
    @discardableResult
    func delete() -> MessageDialog {
        let dialog = MessageDialog(
            localized("Delete this contact?"), about: model.name, model.address.description,
            body: localized(
                "You'll no longer see each other's status. The conversation stays on this computer."))
        dialog.add("cancel", localized("_Cancel")).add("delete", localized("_Delete"), .destructive)
            .byDefault("cancel").onEscape("cancel")
        dialog.present(over: window()) { answer in
            guard answer == "delete" else { return }
            let name = self.model.name
            self.perform { model in
                guard await model.remove() else { return }
                self.onDeleted()
                self.context.showToast(localized("%@ is deleted from your contacts.", name))
            }
        }
        return dialog
    }
}

/// The menu of a contact in the list.
final class ContactMenu {
    let menu: Menu
    let group = ActionGroup()

    /// - Parameter actions: of a contact whose model was refreshed.
    init(_ actions: ContactActions) {
        let model = actions.model
        var first: [Menu.Entry] = [
            .item(localized("Write a Message"), "contact.write"), .item(localized("Contact Page"), "contact.page"),
        ]
        if model.isMuted != nil {
            first.append(.item(model.isMuted == true ? localized("Unmute") : localized("Mute"), "contact.mute"))
        }
        let block: Menu.Entry =
            model.isBlocked
            ? .item(localized("Unblock"), "contact.block") : .destructive(localized("Block…"), "contact.block")
        menu = Menu([
            .section(nil, first),
            .section(
                nil, [.item(localized("Rename…"), "contact.rename"), .item(localized("Groups…"), "contact.groups")]),
            .section(
                nil, [block, .destructive(localized("Delete Contact…"), "contact.delete")]),
        ])
        // The closures hold `actions` as long as the menu is in use.
        func add(_ name: String, needsConnection: Bool = true, _ body: @escaping (ContactActions) -> Void) {
            let action = Action(name) { body(actions) }
            action.isEnabled = !needsConnection || model.isOnline
            group.add(action)
        }
        add("write", needsConnection: false) { $0.write() }
        add("page", needsConnection: false) { $0.showPage() }
        add("mute", needsConnection: false) { $0.setMuted($0.model.isMuted != true) }
        add("rename") { $0.rename() }
        add("groups") { $0.chooseGroups() }
        add("block") { if $0.model.isBlocked { $0.setBlocked(false) } else { $0.block() } }
        add("delete") { $0.delete() }
    }

    /// The menu of a contact in its current state; `nil` when the account is not running.
    static func menu(_ actions: ContactActions?) async -> ContactMenu? {
        guard let actions else { return nil }
        await actions.model.refresh()
        return ContactMenu(actions)
    }
}

/// A form for the groups of a contact: the existing groups, and a field for a new one.
final class GroupChooser {
    let root: Widget
    private let known: [(name: String, button: CheckButton)]
    let new = EntryRow(localized("New group"))

    /// The height in pixels of a few groups; longer lists scroll.
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

    /// The selected groups.
    var groups: [String] { known.filter(\.button.isActive).map(\.name) + (new.text.isEmpty ? [] : [new.text]) }

    /// Selects or deselects a group, as a click does.
    func choose(_ name: String, _ isChosen: Bool) {
        known.first { $0.name == name }?.button.isActive = isChosen
    }
}
