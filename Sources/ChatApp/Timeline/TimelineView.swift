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
    var isInFront: Bool {
        get { seen.isInFront }
        set {
            seen.isInFront = newValue
            guard newValue else { return }
            seen.mark()
            wakePictures()
        }
    }

    private(set) var highlight = ""

    var key: ConversationKey { timeline.key }
    var showsSenders: Bool { key.kind == .room }

    let model = ListModel<TimelineItem>()
    let list: ListView<TimelineRow>
    let scroller: ScrolledWindow
    let position: TimelinePosition
    let actions: MessageActions
    private(set) lazy var keys = TimelineKeys(self)
    private let seen: SeenMarker
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
    /// Those that are shown as deleted, see ``PendingDeletions``.
    private var shownDeletions: Set<MessageID> = []

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
        position = TimelinePosition(timeline, model, list, scroller)
        seen = SeenMarker(timeline, position, services.window)
        actions = MessageActions(timeline: timeline, services: services)
        newest = Button(icon: "go-down-symbolic").css("circular", "newest")
        newest.named(localized("Go to the newest message"))
        newestPlace = Revealer(Overlay(newest, newestCount), .crossfade)
        overlay = Overlay(scroller, newestPlace.align(horizontal: .end, vertical: .end))
        stack.add(overlay, name: "messages")
        stack.add(
            StatusPage(
                icon: "user-available-symbolic", title: localized("No Messages Yet"),
                description: localized("Say hello!")), name: "empty")
        root = Bin(stack).css("timeline")
        view = self

        newest.onClick { [weak self] in self?.position.showNewest() }
        position.onScrolled = { [weak self] in self?.scrolled() }
        // Also when the window becomes narrower.
        scroller.onMove { [weak self] in self?.hideTools() }
        diffs = timeline.items.observe { [weak self] in self?.apply($0) }
        model.show(timeline.items.elements)
        observe(self) { view in view.showNewestButton() }
        observe(self) { view in view.showDeletions() }
        observe(self) { view in view.restyle(Scheme.current.isDark) }
        observe(self) { view in view.showSelection() }
        observe(self) { view in view.showPictures() }
        observe(self) { view in view.showCalls() }
        overlay.onPointer { [weak self] in self?.tools.pointed($0) }
        list.onKey { [weak self] in self?.keys.pressed($0) ?? false }
    }

    private func makeTools() -> HoverTools {
        let tools = HoverTools(self)
        overlay.add(tools.root)
        hasTools = true
        return tools
    }

    /// Hides the buttons beside a message that has moved.
    private func hideTools() { if hasTools { tools.hideIfMoved() } }

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
        guard position.isOpened else { return }
        if follows { position.scrollToEnd() }
        seen.schedule()
    }

    private func showEmptiness() {
        stack.shown = model.count == 0 && position.isOpened ? "empty" : "messages"
    }

    /// The model has loaded the conversation: shows it where reading starts.
    func opened() {
        position.opened()
        showEmptiness()
    }

    private func scrolled() {
        wakePictures()
        hideTools()
        seen.schedule()
    }

    /// Plays animated pictures that have become visible.
    private func wakePictures() {
        guard PictureMotion.liveCount > 0 else { return }
        list.forEachRow { _, row in row.bubble?.wake() }
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

    /// Who may address everybody comes with the people of the room, too, and changes with their roles.
    private func showCalls() {
        guard showsSenders else { return }
        // Read also without rows, so that a change is noticed.
        _ = services.mayAddressEverybody("")
        list.forEachRow { _, row in row.bubble?.showCall() }
    }

    /// Shows again what was deleted or is not deleted after all.
    private func showDeletions() {
        let deleting = services.deletions.messages
        let changed = deleting.symmetricDifference(shownDeletions)
        shownDeletions = deleting
        guard !changed.isEmpty else { return }
        list.forEachRow { _, row in
            guard let item = row.item, let message = item.message else { return }
            if message.shown.contains(where: { changed.contains($0.id) }) { row.show(item) }
        }
    }

    func bubble(at message: MessageID) -> MessageBubble? {
        model.index(of: .message(message)).flatMap { list.row(at: $0)?.bubble }
    }

    // MARK: Menu

    func openMenu(_ message: TimelineMessage) {
        guard let bubble = bubble(at: message.id)?.bubble else { return }
        showMenu(message, bubble, Double(bubble.width) / 2, Double(bubble.height) / 2)
    }

    @discardableResult
    func showMenu(_ message: TimelineMessage, _ widget: Widget, _ x: Double, _ y: Double) -> Popover? {
        guard let position = widget.translate(x: x, y: y, to: overlay) else { return nil }
        return MessageMenu(message, self).open(at: position.x, position.y)
    }
}
