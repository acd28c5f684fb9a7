extension RecordStorage {
    package func noteProtection(
        _ protection: MessageProtection, unreadable: [ProtectionError.Recipient], of message: MessageID
    ) throws(StoreError) {
        let old = try requireRecord(message)
        var record = old
        (record.protection, record.unreadable) = (protection, unreadable)
        guard record != old else { return }
        try update(record, replacing: old)
        noteChange(of: record)
    }

    /// A copy that could be opened takes the place of one that could not, or that was in clear.
    ///
    /// - Returns: the row with the new text; `nil` if the copy turned out to be no message but a change of another one, so that there is no
    ///   row any more.
    func open(_ known: MessageRecord, with copy: inout MessageCopy) throws(StoreError) -> MessageRecord? {
        guard case .text = copy.content else {
            for name in try archiveReferences(of: known) where !copy.archiveReferences.contains(name) {
                copy.archiveReferences.append(name)
            }
            try remove(known)
            return nil
        }
        var record = known
        record.take(copy.content)
        record.protection = copy.protection
        let attachments = copy.content.text?.attachments ?? []
        record.take(attachments)
        let oldText = try searchText(of: known)
        try update(record, replacing: known)
        if record.hasAttachments { try save(attachments, of: record.id) }
        let newText = try searchText(of: record)
        if oldText != newText { try searchTextChanged(of: record, from: oldText, to: newText) }
        noteChange(of: record)
        return record
    }

    /// Stores notices in the conversations that exist.
    package func keep(_ notices: [ConversationNotice], of account: AccountID) throws(StoreError) {
        for notice in notices {
            guard let conversation = try conversation(ConversationKey(account: account, notice.conversation)) else {
                continue
            }
            try add(notice, to: conversation, limit: StorageLimits.notices)
            changes.conversations.insert(conversation)
        }
    }
}

extension RecordStorage {
    package func note(_ answer: ConversationNotice, of account: AccountID) throws(StoreError) {
        let conversation = try openConversation(ConversationKey(account: account, answer.conversation))
        if answer.kind == .contactEnded {
            let last = try notices(of: conversation, in: .allTime).last { $0.notice.kind.isAnswer }
            if last?.notice.kind == .contactEnded { return }
        }
        try add(answer, to: conversation, limit: StorageLimits.notices)
        changes.conversations.insert(conversation)
    }
}

extension MessageProtection {
    /// That of a message whose text is here, because this device has written it.
    var ofSentMessage: MessageProtection {
        guard case .notOpened(let scheme?, _) = self else { return self }
        return .encrypted(scheme: scheme, device: nil, trust: .verified)
    }
}
