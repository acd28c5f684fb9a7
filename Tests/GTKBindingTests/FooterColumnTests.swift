import GTKBinding
import Testing
import WindowFixtures

extension GTKTests {
    @MainActor
    @Suite("Footer column")
    struct FooterColumnTests {
        private let time: Label
        private let text: Label

        init() throws {
            try #require(Toolkit.isReady)
            time = Label("12:34")
            text = Label().wrap(maximumCharacters: 40).textAlignment(0)
        }

        private func column(_ words: String, lastText: Bool = true) -> FooterColumn {
            text.text = words
            let column = FooterColumn(footer: time, spacing: 4, gap: 8, text)
            if lastText { column.lastText = text }
            return column
        }

        private func show(_ column: FooterColumn, width: Int) async -> Window {
            let window = Window("Footer", width: width, height: 300, Box.vertical(SideColumn(spacing: 0, column)))
            window.present()
            _ = await Toolkit.eventually { text.height > 0 && time.height > 0 }
            await Toolkit.settle()
            return window
        }

        private func place(in column: FooterColumn) -> (x: Double, y: Double) {
            time.translate(x: 0, y: 0, to: column) ?? (-1, -1)
        }

        @Test("beside one line, the footer takes no height, and the column is as wide as both")
        func beside() async {
            let column = column("ok")
            let window = await show(column, width: 500)
            #expect(column.height == max(text.height, time.height))
            #expect(place(in: column).x >= Double(text.lastLine?.width ?? 0) + 8)
            #expect(Double(column.width) == place(in: column).x + Double(time.width))
            window.destroy()
        }

        @Test("below a text that does not end with a label, and without a text at all")
        func below() async {
            let column = column("ok", lastText: false)
            let window = await show(column, width: 500)
            #expect(place(in: column).y == Double(text.height + 4))
            text.isVisible = false
            #expect(await Toolkit.eventually { column.height == time.height })
            window.destroy()
        }

        @Test("of wrapped text it is beside the last line or below, never on it, at any width")
        func wrapped() async {
            let column = column("It is the east, and Juliet is the sun. Arise, fair sun, and kill the envious moon")
            let window = await show(column, width: 640)
            var isBeside: Set<Bool> = []
            for width in stride(from: 200, through: 640, by: 8) {
                let before = window.width
                window.setDefaultSize(width: width, height: 300)
                #expect(await Toolkit.eventually { window.width != before })
                await Toolkit.settle()
                let line = text.lastLine
                let (x, y) = place(in: column)
                let end = (line?.x ?? 0) + (line?.width ?? 0)
                let isOnLine = y < (line?.y ?? 0) + (line?.height ?? 0) - 1
                #expect(!isOnLine || x >= end, "at \(width)")
                #expect(
                    y + Double(time.height) <= Double(column.height) && x + Double(time.width) <= Double(column.width))
                isBeside.insert(isOnLine)
            }
            #expect(isBeside == [true, false])
            window.destroy()
        }

        @Test("right to left it is at the left end; a limit wraps the text earlier")
        func mirrored() async {
            let column = column("ok")
            for widget in [column, text] as [Widget] { widget.runs(rightToLeft: true) }
            let window = await show(column, width: 500)
            #expect(place(in: column).x == 0 && column.height == max(text.height, time.height))
            text.text = String(repeating: "words ", count: 20)
            column.lastText = text
            column.widthLimit = 120
            #expect(await Toolkit.eventually { (1...170).contains(column.width) && text.height > 3 * time.height })
            window.destroy()
        }
    }
}
