import CGTK
import Testing
import WindowFixtures

@testable import GTKBinding

extension GTKTests {
    @MainActor
    @Suite("Tiled picture")
    struct TiledPictureTests {
        /// In pixels: some squares in each direction, the last ones smaller.
        private static let (width, height) = (3000, 2200)

        /// The colour of a pixel is its position: the low octets in red and green, the high ones in blue.
        private static func texture() throws -> Texture {
            var pixels = [UInt8](repeating: 255, count: width * height * 4)
            pixels.withUnsafeMutableBufferPointer { pixels in
                for y in 0..<height {
                    for x in 0..<width {
                        let place = (y * width + x) * 4
                        pixels[place] = UInt8(x & 255)
                        pixels[place + 1] = UInt8(y & 255)
                        pixels[place + 2] = UInt8((x >> 8) << 4 | (y >> 8))
                    }
                }
            }
            return try #require(Texture(pixels: pixels, width: width, height: height, stride: width * 4))
        }

        /// The position in the picture that is drawn at a position of the window.
        private func position(x: Int, y: Int, in rendered: Texture) -> (x: Int, y: Int) {
            var pixels = [UInt8](repeating: 0, count: rendered.width * rendered.height * 4)
            pixels.withUnsafeMutableBufferPointer {
                gdk_texture_download(rendered.cast(), $0.baseAddress, gsize(rendered.width * 4))
            }
            let place = (y * rendered.width + x) * 4
            let (blue, green, red) = (Int(pixels[place]), Int(pixels[place + 1]), Int(pixels[place + 2]))
            return (red | (blue >> 4) << 8, green | (blue & 15) << 8)
        }

        @Test("only the visible squares are drawn, each in its place, wherever the picture is scrolled to")
        func visiblePart() async throws {
            try #require(Toolkit.isReady)
            let squares = try await Self.texture().squares()
            #expect(squares.whole.width == Self.width && squares.whole.height == Self.height)
            let tiled = TiledPicture(squares)
            #expect(tiled.count == 6 * 5)
            let scroller = ScrolledWindow(tiled, horizontal: true).expand(.horizontal, .vertical)
            scroller.onMove { tiled.showVisiblePart(of: scroller) }
            let window = Window("Picture", width: 640, height: 480, Box.vertical(scroller))
            window.present()
            #expect(await Toolkit.eventually { tiled.drawnCount < tiled.count })

            for target in [(0.0, 0.0), (700, 500), (2400, 1800)] {
                scroller.scroll(toX: target.0, y: target.1)
                await Toolkit.settle()
                #expect((1...9).contains(tiled.drawnCount))
                let part = scroller.visiblePart
                #expect(abs(part.x - target.0) < 641 && abs(part.y - target.1) < 481)
                let corner = try #require(scroller.translate(x: 0, y: 0, to: window))
                // Right after a layout there may be nothing to render yet.
                #expect(await Toolkit.eventually { window.render() != nil })
                let rendered = try #require(window.render())
                for (x, y) in [(20, 20), (300, 200), (600, 400)] {
                    let found = position(x: Int(corner.x) + x, y: Int(corner.y) + y, in: rendered)
                    #expect(found.x == Int(part.x) + x && found.y == Int(part.y) + y, "at \(x), \(y) of \(target)")
                }
            }

            // The whole of it is small: everything is drawn.
            tiled.scale(to: 0.1)
            await Toolkit.settle()
            #expect(await Toolkit.eventually { tiled.drawnCount == tiled.count })
            window.destroy()
        }
    }
}
