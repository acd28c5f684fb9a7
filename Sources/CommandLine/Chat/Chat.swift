internal import ChatModel
internal import ChatStore
internal import FileSharing
internal import Localization
internal import Media
internal import MessageFeatures
internal import Roster
internal import XMPPAddress
internal import XMPPClient
internal import XMPPStanzas

/// The conversation in the terminal: what is typed goes out, what happens comes in, and one actor draws it all.
///
/// What was said comes from the store and from nowhere else, so it is there at once, with or without a connection.
actor Chat {
    /// What the screen shows above the input line.
    enum View: Equatable {
        case friends
        case conversation(ConversationKey)
    }

    /// Whether messages reach the server at the moment.
    enum Link {
        case online
        case connecting
        case offline(reason: String?, retryAt: ContinuousClock.Instant?)
    }

    /// A question that the next line answers.
    struct Question {
        var prompt: String
        var onYes: @Sendable (Chat) async -> Void
    }

    /// A message that came live, by who sent it under which name.
    struct LiveName: Hashable {
        var sender: JID
        var id: String
    }

    let account: ChatAccount
    let live: LiveSession
    /// The account's bare address.
    let address: JID
    let folder: FileFolder
    let media: MediaCache?
    let keyboard: Keyboard
    let jobs = AsyncStream.makeStream(of: (@Sendable () async -> Void).self)

    var screen: TerminalScreen
    var input = InputLine()
    var timeline = Timeline()
    var friends = ContactList()
    var view = View.friends
    var link = Link.connecting
    var presence: OwnPresence
    var question: Question?
    /// The open conversation in the store, once something was said in it.
    var openID: ConversationID?
    /// The names that the person gave to contacts and rooms.
    var names: [JID: String] = [:]
    /// The messages of the open conversation that are shown, as they were last.
    var shown: [MessageID: StoredMessage] = [:]
    /// The newest message when the program began; what is newer may ring.
    var newestAtStart = MessageID(rawValue: .max)
    var announced: Set<MessageID> = []
    /// What was found out about files: where they are on this computer.
    var fileNotes: [LiveName: String] = [:]
    var sentFiles: [MessageID: String] = [:]
    /// Rows that the screen is scrolled up by.
    var scrolledRows = 0
    var isLoadingOlder = false
    /// Something stands on the screen.
    var hasDrawn = false
    var hasToldWaiting = false
    var toldReason: String?
    /// Friend requests that wait for an answer, oldest first.
    var requests: [JID] = []
    /// What others are doing with the conversation.
    var states: [JID: ChatState] = [:]
    var room: RoomState?
    var roomChanges: Coalescer?
    /// What is fetched without a question.
    var budget = DownloadBudget()
    var runningFetches = 0
    var keyCount = 0
    /// What the store has as the draft of the open conversation.
    var draftKept: String?
    var wasInterrupted = false
    var wasOnline = false
    var isLeaving = false
    var recorder: VoiceRecorder?
    var player: VoicePlayer?
    /// What recording or playing shows in the place of the status.
    var meter: String?
    var lastVoice: String?
    /// Offers of people who are no friends, not fetched by themselves.
    var waitingOffers: [(offer: FileOffer, sender: JID, name: LiveName?)] = []
    /// The account may be unknown until it is registered.
    var isRegistering: Bool
    /// Somebody to make friends with as soon as there is a connection.
    var companion: JID?

    private var decoder = KeyDecoder()

    init(
        _ account: ChatAccount, _ live: LiveSession, folder: FileFolder, media: MediaCache?, presence: OwnPresence,
        keyboard: Keyboard, isRegistering: Bool
    ) {
        self.account = account
        self.live = live
        self.folder = folder
        self.media = media
        self.presence = presence
        self.keyboard = keyboard
        self.isRegistering = isRegistering
        address = account.address
        screen = .standardOutput()
    }

    var store: any LocalStore { account.store }

    /// The open conversation.
    var openKey: ConversationKey? { if case .conversation(let key) = view { key } else { nil } }

    /// Talks until the person leaves or the keyboard is stopped.
    func run(with peer: JID?, isCompanion: Bool) async {
        let changes = store.changes()
        let events = account.events()
        screen.setBracketedPaste(true)
        await loadPeople()
        tell(localized("You are %@. /help lists the commands.", address))
        if isCompanion, let peer {
            companion = peer
            tell(localized("%@ answers: try a text, /picture FILE or /voice FILE.", peer.local ?? peer.description))
        }
        if let peer { await open(peer) }
        changed(await account.connectionState)
        redraw()
        let roomChanges = await Coalescer(every: Self.roomInterval)
        self.roomChanges = roomChanges
        await withDiscardingTaskGroup { group in
            group.addTask { await roomChanges.run { await self.showRoom() } }
            group.addTask { for await change in changes { await self.stored(change) } }
            group.addTask { for await event in events { await self.happened(event) } }
            group.addTask { for await event in self.live.events { await self.received(event) } }
            group.addTask { await self.runJobs() }
            for await event in keyboard.events {
                switch event {
                case .bytes(let bytes): await typed(bytes)
                case .resized: drawAnew()
                }
                if isLeaving { break }
            }
            if isLeaving { await sendTheRest() }
            group.cancelAll()
        }
        keyboard.stop()
        await leave()
    }

    private nonisolated func runJobs() async {
        await withDiscardingTaskGroup { group in
            for await job in jobs.stream { group.addTask(operation: job) }
            group.cancelAll()
        }
    }

    /// Starts something that goes on beside the conversation and ends with it.
    func begin(_ job: @escaping @Sendable (Chat) async -> Void) {
        jobs.continuation.yield { await job(self) }
    }

    private func typed(_ bytes: [UInt8]) async {
        for key in decoder.decode(bytes) {
            await pressed(key)
            if isLeaving { return }
        }
        redraw()
    }

    /// How long leaving waits for what was typed last, in tenths of a second.
    private static let partingPatience = 30

    /// What was typed last goes out before the goodbye; what cannot go waits in the profile, and that is said.
    private func sendTheRest() async {
        let id = account.id
        func waiting() async -> Int {
            (try? await store.read { store throws(StoreError) in try store.sendQueue(of: id).count }) ?? 0
        }
        var count = await waiting()
        if case .online = link {
            for _ in 0..<Self.partingPatience where count > 0 && !Task.isCancelled {
                try? await Task.sleep(for: .milliseconds(100))
                count = await waiting()
            }
        }
        if count > 0 {
            tell(
                localized("Not sent yet: %@. They go out with the next connection; `hongyan queue` lists them.", count))
        }
    }

    private func leave() async {
        await keepDraft()
        if let recorder { await recorder.discard() }
        await player?.stop()
        if scrolledRows > 0 { scrollToEnd() }
        let final = timeline.takeFinalRows(columns: screen.columns, maximumLive: 0)
        screen.finish(last: final + timeline.liveRows(columns: screen.columns))
        screen.setBracketedPaste(false)
    }
}
