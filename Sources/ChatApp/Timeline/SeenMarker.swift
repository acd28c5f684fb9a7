internal import ChatModel
internal import ChatStore
internal import GTKBinding

/// Marks messages as seen while the user sees the timeline: the lowest one whose end is visible, and all above it.
final class SeenMarker {
    var isInFront = false
    private let timeline: Timeline
    private let position: TimelinePosition
    private let window: WindowContext
    private var isScheduled = false
    private var seen: MessageID?

    init(_ timeline: Timeline, _ position: TimelinePosition, _ window: WindowContext) {
        self.timeline = timeline
        self.position = position
        self.window = window
    }

    func schedule() {
        guard isInFront, !isScheduled else { return }
        isScheduled = true
        MainLoop.schedule(.idle) { [weak self] in
            self?.isScheduled = false
            self?.mark()
        }
    }

    func mark() {
        let (list, pageHeight) = (position.list, position.scroller.pageHeight)
        guard isInFront, position.isOpened, list.isMapped else { return }
        var lowest: (index: Int, id: MessageID)?
        list.forEachRow { index, row in
            guard let message = row.item?.message, index > lowest?.index ?? -1,
                let place = row.root.translate(x: 0, y: 0, to: list), row.root.height > 0
            else { return }
            let end = place.y + Double(row.root.height)
            // A message higher than the screen counts by its beginning.
            let isShown = end <= pageHeight + 8 || place.y < pageHeight / 2
            if isShown, end > 0 { lowest = (index, message.shown.last?.id ?? message.id) }
        }
        guard let id = lowest?.id, id != seen || timeline.unreadCount > 0 else { return }
        seen = id
        window.attempt { [timeline] () async throws(StoreError) in try await timeline.seen(id) }
    }
}
