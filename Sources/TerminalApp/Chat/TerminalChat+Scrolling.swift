internal import ChatModel

extension TerminalChat {
    /// Scrolls up or down by pages. Older messages come from the store, and from the server when the store has no more;
    /// typing is still possible.
    func scroll(pages: Int) {
        guard conversation != nil else { return }
        wantedPages += pages
        guard !isScrolling else { return }
        isScrolling = true
        begin { chat in
            while chat.wantedPages != 0, let pane = chat.conversation {
                let step = chat.wantedPages > 0 ? 1 : -1
                chat.wantedPages -= step
                await chat.scroll(pane, up: step > 0)
            }
            chat.wantedPages = 0
            chat.isScrolling = false
        }
    }

    private func scroll(_ pane: ConversationPane, up isUp: Bool) async {
        let page = pageRows
        var rows = transcript.allRows(columns: screen.columns)
        guard let last = rows.last else { return }
        let place = pane.place ?? last.place
        var end = transcript.end(of: place, in: rows)
        if isUp {
            if end - page < page {
                // The window moves, so the row is found by its identity.
                pane.timeline.viewMoved(isAtNewest: false)
                pane.place = place
                guard await pane.timeline.loadOlder() || end > page, pane === conversation, pane.place == place else {
                    if pane === conversation, end <= page, pane.place == place, end == rows.count { pane.place = nil }
                    return update()
                }
                update()
                rows = transcript.allRows(columns: screen.columns)
                end = transcript.end(of: place, in: rows)
            }
            end = max(min(page, rows.count), end - page)
        } else {
            guard pane.place != nil else { return }
            if end + page >= rows.count, !pane.timeline.reachesNewest {
                guard await pane.timeline.loadNewer(), pane === conversation, pane.place == place else { return }
                update()
                rows = transcript.allRows(columns: screen.columns)
                end = transcript.end(of: place, in: rows)
            }
            end += page
            if end >= rows.count { return await scrollToEnd() }
        }
        guard rows.indices.contains(end - 1) else { return }
        pane.place = end == rows.count ? nil : rows[end - 1].place
        pane.timeline.viewMoved(isAtNewest: pane.place == nil)
        if pane.place == nil { drawAgain() } else { draw() }
    }

    /// Shows the newest messages.
    func scrollToEnd() async {
        wantedPages = 0
        guard let pane = conversation, pane.place != nil else { return }
        pane.place = nil
        if !pane.timeline.reachesNewest { await pane.timeline.showNewest() }
        pane.timeline.viewMoved(isAtNewest: true)
        guard pane === conversation else { return }
        update()
        drawAgain()
    }
}
