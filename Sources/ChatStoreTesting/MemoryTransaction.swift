import ChatStore
import MessageSemantics
import XMPPAddress
import XMPPStream

/// One transaction on a copy of the state; the copy takes the state's place when all went well.
final class MemoryTransaction: RecordStorage {
    var state: MemoryState
    var changes = StoreChanges()

    var events: EventDraft

    init(_ state: MemoryState) {
        self.state = state
        events = EventDraft(isRecording: !state.eventReaders.isEmpty)
    }

    func needsRecount(_ place: GrowthAllowance.Place, adding amount: Int, every interval: Int) -> Bool {
        state.growth.needsRecount(place, adding: amount, every: interval)
    }

    func address(of account: AccountID) throws(StoreError) -> JID? { state.accounts[account]?.address }

    func key(of conversation: ConversationID) throws(StoreError) -> ConversationKey? {
        state.conversations[conversation]?.key
    }

    // MARK: Reading rows

    func record(_ id: MessageID) throws(StoreError) -> MessageRecord? { state.records[id] }

    func record(archivedAs reference: ArchiveReference, account: AccountID) throws(StoreError) -> MessageRecord? {
        state.archived[.init(account: account, name: reference)].flatMap { state.records[$0] }
    }

    func records(sentAs id: String, in conversation: ConversationID) throws(StoreError) -> [MessageRecord] {
        rows(state.sent[.init(conversation: conversation, id: id)]).sorted { $0.id < $1.id }
    }

    private func rows(_ ids: some Sequence<MessageID>) -> [MessageRecord] { ids.compactMap { state.records[$0] } }
    private func rows(_ ids: [MessageID]?) -> [MessageRecord] { rows(ids ?? []) }

    func records(
        of conversation: ConversationID, before position: TimelinePosition?, limit: Int
    ) throws(StoreError) -> [MessageRecord] {
        guard let timeline = state.conversations[conversation]?.timeline else { return [] }
        let end = position.map { Self.index(of: $0, in: timeline) } ?? timeline.count
        return rows(timeline[..<end].suffix(limit).reversed().map(\.id))
    }

    func records(
        of conversation: ConversationID, after position: TimelinePosition, limit: Int
    ) throws(StoreError) -> [MessageRecord] {
        guard let timeline = state.conversations[conversation]?.timeline else { return [] }
        var start = Self.index(of: position, in: timeline)
        if start < timeline.count, timeline[start] == position { start += 1 }
        return rows(timeline[start...].prefix(limit).map(\.id))
    }

    func records(
        of conversation: ConversationID, withMedia kinds: MediaKinds, before position: TimelinePosition?, limit: Int
    ) throws(StoreError) -> [MessageRecord] {
        guard let timeline = state.conversations[conversation]?.timeline else { return [] }
        let end = position.map { Self.index(of: $0, in: timeline) } ?? timeline.count
        let found = timeline[..<end].reversed().lazy.compactMap { [state] in state.records[$0.id] }
            .filter { !$0.media.isDisjoint(with: kinds) }
        return Array(found.prefix(limit))
    }

    /// Where a position stands, or would stand.
    private static func index(of position: TimelinePosition, in timeline: [TimelinePosition]) -> Int {
        var low = 0
        var high = timeline.count
        while low < high {
            let middle = (low + high) / 2
            if timeline[middle] < position { low = middle + 1 } else { high = middle }
        }
        return low
    }

    func annotations(of target: MessageID) throws(StoreError) -> [MessageRecord] {
        rows(state.annotations[target]).sorted { $0.position < $1.position }
    }

    var hasWaiting: Bool { get throws(StoreError) { !state.marks.isEmpty || !state.waiting.isEmpty } }

    func waitingAnnotations(
        for reference: TargetReference, in conversation: ConversationID
    ) throws(StoreError) -> [MessageRecord] {
        rows(state.waiting[.init(conversation: conversation, target: reference)]).sorted { $0.id < $1.id }
    }

    func allRecords(after id: MessageID?, limit: Int) throws(StoreError) -> [MessageRecord] {
        let start = id?.rawValue ?? .min
        return rows(state.records.keys.filter { $0.rawValue > start }.sorted().prefix(limit))
    }

    func attachments(of message: MessageID) throws(StoreError) -> [Attachment] { state.attachments[message] ?? [] }

    func archiveReferences(of record: MessageRecord) throws(StoreError) -> [ArchiveReference] {
        (record.archiveReference.map { [$0] } ?? []) + (state.furtherNames[record.id] ?? [])
    }

    func firstIncoming(
        of conversation: ConversationID, after position: TimelinePosition?
    ) throws(StoreError) -> TimelinePosition? {
        incoming(of: conversation, after: position).first { _ in true }
    }

    /// Messages of others after a position.
    func incoming(
        of conversation: ConversationID, after position: TimelinePosition?
    ) -> some Sequence<TimelinePosition> {
        let timeline = state.conversations[conversation]?.timeline ?? []
        var start = 0
        if let position {
            start = Self.index(of: position, in: timeline)
            if start < timeline.count, timeline[start] == position { start += 1 }
        }
        return timeline[start...].lazy.filter { [state] position in
            state.records[position.id].map { !$0.isOutgoing && !$0.isRetracted } ?? false
        }
    }

    func hasWritten(in conversation: ConversationID) throws(StoreError) -> Bool {
        (state.conversations[conversation]?.timeline ?? []).contains { state.records[$0.id]?.isOutgoing == true }
    }

    func lastDisplayed(in conversation: ConversationID) throws(StoreError) -> TimelinePosition? {
        state.displayed[conversation]?.compactMap { state.records[$0]?.position }.max()
    }

    func unconfirmedRecords(
        of account: AccountID, sentIn time: ClosedRange<MessageTime>
    ) throws(StoreError) -> [MessageRecord] {
        state.records.values.filter { record in
            record.kind == .text && record.isOutgoing && record.state == .sentToServer
                && time.contains(record.orderTime)
                && state.conversations[record.conversation]?.key.account == account
        }.sorted { $0.position < $1.position }
    }

    // MARK: Writing rows

    func insert(_ record: MessageRecord) throws(StoreError) -> MessageID {
        var record = record
        state.lastMessage += 1
        record.id = MessageID(rawValue: state.lastMessage)
        try add(record)
        return record.id
    }

    func update(_ record: MessageRecord, replacing old: MessageRecord) throws(StoreError) {
        withdraw(old)
        try add(record)
    }

    func delete(_ record: MessageRecord) throws(StoreError) {
        guard let current = state.records[record.id] else { return }
        for name in try archiveReferences(of: current) {
            state.archived[.init(account: account(of: current), name: name)] = nil
        }
        withdraw(current)
        state.records[record.id] = nil
        state.attachments[record.id] = nil
        state.furtherNames[record.id] = nil
        state.annotations[record.id] = nil
        state.displayed[record.conversation]?.remove(record.id)
        state.queue.removeAll { $0.message == record.id }
    }

    private func account(of record: MessageRecord) -> AccountID {
        state.conversations[record.conversation]?.key.account ?? AccountID(rawValue: 0)
    }

    /// Enters a row into all indexes.
    private func add(_ record: MessageRecord) throws(StoreError) {
        if let name = record.archiveReference {
            let key = MemoryState.ArchivedName(account: account(of: record), name: name)
            guard state.archived[key] ?? record.id == record.id else {
                throw StoreError(.constraint, "Two messages cannot have the same name in an archive.")
            }
            state.archived[key] = record.id
        }
        state.records[record.id] = record
        for id in Set([record.wireID, record.originID].compactMap { $0 }) {
            state.sent[.init(conversation: record.conversation, id: id), default: []].append(record.id)
        }
        if record.state == .displayed { state.displayed[record.conversation, default: []].insert(record.id) }
        if record.kind == .text {
            let position = record.position
            let index = Self.index(of: position, in: state.conversations[record.conversation]?.timeline ?? [])
            state.conversations[record.conversation]?.timeline.insert(position, at: index)
        } else if let target = record.target {
            state.annotations[target, default: []].append(record.id)
        } else if let reference = record.targetReference {
            state.waiting[.init(conversation: record.conversation, target: reference), default: []].append(record.id)
        }
    }

    /// Takes a row out of the indexes that depend on what can change.
    private func withdraw(_ record: MessageRecord) {
        for id in Set([record.wireID, record.originID].compactMap { $0 }) {
            state.sent[.init(conversation: record.conversation, id: id)]?.removeAll { $0 == record.id }
        }
        if record.kind == .text {
            let index = Self.index(of: record.position, in: state.conversations[record.conversation]?.timeline ?? [])
            state.conversations[record.conversation]?.timeline.remove(at: index)
        } else if let target = record.target {
            state.annotations[target]?.removeAll { $0 == record.id }
        } else if let reference = record.targetReference {
            let key = MemoryState.Reference(conversation: record.conversation, target: reference)
            state.waiting[key]?.removeAll { $0 == record.id }
            if state.waiting[key]?.isEmpty == true { state.waiting[key] = nil }
        }
    }

    func add(_ reference: ArchiveReference, to record: MessageRecord) throws(StoreError) {
        let key = MemoryState.ArchivedName(account: account(of: record), name: reference)
        guard state.archived[key] == nil else { return }
        state.archived[key] = record.id
        state.furtherNames[record.id, default: []].append(reference)
    }

    func save(_ attachments: [Attachment], of message: MessageID) throws(StoreError) {
        state.attachments[message] = attachments.isEmpty ? nil : attachments
    }

    /// The texts are searched by reading them.
    func searchTextChanged(of message: MessageRecord, from old: String?, to new: String?) throws(StoreError) {}

    // MARK: Beside the rows

    func newestOrderTime(in conversation: ConversationID) throws(StoreError) -> MessageTime? {
        state.conversations[conversation]?.newestOrderTime
    }

    func noteOrderTime(_ time: MessageTime, in conversation: ConversationID) throws(StoreError) {
        let newest = state.conversations[conversation]?.newestOrderTime
        state.conversations[conversation]?.newestOrderTime = newest.map { max($0, time) } ?? time
    }

    func keep(_ mark: PendingMark, for reference: TargetReference, in conversation: ConversationID) throws(StoreError) {
        var marks = state.marks[.init(conversation: conversation, target: reference)] ?? []
        if let index = marks.firstIndex(where: { $0.kind == mark.kind }) {
            marks[index].state = marks[index].state.merged(with: mark.state)
        } else {
            marks.append(mark)
        }
        state.marks[.init(conversation: conversation, target: reference)] = marks
    }

    func discardMarks(
        _ kind: PendingMark.Kind, in conversation: ConversationID, before time: MessageTime, beyond count: Int
    ) throws(StoreError) {
        var kept: [(reference: MemoryState.Reference, time: MessageTime)] = []
        for (reference, marks) in state.marks where reference.conversation == conversation {
            for mark in marks where mark.kind == kind { kept.append((reference, mark.time)) }
        }
        kept.sort { $0.time > $1.time }
        for (index, entry) in kept.enumerated() where index >= count || entry.time < time {
            state.marks[entry.reference]?.removeAll { $0.kind == kind }
            if state.marks[entry.reference]?.isEmpty == true { state.marks[entry.reference] = nil }
        }
    }

    func takeMarks(
        for reference: TargetReference, in conversation: ConversationID
    ) throws(StoreError) -> [PendingMark] {
        state.marks.removeValue(forKey: .init(conversation: conversation, target: reference)) ?? []
    }

    func readMessage(in conversation: ConversationID) throws(StoreError) -> MessageID? {
        state.conversations[conversation]?.readMessage
    }

    func setReadMessage(_ message: MessageID?, in conversation: ConversationID) throws(StoreError) {
        state.conversations[conversation]?.readMessage = message
    }

    func intervals(of scope: ArchiveScope) throws(StoreError) -> ArchiveIntervals {
        state.intervals[scope] ?? ArchiveIntervals()
    }

    func save(_ intervals: ArchiveIntervals, of scope: ArchiveScope) throws(StoreError) {
        state.intervals[scope] = intervals
    }

    func forgetIntervals(of archive: JID, account: AccountID) throws(StoreError) {
        for scope in state.intervals.keys where scope.archive == archive.bare && scope.account == account {
            state.intervals[scope] = nil
        }
    }

    func enqueue(_ entry: QueueEntry) throws(StoreError) {
        state.lastQueuePosition += 1
        state.queue.append(
            QueueEntry(
                position: state.lastQueuePosition, message: entry.message, attempts: entry.attempts,
                notBefore: entry.notBefore))
    }

    func dequeue(_ message: MessageID) throws(StoreError) -> Bool {
        guard let index = state.queue.firstIndex(where: { $0.message == message }) else { return false }
        state.queue.remove(at: index)
        changes.dequeued.insert(message)
        return true
    }

    func queueEntries(
        in conversation: ConversationID?, after position: Int64, limit: Int
    ) throws(StoreError) -> [QueueEntry] {
        let waiting = state.queue.lazy.filter { [records = state.records] entry in
            entry.position > position && (conversation == nil || records[entry.message]?.conversation == conversation)
        }
        return Array(waiting.prefix(limit))
    }

    func queueEntry(of message: MessageID) throws(StoreError) -> QueueEntry? {
        state.queue.first { $0.message == message }
    }

    func queuedRecords(originID: String, of account: AccountID) throws(StoreError) -> [MessageRecord] {
        state.queue.compactMap { state.records[$0.message] }
            .filter { $0.originID == originID && self.account(of: $0) == account }
    }

    func queueEntries(of account: AccountID) throws(StoreError) -> [QueueEntry] {
        state.queue.filter { entry in state.records[entry.message].map { self.account(of: $0) } == account }
    }

    func contentsToSend(of account: AccountID) throws(StoreError) -> Set<String> {
        var hashes: Set<String> = []
        for record in state.records.values
        where record.isOutgoing && record.state.code < MessageState.sentToServer.code
            && self.account(of: record) == account
        {
            hashes.formUnion((state.attachments[record.id] ?? []).compactMap(\.contentHash))
        }
        return hashes
    }

    func noteAttempt(_ message: MessageID, notBefore: MessageTime?) throws(StoreError) {
        guard let index = state.queue.firstIndex(where: { $0.message == message }) else {
            throw StoreError(.invalidRequest, "The message is not in the send queue.")
        }
        state.queue[index].attempts += 1
        state.queue[index].notBefore = notBefore
    }

    func endBackoffs(of account: AccountID) throws(StoreError) {
        for index in state.queue.indices where state.queue[index].notBefore != nil {
            guard let record = state.records[state.queue[index].message], self.account(of: record) == account else {
                continue
            }
            state.queue[index].attempts = min(state.queue[index].attempts, 1)
            state.queue[index].notBefore = nil
        }
    }
}
