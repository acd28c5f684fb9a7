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
    /// Called when the user is done with a message, to move the focus to the input field.
    var onDone: () -> Void = {}
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
    let selection = MessageSelection()
    /// Created when the pointer first comes.
    private(set) lazy var tools = makeTools()
    private var hasTools = false
    private let newest: Button
    let newestCount = Label().css("badge", "newest-count").align(horizontal: .center, vertical: .start).hidden()
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
    /// Those that are shown as deleted, see ``PendingDeletions``.
    var shownDeletions: Set<MessageID> = []

    init(_ timeline: Timeline, _ services: TimelineServices) {
        self.timeline = timeline
        self.services = services
        weak var view: TimelineView?
        list = ListView(model, selection: .none) {
            TimelineRow(view, services)
        }
        // A short conversation stands at the input field.
        list.accessible(label: localized("Messages")).align(vertical: .end)
        scroller = ScrolledWindow(list).expand(.vertical, .horizontal)
        newest = Button(icon: "go-down-symbolic").css("circular", "newest")
        newest.named(localized("Go to the newest message"))
        newestPlace = Revealer(Overlay(newest, newestCount), .crossfade)
        overlay = Overlay(scroller, newestPlace.align(horizontal: .end, vertical: .end))
        stack.add(overlay, name: "messages")
        stack.add(
            StatusPage(
                icon: "user-available-symbolic", title: localized("No messages yet"),
                description: localized("Say hello!")), name: "empty")
        root = Bin(stack).css("timeline")
        view = self

        newest.onClick { [weak self] in self?.showNewest() }
        scroller.onScroll { [weak self] in self?.scrolled() }
        // Also when the window becomes narrower.
        scroller.onMove { [weak self] in self?.hideTools() }
        diffs = timeline.items.observe { [weak self] in self?.apply($0) }
        model.show(timeline.items.elements)
        observe(self) { view in view.showNewestButton() }
        observe(self) { view in view.showDeletions() }
        observe(self) { view in view.restyle(Scheme.current.isDark) }
        observe(self) { view in view.showSelection() }
        observe(self) { view in view.showPictures() }
        overlay.onPointer { [weak self] in self?.tools.pointed($0) }
        connectKeys()
    }

    private func makeTools() -> HoverTools {
        let tools = HoverTools(self)
        overlay.add(tools.root)
        hasTools = true
        return tools
    }

    /// Hides the buttons beside a message that has moved.
    func hideTools() { if hasTools { tools.hideIfMoved() } }

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

    /// Colours that the style sheet does not know.
    private func restyle(_ isDark: Bool) {
        guard showsSenders else { return }
        list.forEachRow { _, row in row.bubble?.restyle() }
    }

    /// The pictures of people in a room come with the list of its people.
    private func showPictures() {
        guard showsSenders else { return }
        // Read also without rows, so that a change is noticed.
        _ = services.occupantAvatar("")
        list.forEachRow { _, row in row.bubble?.showAvatar() }
    }

    func index(of item: TimelineItem.ID) -> Int? { model.items.firstIndex { $0.shows(item) } }
}
