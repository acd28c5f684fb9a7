internal import XMPPAddress

extension RecordStorage {
    package func receive(_ copy: MessageCopy, in key: ConversationKey) throws(StoreError) -> Reception {
        let conversation = try openConversation(key)
        var copy = copy
        var known = try dropForeignArchiveReferences(&copy, key: key, conversation: conversation)
        if known == nil { known = try findBySender(copy, key: key, conversation: conversation) }
        return try receive(&copy, rank: nil, known: known, key: key, conversation: conversation)
    }

    /// - Parameters:
    ///   - copy: is changed to what is stored of it.
    ///   - rank: the order among archived items of the same time.
    ///   - known: the result of ``find(_:key:conversation:)``.
    func receive(
        _ copy: inout MessageCopy, rank: Int64?, known: MessageRecord?, key: ConversationKey,
        conversation: ConversationID
    ) throws(StoreError) -> Reception {
        var rank = rank
        if known == nil { try moveAfterReadPosition(&copy, in: conversation) }
        if let first = try timeOfFirstSending(of: copy, known: known, in: conversation) {
            // This is not its time in the archive of this copy.
            (copy.time, copy.timeSource, rank) = (first, .delay, nil)
        }
        if var known {
            var isSame = true
            if !copy.protection.isNotOpened, !known.isRetracted {
                if copy.protection.isSealed,
                    known.protection.isNotOpened || !known.isOutgoing && !known.protection.isSealed
                {
                    if let opened = try open(known, with: &copy) { known = opened } else { isSame = false }
                } else if known.protection.isNotOpened, try !isArchived(copy, as: known) {
                    // A text in clear under the name of an encrypted message neither takes its place nor hides behind it.
                    (copy.originID, copy.wireID) = (nil, nil)
                    isSame = false
                }
            }
            if isSame { return .known(try merge(copy, rank: rank, into: known, key: key)) }
        }
        if copy.content.kind == .correction {
            copy = copy.withoutUnprovedCorrection(in: key.kind)
            try separateClearCorrection(&copy, key: key, conversation: conversation)
        }
        var record = Self.record(of: copy, conversation: conversation)
        try place(&record, rank: rank)
        let attachments = copy.content.text?.attachments ?? []
        record.take(attachments)
        record.id = try insert(record)
        if record.kind == .text { events.messageAdded(record.id) }
        if record.hasAttachments { try save(attachments, of: record.id) }
        if let first = copy.archiveReferences.first {
            for other in copy.archiveReferences.dropFirst() where other != first { try add(other, to: record) }
        }
        if let text = try searchText(of: record) { try searchTextChanged(of: record, from: nil, to: text) }
        let reception = try settle(record, names: copy.archiveReferences, key: key)
        try enforceLimits(after: record, isWaiting: reception == .waiting(record.id), in: key)
        return reception
    }

    private func isArchived(_ copy: MessageCopy, as known: MessageRecord) throws(StoreError) -> Bool {
        guard !copy.archiveReferences.isEmpty else { return false }
        return try archiveReferences(of: known).contains { copy.archiveReferences.contains($0) }
    }

    /// A correction in clear of a message that was sealed is a message of its own: it cannot rewrite what was said, and
    /// its text is not lost.
    private func separateClearCorrection(
        _ copy: inout MessageCopy, key: ConversationKey, conversation: ConversationID
    ) throws(StoreError) {
        guard case .correction(let target, let text) = copy.content, !copy.protection.isSealed else { return }
        let targets = try records(for: target, in: conversation, account: key.account)
        guard targets.contains(where: { $0.conversation == conversation && $0.protection.isSealed }) else { return }
        copy.content = .text(text)
    }

    /// A delay stamp never moves a new message of others before the read position, where the user would not see it; the
    /// time of arrival is used instead.
    private func moveAfterReadPosition(
        _ copy: inout MessageCopy, in conversation: ConversationID
    ) throws(StoreError) {
        guard copy.timeSource == .delay, !copy.isOutgoing, let arrival = copy.arrival,
            let read = try readPosition(in: conversation), copy.time <= read.time
        else { return }
        (copy.time, copy.timeSource) = (arrival, .clock)
    }

    /// Ignores archive ids of messages of other conversations: the sender has copied them.
    ///
    /// - Returns: the row with the first of the others that is stored, as ``find(_:key:conversation:)`` returns it.
    @discardableResult
    func dropForeignArchiveReferences(
        _ copy: inout MessageCopy, key: ConversationKey, conversation: ConversationID
    ) throws(StoreError) -> MessageRecord? {
        var names: [ArchiveReference] = []
        var first: MessageRecord?
        for name in copy.archiveReferences {
            let known = try record(archivedAs: name, account: key.account)
            guard known == nil || known?.conversation == conversation else { continue }
            names.append(name)
            if first == nil { first = known }
        }
        copy.archiveReferences = names
        return first
    }

    /// The time of the first sending as the sender states it, if it is plausible: it cannot move a message before the
    /// read position, where the user would not see it, nor a week into the past.
    private func timeOfFirstSending(
        of copy: MessageCopy, known: MessageRecord?, in conversation: ConversationID
    ) throws(StoreError) -> MessageTime? {
        guard let first = copy.firstSent, first < copy.time, first > copy.time.advanced(by: -Self.longestDelay) else {
            return nil
        }
        guard !copy.isOutgoing, let read = try readPosition(in: conversation), first <= read.time else { return first }
        let wasRead = known.map { $0.position <= read } ?? false
        return wasRead ? first : nil
    }

    /// In milliseconds: the longest time after which clients look for messages that a server has lost.
    private static var longestDelay: Int64 { 7 * 24 * 3_600_000 }

    /// The row of which this is a copy.
    ///
    /// Compared are, in this order: 1. The archive id. 2. The origin-id together with the sender; two ids of one
    /// archive do not contradict that, because a message that was sent again is archived again. 3. If one of the two
    /// has no origin-id: the `id` together with the sender and the content, unless one archive assigned them different
    /// ids.
    func find(
        _ copy: MessageCopy, key: ConversationKey, conversation: ConversationID
    ) throws(StoreError) -> MessageRecord? {
        for reference in copy.archiveReferences {
            if let record = try record(archivedAs: reference, account: key.account), record.conversation == conversation
            {
                return record
            }
        }
        return try findBySender(copy, key: key, conversation: conversation)
    }

    func findBySender(
        _ copy: MessageCopy, key: ConversationKey, conversation: ConversationID
    ) throws(StoreError) -> MessageRecord? {
        guard let id = copy.originID ?? copy.wireID else { return nil }
        let candidates = try records(sentAs: id, in: conversation)
        guard !candidates.isEmpty else { return nil }
        let sample = Self.record(of: copy, conversation: conversation)
        let origin = sample.origin(in: key.kind)
        // A correction without proof of its author was stored as a separate message.
        let isUnproved = sample.kind == .correction && origin.author.isUnproved
        for record in candidates {
            // The kind of a message that could not be opened is unknown.
            let isUnknown = record.protection.isNotOpened || sample.protection.isNotOpened
            guard record.kind == sample.kind || isUnproved && record.kind == .text || isUnknown,
                record.origin(in: key.kind).canBeCopy(of: origin)
            else { continue }
            if let origin = copy.originID, let other = record.originID {
                if origin == other { return record }
                continue
            }
            guard let wire = copy.wireID, wire == record.wireID else { continue }
            if !isUnknown {
                guard record.isRetracted || record.body == sample.body else { continue }
                guard record.kind == .text || record.targetReference == sample.targetReference else { continue }
            }
            let named = try archiveReferences(of: record)
            let differs = copy.archiveReferences.contains { name in
                named.contains { $0.archive == name.archive && $0.id != name.id }
            }
            if !differs { return record }
        }
        return nil
    }

    static func record(of copy: MessageCopy, conversation: ConversationID) -> MessageRecord {
        var record = MessageRecord(
            conversation: conversation, kind: copy.content.kind, sender: copy.sender, occupantID: copy.occupantID,
            stay: copy.stay, isOutgoing: copy.isOutgoing, wireID: copy.wireID, originID: copy.originID,
            archiveReference: copy.archiveReferences.first, time: copy.time, timeSource: copy.timeSource,
            orderTime: copy.time, state: copy.isOutgoing ? .sentToServer : .delivered)
        record.protection = copy.protection
        record.take(copy.content)
        return record
    }

    /// Assigns the position of a new row.
    func place(_ record: inout MessageRecord, rank: Int64?) throws(StoreError) {
        if let rank {
            record.orderRank = rank
        } else if let newest = try newestOrderTime(in: record.conversation), newest >= record.orderTime,
            record.timeSource == .clock || record.orderTime.isWithinSecond(of: newest)
        {
            // The clock was set back, two messages arrived in one millisecond, or a time stamp has only seconds: the
            // later arrival is sorted last.
            record.orderTime = newest.advanced(by: 1)
        }
        try noteOrderTime(record.orderTime, in: record.conversation)
    }

    /// Adds the information of a further copy to a row.
    private func merge(
        _ copy: MessageCopy, rank: Int64?, into known: MessageRecord, key: ConversationKey
    ) throws(StoreError) -> MessageID {
        var record = known
        var names: [ArchiveReference] = []
        if !copy.archiveReferences.isEmpty {
            let old = try archiveReferences(of: known)
            for name in copy.archiveReferences where !old.contains(name) && !names.contains(name) {
                if record.archiveReference == nil {
                    record.archiveReference = name
                } else {
                    try add(name, to: record)
                }
                names.append(name)
            }
        }
        record.updateTime(from: copy, rank: rank)
        if copy.route == .reflection, copy.timeSource == .clock, known.timeSource == .clock, known.state.isUnsent {
            // In a room the time of a message is when the room sends it to all, not when it was written.
            record.orderTime = copy.time
            try place(&record, rank: nil)
        }
        if copy.isOutgoing, record.isOutgoing, key.kind == .room, record.sender.bare != key.address {
            // It was written before this device knew its nickname in the room.
            record.sender = copy.sender
        }
        if record.wireID == nil { record.wireID = copy.wireID }
        if record.originID == nil { record.originID = copy.originID }
        // An occupant with the same nickname that knows the id of the message does not become its author.
        let isNamed = copy.archiveReferences.contains { $0 == known.archiveReference }
        if isNamed || copy.isOutgoing && record.isOutgoing {
            if record.occupantID == nil { record.occupantID = copy.occupantID }
            if record.stay == nil { record.stay = copy.stay }
        }
        if known.isOutgoing, known.state.isUnsent, !known.protection.isSealed, copy.isOutgoing, copy.protection.isSealed
        {
            // It was sent before this store was restored from an old copy, in which it still waits.
            record.protection = copy.protection.ofSentMessage
        }
        // Another copy can show that a message is ours when the room's history did not.
        if copy.isOutgoing && !record.isOutgoing {
            record.isOutgoing = true
            record.state = .sentToServer
        }
        let newIDs = record.wireID != known.wireID || record.originID != known.originID
        if record != known {
            try update(record, replacing: known)
            noteChange(of: record)
            if known.timeSource == .clock {
                if known.position < record.position { try moveFollowers(of: record) }
                if record.isOutgoing, record.position < known.position { try moveLeaders(of: record, from: known) }
            }
        }
        // Every copy that is returned proves that the server has the message.
        if record.isOutgoing { record = try advance(record, to: .sentToServer) }
        if newIDs || !names.isEmpty {
            _ = try settle(record, names: names, key: key)
        } else if record.position != known.position, let target = record.target {
            try refresh(target)
        }
        return record.id
    }

    /// When a message moves to the time of the server, later messages stay after it: a different clock or a long queue
    /// must not reverse a conversation.
    private func moveFollowers(of record: MessageRecord) throws(StoreError) {
        var time = record.orderTime
        func follow(_ old: MessageRecord) throws(StoreError) {
            guard old.id > record.id, old.timeSource == .clock, old.isOutgoing == record.isOutgoing else { return }
            time = max(old.orderTime, time.advanced(by: 1))
            guard time != old.orderTime else { return }
            var moved = old
            moved.orderTime = time
            moved.orderRank = 0
            try update(moved, replacing: old)
            noteChange(of: moved)
        }
        let limit = Self.followerLimit
        let later = try records(of: record.conversation, after: record.position, limit: limit)
        for old in try records(of: record.conversation, before: record.position, limit: limit).reversed() {
            try follow(old)
        }
        // Moved messages can now be at the positions of others.
        for old in later {
            guard old.orderTime <= time else { break }
            try follow(old)
        }
        try noteOrderTime(time, in: record.conversation)
    }

    /// When an own message moves back to the time of the server, own messages that were written before stay before it: the
    /// clock of this device is ahead, or the time stamps of the server have only seconds.
    private func moveLeaders(of record: MessageRecord, from known: MessageRecord) throws(StoreError) {
        let next = try records(of: record.conversation, after: record.position, limit: 1).first
        guard let next, next.position < known.position else { return }
        for old in try records(of: record.conversation, after: record.position, limit: Self.followerLimit) {
            guard old.position < known.position else { break }
            guard old.id < record.id, old.timeSource == .clock, old.isOutgoing else { continue }
            var moved = old
            // At one position, messages are in the order of their numbers.
            moved.orderTime = record.orderTime
            moved.orderRank = record.orderRank
            try update(moved, replacing: old)
            noteChange(of: moved)
        }
    }

    /// The maximum number of messages to move; others are older, or are in the archive by now and have their own time.
    private static var followerLimit: Int { 100 }

    /// Connects a row that is new or has new identifiers with its target and with what waits for it.
    func settle(
        _ record: MessageRecord, names: [ArchiveReference], key: ConversationKey
    ) throws(StoreError) -> Reception {
        var record = record
        var reception = Reception.stored(record.id)
        if record.kind != .text, record.target == nil {
            if let target = try findTarget(of: record, key: key) {
                let old = record
                record.target = target
                try update(record, replacing: old)
            } else {
                reception = .waiting(record.id)
            }
        }
        noteChange(of: record)
        if let target = record.target { try refresh(target) }
        if try hasWaiting {
            let references = record.sentReferences + names.map { .archived($0) }
            try applyWaiting(for: references, to: record, key: key)
        }
        return reception
    }
}
