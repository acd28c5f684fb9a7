public import ChatEngine
public import ChatStore

/// What the models ask of the account that a conversation belongs to. `ChatAccount` does it; tests give another.
public protocol ConversationActions: Sendable {
    /// Keeps a message for sending; it goes out when it can.
    func send(_ content: MessageContent, in key: ConversationKey) async throws(StoreError) -> MessageID
    /// Sends a message again that failed.
    func retry(_ message: MessageID) async throws(StoreError)
    /// Takes back a message that did not leave.
    func cancel(_ message: MessageID) async throws(StoreError)
    /// This conversation is in front of the person; its history comes first.
    func opened(_ key: ConversationKey?) async
    /// Asks the archive for one page before what is here.
    func loadOlder(in key: ConversationKey) async -> OlderHistory
    /// Remembers up to where was read, and tells those who shall know.
    func markRead(upTo message: MessageID, in key: ConversationKey) async throws(StoreError)
    /// Tells the other side that this person is writing, or is not any more.
    func setComposing(_ isComposing: Bool, in key: ConversationKey) async
}
