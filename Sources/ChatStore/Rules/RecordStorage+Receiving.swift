internal import XMPPAddress

extension RecordStorage {
    package func receive(_ copy: MessageCopy, in key: ConversationKey) throws(StoreError) -> Reception {
        let conversation = try openConversation(key)
        var copy = copy
        try dropNamesOfOthers(&copy, key: key, conversation: conversation)
        let known = try find(copy, key: key, conversation: conversation)
        return try receive(copy, rank: nil, known: known, key: key, conversation: conversation)
    }

    /// - Parameter rank: the order among archived items of the same time.
    /// - Parameter known: what ``find(_:key:conversation:)`` has found.
    func receive(
        _ copy: MessageCopy, rank: Int64?, known: MessageRecord?, key: ConversationKey, conversation: ConversationID
    ) throws(StoreError) -> Reception {
        var (copy, rank) = (copy, rank)
        try putBehindRead(&copy, known: known, in: conversation)
        if let first = try timeOfFirstSending(of: copy, known: known, in: conversation) {
            // Not its time in the archive that this copy comes from.
            (copy.time, copy.timeSource, rank) = (first, .delay, nil)
        }
        if let known { return .known(try merge(copy, rank: rank, into: known, key: key)) }
        copy = copy.withoutUnprovedCorrection(in: key.kind)
        var record = Self.record(of: copy, conversation: conversation)
        try place(&record, rank: rank)
        let attachments = copy.content.text?.attachments ?? []
        record.take(attachments)
        record.id = try insert(record)
        if record.hasAttachments { try save(attachments, of: record.id) }
        if let first = copy.archiveReferences.first {
            for other in copy.archiveReferences.dropFirst() where other != first { try add(other, to: record) }
        }
        if let text = try searchText(of: record) { try searchTextChanged(of: record, from: nil, to: text) }
        let reception = try settle(record, names: copy.archiveReferences, key: key)
        try keepLimits(after: record, isWaiting: reception == .waiting(record.id), in: key)
        return reception
    }

    /// A server's word for when a message was sent puts nothing of others behind what was read, where it would not be seen: then it
    /// counts when it came.
    private func putBehindRead(
        _ copy: inout MessageCopy, known: MessageRecord?, in conversation: ConversationID
    ) throws(StoreError) {
        guard known == nil, copy.timeSource == .delay, !copy.isOutgoing, let arrival = copy.arrival,
            let read = try readPosition(in: conversation), copy.time <= read.time
        else { return }
        (copy.time, copy.timeSource) = (arrival, .clock)
    }

    /// A name that an archive gave to a message of another conversation is not this message's name: somebody has copied it.
    func dropNamesOfOthers(
        _ copy: inout MessageCopy, key: ConversationKey, conversation: ConversationID
    ) throws(StoreError) {
        var names: [ArchiveReference] = []
        for name in copy.archiveReferences {
            let known = try record(archivedAs: name, account: key.account)
            if known == nil || known?.conversation == conversation { names.append(name) }
        }
        copy.archiveReferences = names
    }

    /// The sender's word for when it has sent the message first, if that is to be believed: nobody can put anything behind what
    /// was read, where it would not be seen, nor a week into the past.
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

    /// In milliseconds: as long as anybody looks for what a server has lost.
    private static var longestDelay: Int64 { 7 * 24 * 3_600_000 }

    /// The row that a copy is a copy of.
    ///
    /// 1. The name that an archive gave to it. 2. The origin-id together with the sender; two names of one archive do not
    /// speak against it, because a message that was sent again is archived again. 3. Where one of the two has no
    /// origin-id: the `id` together with the sender and the content, unless one archive gave them different names.
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
        // A correction whose author nobody knows was kept as a message of its own.
        let isUnproved = sample.kind == .correction && origin.author.isUnproved
        for record in candidates
        where (record.kind == sample.kind || isUnproved && record.kind == .text)
            && record.origin(in: key.kind).canBeCopy(of: origin)
        {
            if let origin = copy.originID, let other = record.originID {
                if origin == other { return record }
                continue
            }
            guard let wire = copy.wireID, wire == record.wireID else { continue }
            guard record.isRetracted || record.body == sample.body else { continue }
            guard record.kind == .text || record.targetReference == sample.targetReference else { continue }
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
        record.take(copy.content)
        return record
    }

    /// Gives a new row its place.
    func place(_ record: inout MessageRecord, rank: Int64?) throws(StoreError) {
        if let rank {
            record.orderRank = rank
        } else if let newest = try newestOrderTime(in: record.conversation), newest >= record.orderTime,
            record.timeSource == .clock || record.orderTime.isWithinSecond(of: newest)
        {
            // The clock was set back, two came in one millisecond, or a stamp of whole seconds says no more than that: what
            // comes later stands later.
            record.orderTime = newest.advanced(by: 1)
        }
        try noteOrderTime(record.orderTime, in: record.conversation)
    }

    /// Takes from a further copy what it knows better.
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
        record.takeTime(of: copy, rank: rank)
        if copy.route == .reflection, copy.timeSource == .clock, known.timeSource == .clock, known.state.isUnsent {
            // In a room it was said when the room sends it to all, and not when it was written.
            record.orderTime = copy.time
            try place(&record, rank: nil)
        }
        if record.wireID == nil { record.wireID = copy.wireID }
        if record.originID == nil { record.originID = copy.originID }
        // Who only has the same nickname and knows the message's id does not become its author.
        let isNamed = copy.archiveReferences.contains { $0 == known.archiveReference }
        if isNamed || copy.isOutgoing && record.isOutgoing {
            if record.occupantID == nil { record.occupantID = copy.occupantID }
            if record.stay == nil { record.stay = copy.stay }
        }
        // A copy from elsewhere can know that a message is ours where the room's history did not.
        if copy.isOutgoing && !record.isOutgoing {
            record.isOutgoing = true
            record.state = .sentToServer
        }
        let newIDs = record.wireID != known.wireID || record.originID != known.originID
        if record != known {
            try update(record, replacing: known)
            noteChange(of: record)
            if known.timeSource == .clock, known.position < record.position { try moveFollowers(of: record) }
        }
        // Every copy that came back proves that the server has it.
        if record.isOutgoing { record = try advance(record, to: .sentToServer) }
        if newIDs || !names.isEmpty {
            _ = try settle(record, names: names, key: key)
        } else if record.position != known.position, let target = record.target {
            try refresh(target)
        }
        return record.id
    }

    /// What was written, or came, after a message still stands after it when the message moves to the time that the server
    /// knows: a clock that differs, or a queue that was long, must not turn a conversation round.
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
        // Those moved may now stand where others stood already.
        for old in later {
            guard old.orderTime <= time else { break }
            try follow(old)
        }
        try noteOrderTime(time, in: record.conversation)
    }

    /// What is further away was there before, or is in the archive by now and has its own time.
    private static var followerLimit: Int { 100 }

    /// Brings a row that is new, or has new names, together with what it is about and with what waits for it.
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
