public import XMPPAddress
public import XMPPStream

/// The queries that ``LocalStore/read(_:)`` and ``LocalStore/write(_:)`` offer.
public protocol StoreReader {
    // MARK: Accounts and people

    func accounts() throws(StoreError) -> [Account]
    func account(_ address: JID) throws(StoreError) -> Account?
    /// Ordered by name, or by address where there is no name.
    func contacts(of account: AccountID) throws(StoreError) -> [StoredContact]
    func contact(_ address: JID, of account: AccountID) throws(StoreError) -> StoredContact?
    func rooms(of account: AccountID) throws(StoreError) -> [StoredRoom]
    func avatar(of address: JID, account: AccountID) throws(StoreError) -> StoredAvatar?
    /// The hashes of all avatars, for lists, which then load the data of a few.
    func avatarHashes(of account: AccountID) throws(StoreError) -> [JID: String]
    /// The avatar with this hash, whichever contact or account uses it.
    func avatar(hash: String) throws(StoreError) -> StoredAvatar?
    /// The names that people have given themselves; empty for those who are known to have given none.
    func publishedNames(of account: AccountID) throws(StoreError) -> [JID: String]
    /// The presence of contacts as last received in the session, empty if no session can be resumed; and pending
    /// subscription requests.
    func presences(of account: AccountID) throws(StoreError) -> [StoredPresence]
    /// The stored service discovery information that a capabilities hash identifies (XEP-0115 §5.4).
    func capabilities(algorithm: String, hash: String) throws(StoreError) -> [UInt8]?
    /// What is needed to resume the account's stream (XEP-0198 §5).
    func session(of account: AccountID) throws(StoreError) -> ResumptionState?

    // MARK: Conversations

    /// All conversations that are shown in the list (``Conversation/isListed``): pinned ones first, in their order, then by their last
    /// message, newest first.
    func conversations() throws(StoreError) -> [Conversation]
    func conversation(_ id: ConversationID) throws(StoreError) -> Conversation?
    func conversation(_ key: ConversationKey) throws(StoreError) -> ConversationID?
    /// Whether the user has written a message in it, on this or another device.
    func hasWritten(in conversation: ConversationID) throws(StoreError) -> Bool
    func draft(in conversation: ConversationID) throws(StoreError) -> Draft?
    /// The last message that was read on this or another device.
    func readPosition(in conversation: ConversationID) throws(StoreError) -> TimelinePosition?
    /// The first unread message of others; the unread line is shown above it.
    func firstUnread(in conversation: ConversationID) throws(StoreError) -> TimelinePosition?

    // MARK: Messages

    /// A page of a timeline, oldest first.
    func timeline(
        of conversation: ConversationID, _ anchor: TimelineAnchor, limit: Int
    ) throws(StoreError) -> [StoredMessage]
    /// Messages with files of the given kinds, newest first, with their corrections applied and without retracted ones.
    ///
    /// - Parameter position: the page ends before this position; `nil` for the newest.
    func sharedMedia(
        of conversation: ConversationID, _ kinds: Set<Attachment.Kind>, before position: TimelinePosition?, limit: Int
    ) throws(StoreError) -> [StoredMessage]
    func message(_ id: MessageID) throws(StoreError) -> StoredMessage?
    /// The delivery state of a message, or of a correction, retraction or reactions.
    func state(of message: MessageID) throws(StoreError) -> MessageState?
    /// The message that a reference identifies in a conversation.
    func message(_ target: TargetReference, in conversation: ConversationID) throws(StoreError) -> StoredMessage?
    /// All versions of a message's text, oldest first: one if it was never corrected, none if it was retracted.
    func versions(of message: MessageID) throws(StoreError) -> [MessageVersion]
    /// Messages that contain all words of the request, newest first.
    func search(_ request: SearchRequest) throws(StoreError) -> SearchResults

    // MARK: Sending

    /// All messages that wait to be sent, in the order in which they were written.
    func sendQueue(of account: AccountID) throws(StoreError) -> [QueuedMessage]
    /// The next page of the send queue.
    ///
    /// - Parameters:
    ///   - conversation: only messages of this conversation; `nil` for all.
    ///   - position: the page begins after this position.
    ///   - limit: the maximum number of queue entries to read, including those of other accounts.
    func sendQueue(
        of account: AccountID, in conversation: ConversationID?, after position: Int64, limit: Int
    ) throws(StoreError) -> SendQueuePage
    /// The entry of a message in the send queue; `nil` if it does not wait to be sent.
    func queued(_ message: MessageID) throws(StoreError) -> QueuedMessage?
    /// Those of these messages that wait to be sent.
    func queued(among messages: Set<MessageID>) throws(StoreError) -> Set<MessageID>
    /// A message of ours that the server has, as it was sent; `nil` if it was retracted, or if this device does not know its
    /// content. It is not in the queue: its position is 0.
    func sent(_ originID: String, in conversation: ConversationID) throws(StoreError) -> QueuedMessage?
    /// The content hashes of files of unsent messages: queued ones, and failed ones that can be retried. A cache must
    /// not evict them.
    func contentsToSend(of account: AccountID) throws(StoreError) -> Set<String>
    /// Our messages of that time that the server acknowledged but that nothing else confirmed, oldest first.
    func unconfirmed(
        of account: AccountID, sentIn time: ClosedRange<MessageTime>
    ) throws(StoreError) -> [StoredMessage]

    // MARK: Protection

    /// The notices of a conversation of that time, oldest first.
    func notices(
        of conversation: ConversationID, in times: ClosedRange<MessageTime>
    ) throws(StoreError) -> [StoredNotice]

    /// What the end-to-end protection of an account remembers under names with that beginning, by name.
    func protectionRecords(
        of account: AccountID, beginningWith prefix: String
    ) throws(StoreError) -> [ProtectionChange.Record]

    // MARK: Events

    /// The extent of the event log; `nil` while nothing is recorded.
    func eventLog() throws(StoreError) -> EventLog?
    /// The next entries after a position, oldest first.
    func events(after position: Int64, limit: Int) throws(StoreError) -> [StoredEvent]
    /// Ordered by name.
    func eventReaders() throws(StoreError) -> [EventReader]

    // MARK: Archives

    /// The intervals of an archive that are stored without gaps, oldest first.
    func archiveIntervals(of archive: JID, with: JID?, account: AccountID) throws(StoreError) -> [ArchiveInterval]
    /// The gaps of an archive, newest first.
    func archiveGaps(of archive: JID, with: JID?, account: AccountID) throws(StoreError) -> [ArchiveGap]
}

/// Which page of a timeline to read.
public enum TimelineAnchor: Hashable, Sendable {
    /// The newest messages.
    case newest
    /// The newest messages before a position.
    case before(TimelinePosition)
    /// The oldest messages after a position.
    case after(TimelinePosition)
    /// Half of the page before a position, the rest from this position on: for a jump to a message, a date or the
    /// unread line.
    case around(TimelinePosition)
}

/// A search for messages.
public struct SearchRequest: Hashable, Sendable {
    /// Words; a message is found if it contains all of them. Case, width and accents are ignored. A word of one or two
    /// letters matches the beginning of a word, a longer one any part of it. In Chinese and Japanese even a single
    /// character matches anywhere.
    public var text: String
    public var account: AccountID?
    public var conversation: ConversationID?
    /// The value of ``SearchResults/next`` of the previous page, to continue a search.
    public var before: MessageID?
    public var limit: Int

    public init(
        _ text: String, account: AccountID? = nil, conversation: ConversationID? = nil, before: MessageID? = nil,
        limit: Int = 50
    ) {
        self.text = text
        self.account = account
        self.conversation = conversation
        self.before = before
        self.limit = limit
    }
}

/// A page of search results.
public struct SearchResults: Hashable, Sendable {
    public let messages: [StoredMessage]
    /// The value for ``SearchRequest/before`` of the next page; `nil` on the last page.
    public let next: MessageID?

    package init(messages: [StoredMessage], next: MessageID?) {
        self.messages = messages
        self.next = next
    }
}
