import ChatModel
import Testing
import WindowFixtures

@testable import ChatApp
@testable import GTKBinding

extension WindowTests {
    @MainActor
    @Suite("Requests of others")
    struct RequestBarTests {
        init() throws { try #require(Toolkit.isReady) }

        @Test("who asks is shown one after the other, with what was said, and is gone when nobody asks")
        func requests() async throws {
            let sample = try await ContactsSample()
            let bar = sample.context.requestBar()
            let window = Window("Test", width: 900, height: 200, Box.vertical(Label("").expand(.vertical), bar.root))
            window.present()
            #expect(!bar.isRevealed)
            try sample.ask(("rosaline", "We met at the feast."), ("samson", nil), ("abram", nil))
            #expect(await Toolkit.turn { bar.isRevealed })
            #expect(
                bar.texts == [
                    "rosaline asks to be your contact", "rosaline@verona.example · “We met at the feast.”",
                    "2 more ask.",
                ])
            await Toolkit.picture(window, "request")
            bar.show(isNarrow: true)
            window.setDefaultSize(width: 360, height: 260)
            await Toolkit.picture(window, "request-folded")
            // Offline nothing can be answered: that is said, and the question stays.
            bar.accept.click()
            #expect(await Toolkit.turn { !sample.context.takePendingToasts().isEmpty })
            #expect(bar.isRevealed)
            try sample.ask(("samson", nil))
            #expect(await Toolkit.turn { bar.texts.first == "samson asks to be your contact" })
            try sample.ask()
            #expect(await Toolkit.turn { !bar.isRevealed })
            window.destroy()
            await sample.home.stop()
        }

        @Test("nothing of a bar is left")
        func leaks() async throws {
            let sample = try await ContactsSample()
            try sample.ask(("rosaline", nil))
            await Toolkit.settle()
            let before = Object.liveCount
            do {
                let bar = sample.context.requestBar()
                let window = Window("Test", width: 900, height: 200, bar.root)
                window.present()
                #expect(await Toolkit.turn { bar.isRevealed })
                window.destroy()
            }
            #expect(await Toolkit.turn { Object.liveCount <= before })
            await sample.home.stop()
        }
    }
}
