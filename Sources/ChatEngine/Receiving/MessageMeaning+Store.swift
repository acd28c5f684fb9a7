internal import ChatStore

extension MessageMeaning {
    /// Stores the meaning for an account.
    ///
    /// - Returns: the event to report.
    @discardableResult
    func keep(of account: AccountID, in writer: any StoreWriter) throws(StoreError) -> HeardEvent? {
        switch self {
        case .message(let copy, let conversation):
            let key = ConversationKey(account: account, conversation)
            return heard(try writer.receive(copy, in: key), in: key)
        case .report(let report, let conversation):
            try writer.receive(report, in: ConversationKey(account: account, conversation))
        case .read(let target, let conversation):
            // A message that was read on another device does not create a conversation here.
            guard let known = try writer.conversation(ConversationKey(account: account, conversation)) else { break }
            try writer.markRead(upTo: target, in: known)
        }
        return nil
    }

    /// The meaning as an item of an archive; `nil` for a read position.
    func archived(of account: AccountID) -> ArchiveItem.Content? {
        switch self {
        case .message(let copy, let conversation):
            .message(copy, in: ConversationKey(account: account, conversation))
        case .report(let report, let conversation):
            .report(report, in: ConversationKey(account: account, conversation))
        case .read: nil
        }
    }
}
