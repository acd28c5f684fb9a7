internal import ChatStore
internal import MessageFeatures
internal import XMPPAddress

/// Who is typing, or has just stopped (XEP-0085), by conversation.
///
/// Anybody can send it under any number of names, so the table is bounded. Strangers have a small separate part: when
/// it is full, the oldest entry is dropped.
struct TypingTable: Sendable {
    /// Conversations with known people, and rooms.
    static let conversations = 256
    /// Devices or occupants per conversation: more names than a line shows.
    static let writers = 64
    /// Conversations with strangers, with one device each.
    static let strangers = 16

    private struct Entry: Sendable {
        let key: ConversationKey
        let isKnown: Bool
        var writers: [(address: JID, state: ChatState)]
    }

    /// Oldest first.
    private var entries: [Entry] = []

    var keys: [ConversationKey] { entries.map(\.key) }

    var states: [ConversationKey: [JID: ChatState]] {
        var states: [ConversationKey: [JID: ChatState]] = [:]
        for entry in entries {
            states[entry.key] = Dictionary(entry.writers.map { ($0.address, $0.state) }, uniquingKeysWith: { $1 })
        }
        return states
    }

    /// - Parameters:
    ///   - state: `nil` when the person has stopped.
    ///   - isKnown: the user takes part in the conversation, or knows the other side.
    /// - Returns: the conversations whose display changes.
    mutating func set(
        _ state: ChatState?, of writer: JID, in key: ConversationKey, isKnown: Bool
    ) -> [ConversationKey] {
        let old = entries.firstIndex { $0.key == key }
        // Known at the start means known at the end.
        let isKnown = isKnown || old.map { entries[$0].isKnown } ?? false
        var entry = Entry(key: key, isKnown: isKnown, writers: old.map { entries[$0].writers } ?? [])
        let place = entry.writers.firstIndex { $0.address == writer }
        guard state != place.map({ entry.writers[$0].state }) else { return [] }
        if let place { entry.writers.remove(at: place) }
        if let state { entry.writers.append((writer, state)) }
        let limit = isKnown ? Self.writers : 1
        if entry.writers.count > limit { entry.writers.removeFirst(entry.writers.count - limit) }
        var changed = [key]
        if let old { entries.remove(at: old) }
        if !entry.writers.isEmpty { entries.append(entry) }
        if entries.count(where: { $0.isKnown == isKnown }) > (isKnown ? Self.conversations : Self.strangers),
            let first = entries.firstIndex(where: { $0.isKnown == isKnown })
        {
            changed.append(entries.remove(at: first).key)
        }
        return changed
    }

    mutating func removeAll() { entries = [] }
}
