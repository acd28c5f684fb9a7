import ChatModel
import Testing
import WindowFixtures

@testable import ChatApp
@testable import GTKBinding

extension WindowTests {
    @MainActor
    @Suite("Contact requests")
    struct RequestBarTests {
        init() throws { try #require(Toolkit.isReady) }

        @Test(
            "S0-81, S2-27: requests are shown one by one with their messages, and the bar disappears with the last one")
        func requests() async throws {
            let sample = try await ContactsSample()
            let bar = sample.context.requestBar()
            let window = Window("Test", width: 900, height: 200, Box.vertical(Label("").expand(.vertical), bar.root))
            window.present()
            #expect(!bar.isRevealed)
            try sample.ask(("rosaline", "We met at the feast."), ("samson", nil), ("abram", nil))
            #expect(await Toolkit.eventually { bar.isRevealed })
            #expect(
                bar.texts == [
                    "rosaline wants to add you as a contact", "rosaline@verona.example · “We met at the feast.”",
                    "2 more contact requests.",
                ])
            await Toolkit.picture(window, "request")
            bar.show(isNarrow: true)
            window.setDefaultSize(width: 360, height: 260)
            await Toolkit.picture(window, "request-folded")
            // Without a connection the request cannot be answered: an error is shown, and the request stays.
            bar.accept.click()
            #expect(await Toolkit.eventually { !sample.context.takePendingToasts().isEmpty })
            #expect(bar.isRevealed)
            try sample.ask(("samson", nil))
            #expect(await Toolkit.eventually { bar.texts.first == "samson wants to add you as a contact" })
            try sample.ask()
            #expect(await Toolkit.eventually { !bar.isRevealed })
            window.destroy()
            await sample.home.stop()
        }

        @Test("a closed bar leaves nothing behind")
        func leaks() async throws {
            let sample = try await ContactsSample()
            try sample.ask(("rosaline", nil))
            await Toolkit.settle()
            let before = Object.liveCount
            do {
                let bar = sample.context.requestBar()
                let window = Window("Test", width: 900, height: 200, bar.root)
                window.present()
                #expect(await Toolkit.eventually { bar.isRevealed })
                window.destroy()
            }
            #expect(await Toolkit.eventually { Object.liveCount <= before })
            await sample.home.stop()
        }
    }
}
