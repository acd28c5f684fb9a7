internal import ChatEngine
internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization

/// What the row of a conversation shows beside the conversation itself.
struct ConversationSurroundings {
    /// The short name that distinguishes an account from the others; `nil` if there is one.
    var tag: (AccountID) -> AccountTag? = { _ in nil }
    /// The presence of the contact; `nil` for rooms, for strangers and while the account is offline.
    var presence: (ConversationKey) -> ContactPresence.Section? = { _ in nil }
    /// The open conversation, whose draft is in front of the user.
    var open: () -> ConversationKey? = { nil }
}

/// A row of the conversation list: avatar, name, last message, time, number of unread messages.
final class ConversationListRow: ListRow {
    let root: Widget
    private(set) var row: ConversationRow?
    /// Called when the user asks for a menu, with the position in the widget.
    var onMenu: (ConversationRow, Widget, Double, Double) -> Void = { _, _, _, _ in }
    /// Called when the row was clicked, also if it is selected already.
    var onClick: (ConversationRow) -> Void = { _ in }
    var accessibleText: String? {
        row.map {
            Self.accessibilityText(
                $0, as: surroundings.tag($0.key.account), presence: surroundings.presence($0.key),
                isOpen: surroundings.open() == $0.key)
        }
    }

    private let picture: AvatarImage
    let dot: PresenceDot
    private let surroundings: ConversationSurroundings
    /// In characters. A long text uses the space that is there but does not widen the list.
    static let maximumTextWidth = 20

    let title = Label().ellipsize().textAlignment(0).characters(maximum: maximumTextWidth).expand(.horizontal)
        .css("conversation-title")
    private static let maximumAccountWidth = 14
    let time = Label().css("dim-label", "caption")
    let preview = Label().ellipsize().textAlignment(0).characters(maximum: maximumTextWidth).expand(.horizontal)
        .css("conversation-preview")
    // Parts that most rows do not have are created on demand.
    private(set) var state: StateMark?
    /// The account of the conversation, when there are several.
    private(set) var account: Label?
    private(set) var draftMark: Label?
    private(set) var badge: Label?
    private(set) var pin: Icon?
    private(set) var silence: Icon?
    private let upper: Box
    private let lower: Box

    init(_ avatars: AvatarLoader, _ surroundings: ConversationSurroundings) {
        self.surroundings = surroundings
        picture = AvatarImage(avatars, size: 44)
        dot = PresenceDot(on: picture, showsOffline: false)
        upper = Box.horizontal(spacing: 6, title, time)
        lower = Box.horizontal(spacing: 4, preview)
        let column = Box.vertical(spacing: 2, upper, lower).expand(.horizontal).align(vertical: .center)
        root = Box.horizontal(spacing: 12, dot.widget.align(vertical: .center), column)
            .margins(horizontal: 8, vertical: 8)
        root.onMenu { [weak self] x, y in
            if let self, let row = self.row { self.onMenu(row, self.root, x, y) }
        }
        root.onClick { [weak self] _, _, _ in if let self, let row = self.row { self.onClick(row) } }
    }

    func show(_ item: ConversationRow) {
        row = item
        picture.show(
            name: item.title, hash: item.avatarHash, of: item.key.colourIdentity, isRoom: item.isRoom)
        title.text = item.title
        time.text = item.time.map { Wording.short($0) } ?? ""
        showMarks(item)
        showPreview(item)
        showAccount(surroundings.tag(item.key.account))
        showBadge(item)
        showPresence()
    }

    /// A part of the row, if it is shown.
    private func part<Part: Widget>(
        _ path: ReferenceWritableKeyPath<ConversationListRow, Part?>, if isShown: Bool, _ make: () -> Part
    ) -> Part? {
        self[keyPath: path]?.isVisible = isShown
        if isShown, self[keyPath: path] == nil { self[keyPath: path] = make() }
        return isShown ? self[keyPath: path] : nil
    }

    private func showMarks(_ item: ConversationRow) {
        func mark(_ icon: String, _ name: String, after other: Widget) -> Icon {
            let mark = Icon(icon, size: 12).css("dim-label").named(name)
            upper.insert(mark, after: other)
            return mark
        }
        _ = part(\.silence, if: item.isMuted) {
            mark("notifications-disabled-symbolic", localized("Muted"), after: title)
        }
        _ = part(\.pin, if: item.isPinned) { mark("view-pin-symbolic", localized("Pinned"), after: silence ?? title) }
    }

    private func showAccount(_ tag: AccountTag?) {
        let label = part(\.account, if: tag != nil) {
            let label = Label().ellipsize(inMiddle: true).characters(maximum: Self.maximumAccountWidth)
                .css("dim-label", "caption", "account")
            lower.insert(label, after: preview)
            return label
        }
        label?.text = tag?.short ?? ""
    }

    private func showBadge(_ item: ConversationRow) {
        let label = part(\.badge, if: item.isUnread) {
            let label = Label().css("badge").align(vertical: .center)
            lower.append(label)
            return label
        }
        label?.text = item.unreadCount == 0 ? "" : item.unreadCount < 1000 ? "\(item.unreadCount)" : "999+"
        label?.css("muted", item.isMuted)
    }

    private func showState(_ message: MessagePreview?) {
        state?.widget.isVisible = message != nil
        guard let message else { return }
        if state == nil {
            let mark = StateMark()
            lower.prepend(mark.widget)
            state = mark
        }
        state?.show(message.state)
    }

    /// Shows the presence of the contact as it is now.
    func showPresence() {
        if let row { dot.show(surroundings.presence(row.key)) }
    }

    private func showPreview(_ item: ConversationRow) {
        let isWriting = !item.writing.isEmpty
        let draft = isWriting || surroundings.open() == item.key ? nil : item.shownDraft
        preview.css("writing", isWriting)
        _ = part(\.draftMark, if: draft != nil) {
            let mark = Label(localized("Draft:")).css("draft", "conversation-preview")
            lower.insert(mark, after: state?.widget)
            return mark
        }
        preview.css("dim-label", !isWriting)
        showState(isWriting || draft != nil || item.preview?.isOutgoing != true ? nil : item.preview)
        if isWriting {
            preview.text = Wording.writing(item.writing, in: item.key.kind)
        } else if let draft {
            preview.text = draft
        } else if let last = item.preview {
            preview.text = Wording.preview(last, in: item.key.kind)
        } else {
            preview.text = Self.emptyText(item)
        }
    }

    /// What is shown of a conversation without a message.
    private static func emptyText(_ item: ConversationRow) -> String {
        item.isRoom && item.time != nil ? localized("You joined the room") : localized("No messages yet")
    }

    /// The whole content of the row, for screen readers.
    static func accessibilityText(
        _ item: ConversationRow, as tag: AccountTag? = nil, presence: ContactPresence.Section? = nil,
        isOpen: Bool = false
    ) -> String {
        var parts = [item.title]
        if item.isRoom { parts.append(localized("Room")) }
        if let presence { parts.append(Wording.presence(presence)) }
        if let tag { parts.append(localized("as %@", tag.address)) }
        if item.unreadCount > 0 {
            parts.append(localized("%@ unread", plural: "%@ unread", count: item.unreadCount))
        } else if item.isMarkedUnread {
            parts.append(localized("Marked as unread"))
        }
        if !item.writing.isEmpty {
            parts.append(Wording.writing(item.writing, in: item.key.kind))
        } else if let draft = item.shownDraft, !isOpen {
            parts.append(localized("Draft:") + " " + draft)
        } else if let last = item.preview {
            parts.append(Wording.preview(last, in: item.key.kind))
            if last.isOutgoing { parts.append(Wording.state(last.state)) }
        } else {
            parts.append(emptyText(item))
        }
        if let time = item.time { parts.append(Wording.short(time)) }
        if item.isPinned { parts.append(localized("Pinned")) }
        if item.isMuted { parts.append(localized("Muted")) }
        return parts.joined(separator: ", ")
    }
}
