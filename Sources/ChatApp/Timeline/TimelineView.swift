internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization
internal import XMPPAddress

/// The timeline of a conversation.
final class TimelineView: TimelineOwner {
    let root: Widget
    let services: TimelineServices
    let timeline: Timeline
    /// Called to reply to a message, or to correct one.
    var onReply: (MessageID) -> Void = { _ in }
    var onEdit: (MessageID) -> Void = { _ in }
    /// `true` while the user sees the timeline, so that visible messages count as read.
    var isInFront = false {
        didSet {
            guard isInFront else { return }
            markSeen()
            wakePictures()
        }
    }

    private(set) var highlight = ""
    /// The message to jump to as soon as the conversation is loaded.
    var pendingMessage: MessageID?

    var key: ConversationKey { timeline.key }
    var showsSenders: Bool { key.kind == .room }

    let model = ListModel<TimelineItem>()
    let list: ListView<TimelineRow>
    let scroller: ScrolledWindow
    let overlay: Overlay
    let stack = Stack()
    private let newest: Button
    let newestCount = Label().css("badge").align(horizontal: .center, vertical: .start).hidden()
    let newestPlace: Revealer
    private var diffs: ListObservation?
    // The scroll state: see TimelineView+Scrolling.
    var isOpened = false
    var framesToSettle = 0
    /// Incremented by every jump, which cancels the one before.
    var scrollGeneration = 0
    var isSettling = false
    var isLoadingOlder = false
    var isLoadingNewer = false
    var isSeenScheduled = false
    var seenBefore: MessageID?

    init(_ timeline: Timeline, _ services: TimelineServices) {
        self.timeline = timeline
        self.services = services
        weak var view: TimelineView?
        list = ListView(model, selection: .none) {
            TimelineRow(view, services)
        }
        list.accessible(label: localized("Messages"))
        scroller = ScrolledWindow(list).expand(.vertical, .horizontal)
        newest = Button(icon: "go-down-symbolic").css("circular", "newest")
        newest.named(localized("Go to the newest message"))
        newestPlace = Revealer(Overlay(newest, newestCount), .crossfade)
        overlay = Overlay(scroller, newestPlace.align(horizontal: .end, vertical: .end))
        stack.add(overlay, name: "messages")
        stack.add(
            StatusPage(
                icon: "user-available-symbolic", title: localized("Nothing was said yet"),
                description: localized("Write the first message.")), name: "empty")
        root = Bin(stack).css("timeline")
        view = self

        newest.onClick { [weak self] in self?.showNewest() }
        scroller.onScroll { [weak self] in self?.scrolled() }
        diffs = timeline.items.observe { [weak self] in self?.apply($0) }
        model.show(timeline.items.elements)
        observe(self) { view in view.showNewestButton() }
    }

    private func showNewestButton() {
        let count = timeline.unreadCount
        let isNeeded = !timeline.isAtNewest || !timeline.reachesNewest
        newestPlace.isRevealed = isNeeded
        // An invisible button would still take the clicks on the message below it.
        newestPlace.targetable(isNeeded)
        newestCount.isVisible = count > 0
        newestCount.text = count < 1000 ? "\(count)" : "999+"
    }

    private func apply(_ diff: ListDiff<TimelineItem>) {
        let follows = timeline.isAtNewest
        model.apply(diff)
        showEmptiness()
        guard isOpened else { return }
        if follows { scrollToEnd() }
        scheduleSeen()
    }

    func showEmptiness() {
        stack.shown = model.count == 0 && isOpened ? "empty" : "messages"
    }

    /// The model has loaded the conversation: shows it where reading starts.
    func opened() {
        isOpened = true
        showEmptiness()
        // Scrolling a list before its first layout leaves it blank.
        list.onFrame { [weak self] in
            guard let self else { return false }
            if let message = self.pendingMessage {
                self.jump(to: message)
            } else if let item = self.timeline.initialItem, let index = self.index(of: item) {
                self.scroll(to: index, atTop: true)
            } else {
                self.scrollToEnd()
            }
            return false
        }
    }

    func close() { diffs = nil }

    /// Highlights words in all visible messages; empty text removes the highlight.
    func mark(_ text: String) {
        highlight = text
        list.forEachRow { _, row in
            if let item = row.item, item.message != nil { row.show(item) }
        }
    }

    func index(of item: TimelineItem.ID) -> Int? { model.items.firstIndex { $0.id == item } }

    // MARK: Row callbacks

    func toggleReaction(_ emoji: String, _ message: TimelineMessage) {
        let timeline = timeline
        services.window.attempt { () async throws(StoreError) in
            try await timeline.toggleReaction(emoji, to: message.id)
        }
    }

    func retry(_ message: TimelineMessage) {
        let timeline = timeline
        services.window.attempt { () async throws(StoreError) in try await timeline.retry(message.id) }
    }

    func showMenu(_ message: TimelineMessage, _ widget: Widget, _ x: Double, _ y: Double) {
        guard let position = widget.translate(x: x, y: y, to: overlay) else { return }
        MessageMenu(message, self).open(at: position.x, position.y)
    }

    func open(_ message: TimelineMessage, _ attachment: Int) {
        guard message.text.attachments.indices.contains(attachment),
            let download = services.downloads()?.download(
                of: message.id, at: attachment, attachment: message.text.attachments[attachment]),
            case .here(let path) = download.phase
        else { return }
        if message.text.attachments[attachment].kind == .picture { return openPicture(message.id, attachment) }
        FileOpening.open(
            path, message.text.attachments[attachment], over: services.window.window(),
            showToast: services.window.showToast)
    }

    /// Opens the viewer with the pictures of the loaded messages.
    private func openPicture(_ message: MessageID, _ attachment: Int) {
        guard let downloads = services.downloads() else { return }
        let items = timeline.messages.filter { !$0.isRetracted }.flatMap { stored in
            stored.text.attachments.enumerated().filter { $0.element.kind == .picture }.map {
                PictureViewer.Item(message: stored.id, index: $0.offset, attachment: $0.element)
            }
        }
        let index = items.firstIndex { $0.message == message && $0.index == attachment }
        PictureViewer(
            items, at: index ?? 0, downloads: downloads, over: services.window.window(),
            showToast: services.window.showToast
        ).present()
    }
}
