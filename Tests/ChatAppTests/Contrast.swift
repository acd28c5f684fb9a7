import CGTK
import Foundation
import Testing
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

    /// - Parameter margin: pixels around its content that belong to it.
    private func colours(of widget: Widget, in window: Window, margin: Int = 0) -> [Colour: Int] {
        guard let corner = widget.translate(x: 0, y: 0, to: window) else { return [:] }
        let (left, top) = (Int(corner.x) - margin, Int(corner.y) - margin)
        var counts: [Colour: Int] = [:]
        for y in top..<top + widget.height + 2 * margin {
            for x in left..<left + widget.width + 2 * margin {
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
    ///
    /// - Parameter margin: pixels around its content that belong to it.
    func contrast(of widget: Widget, in window: Window, margin: Int = 0) -> Double {
        let counts = colours(of: widget, in: window, margin: margin)
        guard let background = counts.max(by: { $0.value < $1.value })?.key else { return 0 }
        return counts.keys.map { $0.contrast(to: background) }.max() ?? 0
    }

    /// The colour with the most contrast to the background.
    func strongest(of widget: Widget, in window: Window) -> Colour? {
        guard let background = background(of: widget, in: window) else { return nil }
        return colours(of: widget, in: window).keys.max { $0.contrast(to: background) < $1.contrast(to: background) }
    }

    /// The contrast of the strongest pixel of a widget to what is at its corners, which it does not cover because it is round.
    func contrastToSurroundings(of widget: Widget, in window: Window) -> Double {
        guard let corner = widget.translate(x: 0, y: 0, to: window),
            let surroundings = colour(x: Int(corner.x), y: Int(corner.y))
        else { return 0 }
        return colours(of: widget, in: window).keys.map { $0.contrast(to: surroundings) }.max() ?? 0
    }

    /// The strongest change between two pictures of a window: the contrast of a pixel before and after it.
    ///
    /// - Parameter part: the part of the window that is compared; `nil` for all of it.
    func change(from earlier: Pixels, in part: (x: Double, y: Double, width: Double, height: Double)? = nil) -> Double {
        let (left, top) = (max(0, Int(part?.x ?? 0)), max(0, Int(part?.y ?? 0)))
        let (right, bottom) = (
            min(width, part.map { left + Int($0.width) } ?? width),
            min(height, part.map { top + Int($0.height) } ?? height)
        )
        var strongest = 1.0
        for y in top..<max(top, bottom) {
            for x in left..<max(left, right) {
                guard let now = colour(x: x, y: y), let then = earlier.colour(x: x, y: y), now != then else { continue }
                strongest = max(strongest, now.contrast(to: then))
            }
        }
        return strongest
    }

    /// How much of a widget is not background, from 0 to 1.
    func share(of widget: Widget, in window: Window) -> Double {
        let counts = colours(of: widget, in: window)
        let total = counts.values.reduce(0, +)
        return total == 0 ? 0 : 1 - Double(counts.values.max() ?? 0) / Double(total)
    }
}

/// Looks for texts that are hard to read (WCAG 2.1 §1.4.3).
@MainActor
enum Contrast {
    /// The labels of a window that are on the screen, with their texts.
    private static func labels(in window: Window) -> [(text: String, label: Widget)] {
        var found: [(String, Widget)] = []
        func visit(_ widget: UnsafeMutablePointer<GtkWidget>) {
            let object = Widget(borrowing: UnsafeMutableRawPointer(widget))
            guard object.isMapped, object.isSensitive else { return }
            // The colour of a name is computed for its background, and its thin strokes do not show it: see BubbleTests.
            if object.has(css: "sender") { return }
            // Initials stand for a picture, beside the name.
            if gtk_widget_get_ancestor(widget, adw_avatar_get_type()) != nil { return }
            let isLabel = g_type_check_instance_is_a(
                UnsafeMutableRawPointer(widget).assumingMemoryBound(to: GTypeInstance.self), gtk_label_get_type())
            // Selected text has colours of its own.
            let isSelected =
                isLabel.isTrue && gtk_label_get_selection_bounds(OpaquePointer(widget), nil, nil).isTrue
            if isLabel.isTrue, !isSelected, let text = gtk_label_get_text(OpaquePointer(widget)), object.isOnScreen {
                let text = String(cString: text)
                // Emoji have colours of their own.
                if text.contains(where: { $0.isLetter && $0.isASCII }) { found.append((text, object)) }
            }
            var child = gtk_widget_get_first_child(widget)
            while let next = child {
                visit(next)
                child = gtk_widget_get_next_sibling(next)
            }
        }
        visit(window.widget)
        return found
    }

    /// Texts of a window with less than 4.5:1, and marks with less than 3:1. Antialiasing takes a little of it from thin strokes.
    private static func weak(_ window: Window, in scheme: StyleManager.Scheme) async -> [String] {
        StyleManager.use(scheme)
        await Toolkit.settle()
        _ = await Toolkit.eventually { window.render() != nil }
        var found = ["\(scheme): nothing is drawn"]
        // A frame in between may still show the other style.
        let end = ContinuousClock.now + limit
        repeat {
            for _ in 0..<10 { _ = MainLoop.runIteration() }
            try? await Task.sleep(for: .milliseconds(20))
            guard let pixels = Pixels(window) else { continue }
            found = labels(in: window).compactMap { text, label in
                let contrast = pixels.contrast(of: label, in: window)
                guard contrast > 1, contrast < 4.4 else { return nil }
                let background = pixels.background(of: label, in: window).map { "\($0)" } ?? ""
                let strongest = pixels.strongest(of: label, in: window).map { "\($0)" } ?? ""
                return "\(scheme) “\(text)” \(contrast): \(strongest) on \(background)"
            }
            found += Marks.weak(in: window, pixels).map { "\(scheme) \($0)" }
        } while !found.isEmpty && ContinuousClock.now < end
        return found
    }

    /// How long a window may take to show another style: test machines are slow and shared.
    static let limit = Duration.seconds(20)

    static func check(_ window: Window, _ title: String) async {
        // Thick strokes have pixels of the full colour.
        ToolkitSettings.zoomText(2)
        for scheme in [StyleManager.Scheme.light, .dark] {
            let weak = await weak(window, in: scheme)
            #expect(weak.isEmpty, "\(title): \(weak)")
        }
        ToolkitSettings.zoomText(1)
        StyleManager.use(.light)
    }
}
