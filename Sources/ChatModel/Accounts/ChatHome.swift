public import ChatEngine
public import ChatStore
public import Observation
public import XMPPAddress
public import XMPPClient

/// All accounts of the user with their lists: the root of the model.
///
///     let home = ChatHome(store: store, accountStorage: accountStorage)
///     await home.start()
///     home.conversations.rows …           // merged over the accounts, as accounts and contacts are
///     let account = home.account(id)      // to talk as one of them
///     await home.stop()                   // says goodbye
///
/// Enabled accounts connect by themselves and stay online. What the user must do about an account is in its row of
/// ``accounts``.
@MainActor
@Observable
public final class ChatHome {
    public enum Phase: Sendable, Hashable {
        /// Nothing was read yet.
        case starting
        /// No account is signed in.
        case empty
        case ready
    }

    public nonisolated let store: any LocalStore
    public nonisolated let environment: ModelEnvironment
    public let accounts: AccountList
    public let conversations: ConversationList
    public let contacts: ContactList
    public let rooms: RoomList
    /// The avatars for the rows of all lists.
    public let avatars: AvatarLoader
    public let preferences: Preferences
    public private(set) var phase = Phase.starting
    /// The user's presence on all accounts.
    public private(set) var presence: OwnPresence
    /// Called with a message for the user when account data could not be read or saved.
    @ObservationIgnored public var onProblem: (String) -> Void = { _ in }

    /// Changes the configuration of each connection before it is used: for a log, and for tests with their own networks.
    @ObservationIgnored public var prepare: (@MainActor (inout ClientConfiguration) -> Void)?

    @ObservationIgnored private let accountStorage: any AccountStorage
    @ObservationIgnored private let policy: ChatAccountPolicy
    @ObservationIgnored private var running: [AccountID: RunningAccount] = [:]
    @ObservationIgnored private var lists: [Task<Void, Never>] = []
    @ObservationIgnored private var rowsObservation: ListObservation?
    @ObservationIgnored private var isActive = true
    @ObservationIgnored private var idleSince: MessageTime?

    public init(
        store: any LocalStore, accountStorage: any AccountStorage, preferences: Preferences = Preferences(),
        policy: ChatAccountPolicy = ChatAccountPolicy(), environment: ModelEnvironment = ModelEnvironment()
    ) {
        self.store = store
        self.accountStorage = accountStorage
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

    // MARK: Life cycle

    /// Reads the accounts and connects the enabled ones.
    public func start() async {
        guard phase == .starting, lists.isEmpty else { return }
        do {
            try await accounts.takeOver(from: accountStorage)
        } catch {
            onProblem(Wording.failure(any: error))
        }
        lists = [
            Task { [accounts] in await accounts.run() }, Task { [conversations] in await conversations.run() },
            Task { [contacts] in await contacts.run() }, Task { [rooms] in await rooms.run() },
        ]
        await accounts.reload()
        for row in accounts.rows.elements { await take(row.id, row.address, isEnabled: row.isEnabled) }
        updatePhase()
        rowsObservation = accounts.rows.observe { [weak self] _ in self?.updatePhase() }
    }

    /// Disconnects all accounts and releases everything; the store stays open.
    public func stop() async {
        rowsObservation = nil
        await withDiscardingTaskGroup { group in
            for work in running.values { group.addTask { await work.end() } }
        }
        running = [:]
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

    /// Starts an account.
    private func take(_ id: AccountID, _ address: JID, isEnabled: Bool) async {
        guard running[id] == nil else { return }
        let waiting = (try? await store.read { reader throws(StoreError) in try reader.sendQueue(of: id) }) ?? []
        let media = await accountStorage.openMedia(of: address, waiting: waiting)
        let encryption = await accountStorage.encryption(of: address)
        let caches = await accountStorage.caches(of: address)
        guard running[id] == nil else { return }
        var policy = policy
        policy.tellsReceipts = preferences.values.tellsReceipts
        policy.tellsTyping = preferences.values.tellsTyping
        (policy.encryption, policy.caches) = (encryption, caches)
        policy.transfersFilesDirectly = media != nil
        let account = ChatAccount(
            id, configuration: ClientConfiguration(address: address, password: ""), store: store, policy: policy,
            media: media, uploader: media.map { accountStorage.uploader(for: $0) }, now: environment.now)
        let work = RunningAccount(account, media: media, list: accounts, storage: accountStorage) { [weak self] in
            self?.prepare?(&$0)
        }
        running[id] = work
        work.follow { [accounts] in await accounts.follow(account) }
        work.follow { [conversations] in await conversations.follow(account) }
        work.follow { [contacts] in await contacts.follow(account) }
        work.follow { [rooms] in await rooms.follow(account) }
        await account.setPresence(presence.idle(since: idleSince))
        await account.setActive(isActive)
        if isEnabled { work.goOnline() }
    }

    // MARK: Access

    /// A running account, online or not; there is one for each row of ``accounts``.
    public func account(_ id: AccountID) -> ChatAccount? { running[id]?.account }

    /// All running accounts, online or not, in the order in which they were added.
    public var chatAccounts: [ChatAccount] { running.values.map(\.account).sorted { $0.id < $1.id } }

    /// The running account with this address.
    public func account(at address: JID) -> ChatAccount? { chatAccounts.first { $0.address == address.bare } }

    /// The media cache of an account; `nil` if it could not be opened.
    public func media(of id: AccountID) -> MediaCache? { running[id]?.media }

    /// Downloads the files of messages from servers that the account trusts; `nil` if its media cannot be stored.
    public func fetcher(of id: AccountID) async -> AttachmentFetcher? { await running[id]?.fetcher() }

    /// What can be changed about a running account.
    public func settings(of id: AccountID) -> AccountSettings? {
        account(id).map { AccountSettings($0, storage: accountStorage) { [weak self] in self?.onProblem($0) } }
    }

    // MARK: Presence

    /// The user's availability; saved in the preferences.
    public var availability: Availability { preferences.values.availability }

    /// The user's status text; `nil` if there is none.
    public var statusText: String? { preferences.values.statusText }

    /// Changes the presence of all accounts.
    public func show(_ availability: Availability, saying status: String?) async {
        let status = status?.trimmingWhitespace ?? ""
        preferences.values.availability = availability
        preferences.values.statusText = status.isEmpty ? nil : status
        await setPresence(availability.presence(saying: preferences.values.statusText))
    }

    /// Sets the presence for all contacts, now and at each connection.
    public func setPresence(_ presence: OwnPresence) async {
        self.presence = presence
        await showIdle(since: idleSince)
    }

    /// Shows contacts since when the user has done nothing, or with `nil` the presence that the user has chosen (XEP-0319).
    public func showIdle(since time: MessageTime?) async {
        idleSince = time
        for work in running.values { await work.account.setPresence(presence.idle(since: idleSince)) }
    }

    /// Sets whether the user is looking at the program (XEP-0352).
    public func setActive(_ isActive: Bool) async {
        guard self.isActive != isActive else { return }
        self.isActive = isActive
        for work in running.values { await work.account.setActive(isActive) }
    }

    /// Applies the privacy preferences to all accounts.
    public func applyPreferences() async { for work in running.values { work.apply(preferences.values) } }

    /// Replies in a conversation that need not be open, see ``ConversationList/reply(to:with:through:)``.
    public func reply(to id: ConversationID, with text: String) async throws(StoreError) -> Bool {
        let conversation = try await store.read { reader throws(StoreError) in try reader.conversation(id) }
        guard let key = conversation?.key, let account = account(key.account) else { return false }
        return try await conversations.reply(to: id, with: text, through: account)
    }

    /// Connects an account now instead of waiting for the next attempt; also after the server rejected it.
    public func connectNow(_ id: AccountID) async { await running[id]?.connectNow() }

    /// Sets whether an account should be online, now and after the next start.
    public func setEnabled(_ isEnabled: Bool, _ id: AccountID) async {
        guard let work = running[id] else { return }
        await write { writer throws(StoreError) in
            guard var account = try writer.accounts().first(where: { $0.id == id }) else { return }
            account.isEnabled = isEnabled
            try writer.update(account)
        }
        if isEnabled {
            work.goOnline()
        } else {
            await work.goOffline()
            accounts.show(AccountNeed?.none, of: id)
            accounts.show(.offline(reason: nil, nextAttempt: nil), of: id)
        }
    }

    // MARK: Adding and removing

    /// Saves an account after a successful login, and starts it.
    func adopt(
        _ access: AccountAccess, password: String, trusting trusted: Set<[UInt8]>
    ) async throws(SignInFailure) -> AccountID {
        let id: AccountID
        do {
            try await accountStorage.save(password: password, of: access.address)
            try await accountStorage.save(access)
            id = try await store.write { writer throws(StoreError) in
                let id = try writer.addAccount(access.address)
                if var account = try writer.account(access.address), !account.isEnabled {
                    account.isEnabled = true
                    try writer.update(account)
                }
                return id
            }
        } catch let error as AccountStorageError {
            throw SignInFailure(error.message)
        } catch {
            throw SignInFailure(Wording.failure(any: error))
        }
        await accounts.reload()
        if let work = running[id] { await work.goOffline() }
        accounts.show(AccountNeed?.none, of: id)
        await take(id, access.address, isEnabled: false)
        running[id]?.trustedForNow.formUnion(trusted)
        running[id]?.goOnline()
        return id
    }

    /// Signs an account out and removes its messages, files, settings and password from this computer. Nothing changes
    /// on the server.
    public func remove(_ id: AccountID) async {
        guard let work = running.removeValue(forKey: id) else { return }
        await work.end()
        await write { writer throws(StoreError) in try writer.removeAccount(id) }
        await accounts.reload()
        do throws(AccountStorageError) {
            try await accountStorage.remove(work.account.address)
        } catch {
            onProblem(error.message)
        }
    }

    /// Deletes an account on its server permanently, and then everything about it on this computer.
    public func deleteOnServer(_ id: AccountID) async throws(SignInFailure) {
        guard let work = running[id] else { return }
        do {
            try await work.account.profile.deleteAccount()
        } catch {
            throw SignInFailure(Wording.failure(error))
        }
        await remove(id)
    }

    /// Adds the contact of an invitation as soon as the account is online (XEP-0379 §4).
    public func accept(_ invitation: AccountInvitation, as id: AccountID) { running[id]?.accept(invitation) }

    private func write(_ body: @escaping @Sendable (any StoreWriter) throws(StoreError) -> Void) async {
        do throws(StoreError) {
            try await store.write(body)
        } catch {
            onProblem(Wording.failure(error))
        }
    }

    /// A model to sign in to another account.
    public func signIn() -> SignInModel { SignInModel(self) }

    /// A model to sign in again to an account that has an ``AccountNeed``, or whose server has moved.
    public func signInAgain(_ id: AccountID) async -> SignInModel? {
        guard let address = running[id]?.account.address else { return nil }
        let access = (try? await accountStorage.accesses())?.first { $0.address == address }
        let model = SignInModel(self, again: access ?? AccountAccess(address: address))
        if accounts.rows[id]?.need?.isAboutServer == true {
            model.password = ((try? await accountStorage.password(of: address)) ?? nil) ?? ""
        }
        return model
    }

    /// A model to create an account with a provider.
    public func register(_ invitation: AccountInvitation? = nil) -> RegistrationModel {
        RegistrationModel(self, invitation: invitation)
    }
}

extension AccountNeed {
    /// The password is not the problem; the user has to check the server settings.
    var isAboutServer: Bool {
        switch self {
        case .certificate, .downgrade: true
        case .password: false
        }
    }
}
