internal import ChatStore
internal import MessageFeatures

/// The lines of a conversation in the terminal: those written for good, and the last ones, which can still change.
struct Timeline {
    private(set) var entries: [ConversationEntry] = []
    /// Entries before this one are in the terminal's own scroll-back and cannot be drawn again.
    private var firstLive = 0
    private var nextNumber = 0
    /// Something was put among lines that are written for good: all must be drawn anew.
    private(set) var isOutOfOrder = false

    /// Entries kept for drawing the screen anew after its size has changed.
    private static let maximumEntries = 500

    /// Adds an entry at the end and returns its identifier.
    mutating func append(
        _ author: ConversationEntry.Author, _ text: String, time: Timestamp = .now,
        delivery: ConversationEntry.Delivery? = nil
    ) -> String {
        nextNumber += 1
        let id = String(nextNumber)
        entries.append(ConversationEntry(id: id, author: author, time: time, text: text, delivery: delivery))
        return id
    }

    /// What came of ``put(_:)``.
    enum Placement: Equatable {
        case added
        /// It was there, and the change can be seen.
        case changed
        /// It was there, and its line has scrolled away.
        case changedOutOfSight
        case unchanged
    }

    /// Puts a message of the store where it stands, or in the place of what it was before.
    mutating func put(_ entry: ConversationEntry) -> Placement {
        if let index = entries.lastIndex(where: { $0.id == entry.id }) {
            let old = entries[index]
            if old == entry { return .unchanged }
            if let position = entry.position, old.position != position, !fits(position, at: index) {
                // The archive knows better where it stands.
                remove(at: index)
                insert(entry)
                return .changed
            }
            entries[index] = entry
            return index >= firstLive ? .changed : .changedOutOfSight
        }
        insert(entry)
        return .added
    }

    /// Takes a message away that is not in the store any more.
    mutating func remove(_ id: String) {
        if let index = entries.lastIndex(where: { $0.id == id }) { remove(at: index) }
    }

    /// Puts older messages in front.
    mutating func prepend(_ older: [ConversationEntry]) {
        entries.insert(contentsOf: older, at: 0)
        firstLive += older.count
    }

    private mutating func insert(_ entry: ConversationEntry) {
        var index = entries.count
        if let position = entry.position {
            // What the program says in between stays where it was said.
            for candidate in entries.indices.reversed() {
                guard let other = entries[candidate].position else { continue }
                if other < position { break }
                index = candidate
            }
        }
        entries.insert(entry, at: index)
        if index < firstLive {
            firstLive += 1
            isOutOfOrder = true
        }
    }

    private mutating func remove(at index: Int) {
        entries.remove(at: index)
        if index < firstLive {
            firstLive -= 1
            isOutOfOrder = true
        }
    }

    private func fits(_ position: TimelinePosition, at index: Int) -> Bool {
        let before = entries[..<index].last { $0.position != nil }?.position
        let after = entries[(index + 1)...].first { $0.position != nil }?.position
        return (before.map { $0 < position } ?? true) && (after.map { position < $0 } ?? true)
    }

    /// Changes an entry.
    ///
    /// - Returns: whether the change can be seen; not when the entry has scrolled away.
    @discardableResult
    mutating func change(_ id: String, _ body: (inout ConversationEntry) -> Void) -> Bool {
        guard let index = entries.lastIndex(where: { $0.id == id }) else { return false }
        body(&entries[index])
        return index >= firstLive
    }

    /// The rows that are final now; called once, written for good.
    mutating func takeFinalRows(columns: Int, maximumLive: Int) -> [TerminalScreen.Row] {
        var rows: [TerminalScreen.Row] = []
        var liveCount = liveRows(columns: columns).count
        while firstLive < entries.count {
            let entry = self.rows(of: firstLive, columns: columns)
            let isFinal = entries[firstLive].delivery?.isFinal ?? true
            guard isFinal || liveCount > maximumLive else { break }
            rows += entry
            liveCount -= entry.count
            firstLive += 1
        }
        if entries.count > Self.maximumEntries {
            let excess = min(entries.count - Self.maximumEntries, firstLive)
            entries.removeFirst(excess)
            firstLive -= excess
        }
        return rows
    }

    /// The rows of the entries that can still change.
    func liveRows(columns: Int) -> [TerminalScreen.Row] {
        entries.indices[firstLive...].flatMap { rows(of: $0, columns: columns) }
    }

    /// All rows, oldest first.
    func allRows(columns: Int) -> [TerminalScreen.Row] {
        entries.indices.flatMap { rows(of: $0, columns: columns) }
    }

    /// Begins to draw anew: the last entries that fit into so many rows can be written again.
    mutating func rewind(columns: Int, rows maximum: Int) {
        var used = 0
        var index = entries.count
        while index > 0 {
            used += rows(of: index - 1, columns: columns).count
            guard used <= maximum else { break }
            index -= 1
        }
        firstLive = index
        isOutOfOrder = false
    }

    /// The entry's rows, with the date in front of the first one of a day.
    private func rows(of index: Int, columns: Int) -> [TerminalScreen.Row] {
        let entry = entries[index]
        let day = entry.time.dayText
        // A line across the screen is no part of a day; what follows it is.
        if entry.author == .divider { return entry.rows(columns: columns) }
        let before = entries[..<index].last { $0.author != .divider }
        let isNewDay = before?.time.dayText != day
        return (isNewDay ? [Self.divider(day, columns: columns)] : []) + entry.rows(columns: columns)
    }

    /// `──────── 2026-09-12 ────────`.
    static func divider(_ text: String, columns: Int) -> TerminalScreen.Row {
        let shown = DisplayWidth.truncate(" \(text) ", to: columns)
        let room = max(0, columns - DisplayWidth.of(shown))
        let left = String(repeating: "─", count: room / 2)
        return [.init(text: left + shown + String(repeating: "─", count: room - room / 2), style: .dim)]
    }
}
