internal import GTKBinding
internal import Localization

/// The shape of a voice message as bars; those that were played are full, and a click or drag goes there.
final class Waveform {
    let widget: Widget
    var onSeek: (Double) -> Void = { _ in }
    private let area: DrawingArea
    private let drawn = Drawn()

    private final class Drawn {
        var peaks: [Float] = []
        var progress = 0.0
        var start = 0.0
    }

    init() {
        let drawn = drawn
        area = DrawingArea { drawing, width, height in Self.draw(drawn, drawing, width, height) }
        area.content(width: 180, height: 30).expand(.horizontal)
        area.accessible(label: localized("Place in the voice message")).cursor("pointer")
        widget = area
        area.onDrag(
            began: { [weak self] x, _ in
                self?.drawn.start = x
                self?.seek(x)
            },
            ended: { [weak self] x, _ in
                // A click without a way has gone there already.
                if let self, abs(x) > 3 { self.seek(self.drawn.start + x) }
            })
    }

    private func seek(_ x: Double) {
        let width = Double(area.width)
        if width > 0 { onSeek(min(max(x / width, 0), 1)) }
    }

    func show(peaks: [Float]) {
        drawn.peaks = peaks
        area.queueDraw()
    }

    func show(progress: Double) {
        guard abs(progress - drawn.progress) > 0.001 else { return }
        drawn.progress = progress
        area.queueDraw()
    }

    private static func draw(_ drawn: Drawn, _ drawing: Drawing, _ width: Double, _ height: Double) {
        let step = 4.5
        let count = max(1, Int(width / step))
        for index in 0..<count {
            let place = (Double(index) + 0.5) / Double(count)
            // Before the shape is known it is a line of dots.
            let peak: Double =
                if drawn.peaks.isEmpty {
                    0
                } else {
                    Double(drawn.peaks[min(drawn.peaks.count - 1, Int(place * Double(drawn.peaks.count)))])
                }
            let half = max(0.5, min(1, peak) * (height / 2 - 2))
            let x = (Double(index) + 0.5) * step
            drawing.useTextColor(opacity: place <= drawn.progress ? 1 : 0.4)
            drawing.line(fromX: x, y: height / 2 - half, toX: x, y: height / 2 + half, width: 2.6)
        }
    }
}
