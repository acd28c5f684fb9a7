import GTKBinding
import Testing
import WindowFixtures

@testable import ChatApp

extension WindowTests {
    @MainActor
    @Suite("The list below a search field")
    struct SearchedListTests {
        init() throws { try #require(Toolkit.isReady) }

        private static let (up, down): (UInt32, UInt32) = (0xFF52, 0xFF54)

        @Test("the arrow keys select a row and stop at the ends; Return opens it, also after the rows have changed")
        func keys() {
            let list = SearchedList(placeholder: "Search", name: "Found", empty: Label("Nothing")) { $0 }
            var (opened, stops): ([Int], Int) = ([], 0)
            list.onOpen = { opened.append($0) }
            list.onStop = { stops += 1 }
            func open(after keys: UInt32...) {
                for key in keys { list.search.press(key) }
                list.search.emit("activate")
            }
            list.show((0..<3).map { Label("\($0)") })
            open()
            open(after: Self.down)
            open(after: Self.down, Self.down, Self.down)
            open(after: Self.up)
            #expect(opened == [0, 1, 2, 1])
            // The same place stays selected, as far as there is one.
            list.show((0..<2).map { Label("\($0)") })
            open()
            list.show([Label("0")])
            open()
            list.show((0..<3).map { Label("\($0)") })
            open(after: Self.up, Self.down)
            list.selectFirst()
            list.show((0..<3).map { Label("\($0)") })
            open()
            #expect(opened.dropFirst(4) == [1, 0, 1, 0])
            list.search.emit("stop-search")
            #expect(stops == 1)
        }
    }
}
