internal import ChatModel
internal import ChatStore

/// The lines of a conversation in the terminal: the rows of its timeline, and what the program says in between.
///
/// The first lines are written permanently into the terminal's own scroll-back; the last ones can still change and are
/// drawn again.
struct Transcript {
    private(set) var entries: [TranscriptEntry] = []
    /// The messages behind the entries, as they were shown last.
    private(set) var messages: [TimelineMessage] = []
    /// Entries before this one are in the terminal's own scroll-back and cannot be drawn again.
    private var firstLive = 0
    /// A line came among, or went from, those that are written permanently: all must be drawn again.
    private(set) var isOutOfOrder = false
    private var notices: [Notice] = []
    private var noticeCount = 0
    private var drawn = RowCache()

    private struct Notice {
        var entry: TranscriptEntry
        /// The message that it was written below; `nil` above all of them.
        var place: TimelinePosition?
    }

    /// Lines of the program that are kept for drawing the screen again after its size has changed.
    private static let noticeLimit = 400

    // MARK: Content

    /// Adds a line that is no message at the end.
    mutating func append(_ author: TranscriptEntry.Author, _ text: String, time: MessageTime) {
        noticeCount += 1
        let entry = TranscriptEntry(id: .notice(noticeCount), author: author, time: time, text: text)
        notices.append(Notice(entry: entry, place: entries.last { $0.position != nil }?.position))
        if notices.count > Self.noticeLimit { notices.removeFirst(Self.noticeLimit / 2) }
        entries.append(entry)
    }

    /// Shows these rows of a timeline, oldest first, with the lines of the program where they were written.
    ///
    /// - Returns: the identifiers of the entries that have changed after they were written permanently.
    mutating func show(
        _ rows: [TranscriptEntry], _ messages: [TimelineMessage] = []
    ) -> Set<TranscriptEntry.ID> {
        self.messages = messages
        let new = merged(rows)
        guard new != entries else { return [] }
        let written = entries[..<firstLive]
        let dividers = Set(written.lazy.filter { $0.author == .divider }.map(\.id))
        // Dividers move to whichever message begins a day or the window, so they say nothing about the order.
        let lines = written.filter { $0.author != .divider }
        let places = Dictionary(lines.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
        var changed: Set<TranscriptEntry.ID> = []
        var previous: Int?
        var isNeighbour = true
        var end = 0
        for (index, entry) in new.enumerated() where entry.author != .divider {
            guard let place = places[entry.id] else {
                isNeighbour = false
                continue
            }
            if lines[place] != entry { changed.insert(entry.id) }
            // Between two neighbours of before there must be nothing new, and nothing may be missing.
            if let previous, !isNeighbour || place != previous + 1 { isOutOfOrder = true }
            previous = place
            isNeighbour = true
            end = index + 1
        }
        // What was written last must still be there; older lines may have left the window.
        if !lines.isEmpty, previous != lines.count - 1 { isOutOfOrder = true }
        while end < new.count, dividers.contains(new[end].id) { end += 1 }
        entries = new
        firstLive = end
        drawn.keep(Set(new.map(\.id)))
        return changed
    }

    private func merged(_ rows: [TranscriptEntry]) -> [TranscriptEntry] {
        guard !notices.isEmpty else { return rows }
        var result: [TranscriptEntry] = []
        result.reserveCapacity(rows.count + notices.count)
        var waiting = notices[...]
        // Days and other dividers belong to the message below them.
        var dividers: [TranscriptEntry] = []
        for row in rows {
            guard let position = row.position else {
                dividers.append(row)
                continue
            }
            while let notice = waiting.first, notice.place.map({ $0 < position }) ?? true {
                // Without a place it stands below the header and above the first message.
                if let header = dividers.first, header.id == .header { result.append(dividers.removeFirst()) }
                result.append(notice.entry)
                waiting.removeFirst()
            }
            result += dividers
            dividers = []
            result.append(row)
        }
        return result + dividers + waiting.map(\.entry)
    }

    // MARK: Rows

    /// The rows that are final now; called once, written permanently.
    mutating func takeFinalRows(columns: Int, maximumLive: Int) -> [TerminalScreen.Row] {
        var rows: [TerminalScreen.Row] = []
        var liveCount = liveRows(columns: columns).count
        while firstLive < entries.count {
            let entry = drawn.rows(of: entries[firstLive], columns: columns)
            guard entries[firstLive].isFinal || liveCount > maximumLive else { break }
            rows += entry
            liveCount -= entry.count
            firstLive += 1
        }
        return rows
    }

    /// The rows of the entries that can still change.
    mutating func liveRows(columns: Int) -> [TerminalScreen.Row] {
        entries[firstLive...].flatMap { drawn.rows(of: $0, columns: columns) }
    }

    /// All rows, oldest first, each with its place.
    mutating func allRows(columns: Int) -> [(row: TerminalScreen.Row, place: Place)] {
        entries.flatMap { entry in
            drawn.rows(of: entry, columns: columns).enumerated().map {
                ($1, Place(entry: entry.id, offset: $0))
            }
        }
    }

    /// A row of an entry, by which a scrolled view finds its way when lines come and go.
    struct Place: Equatable {
        var entry: TranscriptEntry.ID
        var offset: Int
    }

    /// The index behind the row of that place; the end of all rows where its entry is gone.
    func end(of place: Place, in rows: [(row: TerminalScreen.Row, place: Place)]) -> Int {
        let index =
            rows.lastIndex { $0.place.entry == place.entry && $0.place.offset <= place.offset }
        return index.map { $0 + 1 } ?? rows.count
    }

    /// Begins to draw again: the last entries that fit into so many rows can be written again.
    mutating func rewind(columns: Int, rows maximum: Int) {
        var used = 0
        var index = entries.count
        while index > 0 {
            used += drawn.rows(of: entries[index - 1], columns: columns).count
            guard used <= maximum else { break }
            index -= 1
        }
        firstLive = index
        isOutOfOrder = false
    }
}

/// The rows of entries as they were drawn last, because wrapping a text costs more than comparing it.
private struct RowCache {
    private var known: [TranscriptEntry.ID: (entry: TranscriptEntry, columns: Int, rows: [TerminalScreen.Row])] = [:]

    mutating func rows(of entry: TranscriptEntry, columns: Int) -> [TerminalScreen.Row] {
        if let drawn = known[entry.id], drawn.columns == columns, drawn.entry == entry { return drawn.rows }
        let rows = entry.rows(columns: columns)
        known[entry.id] = (entry, columns, rows)
        return rows
    }

    mutating func keep(_ entries: Set<TranscriptEntry.ID>) {
        if known.count > entries.count { known = known.filter { entries.contains($0.key) } }
    }
}
