internal import XMPPAddress

extension RecordStorage {
    // MARK: Receipts, markers, errors

    package func receive(_ report: StateReport, in key: ConversationKey) throws(StoreError) {
        // In a room no occupant reports for all others; in other conversations only the peer reports, and only for
        // itself.
        switch key.kind {
        case .direct: guard report.sender.bare == key.address else { return }
        case .occupant: guard report.sender == key.address else { return }
        case .room:
            guard report.sender.bare == key.address else { return }
            switch report.kind {
            case .refused: break
            case .displayed: return try noteReader(report, in: key)
            case .delivered: return
            }
        }
        // A report never creates a conversation.
        guard let conversation = try conversation(key) else { return }
        let state: MessageState =
            switch report.kind {
            case .delivered: .delivered
            case .displayed: .displayed
            case .refused(let condition, let text): .failed(FailureReason(.refused, condition: condition, text: text))
            }
        let targets = try records(for: report.target, in: conversation, account: key.account)
            .filter { $0.isOutgoing && $0.conversation == conversation }
        if targets.isEmpty {
            try wait(
                PendingMark(kind: .state, state: state, time: report.time), for: report.target, in: conversation)
        }
        for target in targets {
            guard try !waitsForFile(target) else { continue }
            let advanced = try advance(target, to: state)
            if key.kind != .room, let receipt = MessageReceipt(report) {
                try add(receipt, to: advanced, limit: MessageReceipt.limit)
            }
        }
    }

    /// Whether a message was never sent, because its file has no address yet: it is uploaded, or goes to a device directly,
    /// where the contact knows its id. Whatever others report of it, they cannot have received it.
    private func waitsForFile(_ record: MessageRecord) throws(StoreError) -> Bool {
        guard record.state == .queued, record.hasAttachments else { return false }
        return try attachments(of: record.id).contains { $0.url == nil }
    }

    /// Stores at our newest message up to the marked one that an occupant has seen it. The state of the message stays: in a
    /// room one person does not report for all others.
    private func noteReader(_ report: StateReport, in key: ConversationKey) throws(StoreError) {
        guard let receipt = MessageReceipt(report), !receipt.device.isEmpty, let conversation = try conversation(key)
        else { return }
        let marked = try records(for: report.target, in: conversation, account: key.account)
            .first { $0.kind == .text && $0.conversation == conversation }
        guard let marked,
            let own = try marked.isOutgoing ? marked.id : lastOwn(in: conversation, before: marked.position)
        else { return }
        try add(receipt, to: requireRecord(own), limit: MessageReceipt.limitInRoom)
    }

    /// Our last message among the few before a position. A marker is worth no search through a history in which we have
    /// hardly written.
    private func lastOwn(
        in conversation: ConversationID, before position: TimelinePosition
    ) throws(StoreError) -> MessageID? {
        try timeline(of: conversation, .before(position), limit: Self.ownSearch).last(where: \.isOutgoing)?.id
    }

    private static var ownSearch: Int { 20 }

    private func add(_ receipt: MessageReceipt, to record: MessageRecord, limit: Int) throws(StoreError) {
        var confirmed = record
        guard confirmed.add(receipt, limit: limit) else { return }
        try update(confirmed, replacing: record)
        noteChange(of: confirmed)
    }

    /// Stores a mark for a message that is not here yet, for a limited time and number.
    private func wait(
        _ mark: PendingMark, for reference: TargetReference, in conversation: ConversationID
    ) throws(StoreError) {
        try keep(mark, for: reference, in: conversation)
        try discardMarks(
            mark.kind, in: conversation, before: mark.time.advanced(by: -PendingMark.longestWait),
            beyond: PendingMark.limit)
    }

    func apply(
        _ mark: PendingMark, to record: MessageRecord, reference: TargetReference
    ) throws(StoreError) {
        switch mark.kind {
        case .state where record.isOutgoing:
            if try !waitsForFile(record) { _ = try advance(record, to: mark.state) }
        case .read where record.kind == .text: _ = try moveReadPosition(to: record)
        // It keeps waiting for our message, or for the message instead of its correction.
        case .state, .read: try keep(mark, for: reference, in: record.conversation)
        }
    }

    package func advance(_ message: MessageID, to state: MessageState) throws(StoreError) {
        let record = try requireRecord(message)
        guard record.isOutgoing else {
            throw StoreError(.invalidRequest, "Only sent messages have a state that advances.")
        }
        _ = try advance(record, to: state)
    }

    func advance(_ record: MessageRecord, to state: MessageState) throws(StoreError) -> MessageRecord {
        var record = try requireRecord(record.id)
        let merged = record.state.merged(with: state)
        if merged != record.state {
            let old = record
            record.state = merged
            try update(record, replacing: old)
            noteChange(of: record)
            if record.hasAttachments { changes.contentsToSend = true }
            // A marker for this message applies to those before it as well.
            if merged == .displayed { changes.conversations.insert(record.conversation) }
        }
        if !merged.isUnsent, try dequeue(record.id) { changes.sendQueue = true }
        return record
    }

    // MARK: Sending

    package func send(_ message: OutgoingMessage, in key: ConversationKey) throws(StoreError) -> MessageID {
        let conversation = try openConversation(key)
        let copy = MessageCopy(
            route: .live, sender: message.sender, occupantID: message.occupantID, isOutgoing: true,
            wireID: message.originID, originID: message.originID, time: message.time, content: message.content)
        var record = Self.record(of: copy, conversation: conversation)
        record.stay = .own
        guard try findBySender(copy, key: key, conversation: conversation) == nil else {
            throw StoreError(.invalidRequest, "A message with this origin-id exists already.")
        }
        record.state = .queued
        try place(&record, rank: nil)
        let attachments = message.content.text?.attachments ?? []
        record.take(attachments)
        record.id = try insert(record)
        if record.kind == .text { events.messageAdded(record.id) }
        if record.hasAttachments {
            try save(attachments, of: record.id)
            changes.contentsToSend = true
        }
        if let text = try searchText(of: record) { try searchTextChanged(of: record, from: nil, to: text) }
        try enqueue(QueueEntry(message: record.id))
        changes.sendQueue = true
        _ = try settle(record, names: [], key: key)
        return record.id
    }

    package func sendAgain(_ message: MessageID) throws(StoreError) {
        var record = try requireRecord(message)
        guard record.isOutgoing, record.originID != nil else {
            throw StoreError(.invalidRequest, "Only sent messages can be sent again.")
        }
        guard !record.protection.isNotOpened else {
            throw StoreError(.invalidRequest, "The message could not be decrypted here, so there is nothing to send.")
        }
        // It is not certain any more that the server has the message, so its state starts again.
        switch record.state {
        case .sentToServer, .failed:
            let old = record
            record.state = .queued
            try update(record, replacing: old)
            noteChange(of: record)
            if record.hasAttachments { changes.contentsToSend = true }
        case .queued: break
        case .delivered, .displayed:
            throw StoreError(.invalidRequest, "The message was delivered and is not sent again.")
        }
        _ = try dequeue(record.id)
        try enqueue(QueueEntry(message: record.id))
        changes.sendQueue = true
        // What was written after it stays after it.
        for later in try queueEntries(in: record.conversation, after: 0, limit: .max) where later.message > record.id {
            _ = try dequeue(later.message)
            try enqueue(later)
        }
    }

    package func cancel(_ message: MessageID) throws(StoreError) {
        let record = try requireRecord(message)
        guard record.isOutgoing, record.state.code < MessageState.sentToServer.code else {
            throw StoreError(.invalidRequest, "The message was sent already; it can be retracted, but not cancelled.")
        }
        _ = try dequeue(record.id)
        changes.sendQueue = true
        try remove(record)
    }

    package func sendQueue(of account: AccountID) throws(StoreError) -> [QueuedMessage] {
        var queue: [QueuedMessage] = []
        for entry in try queueEntries(of: account) { queue.append(try queued(entry, requireRecord(entry.message))) }
        return queue
    }

    package func sendQueue(
        of account: AccountID, in conversation: ConversationID?, after position: Int64, limit: Int
    ) throws(StoreError) -> SendQueuePage {
        let entries = try queueEntries(in: conversation, after: position, limit: limit)
        var messages: [QueuedMessage] = []
        for entry in entries {
            let record = try requireRecord(entry.message)
            guard try requireKey(of: record.conversation).account == account else { continue }
            messages.append(try queued(entry, record))
        }
        return SendQueuePage(messages: messages, end: entries.count < limit ? nil : entries.last?.position)
    }

    package func queued(_ message: MessageID) throws(StoreError) -> QueuedMessage? {
        guard let entry = try queueEntry(of: message) else { return nil }
        return try queued(entry, requireRecord(message))
    }

    package func queued(among messages: Set<MessageID>) throws(StoreError) -> Set<MessageID> {
        var queued: Set<MessageID> = []
        for message in messages where try queueEntry(of: message) != nil { queued.insert(message) }
        return queued
    }

    package func sent(_ originID: String, in conversation: ConversationID) throws(StoreError) -> QueuedMessage? {
        let record = try records(sentAs: originID, in: conversation).first { record in
            guard record.isOutgoing, record.originID == originID, !record.protection.isNotOpened, !record.isRetracted
            else { return false }
            return switch record.state {
            case .sentToServer, .delivered, .displayed: true
            case .queued, .failed: false
            }
        }
        return try record.map { record throws(StoreError) in try queued(QueueEntry(message: record.id), record) }
    }

    private func queued(_ entry: QueueEntry, _ record: MessageRecord) throws(StoreError) -> QueuedMessage {
        let message = try assemble(record, displayed: nil)
        return QueuedMessage(
            message: message, content: try content(of: record, text: message.text), position: entry.position,
            attempts: entry.attempts, notBefore: entry.notBefore)
    }

    package func acknowledge(_ originIDs: Set<String>, of account: AccountID) throws(StoreError) {
        for id in originIDs {
            for record in try queuedRecords(originID: id, of: account) {
                guard try requireKey(of: record.conversation).kind != .room else { continue }
                _ = try advance(record, to: .sentToServer)
            }
        }
    }

    /// The content of a queued row, as it is sent.
    private func content(of record: MessageRecord, text: MessageText) throws(StoreError) -> MessageContent {
        guard let reference = record.targetReference else {
            // Its original text: a waiting correction is sent separately.
            return .text(try ownText(of: record))
        }
        switch record.kind {
        case .text, .correction: return .correction(of: reference, try ownText(of: record))
        case .retraction: return .retraction(of: reference)
        case .reactions: return .reactions(to: reference, record.emojis)
        }
    }

    package func unconfirmed(
        of account: AccountID, sentIn time: ClosedRange<MessageTime>
    ) throws(StoreError) -> [StoredMessage] {
        try assemble(unconfirmedRecords(of: account, sentIn: time)).filter { $0.state == .sentToServer }
    }

    // MARK: Reading

    package func readPosition(in conversation: ConversationID) throws(StoreError) -> TimelinePosition? {
        guard let message = try readMessage(in: conversation) else { return nil }
        return try record(message)?.position
    }

    package func firstUnread(in conversation: ConversationID) throws(StoreError) -> TimelinePosition? {
        try firstIncoming(of: conversation, after: readPosition(in: conversation))
    }

    package func markRead(upTo message: MessageID) throws(StoreError) {
        let record = try requireRecord(message)
        guard record.kind == .text else {
            throw StoreError(.invalidRequest, "Only a message in the timeline can be the read position.")
        }
        if try !moveReadPosition(to: record) { try setMarkedUnread(false, in: record.conversation) }
    }

    /// Only moves forward. Reading new messages removes the unread mark; a position that was read before does not,
    /// because other devices repeat theirs with each connection.
    private func moveReadPosition(to record: MessageRecord) throws(StoreError) -> Bool {
        if let position = try readPosition(in: record.conversation), record.position <= position { return false }
        try setReadMessage(record.id, in: record.conversation)
        try setMarkedUnread(false, in: record.conversation)
        changes.conversations.insert(record.conversation)
        return true
    }

    package func markRead(upTo target: TargetReference, in conversation: ConversationID) throws(StoreError) {
        let key = try requireKey(of: conversation)
        let candidates = try records(for: target, in: conversation, account: key.account)
            .filter { $0.kind == .text && $0.conversation == conversation }
        if let record = candidates.max(by: { $0.position < $1.position }) {
            _ = try moveReadPosition(to: record)
        } else {
            let time = try newestOrderTime(in: conversation) ?? MessageTime(millisecondsSince1970: 0)
            try wait(PendingMark(kind: .read, state: .displayed, time: time), for: target, in: conversation)
        }
    }
}
