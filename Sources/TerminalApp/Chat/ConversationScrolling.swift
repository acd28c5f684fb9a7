internal import ChatModel

/// Scrolls the open conversation by pages. Older messages come from the store, and from the server when the store has no
/// more; typing is still possible.
@MainActor
final class ConversationScrolling {
    private let models: AccountModels
    private let console: ChatConsole
    private let display: ChatDisplay
    private let updates: ModelUpdates
    /// The number of pages that are still to be scrolled; positive is up.
    private var wantedPages = 0
    private var isScrolling = false

    init(_ models: AccountModels, _ console: ChatConsole, _ display: ChatDisplay, _ updates: ModelUpdates) {
        self.models = models
        self.console = console
        self.display = display
        self.updates = updates
    }

    /// Scrolls up or down by pages.
    func scroll(pages: Int) {
        guard models.conversation != nil else { return }
        wantedPages += pages
        guard !isScrolling else { return }
        isScrolling = true
        console.jobs.begin { [self] in
            while wantedPages != 0, let pane = models.conversation {
                let step = wantedPages > 0 ? 1 : -1
                wantedPages -= step
                await scroll(pane, up: step > 0)
            }
            wantedPages = 0
            isScrolling = false
        }
    }

    private func scroll(_ pane: ConversationPane, up isUp: Bool) async {
        let page = display.pageRows
        var rows = allRows()
        guard let last = rows.last else { return }
        let place = pane.place ?? last.place
        var end = console.transcript.end(of: place, in: rows)
        if isUp {
            if end - page < page {
                // The window moves, so the row is found by its identity.
                pane.timeline.viewMoved(isAtNewest: false)
                pane.place = place
                guard await pane.timeline.loadOlder() || end > page, isShown(pane, at: place) else {
                    if isShown(pane, at: place), end <= page, end == rows.count { pane.place = nil }
                    return updates.update()
                }
                updates.update()
                rows = allRows()
                end = console.transcript.end(of: place, in: rows)
            }
            end = max(min(page, rows.count), end - page)
        } else {
            guard pane.place != nil else { return }
            if end + page >= rows.count, !pane.timeline.reachesNewest {
                guard await pane.timeline.loadNewer(), isShown(pane, at: place) else { return }
                updates.update()
                rows = allRows()
                end = console.transcript.end(of: place, in: rows)
            }
            end += page
            if end >= rows.count { return await scrollToEnd() }
        }
        guard rows.indices.contains(end - 1) else { return }
        pane.place = end == rows.count ? nil : rows[end - 1].place
        pane.timeline.viewMoved(isAtNewest: pane.place == nil)
        if pane.place == nil { display.drawAgain() } else { display.draw() }
    }

    /// Whether the conversation was neither closed nor scrolled meanwhile.
    private func isShown(_ pane: ConversationPane, at place: Transcript.Place) -> Bool {
        pane === models.conversation && pane.place == place
    }

    private func allRows() -> [(row: TerminalScreen.Row, place: Transcript.Place)] {
        console.transcript.allRows(columns: display.columns)
    }

    /// Shows the newest messages.
    func scrollToEnd() async {
        wantedPages = 0
        guard let pane = models.conversation, pane.place != nil else { return }
        pane.place = nil
        if !pane.timeline.reachesNewest { await pane.timeline.showNewest() }
        pane.timeline.viewMoved(isAtNewest: true)
        guard pane === models.conversation else { return }
        updates.update()
        display.drawAgain()
    }
}
