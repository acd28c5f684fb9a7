internal import ChatEngine
internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization
internal import XMPPAddress

/// The window to join or create a room.
final class RoomEntryWindow {
    let window: Window
    let view: RoomEntryView

    private init(_ model: RoomEntryModel, _ context: AppContext) {
        view = RoomEntryView(model)
        window = Window(
            localized("Join a Room"), width: 440, height: 620, over: context.window?.window, view.root)
        window.minimumSize(width: 340, height: 320)
        window.isModal(context.window != nil)
        window.closesOnEscape()
        view.onDone = { [weak self, weak context] key, isNew in
            self?.window.close()
            context?.window?.open(key)
            if isNew { context?.rooms.invitePeople(to: key) }
        }
        window.onCloseRequest { [weak self] in
            self?.view.close()
            return false
        }
    }

    @discardableResult
    static func show(_ model: RoomEntryModel, _ context: AppContext) -> RoomEntryWindow {
        let entry = RoomEntryWindow(model, context)
        entry.window.retain(entry)
        entry.window.present()
        entry.view.focus()
        return entry
    }

    /// Asks which room to join. Accounts that are online come first.
    ///
    /// - Parameters:
    ///   - text: the start of the name or the address.
    ///   - password: of the room, if it is known.
    @discardableResult
    static func show(_ context: AppContext, text: String = "", password: String? = nil) -> RoomEntryWindow? {
        let rows = context.home.accounts.rows.elements.filter(\.isEnabled)
        let online = rows.filter(\.connection.isOnline) + rows.filter { !$0.connection.isOnline }
        let accounts = online.compactMap { context.home.account($0.id) }
        guard !accounts.isEmpty else {
            context.showToast(localized("Enable an account first; rooms need an account."))
            return nil
        }
        let model = RoomEntryModel(accounts: accounts)
        model.text = text
        model.password = password ?? ""
        return show(model, context)
    }

    /// Asks for the name of a new room.
    @discardableResult
    static func create(_ context: AppContext, text: String = "") -> RoomEntryWindow? {
        let entry = show(context, text: text)
        entry?.view.showCreation()
        return entry
    }
}

/// The form for a new room: its name, and who may join.
final class RoomCreationView {
    let page = FormPage(title: nil, description: nil, button: localized("_Create Room"))
    let name = EntryRow(localized("Name"))
    let shownName = EntryRow(localized("Name")).hidden()
    let nickname = EntryRow(localized("Your nickname"))
    let access: ComboRow

    private let model: RoomEntryModel
    private let group: PreferencesGroup
    private static let choices: [RoomSettings.Access] = [.membersOnly, .everybody, .standard]

    init(_ model: RoomEntryModel) {
        self.model = model
        access = ComboRow(
            localized("Access"),
            choices: [
                localized("Invited people"), localized("Anyone"), localized("Server default"),
            ])
        group = PreferencesGroup("", description: nil, [name, shownName])
        page.add(group)
        page.add(PreferencesGroup("", description: nil, [access]))
        page.add(PreferencesGroup("", description: nil, [nickname]))
        page.order([name, shownName, access, nickname])
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
        // A typed name is used for both address and title; an address says nothing about the title.
        let isAddress = model.text.contains("@")
        shownName.isVisible = isAddress
        group.show(description: model.hint)
        access.selected = Self.choices.firstIndex(of: model.settings.access) ?? 0
        let consequence =
            switch model.settings.access {
            case .membersOnly: localized("Not listed. Members can invite people.")
            case .everybody: localized("Listed as a public room. Anyone can join.")
            case .standard: localized("With the server's default settings for new rooms.")
            }
        access.show(subtitle: consequence)
        page.show(progress: model.isWorking ? localized("Creating the room…") : nil)
    }
}

/// The public rooms that match the typed text, below the field.
final class RoomSuggestions {
    let root = ListBox().css("boxed-list").hidden()
    var onChoice: (RoomListing) -> Void = { _ in }
    private(set) var shown: [RoomListing] = []

    /// In rows. More would push the fields below out of view.
    private static let limit = 3

    init() {
        root.accessible(label: localized("Public rooms"))
        root.onActivate { [weak self] index in
            guard let self, self.shown.indices.contains(index) else { return }
            self.onChoice(self.shown[index])
        }
    }

    func show(_ model: RoomEntryModel) {
        let isTyping = !model.text.allSatisfy(\.isWhitespace) && model.question == nil
        var found = isTyping ? Array(model.suggestions.prefix(Self.limit)) : []
        if found.contains(where: { $0.address == model.address }) { found = [] }
        guard found != shown else { return }
        shown = found
        root.removeAll()
        for listing in found {
            let row = ActionRow(listing.name, subtitle: listing.address.description)
            row.onActivate {}
            root.append(row)
        }
        root.isVisible = !found.isEmpty
    }
}

/// Joins and leaves rooms whose address is known. Missing information is asked for in a window, and errors are shown.
struct RoomJoining {
    /// `nil` when the account is not running.
    let account: (AccountID) -> ChatAccount?
    /// Opens a window for the information that the room requires.
    let ask: (RoomEntryModel) -> Void
    let showToast: (String) -> Void

    /// - Parameters:
    ///   - nickname: the previous nickname in the room; `nil` uses the account's name.
    ///   - password: from the invitation.
    /// - Returns: the conversation of the room if it was joined.
    @discardableResult
    func join(
        _ room: JID, as nickname: String? = nil, password: String? = nil, of account: AccountID
    ) async -> ConversationKey? {
        guard let account = self.account(account) else { return nil }
        let model = RoomEntryModel(accounts: [account])
        model.text = room.bare.description
        if let nickname { model.nickname = nickname }
        model.password = password ?? ""
        let key = await model.join()
        if Task.isCancelled { return key }
        if model.question != nil {
            ask(model)
        } else if key == nil, let failure = model.failure {
            showToast(failure)
        }
        return key
    }

    /// Leaves a room permanently, after a confirmation.
    @discardableResult
    func askToLeave(
        _ key: ConversationKey, title: String, over window: Window?, done: @escaping () -> Void = {}
    ) -> MessageDialog {
        let dialog = MessageDialog(
            localized("Leave this room?"), about: title,
            body: localized(
                "You receive no more messages from this room, and its bookmark is removed on all your devices. The messages stay on this computer."
            ))
        dialog.add("cancel", localized("_Cancel")).add("leave", localized("_Leave"), .destructive)
            .byDefault("cancel").onEscape("cancel")
        dialog.present(over: window) { answer in
            guard answer == "leave", let account = account(key.account) else { return }
            Task { await account.rooms.leave(key.address) }
            done()
        }
        return dialog
    }
}
