internal import ChatModel
internal import ChatStore
internal import GTKBinding

/// The scroll position of a timeline: jumping, loading pages, and marking messages as seen.
extension TimelineView {
    /// The number of unchanged frames after which the position at the end is stable.
    private static let settlingFrames = 4
    /// The number of frames in which the list reaches a row, including its own corrections.
    private static let framesToArrive = 30
    /// In pixels: closer than this counts as being at the end.
    private static let endMargin = 48.0

    // MARK: Jumping

    /// The list knows the height of a new row only after a layout, so scrolling is repeated in each frame until the end
    /// is visible.
    func scrollToEnd() {
        guard model.count > 0 else { return }
        scrollGeneration += 1
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
    func scroll(to index: Int, atTop: Bool = false, flash: Bool = false) {
        guard model.items.indices.contains(index) else { return }
        framesToSettle = 0
        scrollGeneration += 1
        let (generation, item) = (scrollGeneration, model[index].id)
        list.scroll(to: index)
        var frames = 0
        var restingFrames = 0
        list.onFrame { [weak self] in
            // New rows change the index meanwhile, and a newer jump cancels this one.
            guard let self, self.scrollGeneration == generation, let index = self.index(of: item) else { return false }
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

    func showNewest() {
        Task { [weak self] in
            await self?.timeline.showNewest()
            self?.scrollToEnd()
        }
    }

    func showUnread() {
        Task { [weak self] in
            guard let self, let item = await self.timeline.showUnread(), let index = self.index(of: item) else {
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
            guard let self, let item = await self.timeline.show(message), let index = self.index(of: item) else {
                return
            }
            self.scroll(to: index, flash: true)
        }
    }

    /// Jumps to the first message of a day, or to the next one after it.
    func jump(to day: CalendarView.Day) {
        Task { [weak self] in
            guard let self, let item = await self.timeline.show(day: day.day, month: day.month, year: day.year),
                let index = self.index(of: item)
            else { return }
            self.scroll(to: index, atTop: true, flash: true)
        }
    }

    // MARK: Scrolling

    func scrolled() {
        guard isOpened, scroller.pageHeight > 0 else { return }
        wakePictures()
        hideTools()
        if !isSettling {
            let isAtEnd = timeline.reachesNewest && scroller.remaining < Self.endMargin
            if isAtEnd != timeline.isAtNewest { timeline.viewMoved(isAtNewest: isAtEnd) }
        }
        if scroller.offset < scroller.pageHeight { loadOlder() }
        if scroller.remaining < scroller.pageHeight, !timeline.reachesNewest { loadNewer() }
        scheduleSeen()
    }

    /// Plays animated pictures that have become visible.
    func wakePictures() {
        guard PictureMotion.liveCount > 0 else { return }
        list.forEachRow { _, row in row.bubble?.wake() }
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

    // MARK: Marking as seen

    func scheduleSeen() {
        guard isInFront, !isSeenScheduled else { return }
        isSeenScheduled = true
        MainLoop.schedule(.idle) { [weak self] in
            self?.isSeenScheduled = false
            self?.markSeen()
        }
    }

    /// The lowest message whose end is visible was seen, and so were all above it.
    func markSeen() {
        guard isInFront, isOpened, root.isMapped else { return }
        var lowest: (index: Int, id: MessageID)?
        list.forEachRow { index, row in
            guard let message = row.item?.message, index > lowest?.index ?? -1,
                let position = row.root.translate(x: 0, y: 0, to: list), row.root.height > 0
            else { return }
            let end = position.y + Double(row.root.height)
            // A message higher than the screen counts by its beginning.
            let isShown = end <= scroller.pageHeight + 8 || position.y < scroller.pageHeight / 2
            if isShown, end > 0 { lowest = (index, message.shown.last?.id ?? message.id) }
        }
        guard let seen = lowest?.id, seen != seenBefore || timeline.unreadCount > 0 else { return }
        seenBefore = seen
        let timeline = timeline
        services.window.attempt { () async throws(StoreError) in try await timeline.seen(seen) }
    }
}
