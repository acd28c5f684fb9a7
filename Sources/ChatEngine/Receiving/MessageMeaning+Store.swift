internal import ChatStore

extension MessageMeaning {
    /// Stores it for an account.
    func keep(of account: AccountID, in writer: any StoreWriter) throws(StoreError) {
        switch self {
        case .message(let copy, let conversation):
            _ = try writer.receive(copy, in: ConversationKey(account: account, conversation))
        case .report(let report, let conversation):
            try writer.receive(report, in: ConversationKey(account: account, conversation))
        case .read(let target, let conversation):
            // What was read elsewhere opens no conversation here.
            guard let known = try writer.conversation(ConversationKey(account: account, conversation)) else { return }
            try writer.markRead(upTo: target, in: known)
        }
    }

    /// The same, as an item of an archive; a read position is none.
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
