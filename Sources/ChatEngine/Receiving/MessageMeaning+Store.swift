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
            guard try writer.concernsSomething(copy, in: key) else { break }
            return heard(try writer.receive(copy, in: key), in: key)
        case .report(let report, let conversation):
            let key = ConversationKey(account: account, conversation)
            try writer.receive(report, in: key)
            return .report(report, in: key)
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

extension StoreReader {
    /// Whether a copy brings a message, or more about one that is here. One more copy of a message that was decrypted before, under other
    /// identifiers, brings nothing: a repeated message does not become a second one.
    func concernsSomething(_ copy: MessageCopy, in key: ConversationKey) throws(StoreError) -> Bool {
        guard case .notOpened(_, ProtectionError.Code.repeated.rawValue) = copy.protection else { return true }
        guard let conversation = try conversation(key) else { return false }
        let names = copy.archiveReferences.map { TargetReference.archived($0) }
        let own = [copy.originID, copy.wireID].compactMap { $0.map { TargetReference.sent(id: $0) } }
        for name in names + own where try message(name, in: conversation) != nil { return true }
        return false
    }
}
