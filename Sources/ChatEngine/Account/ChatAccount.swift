public import ChatStore
public import MessageFeatures
public import XMPPAddress
public import XMPPClient

/// A running account: it stays connected, stores what it receives, sends queued messages, and synchronises the history.
///
/// Messages are in the store; this type has connection, presence and typing. Its methods can be called at any time.
///
///     let account = ChatAccount(id, configuration: configuration, store: store)
///     Task { try await account.run() }
///     let key = ConversationKey(account: id, address: juliet, kind: .direct)
///     try await account.send(.text(MessageText("Wherefore art thou?")), in: key)
public final class ChatAccount: Sendable {
    let context: AccountContext
    private let services: AccountServices
    let connection: AccountConnection
    /// The cache of sent and received files.
    public let media: MediaCache?

    public var id: AccountID { context.id }
    /// The bare address.
    public var address: JID { context.address }
    public var store: any LocalStore { context.store }
    public var protection: any ContentProtection { context.recorder.protector.protection }
    /// The end-to-end encryption, where ``ChatAccountPolicy/encryption`` asks for it.
    public var encryption: OMEMOProtection? { context.encryption }
    /// The current session on the server, for requests and extensions of a program; `nil` while the account does not run.
    public var session: Session? { context.session }
    /// The contact list with presence and requests.
    public var contacts: ContactService { services.contacts }
    public var blocking: BlockingService { services.blocking }
    public var commands: CommandService { services.commands }
    public var profile: ProfileService { services.profile }
    public var rooms: RoomService { services.rooms }
    public var invitations: InvitationService { services.invitations }
    public var bookmarks: BookmarkService { services.bookmarks }
    var typing: TypingService { services.typing }
    public var history: HistoryService { services.history }

    /// - Parameters:
    ///   - configuration: how to connect and sign in; its store, plan and extensions are set here.
    ///   - media: stores files that arrive inside messages, and those of queued messages.
    ///   - uploader: uploads files; without it, messages with files fail.
    ///   - protection: takes the place of the encryption that the policy asks for.
    public init(
        _ id: AccountID, configuration: ClientConfiguration, store: any LocalStore,
        policy: ChatAccountPolicy = ChatAccountPolicy(), media: MediaCache? = nil,
        uploader: (any AttachmentUploader)? = nil, protection: (any ContentProtection)? = nil,
        now: @escaping @Sendable () -> MessageTime = { MessageTime.now }
    ) {
        self.media = media
        context = AccountContext(
            id, address: configuration.address, store: store, policy: policy, media: media, uploader: uploader,
            protection: protection, now: now)
        services = AccountServices(context, media: media)
        connection = AccountConnection(context, configuration, services)
    }

    /// Stays online until ``close()``, cancellation of the task, or a permanent refusal by the server. Throws `ClientError`
    /// for the reason, such as a wrong password or a store that cannot be written to.
    public func run() async throws { try await connection.run() }

    /// Disconnects and ends ``run()``.
    public func close() async { await connection.close() }

    /// Disconnects and ends ``run()``, but leaves the session on the server for some minutes: the next process of this
    /// profile resumes it, and contacts do not notice the pause.
    public func suspend() async { await connection.suspend() }

    /// The events from now on. A slow observer misses the oldest ones; the current state can always be read.
    public func events() -> AsyncStream<ChatAccountEvent> { context.events.stream() }

    public var connectionState: ConnectionState { get async { await connection.state } }

    /// Sets the configuration for the next ``run()``. The address stays the same.
    public func use(_ configuration: ClientConfiguration) async { await connection.use(configuration) }

    /// Connects now instead of at the next scheduled attempt.
    public func reconnectNow() async { await context.session?.reconnectNow() }

    /// Sets the presence, now and for each connection.
    public func setPresence(_ presence: OwnPresence) async { await connection.setPresence(presence) }

    /// Whether the program is visible to the user; if not, the server may save battery and traffic (XEP-0352).
    public func setActive(_ isActive: Bool) async { await connection.setActive(isActive) }

    /// Changes what contacts learn from now on.
    public func setDisclosure(receipts: Bool, typing: Bool) {
        context.setDisclosure(receipts: receipts, typing: typing)
    }

    // MARK: Conversations

    /// The conversation with an address, see `StoreReader.conversation(with:of:)`.
    public func conversation(with address: JID) async throws(StoreError) -> ConversationKey {
        try await services.messages.conversation(with: address)
    }

    /// Returns when the message is on disk; it is sent as soon as possible, perhaps after the next start of the program.
    public func send(_ content: MessageContent, in key: ConversationKey) async throws(StoreError) -> MessageID {
        try await services.messages.send(content, in: key, id: nil)
    }

    /// The same, with an origin-id (XEP-0359), by which a message passed twice is recognised.
    public func send(
        _ content: MessageContent, in key: ConversationKey, id: String
    ) async throws(StoreError) -> MessageID { try await services.messages.send(content, in: key, id: id) }

    /// Sends a failed message again.
    public func retry(_ message: MessageID) async throws(StoreError) { try await services.messages.retry(message) }

    /// Cancels a message that was not sent yet.
    public func cancel(_ message: MessageID) async throws(StoreError) { try await services.messages.cancel(message) }

    /// Waits until a message, or a correction, retraction or reactions, has one of the given states; `nil` if the message was
    /// removed, the task was cancelled or the store was closed.
    public func state(
        of message: MessageID, when isWanted: @Sendable (MessageState) -> Bool
    ) async throws(StoreError) -> MessageState? { try await services.messages.state(of: message, when: isWanted) }

    /// Waits until the server has handled everything sent before: errors that it caused immediately are stored then.
    public func settle() async throws(ClientError) { try await services.messages.settle() }

    /// What happens to a text that is sent in a conversation now, also for an account without encryption.
    public func encryptionForecast(for conversation: ConversationAddress) async -> EncryptionForecast {
        await encryption?.forecast(for: conversation) ?? .withoutEncryption
    }

    /// Which reactions the room, or the contact's gateway, accepts (XEP-0444 §2.2); `nil` for all, and where it is not known.
    /// Others are not sent. Only contacts are asked whose presence we see, and only once for each version of their program.
    public func reactionRestrictions(in key: ConversationKey) async -> ReactionRestrictions? {
        await services.messages.reactionRestrictions(in: key)
    }

    /// Records that the user has seen a message and all before it, and informs its sender and the other devices.
    public func markRead(upTo message: MessageID, in key: ConversationKey) async throws(StoreError) {
        try await services.reading.markRead(upTo: message, in: key)
    }

    /// The contacts that are typing or have just stopped, by full address.
    public var writers: [ConversationKey: [JID: ChatState]] { get async { await typing.writers } }

    /// Sends a typing notification (XEP-0085); repeated states are sent once.
    public func setComposing(_ isComposing: Bool, in key: ConversationKey) async {
        await typing.setComposing(isComposing, in: key)
    }

    /// The files that contacts offer to this device.
    public var directOffers: DirectOffers { context.directOffers }

    /// What happens to the files of queued messages.
    public var uploads: UploadProgress { context.queue.progress }

    /// Downloads files for this account; `nil` without a media cache.
    public var fetcher: AttachmentFetcher? { get async { await AttachmentFetcher(self, connection.configuration) } }

    /// Sets the conversation that the user looks at, or `nil`: its history is synchronised first.
    public func opened(_ key: ConversationKey?) async { await history.opened(key) }

    /// Requests one page of messages before the oldest one stored.
    public func loadOlder(in key: ConversationKey) async -> OlderHistory { await history.loadOlder(in: key) }
}
