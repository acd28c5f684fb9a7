package import ChatEngine
package import ChatModel
internal import ChatStore
internal import Localization
package import XMPPAddress
package import XMPPClient

/// The chat in the terminal: the conversations of one account, drawn from the models of ChatModel.
///
/// Messages come only from the store, so they are there at once, with or without a connection. The models are observed,
/// and changes are drawn at most once per ``frame``.
///
///     let chat = TerminalChat(account, preferences: await profile.preferences(), keyboard: Keyboard()) { "\($0)" }
///     await chat.run(with: romeo)                 // until the person leaves or the keyboard is stopped
@MainActor
package final class TerminalChat {
    /// A question that the next line answers.
    struct Question {
        var prompt: String
        var isSecret = false
        /// Called when the user cancels the question.
        var onCancel: @MainActor () async -> Void = {}
        var onAnswer: @MainActor (String) async -> Void
    }

    let account: ChatAccount
    let preferences: Preferences
    let keyboard: Keyboard
    let environment: ModelEnvironment
    let conversations: ConversationList
    let contactList: ContactList
    /// Describes why there is no connection.
    let describe: @MainActor (ClientError) -> String
    let playback: VoicePlayback
    var downloads: AttachmentDownloads?

    var screen: TerminalScreen
    var input = InputLine()
    var transcript = Transcript()
    var contacts = ContactPane()
    /// The open conversation; `nil` while the contacts are shown.
    var conversation: ConversationPane?
    var connection: ConnectionStatus
    var presence: OwnPresence
    var question: Question?
    /// The activity that is shown in place of the status.
    var activity: String?
    /// Requests and invitations that were already shown to the user.
    var shownRequests: Set<JID> = []
    var shownInvitations: Set<JID> = []
    var isShowingVoice = false
    var shownPlaybackProblem: String?
    /// What was last said about encryption in the open conversation.
    var shownForecast: String?
    /// The devices of the last `/keys`, whose numbers other commands take.
    var listedKeys: (address: JID, devices: [EncryptionDevice])?
    /// The commands of a bot or server that were listed last.
    var commandDialog: CommandDialog?
    /// Contacts that the user has removed here, so that their removal is not reported.
    var removed: Set<JID> = []
    /// Whether anything was drawn.
    var hasDrawn = false
    var isUpdatePending = false
    /// Whether another conversation is being loaded; until then the screen stays unchanged.
    var isSwitching = false
    /// Whether the screen was closed; nothing is drawn on it any more.
    private(set) var isOver = false
    var wasInterrupted = false
    /// The number of pages that are still to be scrolled; positive is up.
    var wantedPages = 0
    var isScrolling = false
    /// The number of played files, to distinguish them from messages.
    var playedFiles: Int64 = 0
    /// A contact to add as soon as there is a connection.
    var companion: JID?
    /// Whether the user has asked to quit.
    package internal(set) var isLeaving = false

    private var decoder = KeyDecoder()
    private var jobs: [Int: Task<Void, Never>] = [:]
    private var lastJob = 0

    /// The minimum time between two redraws for incoming changes; typing is drawn at once.
    static let frame = Duration.milliseconds(30)

    /// - Parameters:
    ///   - preferences: the user's preferences, shared by all programs.
    ///   - isRegistering: whether the account may be unknown until it is registered.
    ///   - describe: describes for the user why there is no connection.
    package init(
        _ account: ChatAccount, preferences: Preferences, presence: OwnPresence = OwnPresence(), keyboard: Keyboard,
        isRegistering: Bool = false, describe: @escaping @MainActor (ClientError) -> String
    ) {
        self.account = account
        self.preferences = preferences
        self.keyboard = keyboard
        self.describe = describe
        self.presence = presence
        environment = ModelEnvironment()
        conversations = ConversationList(store: account.store, environment: environment)
        contactList = ContactList(store: account.store, environment: environment)
        connection = ConnectionStatus(isRegistering: isRegistering)
        playback = VoicePlayback(store: account.store)
        screen = .standardOutput()
    }

    /// Runs until the user quits or the keyboard is stopped.
    package func run(with peer: JID?, isCompanion: Bool = false) async {
        let events = account.events()
        downloads = await account.fetcher.map { AttachmentDownloads($0, uploads: account.uploads) }
        await conversations.reload()
        await contactList.reload()
        screen.setBracketedPaste(true)
        showNotice(localized("You are %@. /help lists the commands.", account.address))
        if isCompanion, let peer {
            companion = peer
            showNotice(
                localized("%@ answers: try a text, /picture FILE or /voice FILE.", peer.local ?? peer.description))
        }
        showLists()
        if let peer { await open(peer) }
        changed(await account.connectionState)
        watch()
        update()
        let following = [
            Task { [conversations] in await conversations.run() },
            Task { [contactList] in await contactList.run() },
            Task { [conversations, account] in await conversations.follow(account) },
            Task { [contactList, account] in await contactList.follow(account) },
            Task { [feed = newsFeed()] in await feed.run() },
            Task { for await event in events { happened(event) } },
        ]
        let idling = IdlePresence(
            environment: environment, minutes: { [preferences] in preferences.values.minutesUntilAway }
        ) { [weak self] since in
            guard let self else { return }
            await account.setPresence(presence.idle(since: since))
        }
        idling.inputHappened()
        for await event in keyboard.events {
            switch event {
            case .bytes(let bytes):
                idling.inputHappened()
                await typed(bytes)
            case .resized: drawAgain()
            }
            if isLeaving { break }
        }
        idling.stop()
        if isLeaving { await sendTheRest() }
        for task in following + Array(jobs.values) { task.cancel() }
        keyboard.stop()
        // The draft must be saved even if this task is cancelled.
        await Task { await leave() }.value
    }

    /// Starts a task in the background that ends with the conversation.
    func begin(_ job: @escaping @MainActor (TerminalChat) async -> Void) {
        lastJob += 1
        let number = lastJob
        jobs[number] = Task { [weak self] in
            guard let self else { return }
            await job(self)
            jobs[number] = nil
            if !Task.isCancelled { update() }
        }
    }

    private func typed(_ bytes: [UInt8]) async {
        for key in decoder.decode(bytes) {
            await pressed(key)
            if isLeaving { return }
        }
        update()
    }

    /// Shows a line of the program itself; ignored in a cancelled task.
    func showNotice(_ text: String) {
        if !Task.isCancelled { transcript.append(.notice, text, time: environment.now()) }
    }

    // MARK: Leaving

    /// How long quitting waits for the last messages to be sent.
    private static let partingTimeout = Duration.seconds(3)

    /// Sends the last messages before the session ends; the others wait in the profile, which a line reports.
    private func sendTheRest() async {
        let changes = account.store.changes()
        var count = await waitingCount()
        if connection.isOnline, count > 0 {
            await withTaskGroup { group in
                group.addTask { try? await Task.sleep(for: Self.partingTimeout) }
                group.addTask { [weak self] in
                    for await change in changes where change.sendQueue {
                        if await self?.isQueueEmpty() != false { return }
                    }
                }
                await group.next()
                group.cancelAll()
            }
            count = await waitingCount()
        }
        if count > 0 {
            showNotice(
                localized(
                    "Not sent yet: %@. They are sent with the next connection; `hongyan queue` lists them.", count))
        }
    }

    private func isQueueEmpty() async -> Bool {
        let id = account.id
        let isEmpty = try? await account.store.read { store throws(StoreError) in
            var position: Int64? = 0
            while let start = position {
                let page = try store.sendQueue(of: id, in: nil, after: start, limit: 16)
                if !page.messages.isEmpty { return false }
                // The entries were those of other accounts.
                position = page.end
            }
            return true
        }
        return isEmpty ?? true
    }

    private func waitingCount() async -> Int {
        let id = account.id
        return (try? await account.store.read { store throws(StoreError) in try store.sendQueue(of: id).count }) ?? 0
    }

    private func leave() async {
        await conversation?.close()
        await playback.stop()
        await playback.flush()
        if conversation?.place != nil || transcript.isOutOfOrder {
            conversation?.place = nil
            drawAgain()
        }
        let final = transcript.takeFinalRows(columns: screen.columns, maximumLive: 0)
        isOver = true
        screen.finish(last: final + transcript.liveRows(columns: screen.columns))
        screen.setBracketedPaste(false)
    }
}
