internal import ChatEngine
internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization
internal import XMPPAddress
internal import XMPPClient

/// The page of a room: its description, the user's settings for it, and leaving it.
final class RoomPage {
    let root: Widget
    let notifications = ComboRow(
        localized("Notifications"),
        choices: [localized("All messages"), localized("When mentioned"), localized("Never")])
    let nickname = EntryRow(localized("Your nickname"))
    let remark = EntryRow(localized("Name (only you see it)"))
    let entering = SwitchRow(localized("Join automatically"))
    let change = Button(icon: "document-edit-symbolic").css("flat").named(localized("Change the Topic"))
    var showToast: (String) -> Void = { _ in }
    var window: () -> Window? = { nil }
    var onLeft: () -> Void = {}
    /// Called when the user goes to the conversation, which is behind this window.
    var onShowConversation: () -> Void = {}

    let media: SharedMediaGroup
    let encryption: EncryptionGroup?
    private let room: RoomModel
    private let conversations: ConversationList
    private let accounts: AccountList
    private let joining: RoomJoining
    private let picture: AvatarImage
    private let name = Label().wrap(maximumCharacters: 24).centered().css("title-2")
    private let topic = Label().wrap().textAlignment(0).selectable()
    private let topicGroup: PreferencesGroup
    let settings = ActionRow(localized("Room Settings"), subtitle: localized("Name, access, password and members"))
    private let settingsGroup: PreferencesGroup
    /// Opens the settings of the room over this window.
    var showSettings: (Window?) -> Void = { _ in }
    private let leave = Button(localized("_Leave Room…")).css("destructive-action", "pill")
    private let close = Button(localized("_Close Room for Everyone…")).css("pill").hidden()
    private var choosing: Object.Connection?
    private var switching: Object.Connection?
    private var shownNickname: String?
    private static let choices: [ConversationSettings.Notifications] = [.all, .mentions, .none]

    init(
        _ room: RoomModel, _ conversations: ConversationList, _ accounts: AccountList, _ avatars: AvatarLoader,
        _ joining: RoomJoining, media: SharedMediaGroup, encryption: EncryptionGroup?
    ) {
        self.room = room
        self.conversations = conversations
        self.accounts = accounts
        self.joining = joining
        self.media = media
        self.encryption = encryption
        picture = AvatarImage(avatars, size: 72)
        let address = Label(room.key.address.description).wrap().centered().css("dim-label").selectable()
        let top = Box.vertical(spacing: 6, picture.widget.align(horizontal: .center), name, address)
        topicGroup = PreferencesGroup(localized("Topic"), description: nil, [topic])
        topicGroup.show(suffix: change)
        settings.append(Icon("go-next-symbolic"))
        settingsGroup = PreferencesGroup("", description: nil, [settings])
        for button in [leave, close] { button.wrap() }
        let exits = Box.vertical(spacing: 12, leave, close).align(horizontal: .center)
        root = PreferencesPage(
            "", icon: nil,
            [
                PreferencesGroup("", description: nil, [top]), topicGroup, media.root,
                PreferencesGroup("", description: nil, [notifications, entering, nickname, remark]), settingsGroup,
            ] + [encryption?.root].compactMap { $0 } + [PreferencesGroup("", description: nil, [exits])])
        nickname.showsApplyButton(true)
        remark.showsApplyButton(true)
        connect()
        observe(self) { view in view.show() }
        observe(self) { view in view.showNotifications() }
    }

    private func connect() {
        encryption?.showToast = { [weak self] in self?.showToast($0) }
        media.stands(
            in: { [weak self] in self?.window() }, showToast: { [weak self] in self?.showToast($0) },
            onLeave: { [weak self] in self?.onShowConversation() })
        change.onClick { [weak self] in self?.changeTopic() }
        settings.onActivate { [weak self] in if let self { self.showSettings(self.window()) } }
        choosing = notifications.onSelect { [weak self] index in
            guard let self, Self.choices.indices.contains(index), let row = self.row else { return }
            let (list, account) = (self.conversations, self.joining.account(row.key.account))
            WindowContext(showToast: self.showToast).attempt { () async throws(StoreError) in
                try await list.notify(row.id, for: Self.choices[index], through: account)
            }
        }
        switching = entering.onToggle { [weak self] isOn in self?.setJoinsAutomatically(isOn) }
        nickname.onApply { [weak self] in self?.changeNickname() }
        remark.onApply { [weak self] in self?.rename() }
        leave.onClick { [weak self] in
            guard let self else { return }
            self.joining.askToLeave(self.room.key, title: self.room.title, over: self.window()) { [weak self] in
                self?.onLeft()
            }
        }
        close.onClick { [weak self] in self?.closeForEverybody() }
    }

    private var row: ConversationRow? { conversations.all[room.key] }

    private func show() {
        name.text = room.title
        picture.show(
            name: room.title, hash: row?.avatarHash, of: room.key.address.description, isRoom: true)
        let subject = room.subject.flatMap { $0.allSatisfy(\.isWhitespace) ? nil : $0 }
        topic.text = subject ?? localized("The room has no topic.")
        topic.css("dim-label", subject == nil)
        change.isVisible = room.rights.mayChangeSubject
        nickname.isSensitive = room.isInside
        if room.nickname != shownNickname {
            shownNickname = room.nickname
            nickname.text = room.nickname ?? ""
        }
        let isOnline = accounts.rows[room.key.account]?.connection.isOnline ?? false
        if !remark.containsFocus { remark.text = room.title }
        remark.isSensitive = isOnline
        remark.isVisible = room.joinsAutomatically
        entering.isSensitive = isOnline
        if let switching {
            entering.control.withoutHearing(switching) { entering.isActive = room.joinsAutomatically }
        }
        leave.isVisible = room.isInside || room.joinsAutomatically
        close.isVisible = room.rights.isOwner
        settingsGroup.isVisible = room.rights.mayChangeStandings
    }

    private func showNotifications() {
        let row = row
        notifications.isSensitive = row != nil
        guard let row, let choosing else { return }
        notifications.withoutHearing(choosing) {
            notifications.selected = Self.choices.firstIndex(of: row.notifications) ?? 0
        }
        let until = row.mutedUntil.map { localized("Muted until %@", Wording.short($0)) }
        notifications.show(subtitle: until ?? "")
    }

    // MARK: Actions

    private func setJoinsAutomatically(_ enters: Bool) {
        // Turning automatic joining on also joins now.
        if enters, !room.isInside {
            Task { [room, joining] in
                await joining.join(room.key.address, as: room.nickname, of: room.key.account)
            }
            return
        }
        change { account, room throws(ClientError) in try await account.bookmarks.setJoinsAutomatically(enters, room)
        }
    }

    /// Changes the bookmark, which all devices of the account share.
    private func change(_ body: @escaping @Sendable (ChatAccount, JID) async throws(ClientError) -> Void) {
        guard let account = joining.account(room.key.account) else { return }
        Task { [weak self, room = room.key.address] in
            do throws(ClientError) {
                try await body(account, room)
            } catch {
                self?.showToast(Wording.failure(error))
                self?.show()
            }
        }
    }

    /// An empty name restores the room's own name.
    func rename() {
        let name = remark.text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        change { account, room throws(ClientError) in
            try await account.bookmarks.rename(room, to: name.isEmpty ? nil : name)
        }
    }

    private func changeNickname() {
        let target = nickname.text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        guard !target.isEmpty, target != room.nickname else { return nickname.text = room.nickname ?? "" }
        let room = room.key.address
        attempt { account throws(RoomFailure) in try await account.rooms.changeNickname(in: room, to: target) }
    }

    @discardableResult
    func changeTopic() -> MessageDialog {
        let field = TextView()
        field.text = room.subject ?? ""
        field.padding(horizontal: 8, vertical: 8).accessible(label: localized("Topic"))
        let editor = ScrolledWindow(field).minimumSize(width: 260, height: 110).css("card")
        let dialog = MessageDialog(
            localized("Change the Topic"), body: localized("Everyone in the room sees it."), editor)
        dialog.add("cancel", localized("_Cancel")).add("change", localized("C_hange"), .suggested).onEscape("cancel")
        dialog.present(over: window()) { [weak self] answer in
            guard answer == "change", let self else { return }
            let (text, room) = (field.text, self.room.key.address)
            self.attempt { account throws(RoomFailure) in try await account.rooms.changeSubject(of: room, to: text) }
        }
        field.grabFocus()
        return dialog
    }

    private func closeForEverybody() {
        let reason = Entry(placeholder: localized("Reason"))
        reason.accessible(label: localized("Reason"))
        let dialog = MessageDialog(
            localized("Close this room for everyone?"), about: room.title,
            body: localized(
                "All occupants are removed, and the room and its history on the server are deleted. This cannot be undone."
            ),
            reason)
        dialog.add("cancel", localized("_Cancel")).add("close", localized("C_lose Room"), .destructive)
            .byDefault("cancel").onEscape("cancel")
        dialog.present(over: window()) { [weak self] answer in
            guard answer == "close", let self else { return }
            let (text, room) = (reason.text, self.room.key.address)
            self.attempt { account throws(RoomFailure) in
                try await account.rooms.destroy(room, reason: text.isEmpty ? nil : text)
            }
        }
    }

    private func attempt(_ body: @escaping @Sendable (ChatAccount) async throws(RoomFailure) -> Void) {
        guard let account = joining.account(room.key.account) else { return }
        Task { [weak self] in
            do throws(RoomFailure) {
                try await body(account)
            } catch {
                self?.showToast(Wording.failure(error))
                self?.shownNickname = nil
                self?.show()
            }
        }
    }
}
