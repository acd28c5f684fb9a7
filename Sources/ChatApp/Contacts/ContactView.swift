internal import ChatEngine
internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization
internal import XMPPAddress

/// The page of a contact: who it is, whether that person is there, what there is between both, and what can be done.
final class ContactView {
    let root: Widget
    /// The page is not needed any more.
    var onClose: () -> Void = {}
    let wishes: ContactWishes

    private var model: ContactModel { wishes.model }
    private let picture: PersonPicture
    private let dot: PresenceDot
    private let name = Label().wrap(maximumCharacters: 24).centered().css("title-2")
    private let address = Label().ellipsize(inMiddle: true).css("dim-label")
    let copy = Button(icon: "edit-copy-symbolic").css("flat", "circular").named(localized("Copy the address"))
    private let presence = Label().wrap(maximumCharacters: 36).centered()
    private let write = Button(localized("_Write a message")).css("pill", "suggested-action").align(horizontal: .center)
    let request = ContactRequestGroup()
    private let subscription = Label().wrap(maximumCharacters: 40).textAlignment(0)
    let ask = Button("").align(horizontal: .start)
    let remark = EntryRow(localized("Name (only you see it)"))
    private let groups = ActionRow(localized("Groups"))
    private let account = ActionRow(localized("Your account"))
    let mute = SwitchRow(localized("Mute"))
    private var muting: Object.Connection?
    private let devices = PreferencesGroup(localized("Devices"))
    private var deviceRows: [ActionRow] = []
    private var shownDevices: [ContactDevice]?
    let media: SharedMediaGroup
    let block = Button("").css("pill")
    let delete = Button(localized("_Delete the contact…")).css("destructive-action", "pill")
    private let note = Label(
        localized("The account is offline. What the server keeps can be changed when it is online.")
    )
    .wrap(maximumCharacters: 40).centered().css("dim-label", "caption").hidden()
    private var following: Task<Void, Never>?

    /// - Parameter ownAddress: of the account whose contact it is, where there are several.
    init(_ wishes: ContactWishes, _ avatars: AvatarLoader, media: SharedMediaGroup, ownAddress: JID?) {
        self.wishes = wishes
        self.media = media
        let model = wishes.model
        picture = PersonPicture(avatars, size: 96)
        dot = PresenceDot(on: picture, isLarge: true)
        let line = Box.horizontal(spacing: 4, address, copy).align(horizontal: .center)
        let top = Box.vertical(spacing: 6, dot.widget, name, line, presence, write.margins(top: 8))
        let between = Box.vertical(spacing: 10, subscription, ask).css("card", "contact-card")
        groups.append(Icon("go-next-symbolic"))
        let buttons = Box.vertical(spacing: 12, block, delete, note).align(horizontal: .center)
        root = PreferencesPage(
            "", icon: nil,
            [
                PreferencesGroup("", description: nil, [top]), request.root,
                PreferencesGroup("", description: nil, [between]), media.root,
                PreferencesGroup("", description: nil, [remark, groups, mute, account]), devices,
                PreferencesGroup("", description: nil, [buttons]),
            ])
        remark.showsApplyButton(true)
        let id = model.id
        account.show(subtitle: ownAddress?.description ?? "")
        account.isVisible = ownAddress != nil
        write.onClick { [weak self] in
            guard let self else { return }
            self.wishes.write()
            self.onClose()
        }
        media.stands(
            in: { [weak wishes] in wishes?.window() }, say: { [weak wishes] in wishes?.say($0) },
            onLeave: { [weak self] in self?.onClose() })
        copy.onClick { [weak wishes] in
            Clipboard.copy(id.address.description)
            wishes?.say(localized("The address is copied."))
        }
        request.onAccept = { [weak wishes] in wishes?.accept() }
        request.onDecline = { [weak wishes] in wishes?.decline() }
        ask.onClick { [weak wishes] in wishes?.add() }
        remark.onApply { [weak self] in if let self { self.wishes.rename(to: self.remark.text) } }
        groups.onActivate { [weak wishes] in wishes?.chooseGroups() }
        muting = mute.onToggle { [weak wishes] in wishes?.setMuted($0) }
        block.onClick { [weak self] in
            guard let self else { return }
            if self.model.isBlocked { self.wishes.setBlocked(false) } else { self.wishes.block() }
        }
        delete.onClick { [weak wishes] in wishes?.delete() }
        observe(self) { view in view.showPerson() }
        observe(self) { view in view.showChoices() }
        observe(self) { view in view.showDevices() }
        following = Task { await model.run() }
    }

    /// The keyboard begins where most begin.
    func focus() { write.grabFocus() }

    /// Ends what follows the contact.
    func close() {
        following?.cancel()
        following = nil
        media.close()
    }

    // MARK: What is shown

    /// What stands there in words, for tests.
    var sentences: [String] { [name, address, presence, subscription].map(\.text) }

    private func showPerson() {
        picture.show(name: model.name, hash: model.avatarHash)
        picture.widget.accessible(label: localized("Picture of %@", model.name))
        dot.show(model.isBlocked ? .offline : model.section)
        name.text = model.name
        address.text = model.address.description
        presence.text =
            model.isBlocked ? localized("Blocked") : Wording.presence(model.section, model.presence?.status)
        request.show(model)
        subscription.text =
            model.isBlocked ? localized("You have blocked %@.", model.name) : ContactWords.subscription(model)
        let wish = ContactWords.request(model)
        ask.isVisible = wish != nil
        if let wish { ask.show(label: wish) }
    }

    private func showChoices() {
        if !remark.containsFocus { remark.text = model.remark ?? "" }
        groups.show(subtitle: model.groups.isEmpty ? localized("None") : model.groups.sorted().joined(separator: ", "))
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
        let canChange = model.isOnline && !model.isWorking
        for widget in [ask, remark, groups, block, delete] as [Widget] { widget.isSensitive = canChange }
        request.isSensitive(canChange)
        note.isVisible = !model.isOnline
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
