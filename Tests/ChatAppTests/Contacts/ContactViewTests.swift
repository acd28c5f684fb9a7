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

        @Test("who it is and what there is between both stands there in words; what needs the server waits for it")
        func page() async throws {
            let sample = try await ContactsSample()
            try await sample.people()
            let window = try #require(ContactWindow.show(try sample.row("nurse"), sample.context, over: nil))
            let view = window.view
            #expect(await Toolkit.turn { view.sentences.contains("Nurse") })
            #expect(view.sentences.contains("You and Nurse see when the other one is online."))
            #expect(view.remark.text == "Nurse")
            #expect(!view.ask.isVisible && view.delete.isVisible)
            // The account is offline, and nothing was said yet.
            #expect(!view.delete.isSensitive && !view.block.isSensitive && !view.mute.isSensitive)
            await Toolkit.picture(window.window, "contact")
            var said: [String] = []
            view.wishes.say = { said.append($0) }
            view.copy.click()
            #expect(await Toolkit.turn { said == ["The address is copied."] })
            var copied: String?
            Task { copied = try? await Clipboard.text() }
            #expect(await Toolkit.turn { copied == "nurse@verona.example" })
            #expect(ContactWindow.show(try sample.row("nurse"), sample.context, over: nil) === window)
            window.window.close()
            await Toolkit.settle()
            await sample.home.stop()
        }

        @Test("who has not answered, who is seen alone, and who is nobody yet are said as such")
        func subscriptions() async throws {
            let sample = try await ContactsSample()
            try await sample.people()
            try await sample.save("samson", .from)
            func sentence(_ name: String) async throws -> String {
                let wishes = try #require(sample.context.contactWishes(try sample.row(name)))
                await wishes.model.refresh()
                return ContactWords.subscription(wishes.model)
            }
            #expect(
                try await sentence("paris")
                    == "You asked Count Paris to be your contact. Count Paris has not answered yet.")
            #expect(
                try await sentence("samson")
                    == "samson sees when you are online. You do not see when samson is.")
            #expect(try await sentence("rosaline") == "rosaline is not one of your contacts.")
            let window = try #require(ContactWindow.show(try sample.row("paris"), sample.context, over: nil))
            #expect(await Toolkit.turn { window.view.ask.isVisible })
            await Toolkit.picture(window.window, "contact-pending")
            window.window.close()
            await Toolkit.settle()
            await sample.home.stop()
        }

        @Test("a conversation is muted and heard again, without a connection, too")
        func mute() async throws {
            let sample = try await ContactsSample()
            try await sample.people()
            try await sample.receive("Soft!", from: "romeo")
            let window = try #require(ContactWindow.show(try sample.row("romeo"), sample.context, over: nil))
            #expect(await Toolkit.turn { window.view.mute.isSensitive })
            window.view.mute.isActive = true
            #expect(await Toolkit.turn { window.view.wishes.model.isMuted == true })
            window.view.mute.isActive = false
            #expect(await Toolkit.turn { window.view.wishes.model.isMuted == false })
            window.window.close()
            await Toolkit.settle()
            await sample.home.stop()
        }

        @Test(
            "the questions before a name, groups, a block and a deletion can be looked at; without a yes nothing is done"
        )
        func questions() async throws {
            let sample = try await ContactsSample()
            try await sample.people()
            let parent = Window("Test", width: 420, height: 560, Box.vertical(Label("")))
            parent.present()
            let wishes = try #require(sample.context.contactWishes(try sample.row("nurse")))
            wishes.window = { parent }
            var said: [String] = []
            wishes.say = { said.append($0) }
            await wishes.model.refresh()
            let dialogs = [
                ("rename", wishes.rename()), ("groups", wishes.chooseGroups()), ("block", wishes.block()),
                ("delete", wishes.delete()),
            ]
            await Toolkit.settle()
            for (name, dialog) in dialogs { await Toolkit.picture(dialog, "contact-\(name)") }
            // Escape and the window's own button mean no.
            for (_, dialog) in dialogs { dialog.close() }
            await Toolkit.settle()
            await wishes.model.refresh()
            #expect(wishes.model.isContact && !wishes.model.isBlocked && wishes.model.name == "Nurse" && said.isEmpty)
            parent.destroy()
            await sample.home.stop()
        }

        @Test("groups are chosen among those that there are, and a new one")
        func groups() throws {
            let question = GroupsQuestion(known: ["Friends", "House"], chosen: ["House", "Old"])
            #expect(question.groups == ["House", "Old"])
            question.choose("Friends", true)
            question.choose("Old", false)
            question.new.text = "Feast"
            #expect(question.groups == ["Friends", "House", "Feast"])
        }

        @Test("nothing of a closed page is left")
        func leaks() async throws {
            let sample = try await ContactsSample()
            try await sample.people()
            await Toolkit.settle()
            let before = Object.liveCount
            do {
                let window = try #require(ContactWindow.show(try sample.row("romeo"), sample.context, over: nil))
                #expect(await Toolkit.turn { window.view.sentences.contains("Romeo Montague") })
                window.window.close()
            }
            let isGone = await Toolkit.turn { Object.liveCount <= before }
            #expect(isGone, "\(Object.liveCount) of \(before)")
            // A page goes with the window that it stands over, too.
            do {
                let parent = Window("Test", width: 420, height: 560, Box.vertical(Label("")))
                parent.present()
                _ = ContactWindow.show(try sample.row("romeo"), sample.context, over: parent)
                await Toolkit.settle()
                parent.destroy()
            }
            #expect(await Toolkit.turn { Object.liveCount <= before })
            await sample.home.stop()
        }
    }
}
