public import ChatStore
public import XMPPAddress

/// A change of the encryption of a conversation, or an answer of the contact, as a row of its timeline.
public struct TimelineNotice: Identifiable, Hashable, Sendable {
    public let id: Int64
    public let time: MessageTime
    public let kind: ConversationNotice.Kind
    /// The account with the new key, or the contact that answered, and its name; `nil` where the notice is about neither.
    public let address: JID?
    public let name: String?
    /// Whether the new key is one of our own account.
    public let isOwn: Bool
    /// The number of the device that has the key.
    public let device: UInt32?

    init(_ stored: StoredNotice, book: AddressBook, in key: ConversationKey) {
        id = stored.id
        time = stored.notice.time
        kind = stored.notice.kind
        address = stored.notice.kind.isAnswer ? key.address : stored.notice.key?.address
        // In a room the book names occupants.
        name = address.map { key.kind == .direct ? book.author($0, in: key) : $0.description }
        isOwn = address.map { book.accounts[key.account]?.address == $0.bare } ?? false
        device = stored.notice.key?.device
    }
}
