import GTKBinding
import Testing
import WindowFixtures

extension GTKTests {
    @MainActor
    @Suite("Folding row")
    struct FoldingRowTests {
        // A label has no padding, so it begins where it is allocated.
        private let one: Label
        private let two: Label

        init() throws {
            // Widgets can be made only after GTK has started, also if this suite is the first one.
            try #require(Toolkit.isReady)
            (one, two) = (Label("One of them"), Label("Two"))
        }

        private func place(_ child: Widget, in row: FoldingRow) -> (x: Double, y: Double)? {
            child.translate(x: 0, y: 0, to: row).map { ($0.x, $0.y) }
        }

        @Test("widgets stand beside each other where that fits, else in several lines, at the given side")
        func folds() async throws {
            let row = FoldingRow(spacing: 6, .end, one, two)
            let window = Window("Row", width: 600, height: 400, Box.vertical(row))
            window.present()
            #expect(await Toolkit.eventually { two.height > 0 })
            var (first, second) = (try #require(place(one, in: row)), try #require(place(two, in: row)))
            #expect(first.y == 0 && second.y == 0)
            #expect(second.x + Double(two.width) == Double(row.width))
            #expect(first.x + Double(one.width) + 6 == second.x)
            #expect(row.minimumWidth == one.width && one.width > two.width)

            let width = one.width + two.width
            window.setDefaultSize(width: width + (await Toolkit.borders(of: window)), height: 400)
            #expect(await Toolkit.eventually { row.width == width })
            await Toolkit.settle()
            (first, second) = (try #require(place(one, in: row)), try #require(place(two, in: row)))
            #expect(second.y == Double(one.height + 6) && row.height == one.height + 6 + two.height)
            #expect(first.x + Double(one.width) == Double(width) && second.x + Double(two.width) == Double(width))

            // In the other direction of text it is the other side.
            row.runs(rightToLeft: true)
            #expect(await Toolkit.eventually { place(one, in: row)?.x == 0 && place(two, in: row)?.x == 0 })
            window.destroy()
        }
    }
}
