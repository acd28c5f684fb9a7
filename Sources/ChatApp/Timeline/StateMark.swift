internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization

/// The state of an outgoing message: a clock, one tick, two ticks, two coloured ticks; with a tooltip.
final class StateMark {
    let widget: Widget
    private let area: DrawingArea
    private let box: Box
    private let drawn = Drawn()

    private final class Drawn {
        var state: MessageState?
        /// The accent colour is not visible on an outgoing bubble.
        var usesAccent = true
    }

    init(usesAccent: Bool = true) {
        let drawn = drawn
        drawn.usesAccent = usesAccent
        area = DrawingArea { drawing, width, height in Self.draw(drawn, drawing, width, height) }
        area.content(width: 18, height: 12).align(vertical: .center)
        box = Box.horizontal(area)
        widget = box
        box.tip(whenAsked: { drawn.state.map { Wording.state($0) } })
    }

    /// The text for screen readers.
    private(set) var text: String?

    func show(_ state: MessageState) {
        guard drawn.state != state else { return }
        drawn.state = state
        area.queueDraw()
        let text = Wording.state(state)
        self.text = text
        box.accessible(label: text)
    }

    private static func draw(_ drawn: Drawn, _ drawing: Drawing, _ width: Double, _ height: Double) {
        drawing.useTextColor(opacity: 0.7)
        let line = 1.6
        func tick(_ x: Double) {
            drawing.lines([(x, height * 0.55), (x + 3.5, height * 0.85), (x + 10, height * 0.15)], width: line)
        }
        switch drawn.state ?? .queued {
        case .queued:
            let (x, y, radius) = (width - 7, height / 2, 5.0)
            drawing.ring(x: x, y: y, radius: radius, width: 1.3)
            drawing.lines([(x, y - 3), (x, y), (x + 2.2, y + 1.2)], width: 1.3)
        case .sentToServer: tick(width - 12)
        case .delivered:
            tick(width - 17)
            tick(width - 12)
        case .displayed:
            if drawn.usesAccent { drawing.useColor("accent_color") } else { drawing.useTextColor() }
            tick(width - 17)
            tick(width - 12)
        case .failed:
            drawing.useColor("error_color")
            let x = width - 6
            drawing.lines([(x, 2), (x, height - 4.5)], width: 2)
            drawing.circle(x: x, y: height - 1.5, radius: 1.3)
        }
    }
}

/// The reason why a message was not sent, with a button to retry.
final class FailureView {
    let root: Box
    var onRetry: () -> Void = {}
    let label = Label().wrap(maximumCharacters: 40).textAlignment(0).css("failure")
    let retry = Button(localized("Send again")).css("flat", "caption").align(horizontal: .end)

    init() {
        root = Box.vertical(spacing: 2, label, retry)
        retry.onClick { [weak self] in self?.onRetry() }
    }

    func show(_ reason: FailureReason) {
        root.isVisible = true
        label.text = Wording.state(.failed(reason))
        // Retrying cannot help if the server refused the message.
        retry.isVisible = !reason.isFinal
    }
}
