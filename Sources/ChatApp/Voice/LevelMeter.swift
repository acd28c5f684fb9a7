internal import ChatModel
internal import GTKBinding
internal import Localization

/// How loud it is and was, while a voice message is recorded: bars that run to the left.
final class LevelMeter {
    let widget: Widget
    private let area: DrawingArea
    private let composer: VoiceComposer

    init(_ composer: VoiceComposer) {
        self.composer = composer
        area = DrawingArea { [weak composer] drawing, width, height in
            if let composer { Self.draw(composer.levels, drawing, width, height) }
        }
        area.content(width: 120, height: 30).expand(.horizontal)
        area.accessible(label: localized("Loudness"))
        widget = area
    }

    /// What is drawn is read here, so that whoever observes it hears of the next level.
    func redraw() {
        _ = composer.levels.count
        area.queueDraw()
    }

    private static func draw(_ levels: [Float], _ drawing: Drawing, _ width: Double, _ height: Double) {
        let step = 4.5
        let count = max(1, Int(width / step))
        for (index, level) in levels.suffix(count).reversed().enumerated() {
            let half = max(0.5, min(1, Double(level)) * (height / 2 - 2))
            let x = width - (Double(index) + 0.5) * step
            drawing.useColor("accent_color")
            drawing.line(fromX: x, y: height / 2 - half, toX: x, y: height / 2 + half, width: 2.6)
        }
    }
}
