import GTKBinding
import Testing
import WindowFixtures

extension GTKTests {
    @MainActor
    @Suite("Side column")
    struct SideColumnTests {
        private let short: Label
        private let long: Label
        private let hidden: Label

        init() throws {
            // Widgets can be made only after GTK has started, also if this suite is the first one.
            try #require(Toolkit.isReady)
            short = Label("short").textAlignment(0)
            long = Label(String(repeating: "many words that wrap ", count: 12)).wrap(maximumCharacters: 30)
                .textAlignment(0)
            hidden = Label("hidden").hidden()
        }

        /// The position of a child in its column, and its width.
        private func place(_ child: Widget, in column: SideColumn) -> (x: Double, y: Double, width: Int)? {
            child.translate(x: 0, y: 0, to: column).map { ($0.x, $0.y, child.width) }
        }

        @Test("each child has its preferred width, below the previous one, at the given side")
        func sides() async throws {
            let column = SideColumn(spacing: 5, short, hidden, long)
            let window = Window("Column", width: 600, height: 400, Box.vertical(column))
            window.present()
            #expect(await Toolkit.eventually { long.height > 0 })
            let upper = try #require(place(short, in: column))
            let lower = try #require(place(long, in: column))
            #expect(upper.x == 0 && lower.x == 0 && upper.y == 0)
            #expect(lower.y == Double(short.height + 5))
            #expect(upper.width < lower.width && lower.width < column.width)
            // Wrapped, and completely visible.
            #expect(long.height > 3 * short.height)
            #expect(column.height == short.height + 5 + long.height)

            column.isAtEnd(true)
            let isThere = await Toolkit.eventually {
                place(short, in: column)?.x == Double(column.width - short.width)
            }
            #expect(isThere)
            #expect(place(long, in: column)?.x == Double(column.width - long.width))
            window.destroy()
        }

        @Test("with right-to-left text, the sides are swapped")
        func rightToLeft() async throws {
            let column = SideColumn(spacing: 0, short)
            column.runs(rightToLeft: true)
            let window = Window("Column", width: 600, height: 400, Box.vertical(column))
            window.present()
            let isAtRight = await Toolkit.eventually {
                short.width > 0 && place(short, in: column)?.x == Double(column.width - short.width)
            }
            #expect(isAtRight)
            column.isAtEnd(true)
            #expect(await Toolkit.eventually { place(short, in: column)?.x == 0 })
            window.destroy()
        }

        @Test("in a narrow column texts wrap earlier")
        func narrow() async throws {
            let column = SideColumn(spacing: 0, long)
            let window = Window("Column", width: 120, height: 400, Box.vertical(column))
            window.present()
            #expect(await Toolkit.eventually { long.height > 0 })
            #expect(long.width <= column.width)
            #expect(column.height == long.height)
            window.destroy()
        }
    }
}
