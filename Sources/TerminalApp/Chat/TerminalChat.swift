package import ChatEngine
package import ChatModel
package import ChatStore
internal import Localization
package import XMPPAddress
package import XMPPClient

/// The chat in the terminal: the conversations of one account, drawn from the models of ChatModel.
///
/// What was said comes from the store and from nowhere else, so it is there at once, with or without a connection. Models
/// are observed: whatever changes in them is drawn at most once in ``frame``, however much comes.
///
///     let chat = TerminalChat(account, preferences: await profile.preferences(), keyboard: Keyboard()) { "\($0)" }
///     await chat.run(with: romeo)                 // until the person leaves or the keyboard is stopped
@MainActor
package final class TerminalChat {
    /// A question that the next line answers.
    struct Question {
        var prompt: String
        var isSecret = false
        var onAnswer: @MainActor (String) async -> Void
    }

    let account: ChatAccount
    let preferences: Preferences
    let keyboard: Keyboard
    let environment: ModelEnvironment
    let conversations: ConversationList
    let contactList: ContactList
    /// Says why there is no connection.
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
    /// What is being done, in the place of the status.
    var activity: String?
    /// Requests that were shown to the person, and rooms that an invitation was shown for.
    var shownRequests: Set<JID> = []
    var shownInvitations: Set<JID> = []
    var isShowingVoice = false
    var shownPlaybackProblem: String?
    /// Contacts that the person has removed here: their going is no news.
    var removed: Set<JID> = []
    /// Something stands on the screen.
    var hasDrawn = false
    var isUpdatePending = false
    /// Another conversation is being read; until then the screen stays as it is.
    var isSwitching = false
    /// The screen was left; nothing is drawn on it any more.
    private(set) var isOver = false
    var wasInterrupted = false
    /// Pages that the person still wants to scroll; positive is up.
    var wantedPages = 0
    var isScrolling = false
    /// Files that were played, to tell them from messages.
    var playedFiles: Int64 = 0
    /// Somebody to add as soon as there is a connection.
    var companion: JID?
    /// The person has asked to leave.
    package internal(set) var isLeaving = false

    private var decoder = KeyDecoder()
    private var jobs: [Int: Task<Void, Never>] = [:]
    private var lastJob = 0

    /// How often the screen is drawn at most because of what comes in; what is typed is drawn at once.
    static let frame = Duration.milliseconds(30)

    /// - Parameters:
    ///   - preferences: what the person has chosen in any of the programs.
    ///   - isRegistering: the account may be unknown until it is registered.
    ///   - describe: says why there is no connection, as a message for a person.
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

    /// Talks until the person leaves or the keyboard is stopped.
    package func run(with peer: JID?, isCompanion: Bool = false) async {
        let events = account.events()
        downloads = await account.fetcher.map { AttachmentDownloads($0, uploads: account.uploads) }
        await conversations.reload()
        await contactList.reload()
        screen.setBracketedPaste(true)
        tell(localized("You are %@. /help lists the commands.", account.address))
        if isCompanion, let peer {
            companion = peer
            tell(localized("%@ answers: try a text, /picture FILE or /voice FILE.", peer.local ?? peer.description))
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
        for await event in keyboard.events {
            switch event {
            case .bytes(let bytes): await typed(bytes)
            case .resized: drawAgain()
            }
            if isLeaving { break }
        }
        if isLeaving { await sendTheRest() }
        for task in following + Array(jobs.values) { task.cancel() }
        keyboard.stop()
        // What is written must reach the disk, also when this task is cancelled.
        await Task { await leave() }.value
    }

    /// Starts what goes on beside the conversation and ends with it.
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

    /// Adds a line of the program's own. What a cancelled job has to say interests nobody any more.
    func tell(_ text: String) {
        if !Task.isCancelled { transcript.append(.notice, text, time: environment.now()) }
    }

    // MARK: Leaving

    /// How long leaving waits for what was typed last.
    private static let partingTimeout = Duration.seconds(3)

    /// What was typed last goes out before the goodbye; what cannot go waits in the profile, and that is said.
    private func sendTheRest() async {
        let changes = account.store.changes()
        var count = await waitingCount()
        if connection.isOnline, count > 0 {
            await withTaskGroup { group in
                group.addTask { try? await Task.sleep(for: Self.partingTimeout) }
                group.addTask { [weak self] in
                    for await _ in changes { if await self?.waitingCount() == 0 { return } }
                }
                await group.next()
                group.cancelAll()
            }
            count = await waitingCount()
        }
        if count > 0 {
            tell(
                localized("Not sent yet: %@. They go out with the next connection; `hongyan queue` lists them.", count))
        }
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
