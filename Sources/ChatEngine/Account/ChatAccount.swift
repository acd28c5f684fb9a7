public import ChatStore
public import GroupChat
public import MessageFeatures
internal import MessageHistory
internal import Synchronization
public import XMPPAddress
public import XMPPClient

/// One account at work: it stays connected, keeps what comes in its store, sends what waits there, and fetches the history.
///
/// What is said is in the store and nowhere else; here is what is true only now: the connection, who is there, who is
/// writing. Everything can be asked and wished for at any time, connected or not.
///
///     let account = ChatAccount(id, configuration: configuration, store: store)
///     Task { try await account.run() }
///     let key = ConversationKey(account: id, address: juliet, kind: .direct)
///     try await account.send(.text(MessageText("Wherefore art thou?")), in: key)
public actor ChatAccount {
    public nonisolated let id: AccountID
    /// The bare address.
    public nonisolated let address: JID
    public nonisolated let store: any LocalStore

    nonisolated let now: @Sendable () -> MessageTime
    nonisolated let recorder: SessionRecorder
    nonisolated let queue: SendQueue
    /// Where the files of this account are, what was sent and what was received.
    public nonisolated let media: MediaCache?
    nonisolated let contents: QueuedContents?
    nonisolated let channel = EventChannel<ChatAccountEvent>()
    /// Asked when a receipt could be given, on whichever thread that is.
    nonisolated let disclosesReceipts: Mutex<Bool>
    var configuration: ClientConfiguration
    var policy: ChatAccountPolicy

    /// The session, while there is one.
    var session: Session?
    var sync: HistorySync
    /// What the machine wants to be done, for the task that does it.
    var historyActions: AsyncStream<HistorySync.Action>.Continuation?
    /// Rooms to be entered and followed, for the task that does it.
    var roomJobs: AsyncStream<JID>.Continuation?
    /// Who waits for a page of history, by what is asked for.
    var olderWaiters: [HistoryRequest: [CheckedContinuation<OlderHistory, Never>]] = [:]
    /// What the roster said last, so that presence alone does not write.
    var keptContacts: [JID: ChatStore.Contact] = [:]
    var ownPresence = OwnPresence()
    var avatarQueue = AvatarQueue()
    var isActive = true
    nonisolated let stateSupport: ChatStateSupport
    /// Threads of one-to-one conversations in which something was said since the session began (XEP-0085 §5.6).
    var threads: [ConversationKey: String] = [:]
    /// Threads that the other side has left, and that are not used again.
    var endedThreads: [ConversationKey: String] = [:]
    /// What was told last about my writing.
    var toldComposing: Set<ConversationKey> = []
    /// Messages that were sent again because the archive did not have them.
    var repaired: Set<MessageID> = []
    /// The newest page of the own archive was not seen since a session began, perhaps by a process before this one: a connection
    /// that is resumed has missed nothing, but what came before its session may be missing still.
    var isHistoryOwed = true
    /// How many messages archives have brought, since the program began, that they may not hold, by archive; none was kept.
    public internal(set) var refusedItems: [JID: Int] = [:]
    /// Tells the task that waits for the end of what the server kept that a connection has begun.
    var connectionsBegun: AsyncStream<Void>.Continuation?
    /// How often the history was begun with, so that late news of a lost connection is told from that of this one.
    var beginnings = 0
    /// The archive was seen to keep what this account sends, so what it does not have was lost.
    var archiveKeepsOwn = false
    /// What the server has said in this session of what it keeps; the inner `nil` if it does not say it.
    var archivePreferences: ArchivePreferences??
    /// Conversations for which the archive was searched in this session without knowing whether it keeps them.
    var searched: Set<ConversationKey> = []

    public internal(set) var connectionState = ConnectionState.offline(reason: nil, nextAttempt: nil)
    /// Who is there, by bare address; who is not here is offline.
    public internal(set) var presences: [JID: ContactPresence] = [:]
    /// Who waits to be let see this account's presence, oldest first.
    public internal(set) var contactRequests: [ContactRequest] = []
    /// Who waited for that already when the program was ended the last time; `nil` until it was read.
    var earlierRequests: Set<JID>?
    /// Invitations into rooms that wait for an answer, oldest first.
    public internal(set) var roomInvitations: [RoomInvitation] = []
    /// Why this account is not in rooms that it wanted to be in, by bare address.
    public internal(set) var roomAbsences: [JID: RoomAbsence] = [:]
    /// Rooms that this device is about to end, or has ended.
    var roomsEndedHere: Set<JID> = []
    /// Who is writing or has just stopped, by full address.
    public internal(set) var typing: [ConversationKey: [JID: ChatState]] = [:]

    /// - Parameters:
    ///   - configuration: how to connect and sign in; its store, its plan and its extensions are set here.
    ///   - media: keeps files that come inside messages, and those of messages that wait to be sent.
    ///   - uploader: brings files to where others can fetch them; without it messages with files fail.
    public init(
        _ id: AccountID, configuration: ClientConfiguration, store: any LocalStore,
        policy: ChatAccountPolicy = ChatAccountPolicy(), media: MediaCache? = nil,
        uploader: (any AttachmentUploader)? = nil,
        now: @escaping @Sendable () -> MessageTime = { MessageTime.now }
    ) {
        self.id = id
        self.store = store
        self.now = now
        self.policy = policy
        disclosesReceipts = Mutex(policy.tellsReceipts)
        let stateSupport = ChatStateSupport(tellsTyping: policy.tellsTyping)
        self.stateSupport = stateSupport
        address = configuration.address.bare
        self.media = media
        contents = media.map { QueuedContents(store: store, account: id, media: $0) }
        recorder = SessionRecorder(
            store: store, account: id, address: configuration.address, media: media, now: now)
        queue = SendQueue(
            store: store, account: id,
            composer: MessageComposer(tellsState: { stateSupport.allows($0) }), uploader: uploader, now: now)
        sync = HistorySync(account: configuration.address.bare, policy: policy.history)
        self.configuration = configuration
    }

    /// Fetches what is offered to this account; `nil` where there is no place to keep it.
    public var fetcher: AttachmentFetcher? {
        media.map { AttachmentFetcher(store: store, media: $0, trust: configuration.trust) }
    }

    /// What happens from now on. An observer that falls far behind misses the oldest; what is true can always be asked.
    public nonisolated func events() -> AsyncStream<ChatAccountEvent> { channel.stream() }
}
