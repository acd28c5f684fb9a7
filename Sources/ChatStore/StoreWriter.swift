public import XMPPAddress
public import XMPPStream

/// The changes that ``LocalStore/write(_:)`` offers.
public protocol StoreWriter: StoreReader {
    // MARK: Accounts and people

    /// The number of an account; a new account is added.
    func addAccount(_ address: JID) throws(StoreError) -> AccountID
    func update(_ account: Account) throws(StoreError)
    /// Records that this device was online at a time. An earlier time than the recorded one is ignored.
    func noteOnline(_ account: AccountID, at time: MessageTime) throws(StoreError)
    /// Removes an account and everything that belongs to it.
    func removeAccount(_ account: AccountID) throws(StoreError)
    func save(_ contact: StoredContact, of account: AccountID) throws(StoreError)
    func removeContact(_ address: JID, of account: AccountID) throws(StoreError)
    /// Replaces all contacts by the complete roster of the server.
    func replaceContacts(_ contacts: [StoredContact], version: String?, of account: AccountID) throws(StoreError)
    func save(_ room: StoredRoom, of account: AccountID) throws(StoreError)
    func removeRoom(_ address: JID, of account: AccountID) throws(StoreError)
    /// - Parameter avatar: `nil` if the contact has none any more.
    func saveAvatar(_ avatar: StoredAvatar?, of address: JID, account: AccountID) throws(StoreError)
    /// - Parameter name: empty if the contact has none; `nil` if that is not known any more.
    func savePublishedName(_ name: String?, of address: JID, account: AccountID) throws(StoreError)
    func savePresence(_ presence: StoredPresence, of account: AccountID) throws(StoreError)
    /// A bare address removes the presence of all devices of that address.
    func removePresence(_ kind: StoredPresence.Kind, of address: JID, account: AccountID) throws(StoreError)
    /// Removes all of one kind, because their session has ended.
    func removePresences(_ kind: StoredPresence.Kind, of account: AccountID) throws(StoreError)
    func saveCapabilities(_ information: [UInt8], algorithm: String, hash: String) throws(StoreError)
    /// Must be in the same transaction as the messages that the state counts as handled.
    func saveSession(_ state: ResumptionState?, of account: AccountID) throws(StoreError)

    // MARK: Conversations

    /// The number of a conversation; a new conversation is added.
    func openConversation(_ key: ConversationKey) throws(StoreError) -> ConversationID
    func update(_ settings: ConversationSettings, of conversation: ConversationID) throws(StoreError)
    /// Notes when the user has begun a conversation.
    func noteBeginning(of conversation: ConversationID, at time: MessageTime) throws(StoreError)
    /// Removes a conversation with its messages from this device.
    func removeConversation(_ conversation: ConversationID) throws(StoreError)
    func saveDraft(_ draft: Draft?, in conversation: ConversationID) throws(StoreError)
    /// Moves the read position forward to a message; if the message is not stored yet, as soon as it arrives.
    func markRead(upTo target: TargetReference, in conversation: ConversationID) throws(StoreError)
    /// Moves the read position forward to a message that was read on this device, and removes the mark of
    /// ``setMarkedUnread(_:in:)``.
    func markRead(upTo message: MessageID) throws(StoreError)
    /// Marks a conversation as unread, or removes the mark; independent of the read position.
    func setMarkedUnread(_ isMarked: Bool, in conversation: ConversationID) throws(StoreError)

    // MARK: Messages

    /// Stores one copy of a message.
    func receive(_ copy: MessageCopy, in key: ConversationKey) throws(StoreError) -> Reception
    /// Stores a receipt, marker or error for one of our messages. A report that is not from its recipient is ignored.
    func receive(_ report: StateReport, in key: ConversationKey) throws(StoreError)
    /// Stores a page of an archive: its items, their order, and the interval that it proves to be complete.
    func receive(_ page: StoredArchivePage, account: AccountID) throws(StoreError)
    /// Removes the intervals of an archive, because the archive does not know their items any more (`item-not-found`).
    func forgetIntervals(of archive: JID, account: AccountID) throws(StoreError)
    func update(_ attachment: Attachment, at index: Int, of message: MessageID) throws(StoreError)
    /// Notes how a message of ours is sealed, and which devices cannot open it.
    func noteProtection(
        _ protection: MessageProtection, unreadable: [ProtectionError.Recipient], of message: MessageID
    ) throws(StoreError)
    /// Belongs in the same transaction as the message whose opening or sealing has made the change, after it: its notices
    /// are only stored in conversations that exist.
    func save(_ change: ProtectionChange, of account: AccountID) throws(StoreError)
    /// Adds an answer of a contact to the timeline of its conversation, which is opened if there is none.
    ///
    /// That a contact ended it is told once until another answer follows: a server that says it a hundred times would
    /// push the notices about keys out of the timeline.
    func note(_ answer: ConversationNotice, of account: AccountID) throws(StoreError)
    /// Removes a message from this device. It is stored again if an archive sends it again.
    func removeMessage(_ message: MessageID) throws(StoreError)

    // MARK: Sending

    /// Stores a message and adds it to the end of the send queue.
    func send(_ message: OutgoingMessage, in key: ConversationKey) throws(StoreError) -> MessageID
    /// Moves the state of one of our messages forward; a message that the server has, or that has failed, leaves the
    /// queue.
    func advance(_ message: MessageID, to state: MessageState) throws(StoreError)
    /// Records that the server has received the messages with these origin-ids (XEP-0198). Messages to rooms are
    /// ignored: only the copy that the room sends back proves that the room accepted the message.
    func acknowledge(_ originIDs: Set<String>, of account: AccountID) throws(StoreError)
    /// Records that a message was passed to the stream, and when the next attempt is allowed at the earliest.
    func noteAttempt(_ message: MessageID, notBefore: MessageTime?) throws(StoreError)
    /// Ends the backoffs of the queue: what failed temporarily is tried at once, and the next backoff is short again.
    func endBackoffs(of account: AccountID) throws(StoreError)
    /// Adds a message to the queue again, because it failed or its acknowledgement proved wrong: to the end, but before
    /// the messages of its conversation that were written after it. It keeps its origin-id, so that no second copy is
    /// shown.
    func sendAgain(_ message: MessageID) throws(StoreError)
    /// Removes an unsent message from the queue and the timeline.
    func cancel(_ message: MessageID) throws(StoreError)

    // MARK: Events

    /// The reader with this name; a new one begins at the end of the log. The first reader begins the recording of events.
    ///
    /// - Throws: `invalidRequest` if there are ``EventLog/readerLimit`` others.
    func addEventReader(_ name: String, at time: MessageTime) throws(StoreError) -> EventReader
    /// Records that a reader has handled all events up to a position. Entries that all readers have handled are removed.
    ///
    /// - Throws: `invalidRequest` if there is no such reader or no such position yet.
    func acknowledgeEvents(upTo position: Int64, by reader: String) throws(StoreError)
    /// Forgets a reader. Without readers nothing is recorded.
    func removeEventReader(_ name: String) throws(StoreError)
}

/// The result of storing a copy of a message.
public enum Reception: Hashable, Sendable {
    /// The message was new.
    case stored(MessageID)
    /// The message was known; it was updated with what only this copy contained.
    case known(MessageID)
    /// The correction, retraction or reaction refers to a message that is not stored yet, or that its author may not
    /// change. It is hidden until a message arrives to which it may be applied.
    case waiting(MessageID)

    /// The number of the message, or of the correction, reaction or retraction.
    public var id: MessageID {
        switch self {
        case .stored(let id), .known(let id), .waiting(let id): id
        }
    }
}
