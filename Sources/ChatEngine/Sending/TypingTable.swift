internal import ChatStore
internal import MessageFeatures
internal import XMPPAddress

/// Who is writing, or has just stopped (XEP-0085), by conversation.
///
/// Anybody can send it, in any number of names, so it has bounds. Strangers have a small part of it to themselves: where theirs is
/// full, the one who began first goes, and whoever the person knows is shown all the same.
struct TypingTable: Sendable {
    /// Conversations with people that the person knows, and rooms.
    static let conversations = 256
    /// Devices or occupants in each: more names than a line shows.
    static let writers = 64
    /// Conversations with strangers, with one device each.
    static let strangers = 16

    private struct Entry: Sendable {
        let key: ConversationKey
        let isKnown: Bool
        var writers: [(address: JID, state: ChatState)]
    }

    /// Those that began first come first.
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
    ///   - state: `nil` for one who does not write any more.
    ///   - isKnown: the person takes part in the conversation, or knows the other side.
    /// - Returns: the conversations of which something else is to be shown now.
    mutating func set(
        _ state: ChatState?, of writer: JID, in key: ConversationKey, isKnown: Bool
    ) -> [ConversationKey] {
        let old = entries.firstIndex { $0.key == key }
        // Who was known when it began still is when it stops.
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
