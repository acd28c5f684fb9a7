package import XMPPAddress

/// What the rules about messages need of a store: rows and indexes, without any rules.
///
/// The rules exist once, in the extensions of this protocol, and so are the same in a file and in memory.
package protocol RecordStorage: AnyObject, StoreWriter {
    /// The changes of the transaction so far.
    var changes: StoreChanges { get set }

    /// The events of the transaction so far.
    var events: EventDraft { get set }

    /// Asks the ``GrowthAllowance``, which exists as long as the store is open. No property: each change of one that is
    /// read and written again would copy its table.
    func needsRecount(_ place: GrowthAllowance.Place, adding amount: Int, every interval: Int) -> Bool

    func address(of account: AccountID) throws(StoreError) -> JID?
    func key(of conversation: ConversationID) throws(StoreError) -> ConversationKey?

    // MARK: Rows

    func record(_ id: MessageID) throws(StoreError) -> MessageRecord?
    func record(archivedAs reference: ArchiveReference, account: AccountID) throws(StoreError) -> MessageRecord?
    /// Rows with this `id` or origin-id, lowest number first.
    func records(sentAs id: String, in conversation: ConversationID) throws(StoreError) -> [MessageRecord]
    /// Messages, without corrections, retractions and reactions, strictly before a position, or the newest; newest
    /// first.
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
    /// Corrections, retractions and reactions of a message, in their order.
    func annotations(of target: MessageID) throws(StoreError) -> [MessageRecord]
    /// The same for those that wait for their message.
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
    /// The last of our rows for which a marker arrived, including corrections and reactions.
    func lastDisplayed(in conversation: ConversationID) throws(StoreError) -> TimelinePosition?

    /// Assigns a number to a row and stores it.
    func insert(_ record: MessageRecord) throws(StoreError) -> MessageID
    func update(_ record: MessageRecord, replacing old: MessageRecord) throws(StoreError)
    func delete(_ record: MessageRecord) throws(StoreError)
    /// Stores a further archive id of a row.
    func add(_ reference: ArchiveReference, to record: MessageRecord) throws(StoreError)
    func save(_ attachments: [Attachment], of message: MessageID) throws(StoreError)
    /// The text under which a message is found has changed; `nil` means no text.
    func searchTextChanged(of message: MessageRecord, from old: String?, to new: String?) throws(StoreError)

    // MARK: Limits

    /// All rows of a conversation, or only those that wait for their message; newest first.
    func rowSizes(of conversation: ConversationID, onlyWaiting: Bool) throws(StoreError) -> [RowSize]
    /// Whether the user has never written in the conversation, did not pin it and has no draft in it, and the peer is
    /// no contact. Before the roster is known, no conversation counts as one with a stranger.
    func isStranger(_ conversation: ConversationID) throws(StoreError) -> Bool
    /// The conversations for which ``isStranger(_:)`` is true; those with the newest messages first.
    func strangers(of account: AccountID) throws(StoreError) -> [ConversationID]

    // MARK: Other data

    /// Stores a notice, and removes the oldest ones above a number.
    func add(_ notice: ConversationNotice, to conversation: ConversationID, limit: Int) throws(StoreError)

    /// The latest sort time that a row of the conversation ever had.
    func newestOrderTime(in conversation: ConversationID) throws(StoreError) -> MessageTime?
    func noteOrderTime(_ time: MessageTime, in conversation: ConversationID) throws(StoreError)

    /// Stores a mark, merged with an existing one for the same reference.
    func keep(_ mark: PendingMark, for reference: TargetReference, in conversation: ConversationID) throws(StoreError)
    /// Removes the marks of one kind that are older than a time, and the oldest ones above a number.
    func discardMarks(
        _ kind: PendingMark.Kind, in conversation: ConversationID, before time: MessageTime, beyond count: Int
    ) throws(StoreError)
    /// Whether any marks, corrections, retractions or reactions wait for their message.
    var hasWaiting: Bool { get throws(StoreError) }
    /// Removes and returns the marks for a reference.
    func takeMarks(
        for reference: TargetReference, in conversation: ConversationID
    ) throws(StoreError) -> [PendingMark]
    func readMessage(in conversation: ConversationID) throws(StoreError) -> MessageID?
    func setReadMessage(_ message: MessageID?, in conversation: ConversationID) throws(StoreError)
    func intervals(of scope: ArchiveScope) throws(StoreError) -> ArchiveIntervals
    func save(_ intervals: ArchiveIntervals, of scope: ArchiveScope) throws(StoreError)
    /// Adds an entry to the end of the queue; its position is not used.
    func enqueue(_ entry: QueueEntry) throws(StoreError)
    /// - Returns: whether the message was in the queue.
    func dequeue(_ message: MessageID) throws(StoreError) -> Bool
    func queueEntries(of account: AccountID) throws(StoreError) -> [QueueEntry]
    /// The next entries of the queue, of one conversation or of all conversations of all accounts.
    func queueEntries(
        in conversation: ConversationID?, after position: Int64, limit: Int
    ) throws(StoreError) -> [QueueEntry]
    func queueEntry(of message: MessageID) throws(StoreError) -> QueueEntry?
    /// Our messages in the queue with this origin-id.
    func queuedRecords(originID: String, of account: AccountID) throws(StoreError) -> [MessageRecord]
    /// Our messages in state `.sentToServer` of that time.
    func unconfirmedRecords(
        of account: AccountID, sentIn time: ClosedRange<MessageTime>
    ) throws(StoreError) -> [MessageRecord]
}

/// The scope in which intervals of an archive can be joined.
package struct ArchiveScope: Hashable, Sendable {
    package let account: AccountID
    package let archive: JID
    package let with: JID?
}

package struct QueueEntry: Equatable, Sendable {
    /// Increases along the queue.
    package let position: Int64
    package let message: MessageID
    package var attempts = 0
    package var notBefore: MessageTime?

    package init(position: Int64 = 0, message: MessageID, attempts: Int = 0, notBefore: MessageTime? = nil) {
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
        // A correction or reaction changes the message that it refers to.
        let shown = record.kind == .text ? record.id : record.target
        if let shown {
            changes.messages[record.conversation, default: []].insert(shown)
            events.messageChanged(shown, in: record.conversation)
        }
        changes.conversations.insert(record.conversation)
    }
}
