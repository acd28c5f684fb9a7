internal import ChatEngine
internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization
internal import XMPPAddress

/// What the windows of the program share: the accounts, what is fetched, the player of voice messages, and the ways from one window to
/// another.
///
/// Views and rows never see it. They are given a model and closures, see `AppContext+Views.swift`.
final class AppContext {
    let home: ChatHome
    let playback: VoicePlayback
    private weak var program: DesktopProgram?
    weak var window: MainWindow?
    private var downloadsOfAccounts: [AccountID: AttachmentDownloads] = [:]
    /// Sentences for a person while there is no window to show them in.
    private var unsaid: [String] = []

    init(home: ChatHome, program: DesktopProgram? = nil) {
        self.home = home
        self.program = program
        playback = VoicePlayback(store: home.store)
    }

    /// Windows are light or dark as the preferences say, from now on.
    func followStyle() {
        observe(self) { context in StyleManager.use(context.home.preferences.values.colourScheme.scheme) }
    }

    /// What is fetched for an account; `nil` where its media cannot be kept.
    func downloads(of account: AccountID) -> AttachmentDownloads? { downloadsOfAccounts[account] }

    /// What is fetched for an account is fetched by this.
    func use(_ downloads: AttachmentDownloads, of account: AccountID) { downloadsOfAccounts[account] = downloads }

    /// Finds out which servers the account trusts, so that its files can be shown and fetched.
    func prepareDownloads(of account: AccountID) async {
        guard downloadsOfAccounts[account] == nil, let fetcher = await home.fetcher(of: account) else { return }
        downloadsOfAccounts[account] =
            downloadsOfAccounts[account] ?? AttachmentDownloads(fetcher, uploads: home.account(account)?.uploads)
    }

    /// Tells the person something in a sentence.
    func say(_ sentence: String) {
        if let window { window.say(sentence) } else { unsaid.append(sentence) }
    }

    /// What could not be told before there was a window.
    func takeUnsaid() -> [String] {
        defer { unsaid = [] }
        return unsaid
    }

    // MARK: Going somewhere

    func open(_ key: ConversationKey) {
        program?.showWindow()
        window?.open(key)
    }

    /// Opens a conversation at a message.
    func open(_ key: ConversationKey, at message: MessageID) {
        program?.showWindow()
        window?.open(key, at: message)
    }

    /// Opens a conversation by the number that the store gave to it.
    func openConversation(number: Int64) {
        guard let row = home.conversations.row(ConversationID(rawValue: number)) else { return }
        window?.open(row.key)
    }

    /// Opens what an `xmpp:` address is about, as the first account that is enabled.
    func open(address: String) {
        guard let uri = try? XMPPURI(address), let address = uri.address,
            let account = home.accounts.rows.elements.first(where: \.isEnabled) ?? home.accounts.rows.elements.first
        else { return say(localized("%@ is not an address that can be opened here.", address)) }
        guard uri.action == "join" else {
            return open(ConversationKey(account: account.id, address: address, kind: .direct))
        }
        if let room = home.rooms.rows.elements.first(where: { $0.address == address.bare && $0.isInside }) {
            open(room.conversation)
        } else {
            program?.showWindow()
            RoomEntryWindow.show(self, text: address.bare.description)
        }
    }

    // MARK: Contacts

    /// Shows the page of a contact, or of anybody else who was talked to.
    func showContact(_ id: ContactRow.ID) {
        ContactWindow.show(id, self, over: window?.window)
    }

    /// Asks for the address of somebody who shall be a contact.
    ///
    /// - Parameter text: an address or a part of one that was typed already.
    func addContact(_ text: String = "") {
        ContactAdditionWindow.show(text, self, over: window?.window)
    }

    /// The accounts that can be talked as, in the order of the list: those that are switched on, or all where none is.
    var talkingAccounts: [ChatAccount] {
        let rows = home.accounts.rows.elements
        let enabled = rows.filter(\.isEnabled)
        return (enabled.isEmpty ? rows : enabled).compactMap { home.account($0.id) }
    }

    func end() async {
        await playback.stop()
        await playback.flush()
        await home.stop()
    }
}
