internal import GTKBinding

/// A ring that shows the progress of a download, with an icon for what a click does.
final class ProgressRing {
    enum State: Equatable {
        /// A click starts the download.
        case offer
        /// A click cancels the download.
        case running(Double)
        /// A click retries the download.
        case failed
    }

    let widget: Widget
    private let area: DrawingArea
    private let drawn = Drawn()

    private final class Drawn { var state = State.offer }

    init() {
        let drawn = drawn
        area = DrawingArea { drawing, width, height in Self.draw(drawn.state, drawing, width, height) }
        area.content(width: 28, height: 28)
        widget = Box.horizontal(area).css("shade")
    }

    func show(_ state: State) {
        guard state != drawn.state else { return }
        drawn.state = state
        area.queueDraw()
    }

    private static func draw(_ state: State, _ drawing: Drawing, _ width: Double, _ height: Double) {
        let (x, y) = (width / 2, height / 2)
        drawing.useTextColor()
        switch state {
        case .offer:
            drawing.lines([(x, y - 8), (x, y + 7)], width: 2.2)
            drawing.lines([(x - 6, y + 1), (x, y + 7), (x + 6, y + 1)], width: 2.2)
        case .failed:
            drawing.arc(x: x, y: y, radius: 8, from: 0.1, to: 0.9, width: 2.2)
            drawing.lines([(x + 1, y - 11), (x + 5, y - 6), (x - 1, y - 4)], width: 2.2)
        case .running(let fraction):
            drawing.useTextColor(opacity: 0.35)
            drawing.ring(x: x, y: y, radius: 12, width: 2.5)
            drawing.useTextColor()
            drawing.arc(x: x, y: y, radius: 12, from: 0, to: max(0.03, fraction), width: 2.5)
            drawing.lines([(x - 4, y - 4), (x + 4, y + 4)], width: 2)
            drawing.lines([(x + 4, y - 4), (x - 4, y + 4)], width: 2)
        }
    }
}
