public import XMPPAddress
public import XMPPStream

/// What can be asked inside ``LocalStore/read(_:)`` and ``LocalStore/write(_:)``.
public protocol StoreReader {
    // MARK: Accounts and people

    func accounts() throws(StoreError) -> [Account]
    func account(_ address: JID) throws(StoreError) -> Account?
    /// By name or address.
    func contacts(of account: AccountID) throws(StoreError) -> [StoredContact]
    func contact(_ address: JID, of account: AccountID) throws(StoreError) -> StoredContact?
    func rooms(of account: AccountID) throws(StoreError) -> [StoredRoom]
    func avatar(of address: JID, account: AccountID) throws(StoreError) -> StoredAvatar?
    /// The hashes of all pictures, for lists, which load the data of few.
    func avatarHashes(of account: AccountID) throws(StoreError) -> [JID: String]
    /// The picture with that hash, whosever it is.
    func avatar(hash: String) throws(StoreError) -> StoredAvatar?
    /// Who is there, as the session has last said, empty where there is none to resume; and who asks to be let see.
    func presences(of account: AccountID) throws(StoreError) -> [StoredPresence]
    /// The service discovery information that a capabilities hash stands for (XEP-0115 §5.4), as it was saved.
    func capabilities(algorithm: String, hash: String) throws(StoreError) -> [UInt8]?
    /// What is needed to resume the account's stream (XEP-0198 §5).
    func session(of account: AccountID) throws(StoreError) -> ResumptionState?

    // MARK: Conversations

    /// All conversations in which there is something to show (``Conversation/isListed``): pinned before others, then by their last
    /// message, newest first.
    func conversations() throws(StoreError) -> [Conversation]
    func conversation(_ id: ConversationID) throws(StoreError) -> Conversation?
    func conversation(_ key: ConversationKey) throws(StoreError) -> ConversationID?
    /// Whether the person has written something in it, here or on another device.
    func hasWritten(in conversation: ConversationID) throws(StoreError) -> Bool
    func draft(in conversation: ConversationID) throws(StoreError) -> Draft?
    /// The last message that was read here or on another device.
    func readPosition(in conversation: ConversationID) throws(StoreError) -> TimelinePosition?
    /// The first message of others that was not read: above it stands the unread line.
    func firstUnread(in conversation: ConversationID) throws(StoreError) -> TimelinePosition?

    // MARK: Messages

    /// A page of a timeline, oldest first.
    func timeline(
        of conversation: ConversationID, _ anchor: TimelineAnchor, limit: Int
    ) throws(StoreError) -> [StoredMessage]
    /// Messages with files of some kinds, newest first: as their corrections have left them, and none that was taken back.
    ///
    /// - Parameter position: where the page begins, strictly before it; `nil` for the newest.
    func sharedMedia(
        of conversation: ConversationID, _ kinds: Set<Attachment.Kind>, before position: TimelinePosition?, limit: Int
    ) throws(StoreError) -> [StoredMessage]
    func message(_ id: MessageID) throws(StoreError) -> StoredMessage?
    /// The message that a reference means, in a conversation.
    func message(_ target: TargetReference, in conversation: ConversationID) throws(StoreError) -> StoredMessage?
    /// All texts that a message has had, the first one first; one if it was never corrected, none if it was retracted.
    func versions(of message: MessageID) throws(StoreError) -> [MessageVersion]
    /// Messages with all words of the request in them, newest first.
    func search(_ request: SearchRequest) throws(StoreError) -> SearchResults

    // MARK: Sending

    /// What waits to be sent, in the order in which it was written.
    func sendQueue(of account: AccountID) throws(StoreError) -> [QueuedMessage]
    /// The next of what waits to be sent; what was read before is not read again.
    ///
    /// - Parameters:
    ///   - conversation: reads what waits there alone; `nil` reads what waits in all.
    ///   - position: the page begins behind it.
    ///   - limit: how many places of the queue are looked at, those of other accounts included.
    func sendQueue(
        of account: AccountID, in conversation: ConversationID?, after position: Int64, limit: Int
    ) throws(StoreError) -> SendQueuePage
    /// Which of these messages wait to be sent.
    func queued(among messages: Set<MessageID>) throws(StoreError) -> Set<MessageID>
    /// The content hashes of files whose messages are not with the server: queued, or failed and not given up. A cache must
    /// not let go of them.
    func contentsToSend(of account: AccountID) throws(StoreError) -> Set<String>
    /// Messages of ours that the server acknowledged and nobody confirmed, of that time, oldest first.
    func unconfirmed(
        of account: AccountID, sentIn time: ClosedRange<MessageTime>
    ) throws(StoreError) -> [StoredMessage]

    // MARK: Archives

    /// What is here of an archive without a hole, oldest first.
    func archiveIntervals(of archive: JID, with: JID?, account: AccountID) throws(StoreError) -> [ArchiveInterval]
    /// What is missing, newest first.
    func archiveGaps(of archive: JID, with: JID?, account: AccountID) throws(StoreError) -> [ArchiveGap]
}

/// Where a page of a timeline stands.
public enum TimelineAnchor: Hashable, Sendable {
    /// The newest messages.
    case newest
    /// The newest messages before a position.
    case before(TimelinePosition)
    /// The oldest messages after a position.
    case after(TimelinePosition)
    /// Half of the page before a position, the rest from it on: for a jump to a message, a date or the unread line.
    case around(TimelinePosition)
}

/// What to search for.
public struct SearchRequest: Hashable, Sendable {
    /// Words; a message is found when all of them are in it. Case, width and the accents of letters do not count. A word
    /// of one or two letters is found at the beginnings of words, every other word anywhere, Chinese and Japanese
    /// characters too, down to one.
    public var text: String
    public var account: AccountID?
    public var conversation: ConversationID?
    /// Continues an earlier search: its `next`.
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

/// A page of what was found.
public struct SearchResults: Hashable, Sendable {
    public let messages: [StoredMessage]
    /// Give it to the next request for older ones; `nil` where there are none.
    public let next: MessageID?

    package init(messages: [StoredMessage], next: MessageID?) {
        self.messages = messages
        self.next = next
    }
}
