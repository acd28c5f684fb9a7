import ChatEngine
import ChatModel
import ChatStore
import Testing
import WindowFixtures

@testable import ChatApp
@testable import GTKBinding

extension WindowTests {
    @MainActor
    @Suite("The page of a contact")
    struct ContactViewTests {
        init() throws { try #require(Toolkit.isReady) }

        @Test("the page shows name and subscription; actions that need the server wait for it")
        func page() async throws {
            let sample = try await ContactsSample()
            try await sample.people()
            let window = try #require(ContactWindow.show(try sample.row("nurse"), sample.context, over: nil))
            let view = window.view
            #expect(await Toolkit.eventually { view.texts.contains("Nurse") })
            #expect(view.texts.contains("You and Nurse can see each other's status."))
            #expect(view.remark.text == "Nurse")
            #expect(!view.ask.isVisible && view.delete.isVisible)
            // The account is offline, and the conversation is empty.
            #expect(!view.delete.isSensitive && !view.block.isSensitive && !view.mute.isSensitive)
            await Toolkit.picture(window.window, "contact")
            #expect(view.cardRows.isEmpty)
            view.showCard(
                ContactCard([
                    (.name, [sampleWords("Nurse")]), (.email, ["nurse@verona.example"]), (.telephone, [nil, " "]),
                ]))
            #expect(view.cardRows.count == 2)
            await Toolkit.picture(window.window, "contact-profile")
            var said: [String] = []
            view.actions.showToast = { said.append($0) }
            view.copy.click()
            #expect(await Toolkit.eventually { said == ["The address is copied."] })
            var copied: String?
            Task { copied = try? await Clipboard.text() }
            #expect(await Toolkit.eventually { copied == "nurse@verona.example" })
            #expect(ContactWindow.show(try sample.row("nurse"), sample.context, over: nil) === window)
            window.window.close()
            await Toolkit.settle()
            await sample.home.stop()
        }

        @Test("S2-34: pending, one-way and missing subscriptions are described")
        func subscriptions() async throws {
            let sample = try await ContactsSample()
            try await sample.people()
            try await sample.save("samson", .from)
            func sentence(_ name: String) async throws -> String {
                let actions = try #require(sample.context.contactActions(try sample.row(name)))
                await actions.model.refresh()
                return ContactText.subscription(actions.model)
            }
            #expect(
                try await sentence("paris")
                    == "You have sent Count Paris a contact request. Count Paris has not responded yet.")
            #expect(
                try await sentence("samson")
                    == "samson sees when you are online. You do not see when samson is.")
            #expect(try await sentence("rosaline") == "rosaline is not one of your contacts.")
            let window = try #require(ContactWindow.show(try sample.row("paris"), sample.context, over: nil))
            #expect(await Toolkit.eventually { window.view.ask.isVisible })
            await Toolkit.picture(window.window, "contact-pending")
            window.window.close()
            await Toolkit.settle()
            await sample.home.stop()
        }

        @Test("a conversation is muted and unmuted, also without a connection")
        func mute() async throws {
            let sample = try await ContactsSample()
            try await sample.people()
            try await sample.receive("Soft!", from: "romeo")
            let window = try #require(ContactWindow.show(try sample.row("romeo"), sample.context, over: nil))
            #expect(await Toolkit.eventually { window.view.mute.isSensitive })
            window.view.mute.isActive = true
            #expect(await Toolkit.eventually { window.view.actions.model.isMuted == true })
            window.view.mute.isActive = false
            #expect(await Toolkit.eventually { window.view.actions.model.isMuted == false })
            window.window.close()
            await Toolkit.settle()
            await sample.home.stop()
        }

        @Test(
            "S2-37: the dialogs for name, groups, blocking and deletion open; nothing is done without a confirmation"
        )
        func questions() async throws {
            let sample = try await ContactsSample()
            try await sample.people()
            let parent = Window("Test", width: 420, height: 560, Box.vertical(Label("")))
            parent.present()
            let actions = try #require(sample.context.contactActions(try sample.row("nurse")))
            actions.window = { parent }
            var said: [String] = []
            actions.showToast = { said.append($0) }
            await actions.model.refresh()
            let dialogs = [
                ("rename", actions.rename()), ("groups", actions.chooseGroups()), ("block", actions.block()),
                ("delete", actions.delete()),
            ]
            await Toolkit.settle()
            for (name, dialog) in dialogs { await Toolkit.picture(dialog, "contact-\(name)") }
            // Escape and the Close button cancel.
            for (_, dialog) in dialogs { dialog.close() }
            await Toolkit.settle()
            await actions.model.refresh()
            #expect(
                actions.model.isContact && !actions.model.isBlocked && actions.model.name == "Nurse" && said.isEmpty)
            parent.destroy()
            await sample.home.stop()
        }

        @Test("groups are chosen from the existing ones and a new one")
        func groups() throws {
            let question = GroupChooser(known: ["Friends", "House"], chosen: ["House", "Old"])
            #expect(question.groups == ["House", "Old"])
            question.choose("Friends", true)
            question.choose("Old", false)
            question.new.text = "Feast"
            #expect(question.groups == ["Friends", "House", "Feast"])
        }

        @Test("a closed page leaves nothing behind")
        func leaks() async throws {
            let sample = try await ContactsSample()
            try await sample.people()
            await Toolkit.settle()
            let before = Object.liveCount
            do {
                let window = try #require(ContactWindow.show(try sample.row("romeo"), sample.context, over: nil))
                #expect(await Toolkit.eventually { window.view.texts.contains("Romeo Montague") })
                window.window.close()
            }
            let isGone = await Toolkit.eventually { Object.liveCount <= before }
            #expect(isGone, "\(Object.liveCount) of \(before)")
            // A page is closed together with its parent window, too.
            do {
                let parent = Window("Test", width: 420, height: 560, Box.vertical(Label("")))
                parent.present()
                _ = ContactWindow.show(try sample.row("romeo"), sample.context, over: parent)
                await Toolkit.settle()
                parent.destroy()
            }
            #expect(await Toolkit.eventually { Object.liveCount <= before })
            await sample.home.stop()
        }
    }
}
