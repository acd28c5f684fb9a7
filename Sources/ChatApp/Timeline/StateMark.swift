internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization

/// The state of an outgoing message: a clock, one tick, two ticks, a tick in a disc; with a tooltip.
///
/// The marks differ in shape, because colours of this size differ too little for many eyes.
final class StateMark {
    let widget: Widget
    private let area: DrawingArea
    private let box: Box
    private let drawn = Drawn()

    private final class Drawn { var state: MessageState? }

    init() {
        let drawn = drawn
        area = DrawingArea { drawing, width, height in Self.draw(drawn.state ?? .queued, drawing, width, height) }
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

    private static func draw(_ state: MessageState, _ drawing: Drawing, _ width: Double, _ height: Double) {
        drawing.useTextColor()
        let line = 1.7
        func tick(_ x: Double, _ scale: Double = 1) {
            let middle = height / 2
            drawing.lines(
                [
                    (x, middle + 0.6 * scale), (x + 3.5 * scale, middle + 4.2 * scale),
                    (x + 10 * scale, middle - 4.2 * scale),
                ], width: line)
        }
        switch state {
        case .queued:
            let (x, y, radius) = (width - 7, height / 2, 5.0)
            drawing.ring(x: x, y: y, radius: radius, width: 1.4)
            drawing.lines([(x, y - 3), (x, y), (x + 2.2, y + 1.2)], width: 1.4)
        case .sentToServer: tick(width - 12)
        case .delivered:
            tick(width - 17)
            tick(width - 12)
        case .displayed:
            drawing.circle(x: width - 6.5, y: height / 2, radius: 6)
            drawing.erasing { tick(width - 9.6, 0.62) }
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
    /// Called to explain the failure.
    var onWhy: () -> Void = {}
    let label = Label().wrap(maximumCharacters: 40).textAlignment(0).css("failure")
    let retry = Button(localized("Send Again")).css("flat", "caption")
    let why = Button(localized("Why?")).css("flat", "caption")

    init() {
        root = Box.vertical(spacing: 2, label, Box.horizontal(why, retry).align(horizontal: .end))
        why.onClick { [weak self] in self?.onWhy() }
        retry.onClick { [weak self] in self?.onRetry() }
    }

    func show(_ reason: FailureReason) {
        root.isVisible = true
        label.text = Wording.state(.failed(reason))
        // Retrying cannot help if the server refused the message.
        retry.isVisible = !reason.isFinal
    }
}
