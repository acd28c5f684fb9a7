package import XMPPAddress

/// What the rules about messages need of a store: rows and indexes, and nothing that knows a rule.
///
/// The rules stand once, in the extensions of this protocol, and so are the same in a file and in memory.
package protocol RecordStorage: AnyObject, StoreWriter {
    /// What the transaction has changed so far.
    var changes: StoreChanges { get set }

    /// When ``StorageLimits`` are looked at again; lives as long as the store is open.
    var growth: GrowthAllowance { get set }

    func address(of account: AccountID) throws(StoreError) -> JID?
    func key(of conversation: ConversationID) throws(StoreError) -> ConversationKey?

    // MARK: Rows

    func record(_ id: MessageID) throws(StoreError) -> MessageRecord?
    func record(archivedAs reference: ArchiveReference, account: AccountID) throws(StoreError) -> MessageRecord?
    /// Rows with that `id` or origin-id, oldest number first.
    func records(sentAs id: String, in conversation: ConversationID) throws(StoreError) -> [MessageRecord]
    /// Messages (no corrections and the like) strictly before a position, or the newest; newest first.
    func records(
        of conversation: ConversationID, before position: TimelinePosition?, limit: Int
    ) throws(StoreError) -> [MessageRecord]
    /// Messages strictly after a position, oldest first.
    func records(
        of conversation: ConversationID, after position: TimelinePosition, limit: Int
    ) throws(StoreError) -> [MessageRecord]
    /// Messages with a file of one of these kinds strictly before a position, or the newest; newest first.
    func records(
        of conversation: ConversationID, withMedia kinds: MediaKinds, before position: TimelinePosition?, limit: Int
    ) throws(StoreError) -> [MessageRecord]
    /// Corrections, retractions and reactions about a message, in their order.
    func annotations(of target: MessageID) throws(StoreError) -> [MessageRecord]
    /// The same for those that wait for a message.
    func waitingAnnotations(
        for reference: TargetReference, in conversation: ConversationID
    ) throws(StoreError) -> [MessageRecord]
    /// Rows of all conversations and kinds after a number, by number.
    func allRecords(after id: MessageID?, limit: Int) throws(StoreError) -> [MessageRecord]
    func attachments(of message: MessageID) throws(StoreError) -> [Attachment]
    func archiveReferences(of record: MessageRecord) throws(StoreError) -> [ArchiveReference]
    /// The first message of others after a position.
    func firstIncoming(
        of conversation: ConversationID, after position: TimelinePosition?
    ) throws(StoreError) -> TimelinePosition?
    /// The last row of ours for which a marker came, also a correction or reaction.
    func lastDisplayed(in conversation: ConversationID) throws(StoreError) -> TimelinePosition?

    /// Numbers a row and keeps it.
    func insert(_ record: MessageRecord) throws(StoreError) -> MessageID
    func update(_ record: MessageRecord, replacing old: MessageRecord) throws(StoreError)
    func delete(_ record: MessageRecord) throws(StoreError)
    /// Keeps a further name of a row that has one already.
    func add(_ reference: ArchiveReference, to record: MessageRecord) throws(StoreError)
    func save(_ attachments: [Attachment], of message: MessageID) throws(StoreError)
    /// The text by which a message is found has changed; `nil` is no text.
    func searchTextChanged(of message: MessageRecord, from old: String?, to new: String?) throws(StoreError)

    // MARK: What strangers fill

    /// All rows of a conversation, or those that wait for their message; newest first.
    func rowSizes(of conversation: ConversationID, onlyWaiting: Bool) throws(StoreError) -> [RowSize]
    /// Whether the person has never written in a conversation with one other, pinned it or begun a text there, and the other is no
    /// contact. Nobody is a stranger before the contact list is here.
    func isStranger(_ conversation: ConversationID) throws(StoreError) -> Bool
    /// The conversations for which ``isStranger(_:)`` holds; those with the newest messages first.
    func strangers(of account: AccountID) throws(StoreError) -> [ConversationID]

    // MARK: Beside the rows

    /// The latest time that a row of the conversation was ever sorted by.
    func newestOrderTime(in conversation: ConversationID) throws(StoreError) -> MessageTime?
    func noteOrderTime(_ time: MessageTime, in conversation: ConversationID) throws(StoreError)

    /// Keeps a mark, joined with one that is there for the same reference.
    func keep(_ mark: PendingMark, for reference: TargetReference, in conversation: ConversationID) throws(StoreError)
    /// Drops the marks of one kind that are older than a time, and the oldest of those that are more than a number.
    func discardMarks(
        _ kind: PendingMark.Kind, in conversation: ConversationID, before time: MessageTime, beyond count: Int
    ) throws(StoreError)
    /// Whether anything at all waits for a message that is not here: marks, or corrections and the like.
    var hasWaiting: Bool { get throws(StoreError) }
    /// Takes the marks for a reference out.
    func takeMarks(
        for reference: TargetReference, in conversation: ConversationID
    ) throws(StoreError) -> [PendingMark]
    func readMessage(in conversation: ConversationID) throws(StoreError) -> MessageID?
    func setReadMessage(_ message: MessageID?, in conversation: ConversationID) throws(StoreError)
    func intervals(of scope: ArchiveScope) throws(StoreError) -> ArchiveIntervals
    func save(_ intervals: ArchiveIntervals, of scope: ArchiveScope) throws(StoreError)
    func enqueue(_ message: MessageID) throws(StoreError)
    /// Whether the message was in the queue.
    func dequeue(_ message: MessageID) throws(StoreError) -> Bool
    func queueEntries(of account: AccountID) throws(StoreError) -> [QueueEntry]
    /// The next places of the queue, of one conversation or of all conversations of all accounts.
    func queueEntries(
        in conversation: ConversationID?, after position: Int64, limit: Int
    ) throws(StoreError) -> [QueueEntry]
    func isQueued(_ message: MessageID) throws(StoreError) -> Bool
    /// The messages of ours in the queue with that origin-id.
    func queuedRecords(originID: String, of account: AccountID) throws(StoreError) -> [MessageRecord]
    /// Messages of ours in state `.sentToServer` of that time.
    func unconfirmedRecords(
        of account: AccountID, sentIn time: ClosedRange<MessageTime>
    ) throws(StoreError) -> [MessageRecord]
}

/// Which statements about completeness belong together.
package struct ArchiveScope: Hashable, Sendable {
    package let account: AccountID
    package let archive: JID
    package let with: JID?
}

package struct QueueEntry: Equatable, Sendable {
    /// Rises along the queue.
    package let position: Int64
    package let message: MessageID
    package var attempts = 0
    package var notBefore: MessageTime?

    package init(position: Int64, message: MessageID, attempts: Int = 0, notBefore: MessageTime? = nil) {
        self.position = position
        self.message = message
        self.attempts = attempts
        self.notBefore = notBefore
    }
}

extension RecordStorage {
    package func requireKey(of conversation: ConversationID) throws(StoreError) -> ConversationKey {
        guard let key = try key(of: conversation) else {
            throw StoreError(.invalidRequest, "There is no such conversation.")
        }
        return key
    }

    package func requireRecord(_ id: MessageID) throws(StoreError) -> MessageRecord {
        guard let record = try record(id) else { throw StoreError(.invalidRequest, "There is no such message.") }
        return record
    }

    package func noteChange(of record: MessageRecord) {
        // A correction or reaction shows on the message it is about.
        let shown = record.kind == .text ? record.id : record.target
        if let shown { changes.messages[record.conversation, default: []].insert(shown) }
        changes.conversations.insert(record.conversation)
    }
}
