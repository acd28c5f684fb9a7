internal import FileSharing
internal import Media
internal import MessageFeatures
internal import Roster
internal import XMPPAddress
internal import XMPPClient
internal import XMPPStanzas

/// The conversation in the terminal: what is typed goes out, what happens comes in, and one actor draws it all.
actor Chat {
    /// What the screen shows above the input line.
    enum View: Equatable {
        case friends
        case conversation(JID)
    }

    /// Whether messages reach the server at the moment.
    enum Link {
        case online
        case connecting
        case offline(reason: String, retryAt: ContinuousClock.Instant?)
    }

    /// A question that the next line answers.
    struct Question {
        var prompt: String
        var onYes: @Sendable (Chat) async -> Void
    }

    let session: Session
    let roster: Roster
    let account: JID
    let folder: FileFolder
    let keyboard: Keyboard
    let jobs = AsyncStream.makeStream(of: (@Sendable () async -> Void).self)

    var screen: TerminalScreen
    var input = InputLine()
    var timeline = Timeline()
    var friends = ContactList()
    var view = View.friends
    var link = Link.online
    var presence: Presence
    var question: Question?
    /// Friend requests that wait for an answer, oldest first.
    var requests: [JID] = []
    /// What others are doing with the conversation, and whether they tell (XEP-0085 §5.1).
    var states: [JID: ChatState] = [:]
    var tellsStates: [JID: Bool] = [:]
    /// What was told last about my writing, and how often a key was pressed since the program began.
    var myState = ChatState.active
    var keyCount = 0
    var wasInterrupted = false
    var isLeaving = false
    var recorder: VoiceRecorder?
    var player: VoicePlayer?
    /// What recording or playing shows in the place of the status.
    var meter: String?
    var lastVoice: String?
    /// Offers of people who are no friends, not fetched by themselves.
    var waitingOffers: [(offer: FileOffer, sender: JID)] = []

    private var decoder = KeyDecoder()

    init(_ session: Session, _ roster: Roster, account: JID, folder: FileFolder, presence: Presence, keyboard: Keyboard)
    {
        self.session = session
        self.roster = roster
        self.account = account
        self.folder = folder
        self.presence = presence
        self.keyboard = keyboard
        screen = .standardOutput()
    }

    /// Talks until the person leaves or the session is over.
    func run(with peer: JID?, isCompanion: Bool) async throws(ClientError) {
        let events = session.events([.messages, .connection])
        let changes = await roster.events()
        screen.setBracketedPaste(true)
        if let peer { view = .conversation(peer) }
        friends.update(await roster.contacts)
        requests = await roster.requests
        tell(localized("Signed in as %@. /help lists the commands.", account.bare))
        if isCompanion, let peer {
            tell(localized("%@ answers: try a text, /picture FILE or /voice FILE.", peer.local ?? peer.description))
        }
        for address in requests { tellRequest(address, text: nil) }
        try await session.send(presence)
        if isCompanion, let peer { _ = try await roster.add(peer, name: peer.local) }
        redraw()
        await withDiscardingTaskGroup { group in
            group.addTask {
                for await batch in events { await self.received(batch) }
                // The session is over; who ran it says why.
                self.keyboard.stop()
            }
            group.addTask { for await batch in changes { await self.changed(batch) } }
            group.addTask { await self.runJobs() }
            for await event in keyboard.events {
                switch event {
                case .bytes(let bytes): await typed(bytes)
                case .resized: drawAnew()
                }
                if isLeaving { break }
            }
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

    private func leave() async {
        if let recorder { await recorder.discard() }
        await player?.stop()
        screen.finish(last: timeline.liveRows(columns: screen.columns))
        screen.setBracketedPaste(false)
    }
}
