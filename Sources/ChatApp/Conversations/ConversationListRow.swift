internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization

/// One row of the conversation list: name, last message and its state, time, and number of unread messages.
final class ConversationListRow: ListRow {
    let root: Widget
    private(set) var row: ConversationRow?
    /// Called when the user asks for a menu, with the position in the widget.
    var onMenu: (ConversationRow, Widget, Double, Double) -> Void = { _, _, _, _ in }

    private let picture: AvatarImage
    private let tag: (AccountID) -> AccountTag?
    /// In characters. A long text uses the space that is there but does not widen the list.
    static let maximumTextWidth = 20

    let title = Label().ellipsize().textAlignment(0).characters(maximum: maximumTextWidth).expand(.horizontal)
        .css("conversation-title")
    /// The account of the conversation, when there are several.
    let account = Label().ellipsize(inMiddle: true).characters(maximum: maximumAccountWidth).css(
        "dim-label", "caption", "account"
    )
    .hidden()
    private static let maximumAccountWidth = 14
    let time = Label().css("dim-label", "caption")
    let state = StateMark()
    let preview = Label().ellipsize().textAlignment(0).characters(maximum: maximumTextWidth).expand(.horizontal)
        .css("conversation-preview")
    let draftMark = Label(localized("Draft:")).css("draft", "conversation-preview").hidden()
    let badge = Label().css("badge").align(vertical: .center).hidden()
    let pin = Icon("view-pin-symbolic", size: 12).css("dim-label").hidden()
    let silence = Icon("notifications-disabled-symbolic", size: 12).css("dim-label").hidden()

    /// - Parameter tag: the short name that distinguishes an account from the others.
    init(_ avatars: AvatarLoader, tag: @escaping (AccountID) -> AccountTag?) {
        self.tag = tag
        picture = AvatarImage(avatars, size: 44)
        let upper = Box.horizontal(spacing: 6, title, silence, pin, time)
        let lower = Box.horizontal(spacing: 4, state.widget, draftMark, preview, account, badge)
        let column = Box.vertical(spacing: 2, upper, lower).expand(.horizontal).align(vertical: .center)
        root = Box.horizontal(spacing: 12, picture.widget.align(vertical: .center), column)
            .margins(horizontal: 8, vertical: 8)
        pin.named(localized("Pinned"))
        silence.named(localized("Muted"))
        root.onMenu { [weak self] x, y in
            if let self, let row = self.row { self.onMenu(row, self.root, x, y) }
        }
    }

    func show(_ item: ConversationRow) {
        row = item
        picture.show(name: item.title, hash: item.avatarHash)
        title.text = item.title
        time.text = item.time.map { Wording.short($0) } ?? ""
        let tag = tag(item.key.account)
        account.isVisible = tag != nil
        account.text = tag?.short ?? ""
        pin.isVisible = item.isPinned
        silence.isVisible = item.isMuted
        badge.isVisible = item.isUnread
        badge.text = item.unreadCount == 0 ? "" : item.unreadCount < 1000 ? "\(item.unreadCount)" : "999+"
        badge.css("muted", item.isMuted)
        showPreview(item)
        root.accessible(label: Self.accessibilityText(item, as: tag))
    }

    private func showPreview(_ item: ConversationRow) {
        let isWriting = !item.writing.isEmpty
        let hasDraft = !isWriting && item.draft != nil
        preview.css("writing", isWriting)
        draftMark.isVisible = hasDraft
        preview.css("dim-label", !isWriting)
        state.widget.isVisible = !isWriting && !hasDraft && item.preview?.isOutgoing == true
        if isWriting {
            preview.text = Wording.writing(item.writing, in: item.key.kind)
        } else if let draft = item.draft {
            preview.text = draft
        } else if let last = item.preview {
            state.show(last.state)
            preview.text = Wording.preview(last, in: item.key.kind)
        } else {
            preview.text = ""
        }
    }

    /// The whole content of the row, for screen readers.
    static func accessibilityText(_ item: ConversationRow, as tag: AccountTag? = nil) -> String {
        var parts = [item.title]
        if let tag { parts.append(localized("as %@", tag.address)) }
        if item.unreadCount > 0 {
            parts.append(localized("%@ unread", plural: "%@ unread", count: item.unreadCount))
        } else if item.isMarkedUnread {
            parts.append(localized("Marked as unread"))
        }
        if !item.writing.isEmpty {
            parts.append(Wording.writing(item.writing, in: item.key.kind))
        } else if let draft = item.draft {
            parts.append(localized("Draft:") + " " + draft)
        } else if let last = item.preview {
            parts.append(Wording.preview(last, in: item.key.kind))
            if last.isOutgoing { parts.append(Wording.state(last.state)) }
        }
        if let time = item.time { parts.append(Wording.short(time)) }
        if item.isPinned { parts.append(localized("Pinned")) }
        if item.isMuted { parts.append(localized("Muted")) }
        return parts.joined(separator: ", ")
    }
}
