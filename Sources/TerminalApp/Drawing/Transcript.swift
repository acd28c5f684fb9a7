internal import ChatModel
internal import ChatStore

/// The lines of a conversation in the terminal: the rows of its timeline, and lines of the program between them.
///
/// The first lines are written permanently into the scrollback of the terminal; the last ones can still change and are
/// redrawn.
struct Transcript {
    private(set) var entries: [TranscriptEntry] = []
    /// The messages behind the entries, as last shown.
    private(set) var messages: [TimelineMessage] = []
    /// Entries before this one are in the scrollback of the terminal and cannot be redrawn.
    private var firstLive = 0
    /// Whether a line was inserted into, or removed from, the permanent ones: all must be redrawn.
    private(set) var isOutOfOrder = false
    private var notices: [Notice] = []
    private var noticeCount = 0
    private var drawn = RowCache()

    private struct Notice {
        var entry: TranscriptEntry
        /// The message above it; `nil` above all messages.
        var place: TimelinePosition?
    }

    /// The number of lines of the program that are stored for redrawing after a change of size.
    private static let noticeLimit = 400

    // MARK: Content

    /// Appends a line that is not a message.
    mutating func append(_ author: TranscriptEntry.Author, _ text: String, time: MessageTime) {
        noticeCount += 1
        let entry = TranscriptEntry(id: .notice(noticeCount), author: author, time: time, text: text)
        notices.append(Notice(entry: entry, place: entries.last { $0.position != nil }?.position))
        if notices.count > Self.noticeLimit { notices.removeFirst(Self.noticeLimit / 2) }
        entries.append(entry)
    }

    /// Shows these rows of a timeline, oldest first, with the lines of the program at their positions.
    ///
    /// - Returns: the identifiers of entries that have changed after they were written permanently.
    mutating func show(
        _ rows: [TranscriptEntry], _ messages: [TimelineMessage] = []
    ) -> Set<TranscriptEntry.ID> {
        self.messages = messages
        let new = merged(rows)
        guard new != entries else { return [] }
        let written = entries[..<firstLive]
        let dividers = Set(written.lazy.filter { $0.author == .divider }.map(\.id))
        // Dividers move to the first message of a day or of the window, so they do not determine the order.
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
            // Nothing may be inserted between two previous neighbours, and nothing may be missing.
            if let previous, !isNeighbour || place != previous + 1 { isOutOfOrder = true }
            previous = place
            isNeighbour = true
            end = index + 1
        }
        // The last permanent line must still exist; older lines may have left the window.
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
        // Dividers belong to the message below them.
        var dividers: [TranscriptEntry] = []
        for row in rows {
            guard let position = row.position else {
                dividers.append(row)
                continue
            }
            while let notice = waiting.first, notice.place.map({ $0 < position }) ?? true {
                // Without a position it belongs below the header and above the first message.
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

    /// The rows that are final now; the caller writes them permanently, once.
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

    /// All rows, oldest first, each with its identity.
    mutating func allRows(columns: Int) -> [(row: TerminalScreen.Row, place: Place)] {
        entries.flatMap { entry in
            drawn.rows(of: entry, columns: columns).enumerated().map {
                ($1, Place(entry: entry.id, offset: $0))
            }
        }
    }

    /// The identity of a row, by which a scrolled view keeps its position when lines are inserted or removed.
    struct Place: Equatable {
        var entry: TranscriptEntry.ID
        var offset: Int
    }

    /// The index after that row; the end of all rows if its entry was removed.
    func end(of place: Place, in rows: [(row: TerminalScreen.Row, place: Place)]) -> Int {
        let index =
            rows.lastIndex { $0.place.entry == place.entry && $0.place.offset <= place.offset }
        return index.map { $0 + 1 } ?? rows.count
    }

    /// Prepares redrawing: the last entries that fit into this number of rows can be written again.
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

/// Caches the drawn rows of entries, because wrapping a text costs more than comparing it.
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
