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

        @Test("S2-21…S2-24: each keystroke checks the address; a name alone is a user of the account's own server")
        func check() async throws {
            let sample = try await ContactsSample()
            try await sample.people()
            let window = try #require(ContactAdditionWindow.show("", sample.context, over: nil))
            let view = window.view
            await Toolkit.picture(window.window, "contact-add-empty")
            #expect(view.check.text == "A name alone means a user of capulet.example.")
            func says(_ text: String, _ words: String) async {
                view.address.text = text
                let isSaid = await Toolkit.eventually { view.check.text == words }
                #expect(isSaid, "\(text): \(view.check.text)")
            }
            await says("peter", "peter@capulet.example gets a request with your message.")
            await says("peter@", "This isn't a valid address yet.")
            await says("juliet", "This is your own address.")
            await says("tybalt@verona.example", "Tybalt is already one of your contacts: tybalt@verona.example")
            await Toolkit.picture(window.window, "contact-add-known")
            await says(
                "paris@verona.example", "You have already sent paris@verona.example a request. You can send it again.")
            #expect(!view.message.isSensitive)
            await says("xmpp:rosaline@verona.example", "rosaline@verona.example gets a request with your message.")
            #expect(view.message.isSensitive)
            window.window.close()
            await Toolkit.settle()
            await sample.home.stop()
        }

        @Test("without a connection an error is shown, and the input stays")
        func offline() async throws {
            let sample = try await ContactsSample()
            let window = try #require(ContactAdditionWindow.show("rosaline@verona.example", sample.context, over: nil))
            let view = window.view
            view.name.text = sampleWords("Rosaline")
            view.message.text = sampleWords("We met at the feast.")
            view.page.onContinue()
            #expect(await Toolkit.eventually { view.page.failure.isVisible })
            #expect(view.page.failure.text.contains("connection"))
            await Toolkit.picture(window.window, "contact-add-failure")
            #expect(view.address.text == "rosaline@verona.example" && view.message.text == "We met at the feast.")
            window.window.close()
            await Toolkit.settle()
            await sample.home.stop()
        }

        @Test("with several accounts one is chosen; its server completes a name")
        func accounts() async throws {
            let sample = try await ContactsSample("juliet@capulet.example", "nurse@house.example")
            let view = ContactAdditionView(
                ContactAdditionModel(accounts: sample.context.usableAccounts, store: sample.home.store))
            let window = Window("Add", width: 440, height: 520, view.root)
            window.present()
            view.address.text = "peter"
            #expect(await Toolkit.eventually { view.check.text.contains("peter@capulet.example") })
            view.account?.selected = 1
            #expect(await Toolkit.eventually { view.check.text.contains("peter@house.example") })
            await Toolkit.picture(window, "contact-add-accounts")
            window.destroy()
            await sample.home.stop()
        }

        @Test("a closed window leaves nothing behind")
        func leaks() async throws {
            let sample = try await ContactsSample()
            await Toolkit.settle()
            let before = Object.liveCount
            do {
                let window = try #require(ContactAdditionWindow.show("romeo", sample.context, over: nil))
                await Toolkit.settle()
                window.window.close()
            }
            let isGone = await Toolkit.eventually { Object.liveCount <= before }
            #expect(isGone, "\(Object.liveCount) of \(before)")
            await sample.home.stop()
        }
    }
}
