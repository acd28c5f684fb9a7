internal import ChatModel
internal import ChatStore
internal import GTKBinding

/// Where the timeline stands, what it loads meanwhile, and what of it was seen.
extension TimelineView {
    /// Frames without a change after which the end is where it stays.
    private static let settlingFrames = 4
    /// Frames in which a row gets to its place, however often the list corrects itself.
    private static let framesToArrive = 30
    /// So near to the end counts as the end, in pixels.
    private static let endMargin = 48.0

    // MARK: Going somewhere

    /// The list knows the height of a new row only after a layout; so it is asked again, frame by frame, until the end is in view.
    func scrollToEnd() {
        guard model.count > 0 else { return }
        scrollTurn += 1
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

    /// Brings a row into view: near the top, or into the middle, as far as the ends of the conversation let it.
    func scroll(to index: Int, atTop: Bool = false, flash: Bool = false) {
        guard model.items.indices.contains(index) else { return }
        framesToSettle = 0
        scrollTurn += 1
        let (turn, item) = (scrollTurn, model[index].id)
        list.scroll(to: index)
        var frames = 0
        var restingFrames = 0
        list.onFrame { [weak self] in
            // Rows that come meanwhile change its number, and whoever goes elsewhere ends this.
            guard let self, self.scrollTurn == turn, let index = self.index(of: item) else { return false }
            frames += 1
            // The first frame lays the row out, the next ones bring it to its place.
            guard frames > 1 else { return true }
            guard let row = self.row(at: index), row.root.height > 0,
                let place = row.root.translate(x: 0, y: 0, to: self.scroller)
            else {
                // Where a row is that was not laid out nobody knows.
                self.list.scroll(to: index)
                return frames < Self.framesToArrive
            }
            let height = Double(row.root.height)
            let wanted = atTop ? 24 : max(24, (self.scroller.pageHeight - height) / 2)
            let last = max(0, self.scroller.contentHeight - self.scroller.pageHeight)
            let target = min(max(0, self.scroller.offset + place.y - wanted), last)
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

    private func row(at index: Int) -> TimelineRow? {
        var found: TimelineRow?
        list.forEachRow { if $0 == index { found = $1 } }
        return found
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

    /// Shows a message, wherever in the conversation it is.
    func jump(to message: MessageID) {
        guard isOpened else {
            awaited = message
            return
        }
        awaited = nil
        Task { [weak self] in
            guard let self, let item = await self.timeline.show(message), let index = self.index(of: item) else {
                return
            }
            self.scroll(to: index, flash: true)
        }
    }

    /// Shows a day from its first message on, or what came next.
    func jump(to day: CalendarView.Day) {
        Task { [weak self] in
            guard let self, let item = await self.timeline.show(day: day.day, month: day.month, year: day.year),
                let index = self.index(of: item)
            else { return }
            self.scroll(to: index, atTop: true, flash: true)
        }
    }

    // MARK: What scrolling brings

    func scrolled() {
        guard isOpened, scroller.pageHeight > 0 else { return }
        wakePictures()
        if !isSettling {
            let isAtEnd = timeline.reachesNewest && scroller.remaining < Self.endMargin
            if isAtEnd != timeline.isAtNewest { timeline.viewMoved(isAtNewest: isAtEnd) }
        }
        if scroller.offset < scroller.pageHeight { loadOlder() }
        if scroller.remaining < scroller.pageHeight, !timeline.reachesNewest { loadNewer() }
        scheduleSeen()
    }

    /// What has come onto the screen moves, if it is a picture that can.
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

    // MARK: What was seen

    func scheduleSeen() {
        guard isInFront, !isSeenScheduled else { return }
        isSeenScheduled = true
        MainLoop.schedule(.idle) { [weak self] in
            self?.isSeenScheduled = false
            self?.noteSeen()
        }
    }

    /// The lowest message whose end is on the screen was seen, and with it all above.
    func noteSeen() {
        guard isInFront, isOpened, root.isMapped else { return }
        var lowest: (index: Int, id: MessageID)?
        list.forEachRow { index, row in
            guard let message = row.item?.message, index > lowest?.index ?? -1,
                let place = row.root.translate(x: 0, y: 0, to: scroller), row.root.height > 0
            else { return }
            let end = place.y + Double(row.root.height)
            // Of a message higher than the screen the beginning must do.
            let isShown = end <= scroller.pageHeight + 8 || place.y < scroller.pageHeight / 2
            if isShown, end > 0 { lowest = (index, message.id) }
        }
        guard let seen = lowest?.id, seen != seenBefore || timeline.unreadCount > 0 else { return }
        seenBefore = seen
        let timeline = timeline
        services.place.attempt { () async throws(StoreError) in try await timeline.seen(seen) }
    }
}
