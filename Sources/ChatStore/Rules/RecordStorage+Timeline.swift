internal import XMPPAddress

extension RecordStorage {
    package func timeline(
        of conversation: ConversationID, _ anchor: TimelineAnchor, limit: Int
    ) throws(StoreError) -> [StoredMessage] {
        guard limit > 0 else { return [] }
        switch anchor {
        case .newest: return try assemble(records(of: conversation, before: nil, limit: limit).reversed())
        case .before(let position):
            return try assemble(records(of: conversation, before: position, limit: limit).reversed())
        case .after(let position): return try assemble(records(of: conversation, after: position, limit: limit))
        case .around(let position):
            let older = try records(of: conversation, before: position, limit: limit / 2)
            var page = Array(older.reversed())
            if let middle = try record(position.id), middle.position == position, middle.conversation == conversation {
                page.append(middle)
            }
            page += try records(of: conversation, after: position, limit: limit - page.count)
            return try assemble(page)
        }
    }

    package func sharedMedia(
        of conversation: ConversationID, _ kinds: Set<Attachment.Kind>, before position: TimelinePosition?, limit: Int
    ) throws(StoreError) -> [StoredMessage] {
        guard limit > 0, !kinds.isEmpty else { return [] }
        return try assemble(
            records(of: conversation, withMedia: MediaKinds(kinds), before: position, limit: limit))
    }

    package func message(_ id: MessageID) throws(StoreError) -> StoredMessage? {
        guard let record = try record(id), record.kind == .text else { return nil }
        return try assemble([record]).first
    }

    package func state(of message: MessageID) throws(StoreError) -> MessageState? {
        guard let record = try record(message) else { return nil }
        return record.kind == .text ? try self.message(message)?.state : record.state
    }

    package func message(_ target: TargetReference, in conversation: ConversationID) throws(StoreError)
        -> StoredMessage?
    {
        let key = try requireKey(of: conversation)
        for record in try records(for: target, in: conversation, account: key.account)
        where record.conversation == conversation {
            if record.kind == .text { return try assemble([record]).first }
            if record.kind == .correction, let target = record.target { return try message(target) }
        }
        return nil
    }

    /// The messages of rows, as they are shown.
    package func assemble(_ records: [MessageRecord]) throws(StoreError) -> [StoredMessage] {
        var displayed: [ConversationID: TimelinePosition?] = [:]
        var messages: [StoredMessage] = []
        messages.reserveCapacity(records.count)
        for record in records {
            var position: TimelinePosition?
            if record.isOutgoing {
                if let known = displayed[record.conversation] {
                    position = known
                } else {
                    position = try lastDisplayed(in: record.conversation)
                    displayed[record.conversation] = .some(position)
                }
            }
            messages.append(try assemble(record, displayed: position))
        }
        return messages
    }

    func assemble(_ record: MessageRecord, displayed: TimelinePosition?) throws(StoreError) -> StoredMessage {
        var edit: MessageRecord?
        if let id = record.currentEdit, !record.isRetracted { edit = try self.record(id) }
        var state = record.state
        // A marker applies to all messages before it (XEP-0333 §4.1), but only to delivered ones: a server can lose a
        // message that it acknowledged, and a message without archive id and receipt is looked for and sent again.
        if let displayed, record.position <= displayed,
            state == .delivered || state == .sentToServer && record.archiveReference != nil
        {
            state = .displayed
        }
        var text = try ownText(of: record)
        if let edit {
            let edited = try ownText(of: edit)
            text.body = edited.body
            if let subject = edited.subject { text.subject = subject }
            text.link = edited.link
            if !edited.attachments.isEmpty { text.attachments = edited.attachments }
        }
        return StoredMessage(
            id: record.id, conversation: record.conversation, position: record.position, time: record.time,
            timeSource: record.timeSource, sender: record.sender, occupantID: record.occupantID,
            isOutgoing: record.isOutgoing, wireID: record.wireID, originID: record.originID,
            archiveReference: record.archiveReference, text: text, state: state, editTime: edit?.time,
            isRetracted: record.isRetracted, reactions: record.hasReactions ? try reactions(to: record.id) : [],
            protection: edit?.protection ?? record.protection, unreadable: edit?.unreadable ?? record.unreadable,
            receipts: edit?.receipts ?? record.receipts)
    }

    func ownText(of record: MessageRecord) throws(StoreError) -> MessageText {
        MessageText(
            record.body ?? "", subject: record.subject, thread: record.thread, reply: record.reply,
            attachments: record.hasAttachments ? try attachments(of: record.id) : [], link: record.link)
    }

    /// The latest reactions of each sender. Of our own, those that came back do not count: the ones before them are valid again
    /// (XEP-0444 §3.3).
    private func reactions(to message: MessageID) throws(StoreError) -> [Reaction] {
        var latest: [(author: MessageRecord, emojis: [String])] = []
        guard let conversation = try record(message)?.conversation else { return [] }
        let kind = try requireKey(of: conversation).kind
        for record in try annotations(of: message) where record.kind == .reactions && !record.hasFailed {
            let origin = record.origin(in: kind)
            latest.removeAll { origin.replacesReactions(of: $0.author.origin(in: kind)) }
            latest.append((record, record.emojis))
        }
        let reactions = latest.flatMap { entry in
            let sender = kind == .direct ? entry.author.sender.bare : entry.author.sender
            return entry.emojis.map { Reaction(emoji: $0, sender: sender, isOutgoing: entry.author.isOutgoing) }
        }
        return Set(reactions).sorted()
    }

    // MARK: Removing

    package func removeMessage(_ message: MessageID) throws(StoreError) {
        let record = try requireRecord(message)
        // A failed message is not in the queue, but its files are needed for another attempt.
        if try dequeue(record.id) || record.isOutgoing && record.state.code < MessageState.sentToServer.code {
            changes.sendQueue = true
        }
        try remove(record)
    }

    func remove(_ record: MessageRecord) throws(StoreError) {
        if record.isOutgoing, record.hasAttachments { changes.contentsToSend = true }
        if record.kind == .text {
            try searchTextChanged(of: record, from: searchText(of: record), to: nil)
            for annotation in try annotations(of: record.id) {
                if try dequeue(annotation.id) { changes.sendQueue = true }
                if annotation.isOutgoing, annotation.hasAttachments { changes.contentsToSend = true }
                try delete(annotation)
            }
            if try readMessage(in: record.conversation) == record.id {
                let previous = try records(of: record.conversation, before: record.position, limit: 1).first
                try setReadMessage(previous?.id, in: record.conversation)
            }
        }
        let target = record.target
        noteChange(of: record)
        if record.kind == .text { events.messageRemoved(record.id, in: try requireKey(of: record.conversation)) }
        if target == nil {
            try delete(record)
        } else if let target {
            // The indexed text is read before the row is removed.
            let old = try self.record(target)
            let oldText = try old.map { record throws(StoreError) in try searchText(of: record) } ?? nil
            try delete(record)
            if let old, old.currentEdit == record.id {
                var cleared = old
                cleared.currentEdit = nil
                try update(cleared, replacing: old)
                try searchTextChanged(of: cleared, from: oldText, to: cleared.body)
            }
            try refresh(target)
        }
    }

    package func update(_ attachment: Attachment, at index: Int, of message: MessageID) throws(StoreError) {
        let record = try requireRecord(message)
        var (list, owner) = try shownAttachments(of: record)
        guard list.indices.contains(index) else {
            throw StoreError(.invalidRequest, "The message has no attachment number \(index).")
        }
        list[index] = attachment
        try save(list, of: owner)
        if record.isOutgoing { changes.contentsToSend = true }
        var changed = record
        changed.media = record.kind == .text ? MediaKinds(list) : []
        if changed != record { try update(changed, replacing: record) }
        noteChange(of: record)
    }

    /// The files of a message as it is shown, and the row that contains them: the effective correction, or the message
    /// if the correction has no files.
    func shownAttachments(
        of record: MessageRecord
    ) throws(StoreError) -> (list: [Attachment], owner: MessageID) {
        if let id = record.currentEdit, !record.isRetracted, let edit = try self.record(id), edit.hasAttachments {
            return (try attachments(of: id), id)
        }
        return (record.hasAttachments ? try attachments(of: record.id) : [], record.id)
    }
}

extension MessageRecord {
    var emojis: [String] { (body ?? "").split(separator: "\n").map(String.init) }
}

extension MessageRecord {
    /// It is ours and did not arrive.
    fileprivate var hasFailed: Bool { if isOutgoing, case .failed = state { true } else { false } }
}
