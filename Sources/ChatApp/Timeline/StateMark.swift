internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization

/// How far a message has come, as ticks: a clock, one tick, two ticks, two ticks with colour; and what that means in words.
final class StateMark {
    let widget: Widget
    private let area: DrawingArea
    private let box: Box
    private let drawn = Drawn()

    private final class Drawn {
        var state: MessageState?
        /// On the colour of a bubble the accent colour would not be seen.
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

    /// What it says, for who does not see it.
    private(set) var words: String?

    func show(_ state: MessageState) {
        guard drawn.state != state else { return }
        drawn.state = state
        area.queueDraw()
        let words = Wording.state(state)
        self.words = words
        box.accessible(label: words)
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
