internal import ChatEngine
internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization
internal import XMPPAddress

/// The menu on somebody in a room, and doing what is chosen in it.
final class RoomPersonMenu {
    var onMention: (String) -> Void = { _ in }
    var say: (String) -> Void = { _ in }
    var window: () -> Window? = { nil }

    private let room: RoomModel
    private let account: () -> ChatAccount?
    private let openConversation: (ConversationKey) -> Void

    /// - Parameters:
    ///   - account: that is in the room; `nil` where it is not at work.
    ///   - talk: opens a conversation with somebody in the room.
    init(
        _ room: RoomModel, account: @escaping () -> ChatAccount?, talk: @escaping (ConversationKey) -> Void
    ) {
        self.room = room
        self.account = account
        openConversation = talk
    }

    /// `nil` where there is nothing to do.
    func menu(for person: RoomState.Person) -> (menu: Menu, actions: ActionGroup)? {
        let groups = RoomPersonAction.allowed(with: person, room.rights)
        guard !groups.isEmpty else { return nil }
        let actions = ActionGroup()
        for action in groups.joined() {
            actions.add(Action(action.rawValue) { [weak self] in self?.begin(action, person) })
        }
        let menu = Menu(groups.map { .section(nil, $0.map { .item($0.title, "person.\($0.rawValue)") }) })
        return (menu, actions)
    }

    /// Asks first where that is right.
    ///
    /// - Returns: the question.
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
            .add("do", question.answer, question.isGrave ? .destructive : .suggested)
            .byDefault(question.isGrave ? "cancel" : "do").onEscape("cancel")
        dialog.present(over: window()) { [weak self] answer in
            guard answer == "do" else { return }
            let words = reason.text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            self?.perform(action, person, words.isEmpty ? nil : words)
        }
        return dialog
    }

    private func perform(_ action: RoomPersonAction, _ person: RoomState.Person, _ reason: String?) {
        let (nickname, address, place) = (person.nickname, person.address?.bare, room.key.address)
        switch action {
        case .talk: talk(person)
        case .mention: onMention(nickname)
        case .giveVoice, .takeVoice:
            attempt { account throws(RoomFailure) in
                try await account.rooms.setVoice(action == .giveVoice, of: nickname, in: place)
            }
        case .makeModerator, .unmakeModerator:
            attempt { account throws(RoomFailure) in
                try await account.rooms.setModerator(action == .makeModerator, of: nickname, in: place)
            }
        case .makeMember, .unmakeMember:
            guard let address else { return }
            attempt { account throws(RoomFailure) in
                try await account.rooms.setMember(action == .makeMember, address, in: place)
            }
        case .kick:
            attempt { account throws(RoomFailure) in try await account.rooms.kick(nickname, from: place, reason: reason)
            }
        case .ban:
            guard let address else { return }
            attempt { account throws(RoomFailure) in try await account.rooms.ban(address, from: place, reason: reason) }
        }
    }

    /// With the account itself where the room tells which that is, else through the room.
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
                self?.say(Wording.failure(error))
            }
        }
    }
}
