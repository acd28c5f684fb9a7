internal import ChatEngine
internal import ChatModel
internal import ChatStore
internal import Localization
internal import XMPPAddress

/// The row above the input: `── goose · online ───────────── online ──`.
struct StatusRow {
    typealias Part = (text: String, style: TerminalScreen.Style)

    /// The open conversation.
    var left: Part
    /// The account and the connection.
    var right: Part

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

extension StatusRow {
    /// - Parameter activity: what the program does now, in place of the state of the conversation.
    @MainActor
    init(_ models: AccountModels, activity: String?) {
        self.init(left: activity.map { ($0, .warning) } ?? Self.peer(models), right: Self.own(models))
    }

    /// Whom “@all” or “@here” in a message notifies, in place of the state of the room; `nil` without one of them.
    @MainActor
    static func hint(about text: String, in room: RoomModel?) -> String? {
        guard let room, let mention = EverybodyMention.first(in: text)?.mention else { return nil }
        return Wording.everybody(mention, isAllowed: room.mayAddressEverybody())
    }

    @MainActor
    private static func peer(_ models: AccountModels) -> Part {
        guard let conversation = models.conversation else { return (localized("contacts"), .bold) }
        let key = conversation.key
        let name = models.name(of: key)
        // Without a connection the presence of contacts and the state of rooms are unknown.
        let isOnline = models.connection.isOnline
        switch key.kind {
        case .room: return isOnline ? room(name, conversation) : ("# " + name, .plain)
        case .occupant: return (name, .plain)
        case .direct: break
        }
        if !conversation.timeline.writing.isEmpty { return (localized("%@ is writing…", name), .theirs) }
        guard let contact = models.contacts.contact(key.address) else {
            return (name + " · " + localized("not a contact"), .plain)
        }
        guard isOnline else { return (name, .plain) }
        var text = name + " · " + Wording.presence(contact.section)
        if contact.isPending { text = name + " · " + localized("asked, no answer yet") }
        if let status = contact.status { text += ": " + status }
        return (text, contact.section == .online ? .theirs : .plain)
    }

    @MainActor
    private static func room(_ name: String, _ conversation: ConversationPane) -> Part {
        guard let room = conversation.room, room.isInside else {
            let reason = conversation.room?.absence.map { Wording.absence($0) } ?? localized("not in the room")
            return ("# " + name + " · " + reason, .plain)
        }
        var text = "# " + name + " · " + localized("%@ inside", room.count)
        let writing = conversation.timeline.writing
        if let first = writing.first {
            text +=
                " · " + (writing.count == 1 ? localized("%@ is writing…", first) : localized("several are writing…"))
        } else if let subject = room.subject, !subject.isEmpty {
            text += " · " + subject
        }
        return (text, .theirs)
    }

    @MainActor
    private static func own(_ models: AccountModels) -> Part {
        if let text = models.connection.text { return (text, .warning) }
        let unread = models.contacts.unreadCount(besides: models.conversation?.key)
        let state = Wording.presence(models.presence.show)
        return (
            unread > 0 ? localized("%@ unread · %@", plural: "%@ unread · %@", count: unread, unread, state) : state,
            unread > 0 ? .warning : .dim
        )
    }
}
