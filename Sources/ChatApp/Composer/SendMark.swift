internal import GTKBinding
internal import Localization

/// The paper plane of the buttons that send; no icon theme that all desktops have knows one.
enum SendMark {
    /// A round button with the plane.
    static func button() -> Button {
        let area = DrawingArea { drawing, width, height in draw(drawing, width, height) }
        return Button(area.content(width: 16, height: 16).align(horizontal: .center, vertical: .center))
            .css("suggested-action", "circular").focusOnClick(false).named(localized("Send"))
    }

    /// Two wings on a grid of 16; between them is the fold.
    private static func draw(_ drawing: Drawing, _ width: Double, _ height: Double) {
        let unit = min(width, height) / 16
        func wing(_ corners: (x: Double, y: Double)...) {
            drawing.polygon(corners.map { (x: $0.x * unit, y: $0.y * unit) })
        }
        drawing.useTextColor()
        wing((1.5, 1.5), (15.5, 8), (3.2, 7.3))
        wing((1.5, 14.5), (15.5, 8), (3.2, 8.7))
    }
}
