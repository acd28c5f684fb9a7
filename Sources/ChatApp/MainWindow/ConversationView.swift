internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization
internal import XMPPAddress

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
    private static let (pageSize, pages) = (24, 6)

    private let desk: Desk
    private let model: Timeline
    /// `nil` where the account is not at work.
    let writing: ComposerView?
    let room: RoomPart?
    private var tasks: [Task<Void, Never>] = []

    init(_ key: ConversationKey, _ desk: Desk) {
        self.key = key
        self.desk = desk
        let account = desk.home.account(key.account)
        model = Timeline(
            key, store: desk.home.store, actions: account, environment: desk.home.environment,
            pageSize: Self.pageSize, pages: Self.pages)
        header = ConversationHeader(key, desk)
        timeline = TimelineView(model, desk)
        findBar = FindBar(
            ConversationFinder(key, store: desk.home.store, environment: desk.home.environment), timeline)
        let room =
            key.kind == .room
            ? RoomModel(key, store: desk.home.store, environment: desk.home.environment) : nil
        self.room = room.map { RoomPart($0, desk) }
        writing = WritingPlace.of(key, desk) { [weak room] in room?.nicknames ?? [] }.map { ComposerView($0) }
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
            let show = { [weak desk] in
                desk?.showContact(ContactRow.ID(account: key.account, address: key.address))
            }
            page.onClick { _ = show() }
            header.onTitle = { _ = show() }
            header.append(page: page, named: localized("Contact page"))
        }
        observe(self) { view in view.showHeader() }
        let model = model
        tasks = [
            Task { [weak self] in
                await desk.prepareDownloads(of: key.account)
                await model.open()
                self?.timeline.opened()
                await model.run()
            }
        ]
        if let account {
            tasks.append(Task { await model.follow(account) })
            if let room { tasks.append(Task { await room.follow(account) }) }
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
        let row = desk.home.conversations.all[key]
        let contact = desk.home.contacts.rows.elements.first { $0.conversation == key }
        let name = room?.model.title ?? contact?.name ?? key.address.unescapedLocal
        let title = row?.title ?? name ?? key.address.description
        let subtitle: String =
            if !model.writing.isEmpty {
                PreviewWords.writing(model.writing, in: key.kind)
            } else if let contact {
                PresenceWords.line(contact)
            } else if let room {
                RoomWords.line(room.model)
            } else {
                key.address.description
            }
        let tag = desk.home.accounts.tag(of: key.account)
        writing?.show(account: tag)
        // The account first: what is behind it is cut where there is no room.
        let line = tag.map { localized("as %@", $0.address) + " · " + subtitle } ?? subtitle
        header.show(title: title, subtitle: line, avatarHash: row?.avatarHash ?? contact?.avatarHash)
    }
}

/// Whether somebody is there, in words.
enum PresenceWords {
    static func line(_ contact: ContactRow) -> String { line(contact.section, contact.status) }
}
