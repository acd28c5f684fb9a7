internal import ChatEngine
internal import ChatModel
internal import ChatStore
internal import XMPPAddress
internal import XMPPClient

/// The models of one account, and which of its conversations is open.
@MainActor
final class AccountModels {
    let account: ChatAccount
    let preferences: Preferences
    let environment = ModelEnvironment()
    let conversations: ConversationList
    let contactList: ContactList
    let playback: VoicePlayback
    private(set) var downloads: AttachmentDownloads?
    /// The contacts and conversations of the account in the order of the list.
    private(set) var contacts = ContactPane()
    /// The open conversation; `nil` while the contacts are shown.
    private(set) var conversation: ConversationPane?
    private(set) var connection: ConnectionStatus
    private(set) var presence: OwnPresence
    private var idling: IdlePresence?

    init(_ account: ChatAccount, preferences: Preferences, presence: OwnPresence, isRegistering: Bool) {
        self.account = account
        self.preferences = preferences
        self.presence = presence
        conversations = ConversationList(store: account.store, environment: environment)
        contactList = ContactList(store: account.store, environment: environment)
        playback = VoicePlayback(store: account.store)
        connection = ConnectionStatus(isRegistering: isRegistering)
    }

    // MARK: Life

    /// Reads the lists.
    func load() async {
        downloads = await account.fetcher.map { AttachmentDownloads($0, uploads: account.uploads) }
        await conversations.reload()
        await contactList.reload()
    }

    /// The tasks that follow the store and the account.
    func follow() -> [Task<Void, Never>] {
        [
            Task { [conversations] in await conversations.run() },
            Task { [contactList] in await contactList.run() },
            Task { [conversations, account] in await conversations.follow(account) },
            Task { [contactList, account] in await contactList.follow(account) },
        ]
    }

    /// Shows the user as away after some minutes without a key.
    func idlePresence() -> IdlePresence {
        if let idling { return idling }
        let idling = IdlePresence(
            environment: environment, minutes: { [preferences] in preferences.values.minutesUntilAway }
        ) { [weak self] since in
            guard let self else { return }
            await account.setPresence(presence.idle(since: since))
        }
        self.idling = idling
        return idling
    }

    /// Changes after how many minutes without a key the user counts as away, now and in later chats.
    func setMinutesUntilAway(_ minutes: Int) {
        preferences.values.minutesUntilAway = minutes
        idling?.limitChanged()
    }

    // MARK: Lists

    /// Takes the current rows of the lists.
    func readLists() {
        contacts.show(contactList.rows.elements, conversations.rows.elements, of: account.id, own: account.address)
    }

    func moveSelection(_ step: Int) { contacts.move(step) }

    /// The title of a conversation; for a stranger the address, because its sender cannot choose it to look like the
    /// name of a contact.
    func name(of key: ConversationKey) -> String {
        if key.kind == .direct { return contacts.contact(key.address)?.name ?? key.address.description }
        return conversations.all[key]?.title ?? key.address.description
    }

    // MARK: The open conversation

    /// A conversation, to be opened.
    func pane(of key: ConversationKey) -> ConversationPane {
        ConversationPane(key, account: account, downloads: downloads, environment: environment)
    }

    func show(_ conversation: ConversationPane?) { self.conversation = conversation }

    /// The open room; `nil` while another conversation or the contacts are shown.
    var room: ConversationKey? { conversation.flatMap { $0.key.kind == .room ? $0.key : nil } }

    // MARK: The account

    /// - Returns: a line to show, if there is a new message.
    func connectionChanged(to state: ConnectionState, describe: (ClientError) -> String) -> String? {
        connection.changed(state, describe: describe)
    }

    /// The line that a message is waiting, once per offline period.
    func waitingLine() -> String? { connection.waitingLine() }

    func setPresence(_ presence: OwnPresence) async {
        self.presence = presence
        await account.setPresence(presence)
    }
}
