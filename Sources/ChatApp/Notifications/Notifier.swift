internal import ChatEngine
internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization
internal import XMPPAddress

/// Shows a desktop notification for each conversation with new messages, also while no window is open.
///
/// A click opens the conversation. A reply can be typed into the notification or into the window, and a button marks
/// the conversation as read. Each conversation has one notification, about its last message.
final class Notifier {
    private let home: ChatHome
    let feed: NotificationFeed
    private weak var sink: (any NotificationSink)?
    private let questions: RequestNotifier
    /// Shows an error in the window.
    var showToast: (String) -> Void = { _ in }
    private var running: Task<Void, Never>?

    /// - Parameters:
    ///   - isLooking: whether one of the program's windows is active.
    ///   - isInFront: whether the user is looking at a conversation.
    init(
        _ home: ChatHome, sink: any NotificationSink, isLooking: @escaping () -> Bool = { false },
        isInFront: @escaping (ConversationKey) -> Bool
    ) {
        self.home = home
        self.sink = sink
        questions = RequestNotifier(home, sink: sink, isLooking: isLooking)
        feed = NotificationFeed(home, isInFront: isInFront)
        feed.announce = { [weak self] news, key in self?.announce(news, key) }
        feed.withdraw = { [weak self] id in self?.sink?.withdrawNotification(Self.name(id)) }
        home.contacts.onAnswer = { [weak self] id, answer in
            let key = ConversationKey(account: id.account, address: id.address, kind: .direct)
            // The conversation says it itself.
            let isInFront = isInFront(key)
            Task { [weak self] in
                await self?.answered(id, key, answer, isTold: isInFront, isLooking: isLooking())
            }
        }
        let feed = feed
        running = Task { await feed.run() }
    }

    isolated deinit { running?.cancel() }

    /// Stops before this object is released.
    func end() { running?.cancel() }

    /// The actions of notifications. Opening is the application action `app.open-conversation`.
    func actions(reply: @escaping (Int64) -> Void) -> [Action] {
        [
            Action("reply-conversation", text: { text in if let number = Int64(text) { reply(number) } }),
            Action(
                "read-conversation",
                text: { [weak self] text in
                    if let number = Int64(text) { self?.markRead(ConversationID(rawValue: number)) }
                }),
        ]
    }

    /// Sends the reply that was typed into a notification, and marks the conversation as read.
    func reply(to target: String, with text: String) {
        guard let number = Int64(target) else { return }
        let id = ConversationID(rawValue: number)
        Task { [home, showToast] in
            do throws(StoreError) {
                // It depends on the notification server whether a notification stays after a reply.
                if try await home.reply(to: id, with: text) { sink?.withdrawNotification(Self.name(id)) }
            } catch {
                showToast(Wording.failure(error))
            }
        }
    }

    private func markRead(_ id: ConversationID) {
        let account = home.conversations.row(id).flatMap { home.account($0.key.account) }
        Task { [home] in try? await home.conversations.markRead(id, through: account) }
    }

    private func announce(_ news: MessageNotification, _ key: ConversationKey) {
        let id = news.conversation
        // The list may not have the conversation yet when its first message is notified.
        let hash =
            home.conversations.row(id)?.avatarHash
            ?? home.contacts.rows.elements.first { $0.conversation == key }?.avatarHash
        Task { [weak self, avatars = home.avatars] in
            var picture: [UInt8]?
            if let hash { picture = await avatars.avatar(hash)?.data }
            guard let self else { return }
            var notification = Self.notification(news, picture: picture)
            notification.isAudible = self.home.preferences.values.playsSound
            self.sink?.send(notification, id: Self.name(id))
        }
    }

    /// An accepted request also puts the conversation into the list.
    private func answered(
        _ id: ContactRow.ID, _ key: ConversationKey, _ answer: ContactAnswer, isTold: Bool, isLooking: Bool
    ) async {
        let name = home.contacts[id]?.name ?? id.address.unescapedLocal ?? id.address.description
        let sentence = Wording.answer(answer, of: name)
        if answer == .accepted { try? await home.conversations.begin(key) }
        if isTold { return }
        let values = home.preferences.values
        guard !isLooking else { return showToast(sentence) }
        guard values.showsNotifications, home.availability != .doNotDisturb else { return }
        var content = NotificationContent(sentence, body: id.address.description)
        if let number = home.conversations.all[key]?.id.rawValue {
            content.click = NotificationAction("app.open-conversation", target: String(number))
        }
        sink?.send(content, id: "answer-\(id.account.rawValue)-\(id.address)")
    }

    /// Tells once that the program goes on without its window.
    func tellOfBackground() {
        guard home.phase == .ready, !home.preferences.values.hasToldOfBackground else { return }
        home.preferences.values.hasToldOfBackground = true
        sink?.send(
            NotificationContent(
                localized("Hongyan keeps running"),
                body: localized(
                    "Messages still arrive. Choose Quit in the main menu to end the program, or change this in the preferences."
                )),
            id: "background")
    }

    static func name(_ id: ConversationID) -> String { "conversation-\(id.rawValue)" }

    static func notification(_ news: MessageNotification, picture: [UInt8]?) -> NotificationContent {
        let text = news.preview.map { Wording.preview($0) } ?? localized("New message")
        let body =
            news.senderName.map {
                news.isForEverybody ? localized("%@ to everyone: %@", $0, text) : localized("%@: %@", $0, text)
            } ?? text
        var notification = NotificationContent(news.title, body: body)
        let target = String(news.conversation.rawValue)
        notification.click = NotificationAction("app.open-conversation", target: target)
        notification.reply = NotificationContent.Reply(
            localized("Reply"), placeholder: localized("Message"), submitLabel: localized("Send"),
            action: NotificationAction("app.reply-conversation", target: target))
        notification.addButton(
            localized("Mark as Read"), NotificationAction("app.read-conversation", target: target))
        if news.isMention { notification.priority = .high }
        notification.picture = picture
        return notification
    }
}

/// Shows a desktop notification for contact requests and room invitations that arrive while no window is active.
///
/// Each is shown once, not again after a restart, and withdrawn when it was answered on any device. A click raises the
/// window, which shows the request.
final class RequestNotifier {
    private let home: ChatHome
    private weak var sink: (any NotificationSink)?
    private let isLooking: () -> Bool
    private var requests: Set<ContactRequestRow.ID> = []
    private var invitations: Set<RoomInvitationRow.ID> = []

    /// - Parameter isLooking: whether one of the program's windows is active.
    init(_ home: ChatHome, sink: any NotificationSink, isLooking: @escaping () -> Bool) {
        self.home = home
        self.sink = sink
        self.isLooking = isLooking
        observe(self) { notifier in notifier.showRequests() }
        observe(self) { notifier in notifier.showInvitations() }
    }

    private func showRequests() {
        let names = home.contacts
        show(home.contacts.requests.elements, &requests, Self.name, isNews: { !$0.isRepeated }) { request, showsText in
            let name = names[request.id]?.name ?? request.address.unescapedLocal ?? request.address.description
            let text = showsText ? request.text.flatMap { $0.isEmpty ? nil : localized("“%@”", $0) } : nil
            return NotificationContent(
                localized("%@ wants to add you as a contact", name),
                body: [request.address.description, text].compactMap(\.self).joined(separator: "\n"))
        }
    }

    private func showInvitations() {
        // An invitation arrives once and is not stored.
        show(home.contacts.invitations.elements, &invitations, Self.name, isNews: { _ in true }) {
            invitation, showsText in
            NotificationContent(localized("Invitation"), body: Wording.invitation(invitation, withReason: showsText))
        }
    }

    /// - Parameter known: what was there before, which is never notified.
    private func show<Row: Identifiable>(
        _ rows: [Row], _ known: inout Set<Row.ID>, _ name: (Row.ID) -> String,
        isNews: (Row) -> Bool, _ content: (Row, Bool) -> NotificationContent
    ) {
        let before = known
        known = Set(rows.map(\.id))
        for id in before.subtracting(known) { sink?.withdrawNotification(name(id)) }
        let values = home.preferences.values
        guard values.showsNotifications, home.availability != .doNotDisturb, !isLooking() else { return }
        for row in rows where !before.contains(row.id) && isNews(row) {
            sink?.send(content(row, values.showsTextInNotifications), id: name(row.id))
        }
    }

    static func name(_ id: ContactRequestRow.ID) -> String { "request-\(id.account.rawValue)-\(id.address)" }

    static func name(_ id: RoomInvitationRow.ID) -> String { "invitation-\(id.account.rawValue)-\(id.room)" }
}
