internal import ChatEngine
internal import ChatModel
internal import GTKBinding
internal import Localization
internal import XMPPAddress

/// The settings of a room: its name, who may join, its password, and who has which standing.
final class RoomSettingsWindow {
    let window: Window
    let model: RoomSettingsModel
    let name = EntryRow(localized("Name"))
    private let about = EntryRow(localized("Description"))
    let access = ComboRow(localized("Access"), choices: [localized("Invited people"), localized("Anyone")])
    private let listed = SwitchRow(localized("Listed as a public room"))
    private let password = PasswordEntryRow(localized("Password of the room"))
    private let invitations = SwitchRow(localized("Members can invite others"))
    private let topics = SwitchRow(localized("Everyone can change the topic"))
    private let moderated = SwitchRow(
        localized("Only people with voice can write"), subtitle: localized("Moderators allow others to speak"))
    let save = Button(localized("_Save")).css("suggested-action")
    private let picture: AvatarImage
    let choose = Button(localized("Choose a _Picture…")).css("pill")
    let remove = Button(localized("R_emove")).css("pill").hidden()
    private let settings = PreferencesGroup()
    private let access2 = PreferencesGroup()
    private let people = PreferencesGroup(localized("Members"))
    private(set) var rows: [(affiliate: RoomAffiliate, row: ComboRow)] = []
    private let toasts: ToastOverlay
    private let spinner = Spinner().hidden()
    private var connections: [(Switch, Object.Connection)] = []
    private var choosing: Object.Connection?
    /// The name of an address: that of the contact.
    private let nameOf: (JID) -> String?
    private let own: JID
    private let conversations: ConversationList

    init(
        _ model: RoomSettingsModel, _ conversations: ConversationList, _ avatars: AvatarLoader, own: JID,
        over parent: Window?, nameOf: @escaping (JID) -> String?
    ) {
        self.conversations = conversations
        picture = AvatarImage(avatars, size: 96)
        self.model = model
        self.nameOf = nameOf
        self.own = own
        for row in [name, about] as [Widget] { settings.add(row) }
        for row in [access, listed, password, invitations, topics, moderated] as [Widget] { access2.add(row) }
        let buttons = FoldingRow(spacing: 12, .center, choose, remove)
        let top = Box.vertical(spacing: 12, picture.widget.align(horizontal: .center), buttons)
        let page = PreferencesPage(
            "", icon: nil, [PreferencesGroup("", description: nil, [top]), settings, access2, people])
        toasts = ToastOverlay(page)
        let cancel = Button(localized("_Cancel"))
        let header = HeaderBar(title: WindowTitle(localized("Room Settings")))
        header.showsWindowButtons(start: false, end: false)
        header.prepend(cancel)
        header.append(save)
        header.append(spinner)
        window = Window(
            localized("Room Settings"), width: 440, height: 640, over: parent,
            Box.vertical(header, toasts.expand(.vertical)))
        window.minimumSize(width: 340, height: 360)
        window.isModal(parent != nil)
        window.closesOnEscape()
        cancel.onClick { [weak self] in self?.window.close() }
        save.onClick { [weak self] in self?.saveSettings() }
        choose.onClick { [weak self] in self?.choosePicture() }
        remove.onClick { [weak model] in Task { await model?.setPicture(nil) } }
        connect()
        observe(self) { view in view.show() }
        observe(self) { view in view.showPeople() }
        observe(self) { view in view.showPicture() }
    }

    func present() {
        window.retain(self)
        window.present()
        Task { [model] in await model.load() }
    }

    private func connect() {
        name.onChange { [weak model] in if let model, model.configuration.name != nil { model.configuration.name = $0 }
        }
        about.onChange { [weak model] in
            if let model, model.configuration.description != nil { model.configuration.description = $0 }
        }
        password.onChange { [weak model] in
            if let model, model.configuration.password != nil { model.configuration.password = $0 }
        }
        choosing = access.onSelect { [weak model] in model?.configuration.isForMembersOnly = $0 == 0 }
        func toggled(_ row: SwitchRow, _ path: WritableKeyPath<RoomConfiguration, Bool?>) {
            connections.append(
                (row.control, row.onToggle { [weak model] in model?.configuration[keyPath: path] = $0 }))
        }
        toggled(listed, \.isListed)
        toggled(invitations, \.allowsInvitations)
        toggled(topics, \.allowsSubjectChange)
        toggled(moderated, \.isModerated)
    }

    private func choosePicture() {
        Task { [weak self] in
            if let path = await PictureChooser.choose(over: self?.window) { await self?.take(path) }
        }
    }

    /// Publishes a picture file as the picture of the room.
    func take(_ path: String) async {
        guard let bytes = await PictureChooser.read(path) else {
            return toasts.show(localized("%@ cannot be read.", path))
        }
        await model.setPicture(bytes)
    }

    private func showPicture() {
        let row = conversations.all[model.key]
        let title = row?.title ?? model.key.address.description
        picture.show(
            name: title, hash: row?.avatarHash, of: model.key.address.description, isRoom: true)
        picture.widget.accessible(label: localized("Picture of %@", title))
        choose.isVisible = model.isOwner
        choose.isSensitive = !model.isWorking
        remove.isVisible = model.isOwner && row?.avatarHash != nil
        remove.isSensitive = !model.isWorking
    }

    private func saveSettings() {
        Task { [weak self, model] in
            if await model.save() { self?.window.close() }
        }
    }

    private func show() {
        let now = model.configuration
        func text(_ row: EntryRow, _ value: String?) {
            row.isVisible = value != nil
            if let value, row.text != value { row.text = value }
        }
        func flag(_ row: SwitchRow, _ value: Bool?) {
            row.isVisible = value != nil
            guard let value, let connection = connections.first(where: { $0.0 === row.control })?.1 else { return }
            row.control.withoutHearing(connection) { row.isActive = value }
        }
        text(name, now.name)
        text(about, now.description)
        text(password, now.password)
        flag(listed, now.isListed)
        flag(invitations, now.allowsInvitations)
        flag(topics, now.allowsSubjectChange)
        flag(moderated, now.isModerated)
        access.isVisible = now.isForMembersOnly != nil
        if let choosing {
            access.withoutHearing(choosing) { access.selected = now.isForMembersOnly == true ? 0 : 1 }
        }
        settings.isVisible = now.name != nil || now.description != nil
        access2.isVisible = now != RoomConfiguration()
        save.isSensitive = model.hasChanges && !model.isWorking
        spinner.isVisible = model.isWorking
        spinner.isSpinning = model.isWorking
        if let failure = model.failure {
            toasts.show(failure)
            model.clearFailure()
        }
    }

    // MARK: Members

    private static let standings: [RoomAffiliate.Standing?] = [.owner, .admin, .member, .banned, nil]

    private func showPeople() {
        let now = model.affiliates
        guard now != rows.map(\.affiliate) else { return }
        for (_, row) in rows { people.remove(row) }
        rows = now.map { affiliate in (affiliate, row(affiliate)) }
        for (_, row) in rows { people.add(row) }
        people.show(description: now.isEmpty && model.isLoaded ? localized("None") : nil)
    }

    private func row(_ affiliate: RoomAffiliate) -> ComboRow {
        let name = nameOf(affiliate.address)
        let row = ComboRow(
            name ?? affiliate.address.description, subtitle: name == nil ? nil : affiliate.address.description,
            choices: Self.standings.map { Wording.standing($0) })
        row.selected = Self.standings.firstIndex(of: affiliate.standing) ?? 2
        // An owner who resigns by mistake cannot return.
        row.isSensitive = affiliate.address != own
        row.onSelect { [weak self] index in
            guard let self, Self.standings.indices.contains(index) else { return }
            let standing = Self.standings[index]
            guard standing != affiliate.standing else { return }
            Task { [weak self, model = self.model] in
                await model.setStanding(standing, of: affiliate.address)
                // The room may have refused.
                if model.affiliates.contains(affiliate) { self?.rows = [] }
                self?.showPeople()
            }
        }
        return row
    }
}
