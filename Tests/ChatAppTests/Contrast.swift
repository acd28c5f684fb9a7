import CGTK
import Foundation
import WindowFixtures

@testable import GTKBinding

/// The pixels of a window, to compute contrasts as the Web Content Accessibility Guidelines define them.
@MainActor
struct Pixels {
    private let bytes: [UInt8]
    private let width: Int
    private let height: Int

    init?(_ window: Window) {
        guard let texture = window.render() else { return nil }
        let (width, height) = (texture.width, texture.height)
        var bytes = [UInt8](repeating: 0, count: width * height * 4)
        bytes.withUnsafeMutableBufferPointer { buffer in
            if let start = buffer.baseAddress { gdk_texture_download(texture.cast(), start, gsize(width * 4)) }
        }
        (self.bytes, self.width, self.height) = (bytes, width, height)
    }

    struct Colour: Hashable {
        let red: UInt8
        let green: UInt8
        let blue: UInt8

        var luminance: Double {
            func linear(_ value: UInt8) -> Double {
                let value = Double(value) / 255
                return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
            }
            return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
        }

        init(red: UInt8, green: UInt8, blue: UInt8) { (self.red, self.green, self.blue) = (red, green, blue) }

        /// The first colour of a text in Pango's markup, as `#rrggbb`.
        init?(markup: String) {
            guard let start = markup.firstRange(of: "foreground=\"#")?.upperBound,
                let value = UInt32(markup[start...].prefix(6), radix: 16)
            else { return nil }
            self.init(
                red: UInt8(value >> 16), green: UInt8(value >> 8 & 255), blue: UInt8(value & 255))
        }

        func contrast(to other: Colour) -> Double {
            let (light, dark) = (max(luminance, other.luminance), min(luminance, other.luminance))
            return (light + 0.05) / (dark + 0.05)
        }
    }

    func colour(x: Int, y: Int) -> Colour? {
        guard (0..<width).contains(x), (0..<height).contains(y) else { return nil }
        let place = (y * width + x) * 4
        return Colour(red: bytes[place + 2], green: bytes[place + 1], blue: bytes[place])
    }

    private func colours(of widget: Widget, in window: Window) -> [Colour: Int] {
        guard let corner = widget.translate(x: 0, y: 0, to: window) else { return [:] }
        var counts: [Colour: Int] = [:]
        for y in Int(corner.y)..<Int(corner.y) + widget.height {
            for x in Int(corner.x)..<Int(corner.x) + widget.width {
                if let colour = colour(x: x, y: y) { counts[colour, default: 0] += 1 }
            }
        }
        return counts
    }

    /// The most frequent colour of a widget.
    func background(of widget: Widget, in window: Window) -> Colour? {
        colours(of: widget, in: window).max { $0.value < $1.value }?.key
    }

    /// The contrast of the strongest pixel of a widget to its background, which is the most frequent colour.
    func contrast(of widget: Widget, in window: Window) -> Double {
        let counts = colours(of: widget, in: window)
        guard let background = background(of: widget, in: window) else { return 0 }
        return counts.keys.map { $0.contrast(to: background) }.max() ?? 0
    }

    /// How much of a widget is not background, from 0 to 1.
    func share(of widget: Widget, in window: Window) -> Double {
        let counts = colours(of: widget, in: window)
        let total = counts.values.reduce(0, +)
        return total == 0 ? 0 : 1 - Double(counts.values.max() ?? 0) / Double(total)
    }
}
