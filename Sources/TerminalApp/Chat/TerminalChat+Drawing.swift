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
        // A reply or a correction that was started elsewhere continues here.
        if conversation.composer.edit != nil { return "✎ " }
        return conversation.composer.reply != nil ? "↪ " : "> "
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
