internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization

/// Tells the person of new messages through the desktop, also while no window is open.
///
/// A click opens the conversation, an answer is typed into it or in the window, and a button marks as read. A conversation has one notification: that of its last message.
final class Notifier {
    private let home: ChatHome
    let feed: NotificationFeed
    private weak var sink: (any NotificationSink)?
    private let questions: QuestionNotifier
    /// Tells the person in the window what went wrong.
    var say: (String) -> Void = { _ in }
    private var running: Task<Void, Never>?

    /// - Parameters:
    ///   - isLooking: whether the person is looking at the program at all.
    ///   - isInFront: whether the person is looking at a conversation.
    init(
        _ home: ChatHome, sink: any NotificationSink, isLooking: @escaping () -> Bool = { false },
        isInFront: @escaping (ConversationKey) -> Bool
    ) {
        self.home = home
        self.sink = sink
        questions = QuestionNotifier(home, sink: sink, isLooking: isLooking)
        feed = NotificationFeed(home, isInFront: isInFront)
        feed.announce = { [weak self] news, key in self?.announce(news, key) }
        feed.withdraw = { [weak self] id in self?.sink?.withdrawNotification(Self.name(id)) }
        let feed = feed
        running = Task { await feed.run() }
    }

    isolated deinit { running?.cancel() }

    /// Ends it before this object goes.
    func end() { running?.cancel() }

    /// The actions of notifications: opening is the program's own, see `app.open-conversation`.
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

    /// Sends what was typed into a notification, and takes the conversation for read.
    func answer(_ target: String, with text: String) {
        guard let number = Int64(target) else { return }
        let id = ConversationID(rawValue: number)
        Task { [home, say] in
            do throws(StoreError) {
                // What a server shows after an answer is up to it.
                if try await home.answer(id, with: text) { sink?.withdrawNotification(Self.name(id)) }
            } catch {
                say(Wording.failure(error))
            }
        }
    }

    private func markRead(_ id: ConversationID) {
        let account = home.conversations.row(id).flatMap { home.account($0.key.account) }
        Task { [home] in try? await home.conversations.markRead(id, through: account) }
    }

    private func announce(_ news: MessageNotification, _ key: ConversationKey) {
        let id = news.conversation
        // The list may not have the conversation yet when its first message is told.
        let hash =
            home.conversations.row(id)?.avatarHash
            ?? home.contacts.rows.elements.first { $0.conversation == key }?.avatarHash
        Task { [weak self, avatars = home.avatars] in
            var picture: [UInt8]?
            if let hash { picture = await avatars.avatar(hash)?.data }
            self?.sink?.send(Self.notification(news, picture: picture), id: Self.name(id))
        }
    }

    static func name(_ id: ConversationID) -> String { "conversation-\(id.rawValue)" }

    static func notification(_ news: MessageNotification, picture: [UInt8]?) -> NotificationContent {
        let words = news.preview.map { Wording.preview($0) } ?? localized("New message")
        let body = news.senderName.map { localized("%@: %@", $0, words) } ?? words
        var notification = NotificationContent(news.title, body: body)
        let target = String(news.conversation.rawValue)
        notification.click = NotificationAction("app.open-conversation", target: target)
        notification.reply = NotificationContent.Reply(
            localized("Reply"), placeholder: localized("Message"), submitLabel: localized("Send"),
            action: NotificationAction("app.reply-conversation", target: target))
        notification.addButton(
            localized("Mark as read"), NotificationAction("app.read-conversation", target: target))
        if news.isMention { notification.priority = .high }
        notification.picture = picture
        return notification
    }
}
