internal import MessageFeatures

/// The lines of a conversation in the terminal: those written for good, and the last ones, which can still change.
struct Timeline {
    private(set) var entries: [ConversationEntry] = []
    /// Entries before this one are in the terminal's own scroll-back and cannot be drawn again.
    private var firstLive = 0
    private var nextNumber = 0

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
    }

    /// The entry's rows, with the date in front of the first one of a day.
    private func rows(of index: Int, columns: Int) -> [TerminalScreen.Row] {
        let entry = entries[index]
        let day = entry.time.dayText
        let isNewDay = index == 0 || entries[index - 1].time.dayText != day
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
