public import ChatStore
public import MessageFeatures
public import XMPPAddress
public import XMPPClient

/// One account at work: it stays connected, keeps what comes in its store, sends what waits there, and fetches the history.
///
/// What is said is in the store and nowhere else; here is what is true only now: the connection, who is there, who is
/// writing. Everything can be asked and wished for at any time, connected or not. Each topic is a service with its own state.
///
///     let account = ChatAccount(id, configuration: configuration, store: store)
///     Task { try await account.run() }
///     let key = ConversationKey(account: id, address: juliet, kind: .direct)
///     try await account.send(.text(MessageText("Wherefore art thou?")), in: key)
public final class ChatAccount: Sendable {
    let context: AccountContext
    /// Where the files of this account are, what was sent and what was received.
    public let media: MediaCache?
    /// The contact list, who of it is there, and who asks to be on it.
    public let contacts: ContactService
    public let blocking: BlockingService
    public let profile: ProfileService
    public let rooms: RoomService
    public let invitations: InvitationService
    public let bookmarks: BookmarkService
    let typing: TypingService
    let messages: MessageService
    let reading: ReadingService
    let history: HistoryService
    let connection: AccountConnection

    public var id: AccountID { context.id }
    /// The bare address.
    public var address: JID { context.address }
    public var store: any LocalStore { context.store }
    public var protection: any ContentProtection { context.recorder.protector.protection }
    var session: Session? { context.session }

    /// - Parameters:
    ///   - configuration: how to connect and sign in; its store, its plan and its extensions are set here.
    ///   - media: keeps files that come inside messages, and those of messages that wait to be sent.
    ///   - uploader: brings files to where others can fetch them; without it messages with files fail.
    ///   - protection: end-to-end encryption of this account.
    public init(
        _ id: AccountID, configuration: ClientConfiguration, store: any LocalStore,
        policy: ChatAccountPolicy = ChatAccountPolicy(), media: MediaCache? = nil,
        uploader: (any AttachmentUploader)? = nil, protection: any ContentProtection = PlainContent(),
        now: @escaping @Sendable () -> MessageTime = { MessageTime.now }
    ) {
        self.media = media
        context = AccountContext(
            id, address: configuration.address, store: store, policy: policy, media: media, uploader: uploader,
            protection: protection, now: now)
        let contents = media.map { QueuedContents(store: store, account: id, media: $0) }
        let archive = ArchiveReader(context)
        contacts = ContactService(context)
        blocking = BlockingService(context, contacts: contacts)
        profile = ProfileService(context)
        history = HistoryService(context, archive: archive)
        invitations = InvitationService(context)
        rooms = RoomService(context, history: history, invitations: invitations)
        bookmarks = BookmarkService(context, rooms: rooms)
        typing = TypingService(context, contacts: contacts)
        messages = MessageService(context, typing: typing, contents: contents)
        reading = ReadingService(context)
        connection = AccountConnection(
            context, configuration,
            .init(
                contacts: contacts, blocking: blocking, avatars: AvatarService(context), rooms: rooms,
                invitations: invitations, bookmarks: bookmarks, typing: typing, reading: reading, history: history,
                repair: DeliveryRepair(context, archive: archive), contents: contents))
    }

    // MARK: The connection

    /// Stays online until ``close()``, until the task is cancelled, or until the server refuses permanently.
    ///
    /// - Throws: `ClientError` for what ended it, such as a wrong password or a store that cannot be written to.
    public func run() async throws { try await connection.run() }

    /// Says goodbye and ends ``run()``.
    public func close() async { await connection.close() }

    /// What happens from now on. An observer that falls far behind misses the oldest; what is true can always be asked.
    public func events() -> AsyncStream<ChatAccountEvent> { context.events.stream() }

    public var connectionState: ConnectionState { get async { await connection.state } }

    /// Connects and signs in like this from the next ``run()`` on. The address stays the same.
    public func use(_ configuration: ClientConfiguration) async { await connection.use(configuration) }

    /// Tries to connect now instead of at the next time planned.
    public func reconnectNow() async { await context.session?.reconnectNow() }

    /// Shows this account to its contacts in another way, now and whenever it connects.
    public func setPresence(_ presence: OwnPresence) async { await connection.setPresence(presence) }

    /// Whether a person is looking: the server may save battery and bytes while nobody does (XEP-0352).
    public func setActive(_ isActive: Bool) async { await connection.setActive(isActive) }

    /// What contacts learn from now on.
    public func setDisclosure(receipts: Bool, typing: Bool) {
        context.setDisclosure(receipts: receipts, typing: typing)
    }

    // MARK: Conversations

    /// Saves a message and sends it as soon as that is possible, now or after the next start of the program.
    ///
    /// - Returns: when the message is on the disk.
    public func send(_ content: MessageContent, in key: ConversationKey) async throws(StoreError) -> MessageID {
        try await messages.send(content, in: key, id: nil)
    }

    /// Tries once more to send a message that failed.
    public func retry(_ message: MessageID) async throws(StoreError) { try await messages.retry(message) }

    /// Retracts a message that did not leave yet.
    public func cancel(_ message: MessageID) async throws(StoreError) { try await messages.cancel(message) }

    /// Notes that a person has seen a message and all before it, and tells who wrote it and the other devices.
    public func markRead(upTo message: MessageID, in key: ConversationKey) async throws(StoreError) {
        try await reading.markRead(upTo: message, in: key)
    }

    /// Who is writing or has just stopped, by full address.
    public var writers: [ConversationKey: [JID: ChatState]] { get async { await typing.writers } }

    /// Tells the other side that something is being written, or not any more (XEP-0085); the same twice is told once.
    public func setComposing(_ isComposing: Bool, in key: ConversationKey) async {
        await typing.setComposing(isComposing, in: key)
    }

    /// How far the files of messages that wait are uploaded.
    public var uploads: UploadProgress { context.queue.progress }

    /// What is in front of the person, or `nil` for nothing: its history comes before that of the others.
    public func opened(_ key: ConversationKey?) async { await history.opened(key) }

    /// Fetches one page of what was said before the oldest message that is here.
    public func loadOlder(in key: ConversationKey) async -> OlderHistory { await history.loadOlder(in: key) }
}
