public import ChatEngine
public import ChatStore
public import Observation
internal import XMPPAddress
public import XMPPClient

/// All accounts of one person with their lists: the root of what a program shows.
///
///     let home = ChatHome(store: store, keeper: keeper)
///     await home.start()
///     home.conversations.rows …           // merged over the accounts, as accounts and contacts are
///     let account = home.account(id)      // to talk as one of them
///     await home.stop()                   // says goodbye
///
/// Accounts that are signed in go online by themselves and stay there. What a person must do about one stands in its row of
/// ``accounts``.
@MainActor
@Observable
public final class ChatHome {
    public enum Phase: Sendable, Hashable {
        /// Nothing was read yet.
        case starting
        /// Nobody has signed in.
        case empty
        case ready
    }

    public nonisolated let store: any LocalStore
    public nonisolated let environment: ModelEnvironment
    public let accounts: AccountList
    public let conversations: ConversationList
    public let contacts: ContactList
    public let rooms: RoomList
    /// The pictures for the rows of all lists.
    public let avatars: AvatarLoader
    public let preferences: Preferences
    public private(set) var phase = Phase.starting
    /// How the person shows itself, on all accounts.
    public internal(set) var presence: OwnPresence
    /// Why something about the accounts could not be read or kept the last time, as a sentence.
    public internal(set) var problem: String?

    /// Changes the settings of each connection before it is made; for tests, which have networks of their own.
    @ObservationIgnored public var prepare: (@MainActor (inout ClientConfiguration) -> Void)?

    @ObservationIgnored let keeper: any AccountKeeping
    @ObservationIgnored let policy: ChatAccountPolicy
    @ObservationIgnored var atWork: [AccountID: AccountAtWork] = [:]
    @ObservationIgnored private var lists: [Task<Void, Never>] = []
    @ObservationIgnored private var rowsObservation: ListObservation?
    @ObservationIgnored var isActive = true

    public init(
        store: any LocalStore, keeper: any AccountKeeping, preferences: Preferences = Preferences(),
        policy: ChatAccountPolicy = ChatAccountPolicy(), environment: ModelEnvironment = ModelEnvironment()
    ) {
        self.store = store
        self.keeper = keeper
        self.policy = policy
        self.preferences = preferences
        presence = preferences.values.availability.presence(saying: preferences.values.statusText)
        self.environment = environment
        avatars = AvatarLoader(store: store)
        accounts = AccountList(store: store, environment: environment)
        conversations = ConversationList(store: store, environment: environment)
        contacts = ContactList(store: store, environment: environment)
        rooms = RoomList(store: store, environment: environment)
    }

    // MARK: Life

    /// Reads what is there, and lets the accounts go online.
    public func start() async {
        guard phase == .starting, lists.isEmpty else { return }
        await takeOver()
        lists = [
            Task { [accounts] in await accounts.run() }, Task { [conversations] in await conversations.run() },
            Task { [contacts] in await contacts.run() }, Task { [rooms] in await rooms.run() },
        ]
        await accounts.reload()
        for row in accounts.rows.elements { await take(row.id, row.address, isEnabled: row.isEnabled) }
        updatePhase()
        rowsObservation = accounts.rows.observe { [weak self] _ in self?.updatePhase() }
    }

    /// Says goodbye on all accounts and lets go of everything; the store stays open.
    public func stop() async {
        rowsObservation = nil
        await withDiscardingTaskGroup { group in
            for work in atWork.values { group.addTask { await work.end() } }
        }
        atWork = [:]
        for list in lists { list.cancel() }
        for list in lists { await list.value }
        lists = []
        await preferences.flush()
        phase = .starting
    }

    private func updatePhase() {
        let now: Phase = accounts.rows.elements.isEmpty ? .empty : .ready
        if phase != now { phase = now }
    }

    /// A store without accounts belongs to somebody who begins here; whoever has signed in with another program of this
    /// computer is signed in.
    private func takeOver() async {
        do {
            let known = try await store.read { reader throws(StoreError) in try reader.accounts() }
            guard known.isEmpty else { return }
            let addresses = try await keeper.accesses().map(\.address)
            try await store.write { writer throws(StoreError) in
                for address in addresses { _ = try writer.addAccount(address) }
            }
        } catch {
            problem = Wording.failure(any: error)
        }
    }

    /// Puts an account to work.
    func take(_ id: AccountID, _ address: JID, isEnabled: Bool) async {
        guard atWork[id] == nil else { return }
        let waiting = (try? await store.read { reader throws(StoreError) in try reader.sendQueue(of: id) }) ?? []
        let media = await keeper.openMedia(of: address, waiting: waiting)
        guard atWork[id] == nil else { return }
        var policy = policy
        policy.tellsReceipts = preferences.values.tellsReceipts
        policy.tellsTyping = preferences.values.tellsTyping
        let account = ChatAccount(
            id, configuration: ClientConfiguration(address: address, password: ""), store: store, policy: policy,
            media: media, uploader: media.map { keeper.uploader(for: $0) }, now: environment.now)
        let work = AccountAtWork(account, media: media)
        atWork[id] = work
        work.following = [
            Task { [accounts] in await accounts.follow(account) },
            Task { [conversations] in await conversations.follow(account) },
            Task { [contacts] in await contacts.follow(account) },
            Task { [rooms] in await rooms.follow(account) },
        ]
        await account.setPresence(presence)
        await account.setActive(isActive)
        if isEnabled { goOnline(id) }
    }

    // MARK: What others ask for

    /// An account at work; one for each row of ``accounts``, online or not.
    public func account(_ id: AccountID) -> ChatAccount? { atWork[id]?.account }

    /// Where pictures, voice messages and files of an account are kept; `nil` where that cannot be.
    public func media(of id: AccountID) -> MediaCache? { atWork[id]?.media }

    /// Shows the person to all contacts in another way, now and after each start of a connection.
    public func setPresence(_ presence: OwnPresence) async {
        self.presence = presence
        for work in atWork.values { await work.account.setPresence(presence) }
    }

    /// Whether the person is looking at the program (XEP-0352).
    public func setActive(_ isActive: Bool) async {
        guard self.isActive != isActive else { return }
        self.isActive = isActive
        for work in atWork.values { await work.account.setActive(isActive) }
    }

    /// Tells contacts from now on what the preferences say.
    public func applyPreferences() async {
        let values = preferences.values
        for work in atWork.values {
            await work.account.setDisclosure(receipts: values.tellsReceipts, typing: values.tellsTyping)
        }
    }

    /// Answers in a conversation that need not be open, see ``ConversationList/answer(_:with:through:)``.
    public func answer(_ id: ConversationID, with text: String) async throws(StoreError) -> Bool {
        let conversation = try await store.read { reader throws(StoreError) in try reader.conversation(id) }
        guard let key = conversation?.key, let account = account(key.account) else { return false }
        return try await conversations.answer(id, with: text, through: account)
    }

    // MARK: Models

    /// Signing in to one more account.
    public func signIn() -> SignInModel { SignInModel(self) }

    /// Signing in again to an account that has an ``AccountNeed``, or whose server is somewhere else now.
    public func signInAgain(_ id: AccountID) async -> SignInModel? {
        guard let address = atWork[id]?.account.address else { return nil }
        let access = (try? await keeper.accesses())?.first { $0.address == address }
        let model = SignInModel(self, again: access ?? AccountAccess(address: address))
        if accounts.rows[id]?.need?.isAboutServer == true {
            model.password = ((try? await keeper.password(of: address)) ?? nil) ?? ""
        }
        return model
    }

    /// Creating an account with a provider.
    public func register(_ invitation: AccountInvitation? = nil) -> RegistrationModel {
        RegistrationModel(self, invitation: invitation)
    }
}

extension AccountNeed {
    /// The password is right as far as anyone knows; the server is what the person has to look at.
    var isAboutServer: Bool {
        switch self {
        case .certificate, .downgrade: true
        case .password: false
        }
    }
}

/// One account of a ``ChatHome`` with what belongs to it as long as the program runs.
@MainActor
final class AccountAtWork {
    let account: ChatAccount
    let media: MediaCache?
    /// Certificates that the person trusts until the program ends.
    var trustedForNow: Set<[UInt8]> = []
    /// Shows the account in the lists.
    var following: [Task<Void, Never>] = []
    /// Stays online; `nil` while nobody wants that, or after the server has refused for good.
    var life: Task<Void, Never>?

    init(_ account: ChatAccount, media: MediaCache?) {
        self.account = account
        self.media = media
    }

    /// Says goodbye; returns when that is done.
    func goOffline() async {
        let life = life
        self.life = nil
        life?.cancel()
        await life?.value
    }

    func end() async {
        await goOffline()
        for task in following { task.cancel() }
        for task in following { await task.value }
        following = []
        await media?.close()
    }
}
