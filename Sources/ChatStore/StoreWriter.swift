public import XMPPAddress
public import XMPPStream

/// What can be changed inside ``LocalStore/write(_:)``.
public protocol StoreWriter: StoreReader {
    // MARK: Accounts and people

    /// The number of an account, which is made if it is new.
    func addAccount(_ address: JID) throws(StoreError) -> AccountID
    func update(_ account: Account) throws(StoreError)
    /// Notes that this device was online at a time; earlier than what is known changes nothing.
    func noteOnline(_ account: AccountID, at time: MessageTime) throws(StoreError)
    /// Removes an account and everything that belongs to it.
    func removeAccount(_ account: AccountID) throws(StoreError)
    func save(_ contact: StoredContact, of account: AccountID) throws(StoreError)
    func removeContact(_ address: JID, of account: AccountID) throws(StoreError)
    /// Replaces all contacts by a complete list of the server's.
    func replaceContacts(_ contacts: [StoredContact], version: String?, of account: AccountID) throws(StoreError)
    func save(_ room: StoredRoom, of account: AccountID) throws(StoreError)
    func removeRoom(_ address: JID, of account: AccountID) throws(StoreError)
    /// `nil` for one who has no picture any more.
    func saveAvatar(_ avatar: StoredAvatar?, of address: JID, account: AccountID) throws(StoreError)
    func savePresence(_ presence: StoredPresence, of account: AccountID) throws(StoreError)
    /// A bare address stands for all devices of somebody.
    func removePresence(_ kind: StoredPresence.Kind, of address: JID, account: AccountID) throws(StoreError)
    /// The session that they belong to is over.
    func removePresences(_ kind: StoredPresence.Kind, of account: AccountID) throws(StoreError)
    func saveCapabilities(_ information: [UInt8], algorithm: String, hash: String) throws(StoreError)
    /// Belongs in the same transaction as the messages that the state counts as handled.
    func saveSession(_ state: ResumptionState?, of account: AccountID) throws(StoreError)

    // MARK: Conversations

    /// The number of a conversation, which is made if it is new.
    func openConversation(_ key: ConversationKey) throws(StoreError) -> ConversationID
    func update(_ settings: ConversationSettings, of conversation: ConversationID) throws(StoreError)
    /// Removes a conversation with its messages from this device.
    func removeConversation(_ conversation: ConversationID) throws(StoreError)
    func saveDraft(_ draft: Draft?, in conversation: ConversationID) throws(StoreError)
    /// Moves the read position forward to a message; a message that is not here yet is waited for.
    func markRead(upTo target: TargetReference, in conversation: ConversationID) throws(StoreError)
    /// A person has read up to this message, here: also ends what ``setMarkedUnread(_:in:)`` began.
    func markRead(upTo message: MessageID) throws(StoreError)
    /// Shows a conversation as unread, or not any more, whatever the read position.
    func setMarkedUnread(_ isMarked: Bool, in conversation: ConversationID) throws(StoreError)

    // MARK: Messages

    /// Takes in one sighting of a message.
    func receive(_ copy: MessageCopy, in key: ConversationKey) throws(StoreError) -> Reception
    /// Takes in what somebody says about a message of ours; what is said by others than its recipient is not believed.
    func receive(_ report: StateReport, in key: ConversationKey) throws(StoreError)
    /// Takes in an answer of an archive: its items, their order, and what it proves to be complete.
    func receive(_ page: StoredArchivePage, account: AccountID) throws(StoreError)
    /// Forgets what is proved complete, because the archive no longer knows the items (`item-not-found`).
    func forgetIntervals(of archive: JID, account: AccountID) throws(StoreError)
    func update(_ attachment: Attachment, at index: Int, of message: MessageID) throws(StoreError)
    /// Notes how a message of ours is sealed.
    func noteProtection(_ protection: MessageProtection, of message: MessageID) throws(StoreError)
    /// Belongs in the same transaction as the message whose opening or sealing has made the change.
    func save(_ change: ProtectionChange, of account: AccountID) throws(StoreError)
    /// Removes a message from this device. It comes back if an archive sends it again.
    func removeMessage(_ message: MessageID) throws(StoreError)

    // MARK: Sending

    /// Keeps a message and puts it at the end of the send queue.
    func send(_ message: OutgoingMessage, in key: ConversationKey) throws(StoreError) -> MessageID
    /// Moves a message of ours forward; what the server has, or what failed, leaves the queue.
    func advance(_ message: MessageID, to state: MessageState) throws(StoreError)
    /// Notes that the server has messages with these origin-ids (XEP-0198). For one to a room that says nothing: only what the room
    /// sends back proves that it was said there.
    func acknowledge(_ originIDs: Set<String>, of account: AccountID) throws(StoreError)
    /// Notes that a message was given to the stream, and before when not to do so again.
    func noteAttempt(_ message: MessageID, notBefore: MessageTime?) throws(StoreError)
    /// Puts a message at the end of the queue again: one that failed, or one whose acknowledgement proved wrong. It
    /// keeps its origin-id, so that no copy of it is shown twice.
    func sendAgain(_ message: MessageID) throws(StoreError)
    /// Takes a message back that did not leave: out of the queue and out of the timeline.
    func cancel(_ message: MessageID) throws(StoreError)
}
