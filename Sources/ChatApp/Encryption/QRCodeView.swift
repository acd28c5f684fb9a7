internal import GTKBinding
internal import QRCodes

/// A QR code for another device to scan: dark on light with a light margin, in every colour scheme.
final class QRCodeView {
    let root: Widget
    private let area: DrawingArea
    private let shown = Shown()

    private final class Shown {
        var code: QRCode?
    }

    /// The side in pixels that a code has at least, and that of a module: a phone at arm's length reads both.
    private static let side = 160
    private static let module = 4

    /// - Parameter name: for screen readers, what the code contains.
    init(_ name: String) {
        let shown = shown
        area = DrawingArea { drawing, width, height in
            if let code = shown.code { Self.draw(code, drawing, width, height) }
        }
        area.align(horizontal: .center)
        area.accessible(label: name)
        root = area
        root.isVisible = false
    }

    /// The code that is shown, for tests.
    var code: QRCode? { shown.code }

    func show(_ text: String?) {
        let code = text.flatMap { QRCode($0) }
        guard code != shown.code else { return }
        shown.code = code
        root.isVisible = code != nil
        let count = (code?.size ?? 0) + 2 * QRCode.quietZone
        let side = max(Self.module, (Self.side + count - 1) / count) * count
        area.content(width: side, height: side)
        area.queueDraw()
    }

    private static func draw(_ code: QRCode, _ drawing: Drawing, _ width: Double, _ height: Double) {
        let count = Double(code.size + 2 * QRCode.quietZone)
        // Modules of whole pixels have sharp edges.
        let unit = max(1, (min(width, height) / count).rounded(.down))
        let side = unit * count
        let (left, top) = (((width - side) / 2).rounded(.down), ((height - side) / 2).rounded(.down))
        drawing.use(red: 1, green: 1, blue: 1)
        drawing.squares([(left, top)], side: side)
        drawing.use(red: 0, green: 0, blue: 0)
        let margin = Double(QRCode.quietZone)
        var corners: [(x: Double, y: Double)] = []
        for y in 0..<code.size {
            for x in 0..<code.size where code.isDark(x: x, y: y) {
                corners.append((left + (Double(x) + margin) * unit, top + (Double(y) + margin) * unit))
            }
        }
        drawing.squares(corners, side: unit)
    }
}
