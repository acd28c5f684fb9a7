internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization

/// The buttons beside the message under the pointer: react, reply, and the menu.
///
/// There is one set for the whole timeline, on top of its rows, so that rows stay cheap.
final class HoverTools {
    let root: Widget
    let react = Button(icon: "face-smile-symbolic").css("flat", "circular").focusOnClick(false)
    let reply = Button(icon: "mail-reply-sender-symbolic").css("flat", "circular").focusOnClick(false)
    let more = Button(icon: "view-more-symbolic").css("flat", "circular").focusOnClick(false)
    private(set) var message: TimelineMessage?
    private weak var view: TimelineView?
    /// Where the bubble of the message was, and how wide the timeline was.
    private var place: (x: Double, y: Double, width: Int)?

    /// In pixels: between the bubble and the buttons, and between the buttons and the edge.
    private static let (gap, edge) = (6, 4)

    init(_ view: TimelineView) {
        self.view = view
        root = Box.horizontal(react, reply, more).css("hover-tools").align(horizontal: .start, vertical: .start)
        root.isVisible = false
        react.named(localized("React"))
        reply.named(localized("Reply"))
        more.named(localized("More"))
        react.onClick { [weak self] in self?.open { MessageMenu($0, $1).openReactions(at: $2, $3) } }
        more.onClick { [weak self] in self?.open { MessageMenu($0, $1).open(at: $2, $3) } }
        reply.onClick { [weak self] in
            guard let self, let message = self.message else { return }
            self.hide()
            self.view?.onReply(message.id)
        }
    }

    private func open(_ body: (TimelineMessage, TimelineView, Double, Double) -> Popover) {
        guard let view, let message, let place = root.translate(x: 0, y: Double(root.height), to: view.overlay) else {
            return
        }
        hide()
        _ = body(message, view, place.x, place.y)
    }

    func hide() {
        message = nil
        root.isVisible = false
    }

    /// Hides the buttons if their message has moved.
    func hideIfMoved() {
        guard let view, let message else { return hide() }
        let frame = view.bubble(at: message.id)?.bubble.frame(in: view.overlay)
        if frame?.x != place?.x || frame?.y != place?.y || view.overlay.width != place?.width { hide() }
    }

    /// The pointer is at a place of the timeline's overlay; `nil` when it has left.
    func pointed(_ place: (x: Double, y: Double)?) {
        guard let view, let place, view.selection.isEmpty else { return hide() }
        if root.isVisible, isInside(place) { return }
        guard let bubble = bubble(at: place.y, in: view), let message = bubble.message, message.canBeAnswered,
            !view.actions.isDeleting(message.id)
        else { return hide() }
        guard message.id != self.message?.id || !root.isVisible else { return }
        show(message, beside: bubble, in: view)
    }

    private func isInside(_ place: (x: Double, y: Double)) -> Bool {
        guard let view, let frame = root.frame(in: view.overlay) else { return false }
        // With the way from the bubble to the buttons.
        let slack = Double(Self.gap) + 2
        return place.x >= frame.x - slack && place.x <= frame.x + frame.width + slack
            && place.y >= frame.y && place.y <= frame.y + frame.height
    }

    private func bubble(at y: Double, in view: TimelineView) -> MessageBubble? {
        var found: MessageBubble?
        view.list.forEachRow { _, row in
            guard found == nil, row.item?.message != nil, let bubble = row.bubble, bubble.root.isMapped,
                let top = bubble.root.translate(x: 0, y: 0, to: view.overlay)?.y
            else { return }
            if top <= y, y < top + Double(bubble.root.height) { found = bubble }
        }
        return found
    }

    private func show(_ message: TimelineMessage, beside bubble: MessageBubble, in view: TimelineView) {
        self.message = message
        root.isVisible = true
        // What is measured includes the margins.
        root.margins(start: 0, top: 0)
        let width = root.minimumWidth
        guard let bubble = bubble.bubble.frame(in: view.overlay) else { return hide() }
        place = (bubble.x, bubble.y, view.overlay.width)
        let isAtStart = message.isOutgoing == view.overlay.isRightToLeft
        var x = isAtStart ? Int(bubble.x + bubble.width) + Self.gap : Int(bubble.x) - width - Self.gap
        x = min(max(Self.edge, x), max(Self.edge, view.overlay.width - width - Self.edge))
        let y = max(Self.edge, Int(bubble.y))
        // Margins count from the start of lines.
        let start = view.overlay.isRightToLeft ? view.overlay.width - x - width : x
        root.margins(start: start, top: y)
    }
}
