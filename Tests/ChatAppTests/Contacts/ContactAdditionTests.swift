import ChatModel
import ChatStore
import Testing
import WindowFixtures
import XMPPAddress

@testable import ChatApp
@testable import GTKBinding

extension WindowTests {
    @MainActor
    @Suite("Adding a contact")
    struct ContactAdditionTests {
        init() throws { try #require(Toolkit.isReady) }

        @Test("at each letter it is said who is meant; a name alone is somebody on the own server")
        func check() async throws {
            let sample = try await ContactsSample()
            try await sample.people()
            let window = try #require(ContactAdditionWindow.show("", sample.context, over: nil))
            let view = window.view
            await Toolkit.picture(window.window, "contact-add-empty")
            #expect(view.check.text == "A name alone is somebody on capulet.example.")
            func says(_ text: String, _ words: String) async {
                view.address.text = text
                let isSaid = await Toolkit.turn { view.check.text == words }
                #expect(isSaid, "\(text): \(view.check.text)")
            }
            await says("peter", "peter@capulet.example is asked, and sees your message.")
            await says("peter@", "This is not an address yet.")
            await says("juliet", "This is your own address.")
            await says("tybalt@verona.example", "Tybalt is one of your contacts already: tybalt@verona.example")
            await Toolkit.picture(window.window, "contact-add-known")
            await says("paris@verona.example", "You have asked paris@verona.example already. You can ask once more.")
            #expect(!view.message.isSensitive)
            await says("xmpp:rosaline@verona.example", "rosaline@verona.example is asked, and sees your message.")
            #expect(view.message.isSensitive)
            window.window.close()
            await Toolkit.settle()
            await sample.home.stop()
        }

        @Test("without a connection it is said in words, and what was typed stays")
        func offline() async throws {
            let sample = try await ContactsSample()
            let window = try #require(ContactAdditionWindow.show("rosaline@verona.example", sample.context, over: nil))
            let view = window.view
            view.name.text = sampleWords("Rosaline")
            view.message.text = sampleWords("We met at the feast.")
            view.page.onContinue()
            #expect(await Toolkit.turn { view.page.failure.isVisible })
            #expect(view.page.failure.text.contains("connection"))
            await Toolkit.picture(window.window, "contact-add-failure")
            #expect(view.address.text == "rosaline@verona.example" && view.message.text == "We met at the feast.")
            window.window.close()
            await Toolkit.settle()
            await sample.home.stop()
        }

        @Test("with several accounts it is asked which one; its server completes a name")
        func accounts() async throws {
            let sample = try await ContactsSample("juliet@capulet.example", "nurse@house.example")
            let view = ContactAdditionView(
                ContactAdditionModel(accounts: sample.context.usableAccounts, store: sample.home.store))
            let window = Window("Add", width: 440, height: 520, view.root)
            window.present()
            view.address.text = "peter"
            #expect(await Toolkit.turn { view.check.text.contains("peter@capulet.example") })
            view.account?.selected = 1
            #expect(await Toolkit.turn { view.check.text.contains("peter@house.example") })
            await Toolkit.picture(window, "contact-add-accounts")
            window.destroy()
            await sample.home.stop()
        }

        @Test("nothing of a closed window is left")
        func leaks() async throws {
            let sample = try await ContactsSample()
            await Toolkit.settle()
            let before = Object.liveCount
            do {
                let window = try #require(ContactAdditionWindow.show("romeo", sample.context, over: nil))
                await Toolkit.settle()
                window.window.close()
            }
            let isGone = await Toolkit.turn { Object.liveCount <= before }
            #expect(isGone, "\(Object.liveCount) of \(before)")
            await sample.home.stop()
        }
    }
}
