internal import ChatModel
internal import ChatStore
internal import GTKBinding

/// The scroll position of a timeline: where it begins, jumps, and loading pages near the ends.
final class TimelinePosition {
    let list: ListView<TimelineRow>
    let scroller: ScrolledWindow
    /// Called when other rows may be visible.
    var onScrolled: () -> Void = {}
    /// `true` as soon as the conversation is loaded.
    private(set) var isOpened = false
    /// The list is still moving to its end.
    private(set) var isSettling = false

    private let timeline: Timeline
    private let model: ListModel<TimelineItem>
    private var framesToSettle = 0
    /// Incremented by every jump, which cancels the one before.
    private var generation = 0
    private var isLoadingOlder = false
    private var isLoadingNewer = false
    /// The message to jump to as soon as the conversation is loaded.
    private var pendingMessage: MessageID?

    /// The number of unchanged frames after which the position at the end is stable.
    private static let settlingFrames = 4
    /// The number of frames in which the list reaches a row, including its own corrections.
    private static let framesToArrive = 30
    /// In pixels: closer than this counts as being at the end.
    private static let endMargin = 48.0
    /// The number of frames in which a row outside of the visible area gets its widget.
    private static let framesToAppear = 10

    init(
        _ timeline: Timeline, _ model: ListModel<TimelineItem>, _ list: ListView<TimelineRow>,
        _ scroller: ScrolledWindow
    ) {
        self.timeline = timeline
        self.model = model
        self.list = list
        self.scroller = scroller
        scroller.onScroll { [weak self] in self?.scrolled() }
    }

    /// The model has loaded the conversation: shows it where reading starts.
    func opened() {
        isOpened = true
        // Scrolling a list before its first layout leaves it blank.
        list.onFrame { [weak self] in
            guard let self else { return false }
            if let message = self.pendingMessage {
                self.jump(to: message)
            } else if let item = self.timeline.initialItem, let index = self.model.index(of: item) {
                self.scroll(to: index, atTop: true)
            } else {
                self.scrollToEnd()
            }
            return false
        }
    }

    // MARK: Jumping

    /// The list knows the height of a new row only after a layout, so scrolling is repeated in each frame until the end
    /// is visible.
    func scrollToEnd() {
        guard model.count > 0 else { return }
        generation += 1
        list.scroll(to: model.count - 1)
        framesToSettle = Self.settlingFrames
        guard !isSettling else { return }
        isSettling = true
        list.onFrame { [weak self] in
            guard let self, self.framesToSettle > 0 else {
                self?.isSettling = false
                self?.scrolled()
                return false
            }
            self.framesToSettle -= 1
            if self.scroller.remaining > 1 {
                self.list.scroll(to: self.model.count - 1)
                self.scroller.offset = self.scroller.contentHeight - self.scroller.pageHeight
                self.framesToSettle = Self.settlingFrames
            }
            return true
        }
    }

    /// Scrolls a row near the top or into the middle, as far as the ends of the conversation allow.
    private func scroll(to index: Int, atTop: Bool = false, flash: Bool = false) {
        guard model.items.indices.contains(index) else { return }
        framesToSettle = 0
        generation += 1
        let (jump, item) = (generation, model[index].id)
        list.scroll(to: index)
        var frames = 0
        var restingFrames = 0
        list.onFrame { [weak self] in
            // New rows change the index meanwhile, and a newer jump cancels this one.
            guard let self, self.generation == jump, let index = self.model.index(of: item) else { return false }
            frames += 1
            // The first frame lays out the row, the following ones scroll to it.
            guard frames > 1 else { return true }
            guard let row = self.list.row(at: index), row.root.height > 0,
                let position = row.root.translate(x: 0, y: 0, to: self.list)
            else {
                // The position of a row is unknown until it was laid out.
                self.list.scroll(to: index)
                return frames < Self.framesToArrive
            }
            let height = Double(row.root.height)
            let margin = atTop ? 24 : max(24, (self.scroller.pageHeight - height) / 2)
            let last = max(0, self.scroller.contentHeight - self.scroller.pageHeight)
            let target = min(max(0, self.scroller.offset + position.y - margin), last)
            if abs(target - self.scroller.offset) > 2 {
                self.scroller.offset = target
                restingFrames = 0
            } else {
                restingFrames += 1
            }
            guard restingFrames >= 2 || frames >= Self.framesToArrive else { return true }
            if flash { row.bubble?.flash() }
            self.scrolled()
            return false
        }
    }

    /// Scrolls a row into the visible area, and calls `body` until it has found the row: a row outside of the area gets its
    /// widget with the next layout.
    func show(_ index: Int, _ body: @escaping () -> Bool) {
        generation += 1
        let jump = generation
        list.scroll(to: index)
        if body() { return }
        var frames = 0
        list.onFrame { [weak self] in
            guard let self, self.generation == jump else { return false }
            frames += 1
            return !body() && frames < Self.framesToAppear
        }
    }

    func showNewest() {
        Task { [weak self] in
            await self?.timeline.showNewest()
            self?.scrollToEnd()
        }
    }

    func showUnread() {
        Task { [weak self] in
            guard let self, let item = await self.timeline.showUnread(), let index = self.model.index(of: item) else {
                return
            }
            self.scroll(to: index, atTop: true)
        }
    }

    /// Jumps to a message anywhere in the conversation.
    func jump(to message: MessageID) {
        guard isOpened else {
            pendingMessage = message
            return
        }
        pendingMessage = nil
        Task { [weak self] in
            guard let self, let item = await self.timeline.show(message), let index = self.model.index(of: item) else {
                return
            }
            self.scroll(to: index, flash: true)
        }
    }

    /// Jumps to the first message of a day, or to the next one after it.
    func jump(to day: CalendarView.Day) {
        Task { [weak self] in
            guard let self, let item = await self.timeline.show(day: day.day, month: day.month, year: day.year),
                let index = self.model.index(of: item)
            else { return }
            self.scroll(to: index, atTop: true, flash: true)
        }
    }

    // MARK: Scrolling

    func scrolled() {
        guard isOpened, scroller.pageHeight > 0 else { return }
        onScrolled()
        if !isSettling {
            let isAtEnd = timeline.reachesNewest && scroller.remaining < Self.endMargin
            if isAtEnd != timeline.isAtNewest { timeline.viewMoved(isAtNewest: isAtEnd) }
        }
        if scroller.offset < scroller.pageHeight { loadOlder() }
        if scroller.remaining < scroller.pageHeight, !timeline.reachesNewest { loadNewer() }
    }

    private func loadOlder() {
        guard !isLoadingOlder, timeline.mayLoadOlder, model.count > 0 else { return }
        isLoadingOlder = true
        Task { [weak self] in
            await self?.timeline.loadOlder()
            self?.isLoadingOlder = false
        }
    }

    private func loadNewer() {
        guard !isLoadingNewer else { return }
        isLoadingNewer = true
        Task { [weak self] in
            await self?.timeline.loadNewer()
            self?.isLoadingNewer = false
        }
    }
}

extension ListModel where Item == TimelineItem {
    func index(of item: TimelineItem.ID) -> Int? { items.firstIndex { $0.shows(item) } }
}
