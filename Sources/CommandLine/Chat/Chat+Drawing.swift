internal import ChatModel
internal import ChatStore
internal import Localization
internal import MessageFeatures
internal import Roster
internal import XMPPAddress
internal import XMPPStanzas

extension Chat {
    /// Writes what is final and draws the rest.
    func redraw() {
        let columns = screen.columns
        screen.prompt = prompt
        screen.status = placeholder
        hasDrawn = true
        if scrolledRows > 0 { return drawScrolled(columns) }
        let final = timeline.takeFinalRows(columns: columns, maximumLive: max(1, screen.maximumLiveRows - 1))
        screen.show(final: final, live: timeline.liveRows(columns: columns) + lowerRows(columns), input: input)
    }

    /// What was said further up, in the whole screen.
    private func drawScrolled(_ columns: Int) {
        let page = max(1, screen.rows - 3)
        let rows = timeline.allRows(columns: columns)
        let end = max(0, rows.count - scrolledRows)
        screen.clear()
        let hint = meter ?? localized("further up · PageDown or End goes back")
        screen.show(
            live: Array(rows[max(0, end - page)..<end]) + [Timeline.divider(hint, columns: columns)], input: input)
    }

    /// Lets go of lines that could still change, because another conversation follows below them.
    func writeForGood() {
        let columns = screen.columns
        let final = timeline.takeFinalRows(columns: columns, maximumLive: 0)
        screen.show(final: final + timeline.liveRows(columns: columns), live: [], input: input)
    }

    /// Begins with an empty screen: its size has changed, or something else has written on it.
    func drawAnew() {
        if scrolledRows > 0 { return redraw() }
        let lower = lowerRows(screen.columns).count
        screen.clear()
        timeline.rewind(columns: screen.columns, rows: max(1, screen.rows - lower - 2))
        redraw()
    }

    /// Adds a line of the program's own.
    func tell(_ text: String) {
        _ = timeline.append(.notice, text)
    }

    private var prompt: String {
        if let question { return question.prompt }
        return view == .friends ? localized("Friend: ") : "> "
    }

    private var placeholder: String {
        if question != nil { return "" }
        return switch view {
        case .friends: localized("Enter opens, ↑↓ choose, or type a number, a name, /add ADDRESS")
        case .conversation: localized("write a message, or / for a command")
        }
    }

    private func lowerRows(_ columns: Int) -> [TerminalScreen.Row] {
        switch view {
        case .friends:
            friends.rows(columns: columns, maximum: screen.maximumLiveRows) + [statusRow(columns)]
        case .conversation: [statusRow(columns)]
        }
    }

    /// `── goose · online ───────────── you@example.org · online ──`.
    private func statusRow(_ columns: Int) -> TerminalScreen.Row {
        let mine = ownState
        let theirs = meter.map { ($0, TerminalScreen.Style.warning) } ?? peerState
        let edge = "── "
        // The other person's part wins when there is no room for both.
        let room = columns - 2 * DisplayWidth.of(edge) - 1
        let left = DisplayWidth.truncate(theirs.0, to: max(0, room))
        let rightRoom = room - DisplayWidth.of(left) - 2
        let right = rightRoom >= 8 ? DisplayWidth.truncate(mine.0, to: rightRoom) : ""
        let gap =
            columns - DisplayWidth.of(edge) - DisplayWidth.of(left) - 1
            - (right.isEmpty ? 0 : DisplayWidth.of(right) + 2 + 2)
        var row: TerminalScreen.Row = [
            .init(text: edge, style: .dim), .init(text: left, style: theirs.1),
            .init(text: " " + String(repeating: "─", count: max(0, gap)), style: .dim),
        ]
        if !right.isEmpty {
            row += [.init(text: " ", style: .dim), .init(text: right, style: mine.1), .init(text: " ──", style: .dim)]
        }
        return row
    }

    private var peerState: (text: String, style: TerminalScreen.Style) {
        guard let key = openKey else { return (localized("friends"), .bold) }
        let contact = friends.contacts.first { $0.address == key.address }
        let name = TerminalText.harmless(self.name(of: key.address))
        if key.kind == .room { return roomState(name) }
        switch states[key.address] {
        case .composing: return (localized("%@ is writing…", name), .theirs)
        case .paused: return (localized("%@ has stopped writing", name), .plain)
        default: break
        }
        guard let contact else { return (name + " · " + localized("not a friend"), .plain) }
        // Without a connection nobody knows who is there.
        guard case .online = link else { return (name, .plain) }
        var text = name + " · " + ContactLine.state(contact)
        if contact.item.isPending { text = name + " · " + localized("asked, no answer yet") }
        if let status = contact.status { text += ": " + TerminalText.harmless(status) }
        return (text, contact.section == .online ? .theirs : .plain)
    }

    private func roomState(_ name: String) -> (text: String, style: TerminalScreen.Style) {
        guard case .online = link else { return ("# " + name, .plain) }
        guard let room, room.isInside else { return ("# " + name + " · " + localized("not inside"), .plain) }
        var text = "# " + name + " · " + localized("%@ inside", room.people.count)
        if let subject = room.subject, !subject.isEmpty { text += " · " + TerminalText.harmless(subject) }
        return (text, .theirs)
    }

    private var ownState: (text: String, style: TerminalScreen.Style) {
        switch link {
        case .online:
            let unread = friends.unread.filter { $0.key != openKey?.address }.values.reduce(0, +)
            let state = presence.show.map(Self.word) ?? localized("online")
            return (
                unread > 0
                    ? localized("%@ unread · %@", plural: "%@ unread · %@", count: unread, unread, state) : state,
                unread > 0 ? .warning : .dim
            )
        case .connecting: return (localized("connecting…"), .warning)
        case .offline(_, let retryAt):
            guard let retryAt else { return (localized("offline"), .warning) }
            let seconds = max(0, (retryAt - .now).components.seconds)
            return (localized("offline, next try in %@ s", seconds), .warning)
        }
    }

    static func word(_ show: Presence.Show) -> String {
        switch show {
        case .chat: localized("wants to talk")
        case .away: localized("away")
        case .extendedAway: localized("away for long")
        case .doNotDisturb: localized("busy")
        }
    }
}
