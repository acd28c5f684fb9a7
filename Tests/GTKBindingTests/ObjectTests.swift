import GTKBinding
import Testing
import WindowFixtures

extension GTKTests {
    @MainActor
    @Suite("Objects and signals")
    struct ObjectTests {
        init() throws { try #require(Toolkit.isReady) }

        @Test("a handler is called with the arguments of the signal, and not after it was disconnected")
        func signals() {
            let entry = Entry()
            var texts: [String] = []
            let connection = entry.onChange { texts.append($0) }
            entry.text = "鸿雁"
            entry.withoutHearing(connection) { entry.text = "quiet" }
            entry.text = "goose"
            entry.disconnect(connection)
            entry.text = "nobody"
            // Setting a text deletes the old one first, and each of the two is a change.
            #expect(texts.filter { !$0.isEmpty } == ["鸿雁", "goose"])
        }

        @Test("wrappers, handlers and captured objects are released with the last reference")
        func lifetime() async {
            final class Witness {}
            await Toolkit.settle()
            let before = Object.liveCount
            weak var witness: Witness?
            do {
                let held = Witness()
                witness = held
                let button = Button("Honk")
                let box = Box.vertical(Label("鸿"), button)
                button.onClick { withExtendedLifetime(held) {} }
                withExtendedLifetime(box) {}
                #expect(Object.liveCount > before)
            }
            await Toolkit.settle()
            #expect(witness == nil)
            #expect(Object.liveCount <= before)
        }

        @Test("the last reference may be released on another thread: the object ends on the main actor")
        func lastReferenceElsewhere() async {
            await Toolkit.settle()
            let before = Object.liveCount
            var label: Label? = Label("away")
            let task = Task.detached { [label] in withExtendedLifetime(label) {} }
            label = nil
            await task.value
            #expect(await Toolkit.eventually { Object.liveCount <= before })
        }

        @Test("external text cannot become markup")
        func markup() {
            let text = "<b>&\"'\u{1}\0 鸿\n雁</b>"
            let label = Label()
            label.show(markup: "<i>\(Markup.escape(text))</i>")
            #expect(label.text == "<b>&\"'\u{FFFD}\u{FFFD} 鸿\n雁</b>")
        }

        @Test("invalid picture data is rejected, and valid data is decoded")
        func textures() async throws {
            let pixels = [UInt8](repeating: 200, count: 2 * 3 * 4)
            let texture = try #require(Texture(pixels: pixels, width: 2, height: 3, stride: 8))
            #expect(Texture(pixels: pixels, width: 2, height: 4, stride: 8) == nil)
            let encoded = await texture.png()
            let decoded = await Texture.decoded(encoded)
            #expect(decoded.map { [$0.width, $0.height] } == [2, 3])
            #expect(await Texture.decoded([1, 2, 3]) == nil)
            #expect(await Texture.decoded(nil) == nil)
        }
    }
}
