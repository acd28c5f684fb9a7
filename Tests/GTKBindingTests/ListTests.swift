import CGlibc
import GTKBinding
import Testing
import WindowFixtures

extension GTKTests {
    @MainActor
    @Suite("Lists")
    struct ListTests {
        @MainActor
        private final class TextRow: ListRow {
            let label = Label()
            let root: Widget
            private(set) var isClear = false
            private(set) var times = 0

            init() { root = Box.horizontal(label) }

            func show(_ item: String) {
                label.text = item
                isClear = false
                times += 1
            }

            func clear() { isClear = true }
        }

        private struct Screen {
            let model: ListModel<String>
            let list: ListView<TextRow>
            let window: Window

            @MainActor
            init(_ items: [String], selection: ListView<TextRow>.Selection = .none) {
                model = ListModel(items)
                list = ListView(model, selection: selection) { TextRow() }
                window = Window("List", width: 300, height: 400, ScrolledWindow(list).expand(.vertical))
                window.present()
            }

            /// The contents of the rows, by the numbers of their items.
            @MainActor var shown: [Int: String] {
                var shown: [Int: String] = [:]
                list.forEachRow { shown[$0] = $1.label.text }
                return shown
            }

            @MainActor func shows(_ items: [String]) async -> Bool {
                await Toolkit.eventually {
                    items.indices.allSatisfy { shown[$0] == items[$0] } && shown.count == items.count
                }
            }
        }

        init() throws { try #require(Toolkit.isReady) }

        @Test("rows that show the same item after a change are neither cleared nor shown again")
        func sameItem() async {
            let screen = Screen(["a", "b", "c", "d"])
            #expect(await screen.shows(["a", "b", "c", "d"]))
            func rows() -> [String: TextRow] {
                var rows: [String: TextRow] = [:]
                screen.list.forEachRow { rows[$1.label.text] = $1 }
                return rows
            }
            let before = rows()
            let times = before.mapValues(\.times)
            screen.model.insert(["x"], at: 1)
            #expect(await screen.shows(["a", "x", "b", "c", "d"]))
            screen.model.remove(2..<3)
            #expect(await screen.shows(["a", "x", "c", "d"]))
            for text in ["a", "c", "d"] {
                #expect(before[text]?.times == times[text] && before[text]?.isClear == false, "\(text)")
            }
            #expect(before["b"]?.isClear == true || before["b"]?.label.text != "b")
            screen.model.update("D", at: 3)
            screen.model.insert(["y"], at: 0)
            #expect(await screen.shows(["y", "a", "x", "c", "D"]))
            #expect(before["d"]?.label.text == "D")
            screen.window.destroy()
        }

        @Test("every change of the model is a change of the rows")
        func changes() async {
            let screen = Screen(["a", "b", "c", "d"])
            #expect(await screen.shows(["a", "b", "c", "d"]))
            screen.model.remove(1..<2)
            screen.model.insert(["x", "y"], at: 0)
            #expect(await screen.shows(["x", "y", "a", "c", "d"]))
            screen.model.move(from: 4, to: 0, "d!")
            screen.model.append("e")
            #expect(await screen.shows(["d!", "x", "y", "a", "c", "e"]))
            screen.model.show(["1", "2"])
            #expect(await screen.shows(["1", "2"]))
            screen.model.show([])
            #expect(await screen.shows([]))
            screen.window.destroy()
        }

        @Test("random changes give the rows of the model")
        func randomChanges() async {
            let screen = Screen([])
            var random = SystemRandomNumberGenerator()
            var expected: [String] = []
            for step in 0..<200 {
                let index = expected.isEmpty ? 0 : Int.random(in: 0..<expected.count, using: &random)
                switch Int.random(in: 0..<5, using: &random) {
                case 0 where !expected.isEmpty:
                    expected.remove(at: index)
                    screen.model.remove(index..<index + 1)
                case 1 where !expected.isEmpty:
                    expected[index] = "updated \(step)"
                    screen.model.update(expected[index], at: index)
                case 2 where !expected.isEmpty:
                    let item = expected.remove(at: index)
                    let target = expected.isEmpty ? 0 : Int.random(in: 0..<expected.count + 1, using: &random)
                    expected.insert(item, at: target)
                    screen.model.move(from: index, to: target, item)
                default:
                    expected.insert("item \(step)", at: index)
                    screen.model.insert(["item \(step)"], at: index)
                }
                if step % 10 == 0 { MainLoop.runIteration() }
            }
            #expect(screen.model.items == expected)
            #expect(await screen.shows(expected))
            screen.window.destroy()
        }

        @Test("invalid numbers change nothing")
        func wrongNumbers() {
            let model = ListModel(["a"])
            model.insert(["b"], at: 5)
            model.remove(3..<9)
            model.move(from: 4, to: 0, "c")
            model.update("d", at: 1)
            #expect(model.items == ["a"])
        }

        @Test("a changed item stays in the same row")
        func update() async {
            let screen = Screen(["a", "b"])
            #expect(await screen.shows(["a", "b"]))
            var before: TextRow?
            screen.list.forEachRow { if $0 == 1 { before = $1 } }
            screen.model.update("B", at: 1)
            var after: TextRow?
            screen.list.forEachRow { if $0 == 1 { after = $1 } }
            #expect(before != nil && before === after)
            #expect(after?.label.text == "B")
            screen.window.destroy()
        }

        @Test("a selection follows its item, and ends with it")
        func selection() async {
            let screen = Screen(["a", "b", "c"], selection: .single)
            #expect(await screen.shows(["a", "b", "c"]))
            #expect(screen.list.selected == nil)
            screen.list.selected = 2
            screen.model.remove(0..<1)
            #expect(screen.list.selected == 1)
            screen.list.selected = nil
            #expect(screen.list.selected == nil)
            screen.window.destroy()
        }

        @Test("scrolling to rows uses no more memory each time")
        func scrolling() async {
            let screen = Screen((0..<1000).map { "row \($0)" })
            #expect(await Toolkit.eventually { screen.shown[0] == "row 0" && screen.list.height > 100 })
            func scroll(_ times: Int) -> Int {
                for number in 0..<times { screen.list.scroll(to: number % 2) }
                return heap_in_use()
            }
            let before = scroll(1000)
            #expect(scroll(20_000) - before < 20_000 * 10)
            screen.window.destroy()
        }

        @Test("of many items only those near the screen have rows, and all rows are released with the window")
        func counters() async {
            await Toolkit.settle()
            let rows = ListRows.liveCount
            let objects = Object.liveCount
            do {
                let screen = Screen((0..<100_000).map { "row \($0)" })
                #expect(await Toolkit.eventually { screen.shown[0] == "row 0" && screen.list.height > 100 })
                #expect(ListRows.liveCount - rows < 500)
                screen.list.scroll(to: 99_999)
                #expect(await Toolkit.eventually { screen.shown[99_999] == "row 99999" })
                screen.window.destroy()
            }
            #expect(await Toolkit.eventually { ListRows.liveCount <= rows && Object.liveCount <= objects })
        }
    }
}
