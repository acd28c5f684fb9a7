internal import ChatEngine
internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization
internal import XMPPAddress

/// What an open conversation shows and does.
struct ConversationParts {
    let key: ConversationKey
    /// `nil` where the account is not at work.
    let account: ChatAccount?
    let timeline: Timeline
    let finder: ConversationFinder
    let services: TimelineServices
    /// `nil` where this is no room.
    let room: RoomPart?
    /// `nil` where the account is not at work.
    let writing: WritingPlace?
    // The name, the picture and the presence of the other side, and which account writes.
    let conversations: ConversationList
    let contacts: ContactList
    let accounts: AccountList
    /// Finds out where files are fetched from; to be done before the messages are shown.
    let prepareDownloads: () async -> Void
    let showContact: () -> Void
}

/// One conversation that is open: its bar, its messages, and the place to write.
final class ConversationView {
    let key: ConversationKey
    let root: Widget
    let header: ConversationHeader
    let timeline: TimelineView
    let findBar: FindBar
    var onBack: () -> Void = {} {
        didSet { header.onBack = onBack }
    }
    /// The person sees it, so what is on the screen is read.
    var isInFront = false {
        didSet { timeline.isInFront = isInFront }
    }

    /// Each row that comes is laid out before the next frame, so few come at a time: two usual screens, and the largest ones are
    /// filled by asking again. As many are held as fill three of the largest.
    static let (pageSize, pages) = (24, 6)

    private let conversations: ConversationList
    private let contacts: ContactList
    private let accounts: AccountList
    private let model: Timeline
    /// `nil` where the account is not at work.
    let writing: ComposerView?
    let room: RoomPart?
    private var tasks: [Task<Void, Never>] = []

    init(_ parts: ConversationParts) {
        key = parts.key
        (conversations, contacts, accounts) = (parts.conversations, parts.contacts, parts.accounts)
        model = parts.timeline
        header = ConversationHeader(parts.services.avatars)
        timeline = TimelineView(model, parts.services)
        findBar = FindBar(parts.finder, timeline)
        room = parts.room
        writing = parts.writing.map { ComposerView($0) }
        let column = Box.vertical(header.bar, findBar.root, timeline.root.expand(.vertical))
        if let part = self.room {
            header.append(page: part.button, named: localized("About the room"))
            header.onTitle = { [weak part] in part?.open() }
            column.insert(part.notice.root, after: header.bar)
            part.onMention = { [weak writing] in writing?.address($0) }
        }
        root = column
        let find = Button(icon: "edit-find-symbolic").focusOnClick(false)
        find.named(localized("Find in this conversation"))
        find.onClick { [weak self] in self?.toggleFinding() }
        header.append(find)
        findBar.onClose = { [weak self] in self?.focus() }
        timeline.onReply = { [weak self] in self?.writing?.answer($0) }
        timeline.onEdit = { [weak self] in self?.writing?.correct($0) }
        if let writing {
            column.append(writing.root)
            column.onDrop(hovers: { [weak timeline] in timeline?.root.css("drop-here", $0) }) { [weak writing] in
                writing?.take($0) ?? false
            }
        }
        if key.kind == .direct {
            let page = Button(icon: "user-info-symbolic").named(localized("Contact page"))
            page.onClick(parts.showContact)
            header.onTitle = parts.showContact
            header.append(page: page, named: localized("Contact page"))
        }
        observe(self) { view in view.showHeader() }
        let (model, prepareDownloads) = (model, parts.prepareDownloads)
        tasks = [
            Task { [weak self] in
                await prepareDownloads()
                await model.open()
                self?.timeline.opened()
                await model.run()
            }
        ]
        if let account = parts.account {
            tasks.append(Task { await model.follow(account) })
            if let room = room?.model { tasks.append(Task { await room.follow(account) }) }
        }
    }

    func open(isActive: Bool) {
        isInFront = isActive
        focus()
    }

    func focus() { writing?.focus() }

    func find() { findBar.open() }
    func chooseDay() { findBar.openDates() }
    private func toggleFinding() { if findBar.root.isOpen { findBar.root.isOpen = false } else { find() } }

    /// Ends everything that follows the conversation.
    func close() {
        for task in tasks { task.cancel() }
        tasks = []
        room?.close()
        timeline.close()
        let (model, writing) = (model, writing)
        Task {
            await writing?.close()
            await model.close()
        }
    }

    private func showHeader() {
        let row = conversations.all[key]
        let contact = contacts.rows.elements.first { $0.conversation == key }
        let name = room?.model.title ?? contact?.name ?? key.address.unescapedLocal
        let title = row?.title ?? name ?? key.address.description
        let subtitle: String =
            if !model.writing.isEmpty {
                Wording.writing(model.writing, in: key.kind)
            } else if let contact {
                Wording.presence(contact.section, contact.status)
            } else if let room {
                RoomWords.line(room.model)
            } else {
                key.address.description
            }
        let tag = accounts.tag(of: key.account)
        writing?.show(account: tag)
        // The account first: what is behind it is cut where there is no room.
        let line = tag.map { localized("as %@", $0.address) + " · " + subtitle } ?? subtitle
        header.show(title: title, subtitle: line, avatarHash: row?.avatarHash ?? contact?.avatarHash)
    }
}
