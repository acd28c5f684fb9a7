package import XMPPAddress

extension RecordStorage {
    package func receive(_ page: StoredArchivePage, account: AccountID) throws(StoreError) {
        let scope = ArchiveScope(account: account, archive: page.archive, with: page.with)
        var intervals = try intervals(of: scope)
        let whole =
            page.with == nil
            ? intervals : try self.intervals(of: ArchiveScope(account: account, archive: page.archive, with: nil))
        guard let own = try address(of: account) else {
            throw StoreError(.invalidRequest, "There is no such account.")
        }

        // The known rows and positions of the page's items, and of its ends.
        var found: [(id: MessageID, conversation: ConversationID)?] = []
        var known: [Int64?] = []
        for item in page.items {
            let name = ArchiveReference(archive: page.archive, id: item.id)
            let record = try record(archivedAs: name, account: account)
            found.append(record.map { ($0.id, $0.conversation) })
            if let record, record.timeSource == .archive, record.orderTime == item.time {
                known.append(record.orderRank)
            } else {
                known.append((intervals.bound(item.id) ?? whole.bound(item.id))?.rank)
            }
        }
        func place(_ id: String?) throws(StoreError) -> StoredArchivePosition? {
            guard let id else { return nil }
            if let bound = intervals.bound(id) ?? whole.bound(id) { return bound }
            let name = ArchiveReference(archive: page.archive, id: id)
            guard let record = try record(archivedAs: name, account: account), record.timeSource == .archive else {
                return nil
            }
            return StoredArchivePosition(id: id, time: record.orderTime, rank: record.orderRank)
        }
        let anchor = try place(page.query.anchor)
        let limit = try place(page.query.limit)
        let neighbours = Self.neighbours(of: page, anchor: anchor, limit: limit)
        let ranks = RankAssignment.ranks(
            for: page.items.map(\.time), known: known, lower: neighbours.lower, upper: neighbours.upper)

        var places: [StoredArchivePosition] = []
        // The archive ids that the items so far may have written after `found` was read.
        var written = Set<String>(minimumCapacity: page.items.count)
        var reports: [(StateReport, ConversationKey)] = []
        for (index, item) in page.items.enumerated() {
            places.append(StoredArchivePosition(id: item.id, time: item.time, rank: ranks[index]))
            guard let content = item.content, Self.mayHold(content, in: page.archive, own: own, account: account) else {
                continue
            }
            switch content {
            // Processed after the messages, which can be the target of the report or create its conversation.
            case .report(let report, let key): reports.append((report, key))
            case .message(var copy, let key):
                let name = ArchiveReference(archive: page.archive, id: item.id)
                copy.archiveReferences.removeAll { $0 == name }
                copy.route = .archive
                copy.time = item.time
                let isOwn = key.kind == .room ? page.archive == key.address : page.archive == own
                copy.timeSource = isOwn ? .archive : .delay
                let conversation = try openConversation(key)
                let old = found[index]
                var record: MessageRecord?
                if let old { record = try self.record(old.id) }
                if let other = record?.conversation, other != conversation { record = nil }
                if record == nil {
                    // Its archive id was queried already, but an earlier item of the page can be the same message.
                    record = try find(copy, key: key, conversation: conversation)
                }
                let isNew = written.insert(item.id).inserted
                if isNew, old == nil || old?.conversation == conversation {
                    try dropForeignArchiveReferences(&copy, key: key, conversation: conversation)
                    copy.archiveReferences.insert(name, at: 0)
                } else {
                    copy.archiveReferences.insert(name, at: 0)
                    let named = try dropForeignArchiveReferences(&copy, key: key, conversation: conversation)
                    record = record ?? named
                }
                for other in copy.archiveReferences where other != name { written.insert(other.id) }
                _ = try receive(
                    &copy, rank: isOwn ? ranks[index] : nil, known: record, key: key, conversation: conversation)
            }
        }
        for (report, key) in reports { try receive(report, in: key) }
        intervals.insert(places, of: page.query, isComplete: page.isComplete, anchor: anchor, limit: limit)
        try save(intervals, of: scope)
    }

    /// The second check of permissions; `ArchiveAuthority` made the first one before the stanza was read.
    private static func mayHold(
        _ content: ArchiveItem.Content, in archive: JID, own: JID, account: AccountID
    ) -> Bool {
        switch content {
        case .report(_, let key): key.account == account && archive == own
        case .message(let copy, let key):
            key.account == account
                && ArchiveAuthority.archive(archive, mayBring: copy, in: key.conversation, account: own)
        }
    }

    /// The items on both sides of the page, if the query implies that nothing is between.
    private static func neighbours(
        of page: StoredArchivePage, anchor: StoredArchivePosition?, limit: StoredArchivePosition?
    ) -> (lower: RankAssignment.Neighbour?, upper: RankAssignment.Neighbour?) {
        let near = anchor.map { RankAssignment.Neighbour(time: $0.time, rank: $0.rank) }
        let far = limit.map { RankAssignment.Neighbour(time: $0.time, rank: $0.rank) }
        // Even if the page is not complete, all of it lies on this side of the limit.
        switch page.query.direction {
        case .forward: return (near, far)
        case .backward: return (far, near)
        }
    }

    package func archiveIntervals(
        of archive: JID, with: JID?, account: AccountID
    ) throws(StoreError) -> [ArchiveInterval] {
        try intervals(of: ArchiveScope(account: account, archive: archive.bare, with: with?.bare)).intervals
    }

    package func archiveGaps(of archive: JID, with: JID?, account: AccountID) throws(StoreError) -> [ArchiveGap] {
        try intervals(of: ArchiveScope(account: account, archive: archive.bare, with: with?.bare)).gaps
    }
}
