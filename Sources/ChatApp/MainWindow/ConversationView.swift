internal import ChatEngine
internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization
internal import XMPPAddress

/// What ``ConversationView`` needs from the rest of the program.
struct ConversationParts {
    let key: ConversationKey
    /// `nil` when the account is not running.
    let account: ChatAccount?
    let timeline: Timeline
    let finder: ConversationFinder
    let services: TimelineServices
    /// `nil` when the conversation is not in a room.
    let room: RoomAccessories?
    /// `nil` when the account is not running.
    let composer: ComposerContext?
    /// What can be done with the other person; `nil` in a room, and when the account is not running.
    let contact: ContactActions?
    // Gives the name, avatar and presence of the conversation, and the account's name.
    let conversations: ConversationList
    let contacts: ContactList
    let accounts: AccountList
    /// Looks up the account's upload servers; run before the messages are shown.
    let prepareDownloads: () async -> Void
    let showContact: () -> Void
    /// The state of the account's connection, for a window that shows no list beside the conversation.
    let notice: ConnectionNotice
}

/// An open conversation: header bar, timeline and composer.
final class ConversationView {
    let key: ConversationKey
    let root: Widget
    let header: ConversationHeader
    let timeline: TimelineView
    let findBar: FindBar
    var onBack: () -> Void = {} {
        didSet { header.onBack = onBack }
    }
    /// `true` while the user sees the conversation, so that visible messages count as read.
    var isInFront = false {
        didSet { timeline.isInFront = isInFront }
    }

    /// Every new row is laid out before the next frame, so pages are small: one page fills two common screens, and
    /// larger screens ask for more. The window of loaded messages fills three of the largest screens.
    static let (pageSize, pages) = (24, 6)

    private let conversations: ConversationList
    private let contacts: ContactList
    private let accounts: AccountList
    private let model: Timeline
    /// `nil` when the account is not running.
    let composer: ComposerView?
    let room: RoomAccessories?
    /// `nil` in a room, and when the account is not running.
    let stranger: StrangerBar?
    let selectionBar: SelectionBar
    let notice: ConnectionNotice
    private var tasks: [Task<Void, Never>] = []

    init(_ parts: ConversationParts) {
        key = parts.key
        (conversations, contacts, accounts) = (parts.conversations, parts.contacts, parts.accounts)
        model = parts.timeline
        header = ConversationHeader(parts.services.avatars)
        timeline = TimelineView(model, parts.services)
        findBar = FindBar(parts.finder, timeline)
        selectionBar = SelectionBar(timeline)
        room = parts.room
        stranger = parts.contact.map { StrangerBar($0) }
        notice = parts.notice
        notice.isAllowed = false
        composer = parts.composer.map { ComposerView($0) }
        let column = Box.vertical(header.bar, findBar.root, timeline.root.expand(.vertical))
        if let part = self.room {
            header.onTitle = { [weak part] in part?.open() }
            column.insert(part.notice.root, after: header.bar)
            part.onMention = { [weak composer] in composer?.address($0) }
        }
        if let stranger { column.insert(stranger.root, after: header.bar) }
        root = column
        let find = Button(icon: "edit-find-symbolic").focusOnClick(false)
        find.named(localized("Find in this conversation"))
        find.onClick { [weak self] in self?.toggleFinding() }
        if let button = room?.button { header.append(page: button, named: localized("About the Room")) }
        if key.kind == .direct {
            let page = Button(icon: "user-info-symbolic").named(localized("Contact Page"))
            page.onClick(parts.showContact)
            header.onTitle = parts.showContact
            header.append(page: page, named: localized("Contact Page"))
        }
        header.append(find)
        findBar.onClose = { [weak self] in self?.focus() }
        timeline.onReply = { [weak self] in self?.composer?.reply(to: $0) }
        timeline.onEdit = { [weak self] in self?.composer?.correct($0) }
        timeline.onDone = { [weak self] in self?.focus() }
        followFocus()
        column.append(selectionBar.root)
        column.append(notice.root)
        if let composer {
            column.append(composer.root)
            column.onDrop(hovers: { [weak timeline] in timeline?.root.css("drop-here", $0) }) { [weak composer] in
                composer?.files.take($0) ?? false
            }
        }
        observe(self) { view in view.showHeader() }
        observe(self) { view in
            // The bar takes the place of the input field.
            let isSelecting = !view.timeline.selection.isEmpty
            view.composer?.root.isVisible = !isSelecting
            if !isSelecting { view.returnFocus() }
        }
        let (model, prepareDownloads) = (model, parts.prepareDownloads)
        tasks = [
            Task { [weak self] in
                await prepareDownloads()
                await model.open()
                self?.timeline.opened()
                await model.run()
            }
        ]
        if let stranger { tasks.append(Task { await stranger.run() }) }
        if let account = parts.account {
            tasks.append(Task { await model.follow(account) })
            if let room = room?.model { tasks.append(Task { await room.follow(account) }) }
        }
    }

    func open(isActive: Bool) {
        isInFront = isActive
        focus()
    }

    func focus() { composer?.focus() }

    /// - Parameter isNarrow: the conversation fills the window, so that the notice of the list is not visible.
    func show(isNarrow: Bool) {
        header.show(isNarrow: isNarrow)
        notice.isAllowed = isNarrow
    }

    func find() { findBar.open() }
    func chooseDay() { findBar.openDates() }
    private func toggleFinding() { if findBar.root.isOpen { findBar.root.isOpen = false } else { find() } }

    /// Stops everything that follows the conversation.
    func close() {
        for task in tasks { task.cancel() }
        tasks = []
        room?.close()
        timeline.close()
        let (model, composer) = (model, composer)
        Task {
            await composer?.close()
            await model.close()
        }
    }

    private func showHeader() {
        let row = conversations.all[key]
        let contact = contacts.rows.elements.first { $0.conversation == key }
        let name = room?.model.title ?? contact?.name ?? key.address.unescapedLocal
        let title = row?.title ?? name ?? key.address.description
        let connection = accounts.rows[key.account]?.connection
        let subtitle: String =
            if let connection, !connection.isOnline {
                // What others do is not known now.
                connection.isWaiting ? localized("You are offline") : localized("Connecting…")
            } else if !model.writing.isEmpty {
                Wording.writing(model.writing, in: key.kind)
            } else if let contact {
                Wording.presence(contact.section, contact.status)
            } else if let room {
                RoomText.line(room.model)
            } else {
                key.address.description
            }
        let tag = accounts.tag(of: key.account)
        composer?.show(account: tag)
        // The account comes first: text at the end is cut off when space is short.
        let line = tag.map { localized("as %@", $0.address) + " · " + subtitle } ?? subtitle
        header.show(title: title, subtitle: line, avatarHash: row?.avatarHash ?? contact?.avatarHash, of: key)
    }
}

/// The keyboard focus of an open conversation.
extension ConversationView {
    /// The focus has one owner, the input field: it returns there after each click, popover and menu. What is typed
    /// elsewhere in the conversation is written there.
    func followFocus() {
        root.onTyping { [weak self] _ in self?.root.focusedContent == .popover ? nil : self?.typingTarget }
        for place in [timeline.root, header.bar] as [Widget] {
            place.onRelease { [weak self] in self?.returnFocus(afterClick: true) }
        }
        root.onKey { [weak self] press in
            guard press.modifiers == .control, press.key == .up || press.key == .down else { return false }
            guard self?.root.focusedContent != .popover, self?.findBar.root.containsFocus == false else { return false }
            self?.timeline.keys.choose(press.key == .up ? -1 : 1)
            return true
        }
        root.onKey(.bubble) { [weak self] press in
            guard press.key == .escape, let selection = self?.timeline.selection, !selection.isEmpty else {
                return false
            }
            selection.clear()
            return true
        }
    }

    /// The field for what is typed while nothing that takes text has the focus.
    var typingTarget: Widget? { composer?.canWrite == true && timeline.selection.isEmpty ? composer?.entry : nil }

    /// Moves the focus to the input field, unless the user writes elsewhere, has selected text or opened a menu.
    ///
    /// - Parameter afterClick: the user has clicked somewhere, which may have selected text.
    func returnFocus(afterClick: Bool = false) {
        switch root.focusedContent {
        case .text where afterClick, .popover: return
        default: if isInFront { focus() }
        }
    }
}
