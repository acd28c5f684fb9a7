extension RecordStorage {
    /// The message that a correction, retraction or reaction refers to, if its author may change it.
    func findTarget(of record: MessageRecord, key: ConversationKey) throws(StoreError) -> MessageID? {
        guard let reference = record.targetReference else { return nil }
        for candidate in try records(for: reference, in: record.conversation, account: key.account)
        where candidate.id != record.id && candidate.conversation == record.conversation {
            guard candidate.kind == .text || candidate.kind == .correction else { continue }
            let room = key.kind == .room ? key.address : nil
            guard record.origin(in: key.kind).may(record.kind, candidate.origin(in: key.kind), room: room) else {
                continue
            }
            // Before ours are sent they are not sealed yet; a room that retracts for its moderators cannot seal.
            guard
                record.isOutgoing && record.state.isUnsent || room != nil && record.sender == room
                    || record.protection.mayChange(candidate.protection, by: record.kind)
            else { continue }
            // Some clients refer to the last correction instead of the original message.
            if candidate.kind == .text { return candidate.id }
            if let target = candidate.target { return target }
        }
        return nil
    }

    func records(
        for reference: TargetReference, in conversation: ConversationID, account: AccountID
    ) throws(StoreError) -> [MessageRecord] {
        switch reference {
        case .sent(let id): return try records(sentAs: id, in: conversation)
        case .archived(let reference):
            guard let record = try record(archivedAs: reference, account: account) else { return [] }
            return [record]
        }
    }

    /// Applies everything that was waiting for one of the identifiers of a row.
    func applyWaiting(
        for references: [TargetReference], to record: MessageRecord, key: ConversationKey
    ) throws(StoreError) {
        for reference in references {
            for mark in try takeMarks(for: reference, in: record.conversation) {
                try apply(mark, to: record, reference: reference)
            }
            guard record.kind == .text || record.kind == .correction else { continue }
            for waiting in try waitingAnnotations(for: reference, in: record.conversation)
            where waiting.id != record.id {
                guard let target = try findTarget(of: waiting, key: key) else { continue }
                var resolved = waiting
                resolved.target = target
                try update(resolved, replacing: waiting)
                try refresh(target)
                let names = try archiveReferences(of: resolved).map { TargetReference.archived($0) }
                try applyWaiting(for: resolved.sentReferences + names, to: resolved, key: key)
            }
        }
    }

    /// Recomputes a message from its corrections, retractions and reactions, independent of their order of arrival.
    func refresh(_ target: MessageID) throws(StoreError) {
        guard let old = try record(target) else { return }
        var record = old
        let annotations = try annotations(of: target)
        record.currentEdit = annotations.last { $0.kind == .correction }?.id
        record.retraction = annotations.first { $0.kind == .retraction }?.id
        record.hasReactions = annotations.contains { $0.kind == .reactions }
        let oldText = try searchText(of: old)
        if record.isRetracted {
            // Retracted texts are deleted from the disk as well.
            for version in annotations where version.kind == .correction && version.body != nil {
                try update(version.erased, replacing: version)
                if version.hasAttachments { try save([], of: version.id) }
            }
            if record.hasAttachments { try save([], of: record.id) }
            if record.isOutgoing { changes.contentsToSend = true }
            record = record.erased
        }
        if record.kind == .text { record.media = MediaKinds(try shownAttachments(of: record).list) }
        if record != old { try update(record, replacing: old) }
        let newText = try searchText(of: record)
        if oldText != newText { try searchTextChanged(of: record, from: oldText, to: newText) }
        noteChange(of: record)
    }

    /// The text under which a message is found.
    package func searchText(of record: MessageRecord) throws(StoreError) -> String? {
        guard record.kind == .text, !record.isRetracted else { return nil }
        guard let edit = record.currentEdit else { return record.body }
        return try self.record(edit)?.body
    }

    package func versions(of message: MessageID) throws(StoreError) -> [MessageVersion] {
        let record = try requireRecord(message)
        var versions: [MessageVersion] = []
        if let body = record.body { versions.append(MessageVersion(time: record.time, body: body)) }
        for edit in try annotations(of: message) where edit.kind == .correction {
            if let body = edit.body { versions.append(MessageVersion(time: edit.time, body: body)) }
        }
        return versions
    }
}

extension MessageRecord {
    var erased: MessageRecord {
        var record = self
        record.body = nil
        record.subject = nil
        record.thread = nil
        record.link = nil
        record.reply = nil
        record.take([])
        return record
    }
}
