package import XMPPAddress

/// The entries of the event log that a transaction adds.
package struct EventDraft: Sendable {
    package struct Entry: Equatable, Sendable {
        package var kind: StoredEvent.Kind
        package let account: AccountID
        package let address: JID
        package var conversationKind: ConversationKey.Kind?
        package var message: MessageID?
    }

    private enum Item: Sendable {
        case message(MessageID, ConversationID)
        case other(Entry)
    }

    /// Whether there are readers; otherwise nothing is recorded.
    package var isRecording: Bool

    private var items: [Item] = []
    private var noted: Set<MessageID> = []
    private var added: Set<MessageID> = []
    private var removed: [MessageID: Entry] = [:]

    package init(isRecording: Bool = false) { self.isRecording = isRecording }

    mutating func messageAdded(_ message: MessageID) {
        if isRecording { added.insert(message) }
    }

    mutating func messageChanged(_ message: MessageID, in conversation: ConversationID) {
        guard isRecording, noted.insert(message).inserted else { return }
        items.append(.message(message, conversation))
    }

    mutating func messageRemoved(_ message: MessageID, in key: ConversationKey) {
        guard isRecording else { return }
        // A message that this transaction has added was never there for others.
        removed[message] = Entry(
            kind: .messageRemoved, account: key.account, address: key.address, conversationKind: key.kind,
            message: message)
    }

    package mutating func note(_ kind: StoredEvent.Kind, _ address: JID, of account: AccountID) {
        if isRecording { items.append(.other(Entry(kind: kind, account: account, address: address))) }
    }

    /// The changes of its messages are not worth reading any more.
    package mutating func conversationRemoved(_ conversation: ConversationID, _ key: ConversationKey) {
        guard isRecording else { return }
        items.removeAll { item in
            if case .message(_, conversation) = item { true } else { false }
        }
        items.append(
            .other(
                Entry(
                    kind: .conversationRemoved, account: key.account, address: key.address, conversationKind: key.kind))
        )
    }

    /// The entries, in the order of the first change of each message.
    package func entries(
        _ key: (ConversationID) throws(StoreError) -> ConversationKey?
    ) throws(StoreError) -> [Entry] {
        var entries: [Entry] = []
        entries.reserveCapacity(items.count)
        for item in items {
            switch item {
            case .other(let entry): entries.append(entry)
            case .message(let message, let conversation):
                if let entry = removed[message] {
                    if !added.contains(message) { entries.append(entry) }
                } else if let key = try key(conversation) {
                    entries.append(
                        Entry(
                            kind: added.contains(message) ? .messageAdded : .messageChanged, account: key.account,
                            address: key.address, conversationKind: key.kind, message: message))
                }
            }
        }
        return entries
    }
}

extension RecordStorage {
    /// Records which contacts a change adds, changes and removes.
    ///
    /// - Parameter address: the only contact that it concerns; `nil` for all, of which most stay as they are, because a
    ///   server sends the same roster again.
    package func recordingContacts(
        _ address: JID? = nil, of account: AccountID, _ change: () throws(StoreError) -> Void
    ) throws(StoreError) {
        guard events.isRecording else { return try change() }
        let old = try contacts(address, of: account)
        events.isRecording = false
        defer { events.isRecording = true }
        try change()
        let new = try contacts(address, of: account)
        events.isRecording = true
        for contact in new where old[contact.key] != contact.value { events.note(.contact, contact.key, of: account) }
        for contact in old.keys.sorted() where new[contact] == nil {
            events.note(.contactRemoved, contact, of: account)
        }
    }

    private func contacts(_ address: JID?, of account: AccountID) throws(StoreError) -> [JID: StoredContact] {
        guard let address else {
            return Dictionary(
                try contacts(of: account).map { ($0.address, $0) }, uniquingKeysWith: { first, _ in first })
        }
        guard let contact = try contact(address, of: account) else { return [:] }
        return [contact.address: contact]
    }

    /// Records the change of a room, unless it stays as it is.
    package func recordingRoom(
        _ address: JID, of account: AccountID, _ change: () throws(StoreError) -> Void
    ) throws(StoreError) {
        guard events.isRecording else { return try change() }
        let old = try rooms(of: account).first { $0.address == address.bare }
        try change()
        let new = try rooms(of: account).first { $0.address == address.bare }
        guard new != old else { return }
        events.note(new == nil ? .roomRemoved : .room, address.bare, of: account)
    }

    /// Records a contact request that is not known yet.
    package func recordingRequest(
        _ presence: StoredPresence, of account: AccountID, _ change: () throws(StoreError) -> Void
    ) throws(StoreError) {
        guard events.isRecording, presence.kind == .request else { return try change() }
        let isKnown = try presences(of: account).contains {
            $0.kind == .request && $0.address == presence.address
        }
        try change()
        if !isKnown { events.note(.request, presence.address.bare, of: account) }
    }
}
