internal import ChatEngine
internal import ChatModel
internal import ChatStore
internal import Localization
internal import XMPPAddress
internal import XMPPClient

/// Shows what happens to the account: its connection, problems, and messages in other conversations.
@MainActor
final class AccountEvents {
    private let models: AccountModels
    private let console: ChatConsole
    private let display: ChatDisplay
    private let updates: ModelUpdates
    /// Describes why there is no connection.
    private let describe: @MainActor (ClientError) -> String
    /// A contact to add as soon as there is a connection.
    private var companion: JID?

    init(
        _ models: AccountModels, _ console: ChatConsole, _ display: ChatDisplay, _ updates: ModelUpdates,
        describe: @escaping @MainActor (ClientError) -> String
    ) {
        self.models = models
        self.console = console
        self.display = display
        self.updates = updates
        self.describe = describe
    }

    /// Adds a contact as soon as there is a connection.
    func addWhenOnline(_ address: JID) { companion = address }

    func happened(_ event: ChatAccountEvent) {
        switch event {
        case .connection(let state): changed(state)
        case .problem(let problem): console.showHarmless(Wording.problem(problem))
        case .answer(let answer, let address):
            console.showHarmless(Wording.answer(answer, of: address.description))
        // Other events change the models.
        case .presence, .requests, .blocked, .invitations, .typing, .room, .encryption: return
        }
        updates.modelsChanged()
    }

    func changed(_ state: ConnectionState) {
        if let line = models.connectionChanged(to: state, describe: describe) { console.showNotice(line) }
        if models.connection.retryTime != nil { console.jobs.begin { [self] in await countDown() } }
        guard models.connection.isOnline, let companion else { return }
        self.companion = nil
        console.jobs.begin { [contacts = models.account.contacts] in
            _ = try? await contacts.add(companion, name: companion.local)
        }
    }

    /// How often the countdown to the next connection is drawn.
    private static let countdownStep = Duration.seconds(1)

    private func countDown() async {
        let end = models.connection.retryTime
        while let time = models.connection.retryTime, time == end, time > .now {
            display.draw()
            guard (try? await Task.sleep(for: Self.countdownStep)) != nil else { return }
        }
    }

    // MARK: Other conversations

    /// Shows a line, and rings the bell, for each notification of ChatModel's rules.
    func newsFeed() -> NotificationFeed {
        let feed = NotificationFeed(
            store: models.account.store, preferences: models.preferences, environment: models.environment,
            isQuiet: { [weak models] in models?.presence.show == .doNotDisturb },
            isInFront: { [weak models] in models?.conversation?.key == $0 })
        feed.announce = { [weak self] notification, key in self?.announce(notification, in: key) }
        return feed
    }

    private func announce(_ news: MessageNotification, in key: ConversationKey) {
        guard key.account == models.account.id else { return }
        let place = [models.name(of: key), news.senderName].compactMap { $0 }.joined(separator: ", ")
        console.show(news.preview?.plainText ?? localized("New message"), of: .elsewhere(place))
        display.ring()
        updates.modelsChanged()
    }
}
