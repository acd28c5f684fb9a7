internal import ChatEngine
internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization
internal import XMPPAddress

/// The menu of a person in a room and its actions.
final class RoomPersonMenu {
    var onMention: (String) -> Void = { _ in }
    var showToast: (String) -> Void = { _ in }
    var window: () -> Window? = { nil }

    private let room: RoomModel
    private let account: () -> ChatAccount?
    private let openConversation: (ConversationKey) -> Void
    private let showDevices: ((RoomState.Person, Window?) -> Void)?

    /// - Parameters:
    ///   - account: that is in the room; `nil` when it is not running.
    ///   - talk: opens a conversation with a person in the room.
    ///   - showDevices: shows the devices of a person whose address the room reveals; `nil` without encryption.
    init(
        _ room: RoomModel, account: @escaping () -> ChatAccount?, talk: @escaping (ConversationKey) -> Void,
        showDevices: ((RoomState.Person, Window?) -> Void)? = nil
    ) {
        self.room = room
        self.account = account
        openConversation = talk
        self.showDevices = showDevices
    }

    /// `nil` if no action is allowed.
    func menu(for person: RoomState.Person) -> (menu: Menu, actions: ActionGroup)? {
        let groups = RoomPersonAction.allowed(with: person, room.rights, hasKeys: showDevices != nil)
        guard !groups.isEmpty else { return nil }
        let actions = ActionGroup()
        for action in groups.joined() {
            actions.add(Action(action.rawValue) { [weak self] in self?.begin(action, person) })
        }
        let menu = Menu(groups.map { .section(nil, $0.map(\.entry)) })
        return (menu, actions)
    }

    /// Runs an action, after a confirmation if it has one.
    ///
    /// - Returns: the confirmation dialog.
    @discardableResult
    func begin(_ action: RoomPersonAction, _ person: RoomState.Person) -> MessageDialog? {
        guard let question = action.question(about: person.nickname) else {
            perform(action, person, nil)
            return nil
        }
        let reason = Entry(placeholder: localized("Reason"))
        reason.accessible(label: localized("Reason"))
        let dialog = MessageDialog(
            question.heading, body: question.body, question.asksForReason ? reason : nil)
        dialog.add("cancel", localized("_Cancel"))
            .add("do", question.answer, question.isDestructive ? .destructive : .suggested)
            .byDefault(question.isDestructive ? "cancel" : "do").onEscape("cancel")
        dialog.present(over: window()) { [weak self] answer in
            guard answer == "do" else { return }
            let reasonText = reason.text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            self?.perform(action, person, reasonText.isEmpty ? nil : reasonText)
        }
        return dialog
    }

    private func perform(_ action: RoomPersonAction, _ person: RoomState.Person, _ reason: String?) {
        let (nickname, address, room) = (person.nickname, person.address?.bare, room.key.address)
        switch action {
        case .talk: talk(person)
        case .mention: onMention(nickname)
        case .devices: showDevices?(person, window())
        case .grantVoice, .revokeVoice:
            attempt { account throws(RoomFailure) in
                try await account.rooms.setVoice(action == .grantVoice, of: nickname, in: room)
            }
        case .grantModerator, .revokeModerator:
            attempt { account throws(RoomFailure) in
                try await account.rooms.setModerator(action == .grantModerator, of: nickname, in: room)
            }
        case .grantMembership, .revokeMembership:
            guard let address else { return }
            attempt { account throws(RoomFailure) in
                try await account.rooms.setMember(action == .grantMembership, address, in: room)
            }
        case .kick:
            attempt { account throws(RoomFailure) in try await account.rooms.kick(nickname, from: room, reason: reason)
            }
        case .ban:
            guard let address else { return }
            attempt { account throws(RoomFailure) in try await account.rooms.ban(address, from: room, reason: reason) }
        }
    }

    /// Uses the real address if the room reveals it, else a private message through the room.
    private func talk(_ person: RoomState.Person) {
        let account = room.key.account
        if let address = person.address {
            window()?.close()
            openConversation(ConversationKey(account: account, address: address.bare, kind: .direct))
        } else if let occupant = try? room.key.address.with(resource: person.nickname) {
            window()?.close()
            openConversation(ConversationKey(account: account, address: occupant, kind: .occupant))
        }
    }

    private func attempt(_ body: @escaping @Sendable (ChatAccount) async throws(RoomFailure) -> Void) {
        guard let account = account() else { return }
        Task { [weak self] in
            do throws(RoomFailure) {
                try await body(account)
            } catch {
                self?.showToast(Wording.failure(error))
            }
        }
    }
}

/// An action on a person in a room.
enum RoomPersonAction: String, CaseIterable {
    case talk, mention, devices
    case grantVoice, revokeVoice, grantModerator, revokeModerator, grantMembership, revokeMembership
    case kick, ban

    /// The actions that the user is allowed, in the groups of the menu; none on oneself.
    ///
    /// - Parameter hasKeys: whether the account encrypts, so that devices can be shown.
    static func allowed(
        with person: RoomState.Person, _ rights: RoomRights, hasKeys: Bool = false
    ) -> [[RoomPersonAction]] {
        guard !person.isOwn else { return [] }
        var role: [RoomPersonAction] = []
        if rights.mayGrantVoice(to: person) { role.append(.grantVoice) }
        if rights.mayRevokeVoice(from: person) { role.append(.revokeVoice) }
        if rights.mayGrantModerator(person) { role.append(.grantModerator) }
        if rights.mayRevokeModerator(person) { role.append(.revokeModerator) }
        if rights.mayGrantMembership(person) { role.append(.grantMembership) }
        if rights.mayRevokeMembership(person) { role.append(.revokeMembership) }
        var removal: [RoomPersonAction] = []
        if rights.mayKick(person) { removal.append(.kick) }
        if rights.mayBan(person) { removal.append(.ban) }
        return [[.talk, .mention] + (hasKeys && person.address != nil ? [.devices] : []), role, removal].filter {
            !$0.isEmpty
        }
    }

    /// The label in the menu.
    var title: String {
        switch self {
        case .talk: localized("Message Privately")
        case .mention: localized("Mention")
        case .devices: localized("Devices and Keys")
        case .grantVoice: localized("Allow to Speak")
        case .revokeVoice: localized("Mute in Room")
        case .grantModerator: localized("Make a Moderator…")
        case .revokeModerator: localized("Remove as Moderator…")
        case .grantMembership: localized("Make a Member…")
        case .revokeMembership: localized("Remove as Member…")
        case .kick: localized("Remove From Room…")
        case .ban: localized("Ban Permanently…")
        }
    }

    /// The confirmation of an action.
    struct Question {
        let heading: String
        let body: String
        let answer: String
        var isDestructive = false
        /// Whether the dialog asks for a reason, which the room passes on.
        var asksForReason = false
    }

    var entry: Menu.Entry {
        switch self {
        case .revokeMembership, .kick, .ban: .destructive(title, "person.\(rawValue)")
        default: .item(title, "person.\(rawValue)")
        }
    }

    /// `nil` for actions that are easily undone.
    func question(about name: String) -> Question? {
        switch self {
        case .talk, .mention, .devices, .grantVoice, .revokeVoice: nil
        case .grantModerator:
            Question(
                heading: localized("Make %@ a moderator?", name),
                body: localized("Moderators can remove people and messages; it lasts until %@ leaves the room.", name),
                answer: localized("_Make a Moderator"))
        case .revokeModerator:
            Question(
                heading: localized("Remove %@ as moderator?", name),
                body: localized("%@ stays in the room as an ordinary participant.", name),
                answer: localized("_Remove as Moderator"))
        case .grantMembership:
            Question(
                heading: localized("Make %@ a member?", name),
                body: localized("Members may always join the room, until their membership is revoked."),
                answer: localized("_Make a Member"))
        case .revokeMembership:
            Question(
                heading: localized("Remove %@ as member?", name),
                body: localized("In a room for members only this removes %@ from the room.", name),
                answer: localized("_Remove as Member"), isDestructive: true)
        case .kick:
            Question(
                heading: localized("Remove %@ from the room?", name),
                body: localized("%@ can come back. Everyone sees the reason if you give one.", name),
                answer: localized("_Remove"), isDestructive: true, asksForReason: true)
        case .ban:
            Question(
                heading: localized("Ban %@ permanently?", name),
                body: localized(
                    "%@ is removed and cannot come back. Everyone sees the reason if you give one.", name),
                answer: localized("_Ban"), isDestructive: true, asksForReason: true)
        }
    }
}
