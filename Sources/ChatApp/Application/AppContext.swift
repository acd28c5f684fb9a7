internal import ChatEngine
internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization
internal import SpellChecking
internal import XMPPAddress

/// The state that the program's windows share: accounts, downloads, the voice player, and navigation between windows.
///
/// Views and rows never see it. They receive a model and closures; see `AppContext+Views.swift`.
final class AppContext {
    let home: ChatHome
    let playback: VoicePlayback
    let encryption: EncryptionViews
    let appearance: Appearance
    /// The dictionaries of the user's languages.
    let spelling = SpellChecker(languages: Localization.preferredLanguages)
    /// Opens the page behind a link that is written; `nil` for the network of the computer.
    var describeLink: (@Sendable (String) async -> LinkCards.Card?)?
    /// Deletions that the user can still undo.
    let deletions: PendingDeletions
    private weak var program: DesktopProgram?
    weak var window: MainWindow?
    let windowState: WindowState
    private var downloadsOfAccounts: [AccountID: AttachmentDownloads] = [:]
    /// Toasts to show as soon as there is a window.
    private var pendingToasts: [String] = []

    init(home: ChatHome, program: DesktopProgram? = nil) {
        self.home = home
        self.program = program
        playback = VoicePlayback(store: home.store)
        deletions = PendingDeletions(environment: home.environment)
        windowState = WindowState(home.preferences)
        appearance = Appearance(home.preferences)
        encryption = EncryptionViews(home)
        // Before the accounts start, so that no problem is missed.
        home.onProblem = { [weak self] in self?.showToast($0) }
        encryption.showToast = { [weak self] in self?.showToast($0) }
    }

    /// The downloads of an account; `nil` when its media cannot be stored.
    func downloads(of account: AccountID) -> AttachmentDownloads? { downloadsOfAccounts[account] }

    /// Sets the downloads of an account.
    func use(_ downloads: AttachmentDownloads, of account: AccountID) { downloadsOfAccounts[account] = downloads }

    /// Looks up the upload servers of an account, so that its files can be shown and downloaded.
    func prepareDownloads(of account: AccountID) async {
        guard downloadsOfAccounts[account] == nil, let fetcher = await home.fetcher(of: account) else { return }
        downloadsOfAccounts[account] =
            downloadsOfAccounts[account] ?? AttachmentDownloads(fetcher, uploads: home.account(account)?.uploads)
    }

    /// Shows a message to the user, now or as soon as there is a window.
    func showToast(_ message: String) {
        if let window { window.showToast(message) } else { pendingToasts.append(message) }
    }

    /// Returns the toasts that could not be shown yet, and clears them.
    func takePendingToasts() -> [String] {
        defer { pendingToasts = [] }
        return pendingToasts
    }

    // MARK: Navigation

    var links: LinkOpener { LinkOpener(context: self) }
    var rooms: RoomViews { RoomViews(context: self) }

    /// Raises the main window.
    func showWindow() { program?.showWindow() }

    func open(_ key: ConversationKey) {
        showWindow()
        window?.open(key)
    }

    /// Opens a conversation at a message.
    func open(_ key: ConversationKey, at message: MessageID) {
        showWindow()
        window?.open(key, at: message)
    }

    /// Opens a conversation by its number in the store.
    func openConversation(number: Int64) {
        guard let row = home.conversations.row(ConversationID(rawValue: number)) else { return }
        window?.open(row.key)
    }

    // MARK: Contacts

    /// Shows the page of a contact, or of any address that there is a conversation with.
    func showContact(_ id: ContactRow.ID) {
        ContactWindow.show(id, self, over: window?.window)
    }

    /// Asks with whom to start a conversation.
    func beginConversation() { NewConversationWindow.show(self, over: window?.window) }

    /// Shows the user's address to pass on.
    func shareAddress() {
        let accounts = usableAccounts
        guard !accounts.isEmpty else { return }
        ShareWindow(home.invitation(to: accounts), over: window?.window).present()
    }

    /// The invitation to one account; `nil` while it is not running.
    func invitation(to account: AccountID) -> InvitationModel? {
        home.account(account).map { home.invitation(to: [$0]) }
    }

    /// Asks for the address of a new contact.
    ///
    /// - Parameter text: an address, or the part of one that was typed already.
    func addContact(_ text: String = "") {
        ContactAdditionWindow.show(text, self, over: window?.window)
    }

    /// The accounts to start a conversation with, in the order of the list: the enabled ones, or all if none is
    /// enabled.
    var usableAccounts: [ChatAccount] {
        let rows = home.accounts.rows.elements
        let enabled = rows.filter(\.isEnabled)
        return (enabled.isEmpty ? rows : enabled).compactMap { home.account($0.id) }
    }

    func end() async {
        await deletions.flush()
        await playback.stop()
        await playback.flush()
        await home.stop()
    }
}

/// Where a view is shown: the window for its dialogs, and the toasts of that window.
struct WindowContext {
    var window: () -> Window? = { nil }
    /// Shows a short message that disappears by itself.
    var showToast: (String) -> Void = { _ in }
    /// Shows a message with a button that undoes what it says; `nil` without a window.
    var showUndo: (String, _ undo: @escaping () -> Void) -> Toast? = { _, _ in nil }

    /// Runs a store operation and shows its error.
    func attempt(_ body: @escaping () async throws(StoreError) -> Void) {
        let showToast = showToast
        Task {
            do throws(StoreError) {
                try await body()
            } catch {
                showToast(Wording.failure(error))
            }
        }
    }
}
