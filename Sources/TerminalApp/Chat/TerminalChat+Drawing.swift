internal import ChatEngine
internal import ChatModel
internal import ChatStore
internal import Localization
internal import XMPPAddress

extension TerminalChat {
    /// Writes the final lines permanently and redraws the others.
    func draw() {
        guard !isOver, !isSwitching else { return }
        let columns = screen.columns
        screen.prompt = prompt
        screen.isSecret = question?.isSecret ?? false
        screen.status = hint
        hasDrawn = true
        if let place = conversation?.place { return drawScrolled(to: place, columns) }
        if transcript.isOutOfOrder { return drawAgain() }
        let final = transcript.takeFinalRows(columns: columns, maximumLive: max(1, screen.maximumLiveRows - 1))
        screen.show(final: final, live: transcript.liveRows(columns: columns) + lowerRows(columns), input: input)
    }

    /// The number of visible rows of the conversation while it is scrolled.
    var pageRows: Int { max(1, screen.rows - 3) }

    /// Draws the earlier part of the conversation on the whole screen.
    private func drawScrolled(to place: Transcript.Place, _ columns: Int) {
        let rows = transcript.allRows(columns: columns)
        let end = transcript.end(of: place, in: rows)
        screen.clear()
        let hint = activity ?? olderText ?? localized("scrolled up · PageDown or End returns")
        screen.show(
            live: rows[max(0, end - pageRows)..<end].map(\.row) + [TranscriptEntry.divider(hint, columns: columns)],
            input: input)
    }

    private var olderText: String? {
        conversation?.timeline.olderMessages == .loading
            ? localized("loading older messages from the server…") : nil
    }

    /// Finalises lines that could still change, because another conversation follows below them.
    func writePermanently() {
        let columns = screen.columns
        let final = transcript.takeFinalRows(columns: columns, maximumLive: 0)
        screen.show(final: final + transcript.liveRows(columns: columns), live: [], input: input)
    }

    /// Redraws everything on an empty screen, after its size has changed or something else has written on it.
    func drawAgain() {
        if conversation?.place != nil { return draw() }
        let lower = lowerRows(screen.columns).count
        screen.clear()
        transcript.rewind(columns: screen.columns, rows: max(1, screen.rows - lower - 2))
        draw()
    }

    // MARK: The input row

    private var prompt: String {
        if let question { return TerminalText.harmless(question.prompt) }
        guard let conversation else { return localized("Contact: ") }
        let lock = conversation.encryption.isAvailable ? conversation.encryption.sign.mark : ""
        // A reply or a correction that was started elsewhere continues here.
        if conversation.composer.edit != nil { return lock + "✎ " }
        return lock + (conversation.composer.reply != nil ? "↪ " : "> ")
    }

    private var hint: String {
        if question != nil { return "" }
        return conversation == nil
            ? localized("Enter opens, ↑↓ choose, or type a number, a name, /add ADDRESS")
            : localized("write a message, or / for a command")
    }

    // MARK: The status row

    private func lowerRows(_ columns: Int) -> [TerminalScreen.Row] {
        let status = StatusRow(left: activity.map { ($0, .warning) } ?? peerState, right: ownState)
        let list = conversation == nil ? contacts.rows(columns: columns, maximum: screen.maximumLiveRows) : []
        return list + [status.row(columns: columns)]
    }

    private var peerState: (text: String, style: TerminalScreen.Style) {
        guard let conversation else { return (localized("contacts"), .bold) }
        let key = conversation.key
        let name = name(of: key)
        switch key.kind {
        case .room: return roomState(name, conversation.room)
        case .occupant: return (name, .plain)
        case .direct: break
        }
        if !conversation.timeline.writing.isEmpty { return (localized("%@ is writing…", name), .theirs) }
        guard let contact = contacts.contact(key.address) else {
            return (name + " · " + localized("not a contact"), .plain)
        }
        // Without a connection the presence of contacts is unknown.
        guard connection.isOnline else { return (name, .plain) }
        var text = name + " · " + Wording.presence(contact.section)
        if contact.isPending { text = name + " · " + localized("asked, no answer yet") }
        if let status = contact.status { text += ": " + status }
        return (text, contact.section == .online ? .theirs : .plain)
    }

    private func roomState(_ name: String, _ room: RoomState?) -> (text: String, style: TerminalScreen.Style) {
        guard connection.isOnline else { return ("# " + name, .plain) }
        guard let room, room.isInside else {
            let reason = room?.absence.map { Wording.absence($0) } ?? localized("not in the room")
            return ("# " + name + " · " + reason, .plain)
        }
        var text = "# " + name + " · " + localized("%@ inside", room.people.count)
        let writing = conversation?.timeline.writing ?? []
        if let first = writing.first {
            text +=
                " · " + (writing.count == 1 ? localized("%@ is writing…", first) : localized("several are writing…"))
        } else if let subject = room.subject, !subject.isEmpty {
            text += " · " + subject
        }
        return (text, .theirs)
    }

    private var ownState: (text: String, style: TerminalScreen.Style) {
        if let text = connection.text { return (text, .warning) }
        let unread = contacts.unreadCount(besides: conversation?.key)
        let state = Wording.presence(presence.show)
        return (
            unread > 0 ? localized("%@ unread · %@", plural: "%@ unread · %@", count: unread, unread, state) : state,
            unread > 0 ? .warning : .dim
        )
    }
}

/// The row above the input: `── goose · online ───────────── online ──`.
struct StatusRow {
    /// The open conversation.
    var left: (text: String, style: TerminalScreen.Style)
    /// The account and the connection.
    var right: (text: String, style: TerminalScreen.Style)

    /// Columns reserved for the right part, if it needs them, so that the state of the connection is always visible.
    private static let rightRoom = 18

    func row(columns: Int) -> TerminalScreen.Row {
        let edge = "── "
        let room = max(0, columns - 2 * DisplayWidth.of(edge) - 1)
        let (whole, mine) = (TerminalText.harmless(left.text), TerminalText.harmless(right.text))
        let kept = min(DisplayWidth.of(mine), max(Self.rightRoom, room - DisplayWidth.of(whole) - 2))
        let left = DisplayWidth.truncate(whole, to: max(0, room - kept - 2))
        let right = DisplayWidth.truncate(mine, to: max(0, room - DisplayWidth.of(left) - 2))
        let gap =
            columns - DisplayWidth.of(edge) - DisplayWidth.of(left) - 1
            - (right.isEmpty ? 0 : DisplayWidth.of(right) + 2 + 2)
        var row: TerminalScreen.Row = [
            .init(text: edge, style: .dim), .init(text: left, style: self.left.style),
            .init(text: " " + String(repeating: "─", count: max(0, gap)), style: .dim),
        ]
        if !right.isEmpty {
            row += [
                .init(text: " ", style: .dim), .init(text: right, style: self.right.style),
                .init(text: " ──", style: .dim),
            ]
        }
        return row
    }
}

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
