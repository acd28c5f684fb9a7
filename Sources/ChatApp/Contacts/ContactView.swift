internal import ChatEngine
internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization
internal import XMPPAddress

/// The page of a contact: name, presence, subscription, and the actions on it.
final class ContactView {
    let root: Widget
    /// Called when the page should be closed.
    var onClose: () -> Void = {}
    let actions: ContactActions

    private var model: ContactModel { actions.model }
    private let picture: AvatarImage
    private let dot: PresenceDot
    private let name = Label().wrap(maximumCharacters: 24).centered().css("title-2")
    private let address = Label().wrap().centered().css("dim-label")
    let copy = Button(icon: "edit-copy-symbolic").css("flat", "circular").named(localized("Copy the address"))
    private let presence = Label().wrap(maximumCharacters: 36).centered()
    private let write = Button(localized("_Write a Message")).css("pill", "suggested-action").align(horizontal: .center)
    let request = ContactRequestGroup()
    private let subscription = Label().wrap(maximumCharacters: 40).textAlignment(0)
    let ask = Button("").align(horizontal: .start)
    let remark = EntryRow(localized("Name (only you see it)"))
    private let groups = ActionRow(localized("Groups"))
    private let account = ActionRow(localized("Your account"))
    let mute = SwitchRow(localized("Mute"))
    let commands = ActionRow(localized("Commands"))
    private var muting: Object.Connection?
    private let devices = PreferencesGroup(localized("Devices"))
    private var deviceRows: [ActionRow] = []
    private var shownDevices: [ContactDevice]?
    private let rooms = PreferencesGroup(localized("Rooms in Common"))
    private(set) var roomRows: [ActionRow] = []
    private var shownRooms: [ContactModel.CommonRoom] = []
    private let card = PreferencesGroup(localized("Profile"))
    private(set) var cardRows: [ActionRow] = []
    private var shownCard: ContactCard?
    let media: SharedMediaGroup
    let encryption: EncryptionGroup?
    let block = Button("").css("pill")
    let delete = Button(localized("_Delete Contact…")).css("destructive-action", "pill")
    private let note = Label(
        localized("The account is offline. Data on the server can be changed when it is online.")
    )
    .wrap(maximumCharacters: 40).centered().css("dim-label", "caption").hidden()
    private var following: Task<Void, Never>?

    /// - Parameter ownAddress: the address of the account that has the contact; shown when there are several accounts.
    init(
        _ actions: ContactActions, _ avatars: AvatarLoader, media: SharedMediaGroup, encryption: EncryptionGroup?,
        ownAddress: JID?
    ) {
        self.actions = actions
        self.media = media
        self.encryption = encryption
        let model = actions.model
        picture = AvatarImage(avatars, size: 96)
        dot = PresenceDot(on: picture, isLarge: true)
        let line = Box.horizontal(spacing: 4, address, copy).align(horizontal: .center)
        let top = Box.vertical(spacing: 6, dot.widget, name, line, presence, write.margins(top: 8))
        let between = Box.vertical(spacing: 10, subscription, ask).css("card", "contact-card")
        groups.append(Icon("go-next-symbolic"))
        commands.append(Icon("go-next-symbolic"))
        let buttons = Box.vertical(spacing: 12, block, delete, note).align(horizontal: .center)
        root = PreferencesPage(
            "", icon: nil,
            [
                PreferencesGroup("", description: nil, [top]), request.root,
                PreferencesGroup("", description: nil, [between]), media.root,
                PreferencesGroup("", description: nil, [remark, groups, mute, commands, account]), card, rooms,
            ] + [encryption?.root].compactMap { $0 } + [
                devices, PreferencesGroup("", description: nil, [buttons]),
            ])
        encryption?.showToast = { [weak actions] in actions?.showToast($0) }
        remark.showsApplyButton(true)
        let id = model.id
        account.show(subtitle: ownAddress?.description ?? "")
        account.isVisible = ownAddress != nil
        write.onClick { [weak self] in
            guard let self else { return }
            self.actions.write()
            self.onClose()
        }
        media.stands(
            in: { [weak actions] in actions?.window() }, showToast: { [weak actions] in actions?.showToast($0) },
            onLeave: { [weak self] in self?.onClose() })
        copy.onClick { [weak actions] in
            Clipboard.copy(id.address.description)
            actions?.showToast(localized("The address is copied."))
        }
        request.onAccept = { [weak actions] in actions?.accept() }
        request.onDecline = { [weak actions] in actions?.decline() }
        ask.onClick { [weak actions] in actions?.add() }
        remark.onApply { [weak self] in if let self { self.actions.rename(to: self.remark.text) } }
        groups.onActivate { [weak actions] in actions?.chooseGroups() }
        commands.onActivate { [weak actions] in actions?.showCommands() }
        muting = mute.onToggle { [weak actions] in actions?.setMuted($0) }
        block.onClick { [weak self] in
            guard let self else { return }
            if self.model.isBlocked { self.actions.setBlocked(false) } else { self.actions.block() }
        }
        delete.onClick { [weak actions] in actions?.delete() }
        observe(self) { view in view.showPerson() }
        observe(self) { view in view.showChoices() }
        (card.isVisible, rooms.isVisible) = (false, false)
        observe(self) { view in view.showDevices() }
        observe(self) { view in view.showCard(view.model.card) }
        observe(self) { view in view.showRooms(view.model.commonRooms) }
        following = Task { await model.run() }
    }

    /// Focuses the button that is used most.
    func focus() { write.grabFocus() }

    /// Stops following the contact.
    func close() {
        following?.cancel()
        following = nil
        encryption?.close()
        media.close()
    }

    // MARK: Content

    /// The texts shown, for tests.
    var texts: [String] { [name, address, presence, subscription].map(\.text) }

    private func showPerson() {
        picture.show(name: model.name, hash: model.avatarHash, of: model.address.description)
        picture.widget.accessible(label: localized("Picture of %@", model.name))
        dot.show(model.isBlocked ? .offline : model.section)
        name.text = model.name
        address.text = model.address.description
        presence.text =
            model.isBlocked
            ? localized("Blocked")
            : Wording.presence(of: model)
        request.show(model)
        subscription.text =
            model.isBlocked ? localized("You have blocked %@.", model.name) : ContactText.subscription(model)
        let label = ContactText.request(model)
        ask.isVisible = label != nil
        if let label { ask.show(label: label) }
    }

    private func showChoices() {
        if !remark.containsFocus { remark.text = model.remark ?? "" }
        groups.show(
            subtitle: model.groups.isEmpty
                ? localized("None") : model.groups.sorted().joined(separator: localized(", ")))
        groups.accessible(label: localized("Groups"))
        if let muting { mute.control.withoutHearing(muting) { mute.isActive = model.isMuted == true } }
        mute.isSensitive = model.isMuted != nil
        mute.show(
            subtitle: model.isMuted == nil
                ? localized("There is no conversation yet.") : localized("Messages arrive without a notification."))
        block.show(label: model.isBlocked ? localized("_Unblock") : localized("_Block…"))
        delete.isVisible = model.isContact
        remark.isVisible = model.isContact
        groups.isVisible = model.isContact
        commands.isVisible = model.offersCommands
        let canChange = model.isOnline && !model.isWorking
        for widget in [ask, remark, groups, block, delete] as [Widget] { widget.isSensitive = canChange }
        request.isSensitive(canChange)
        note.isVisible = !model.isOnline
    }

    func showRooms(_ now: [ContactModel.CommonRoom]) {
        guard now != shownRooms else { return }
        shownRooms = now
        for row in roomRows { rooms.remove(row) }
        roomRows = now.map { room in
            let row = ActionRow(room.name)
            row.append(Icon("go-next-symbolic"))
            row.onActivate { [weak self] in
                self?.actions.open(room)
                self?.onClose()
            }
            return row
        }
        for row in roomRows { rooms.add(row) }
        rooms.isVisible = !roomRows.isEmpty
    }

    func showCard(_ now: ContactCard?) {
        guard now != shownCard else { return }
        shownCard = now
        for row in cardRows { card.remove(row) }
        cardRows = (now?.entries ?? []).map { entry in
            let row = ActionRow(entry.text, subtitle: Wording.kind(entry.kind))
            let copy = Button(icon: "edit-copy-symbolic").css("flat").align(vertical: .center)
                .named(localized("Copy “%@”", entry.text))
            copy.onClick { [weak actions] in
                Clipboard.copy(entry.text)
                actions?.showToast(localized("Copied."))
            }
            row.append(copy)
            return row
        }
        for row in cardRows { card.add(row) }
        card.isVisible = !cardRows.isEmpty
    }

    private func showDevices() {
        let now = model.devices
        guard now != shownDevices else { return }
        shownDevices = now
        for row in deviceRows { devices.remove(row) }
        deviceRows = now.map { ActionRow(Wording.device($0), subtitle: $0.name) }
        for row in deviceRows { devices.add(row) }
        devices.isVisible = !now.isEmpty
    }
}

/// The window with the page of a contact. Each contact has at most one.
final class ContactWindow {
    let window: Window
    let view: ContactView
    private let toasts: ToastOverlay
    private static var open: [ContactRow.ID: ContactWindow] = [:]

    private init(_ actions: ContactActions, _ context: AppContext, over parent: Window?) {
        view = context.contactView(actions)
        toasts = ToastOverlay(view.root)
        window = Window(
            localized("Contact"), width: 420, height: 720, over: parent,
            Box.vertical(HeaderBar(title: WindowTitle(localized("Contact"))), toasts.expand(.vertical)))
        window.minimumSize(width: 340, height: 360)
        window.closesOnEscape()
        actions.window = { [weak self] in self?.window }
        actions.showToast = { [weak self] in self?.toasts.show($0) }
        actions.onDeleted = { [weak self] in self?.window.close() }
        view.onClose = { [weak self] in self?.window.close() }
        let id = actions.model.id
        // Closed by the user, or destroyed together with its parent window.
        window.on("unrealize") { [weak self] in
            self?.view.close()
            ContactWindow.open[id] = nil
        }
        Self.open[id] = self
    }

    /// Whether the page of a contact is open.
    static func isOpen(_ id: ContactRow.ID) -> Bool { open[id] != nil }

    /// Shows the page of a contact; `nil` when the account is not running.
    @discardableResult
    static func show(_ id: ContactRow.ID, _ context: AppContext, over parent: Window?) -> ContactWindow? {
        if let known = open[id] {
            known.window.present()
            return known
        }
        guard let actions = context.contactActions(id) else { return nil }
        let window = ContactWindow(actions, context, over: parent)
        window.window.retain(window)
        window.window.present()
        window.view.focus()
        return window
    }
}

/// The request of a contact on its page, with Accept and Decline.
final class ContactRequestGroup {
    let root: PreferencesGroup
    var onAccept: () -> Void = {}
    var onDecline: () -> Void = {}
    private let label = Label().wrap(maximumCharacters: 40).textAlignment(0)
    private let accept = Button(localized("_Accept")).css("suggested-action")
    private let decline = Button(localized("_Decline"))

    init() {
        let buttons = Box.horizontal(spacing: 8, accept, decline)
        root = PreferencesGroup(
            "", description: nil, [Box.vertical(spacing: 10, label, buttons).css("card", "contact-card")])
        accept.onClick { [weak self] in self?.onAccept() }
        decline.onClick { [weak self] in self?.onDecline() }
    }

    func show(_ model: ContactModel) {
        root.isVisible = model.request != nil
        guard let request = model.request else { return }
        let asks = localized("%@ wants to add you as a contact", model.name)
        label.text = request.text.map { "\(asks): " + localized("“%@”", $0) } ?? asks
    }

    func isSensitive(_ isSensitive: Bool) { root.isSensitive = isSensitive }
}
