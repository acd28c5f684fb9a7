internal import CGTK

/// A large picture of which only the visible part is drawn.
///
/// GTK's software renderer copies all pixels of a texture for each frame. So the picture consists of squares, and the
/// squares outside of the visible part of the ``ScrolledWindow`` around it are not drawn.
public final class TiledPicture: Widget {
    /// The side of a square in pixels: a window has few of them, and only a small part of those at its edges is
    /// invisible.
    nonisolated static let side = 512

    private let tiles: [(square: PictureSquare, widget: Widget)]
    private let pixels: (width: Int, height: Int)
    private var zoom = 1.0

    public init(_ picture: PictureSquares) {
        pixels = (picture.whole.width, picture.whole.height)
        tiles = picture.squares.map { square in
            let child = Widget(adopting: UnsafeMutableRawPointer(gtk_picture_new_for_paintable(square.texture.cast())))
            gtk_picture_set_can_shrink(child.cast(), 1)
            gtk_picture_set_content_fit(child.cast(), .fill)
            return (square, child)
        }
        super.init(adopting: UnsafeMutableRawPointer(gtk_fixed_new()))
        for tile in tiles { gtk_fixed_put(cast(), tile.widget.widget, 0, 0) }
        scale(to: 1)
    }

    /// The size of a pixel of the picture in pixels of the screen.
    public func scale(to zoom: Double) {
        self.zoom = zoom
        for tile in tiles {
            let area = area(of: tile.square)
            gtk_fixed_move(cast(), tile.widget.widget, Double(area.x), Double(area.y))
            tile.widget.minimumSize(width: area.width, height: area.height)
        }
    }

    /// Draws what lies in the visible part of `scroller`, which contains this widget alone. To be called after each
    /// ``ScrolledWindow/onMove(_:)``.
    public func showVisiblePart(of scroller: ScrolledWindow) {
        let size = (width: Double(pixels.width) * zoom, height: Double(pixels.height) * zoom)
        let part = scroller.visiblePart
        // A picture that is smaller than the window is in its middle.
        let left = part.x - max(0, part.width - size.width) / 2
        let top = part.y - max(0, part.height - size.height) / 2
        for tile in tiles {
            let area = area(of: tile.square)
            let isVisible =
                Double(area.x) < left + part.width && Double(area.x + area.width) > left
                && Double(area.y) < top + part.height && Double(area.y + area.height) > top
            gtk_widget_set_child_visible(tile.widget.widget, isVisible.gboolean)
        }
    }

    /// The number of squares that are drawn, for tests.
    public var drawnCount: Int { tiles.count { gtk_widget_get_child_visible($0.widget.widget).isTrue } }
    /// The number of all squares.
    public var count: Int { tiles.count }

    /// Neighbours share an edge, so that there is no gap between them.
    private func area(of square: PictureSquare) -> (x: Int, y: Int, width: Int, height: Int) {
        let (left, right) = (Double(square.x) * zoom, Double(square.x + square.texture.width) * zoom)
        let (top, bottom) = (Double(square.y) * zoom, Double(square.y + square.texture.height) * zoom)
        let (x, y) = (Int(left.rounded()), Int(top.rounded()))
        return (x, y, Int(right.rounded()) - x, Int(bottom.rounded()) - y)
    }
}

/// A picture, and the squares of a ``TiledPicture`` of it; they share their pixels.
public struct PictureSquares {
    public let whole: Texture
    let squares: [PictureSquare]
}

struct PictureSquare {
    let x: Int
    let y: Int
    let texture: Texture
}

extension Texture {
    /// Divides the picture into squares, off the main thread.
    public func squares() async -> PictureSquares {
        g_object_ref(raw)
        let copies = await Self.copy(Reference(raw: raw), side: TiledPicture.side)
        return PictureSquares(
            whole: Texture(adopting: copies.whole.raw),
            squares: copies.squares.map { PictureSquare(x: $0.x, y: $0.y, texture: Texture(adopting: $0.texture.raw)) })
    }

    private struct Copies: Sendable {
        var whole: Reference
        var squares: [(x: Int, y: Int, texture: Reference)] = []
    }

    /// Converts the pixels once to the format that the software renderer draws; all textures refer to that memory.
    @concurrent
    private nonisolated static func copy(_ texture: Reference, side: Int) async -> Copies {
        defer { g_object_unref(texture.raw) }
        let width = Int(gdk_texture_get_width(OpaquePointer(texture.raw)))
        let height = Int(gdk_texture_get_height(OpaquePointer(texture.raw)))
        let stride = width * 4
        let memory = g_malloc(gsize(stride * height))
        gdk_texture_download(OpaquePointer(texture.raw), memory?.assumingMemoryBound(to: guchar.self), gsize(stride))
        let bytes = g_bytes_new_take(memory, gsize(stride * height))
        defer { g_bytes_unref(bytes) }
        func part(x: Int, y: Int, width: Int, height: Int) -> Reference {
            let part = g_bytes_new_from_bytes(
                bytes, gsize(y * stride + x * 4), gsize((height - 1) * stride + width * 4))
            defer { g_bytes_unref(part) }
            return Reference(
                raw: UnsafeMutableRawPointer(
                    gdk_memory_texture_new(
                        gint(width), gint(height), .b8g8r8a8Premultiplied, part, gsize(stride))))
        }
        var copies = Copies(whole: part(x: 0, y: 0, width: width, height: height))
        for y in Swift.stride(from: 0, to: height, by: side) {
            for x in Swift.stride(from: 0, to: width, by: side) {
                copies.squares.append(
                    (x, y, part(x: x, y: y, width: min(side, width - x), height: min(side, height - y))))
            }
        }
        return copies
    }
}
