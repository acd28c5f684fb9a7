import ChatEngine
import ChatStore
import Testing
import WindowFixtures
import XMPPAddress

@testable import ChatApp
@testable import ChatModel
@testable import GTKBinding

extension WindowTests {
    /// The contrast of texts as they are drawn (WCAG 2.1 §1.4.3).
    @MainActor
    @Suite("Contrast")
    struct ContrastTests {
        init() throws {
            try #require(Toolkit.isReady)
            RoomVisitor.useStyle
        }

        @Test("the main window: list, conversation, field, welcome")
        func main() async throws {
            let sample = try await TalkSample(isEnabled: false)
            for (index, name) in ["nurse", "tybalt", "paris"].enumerated() {
                try await sample.say("Soft!", ago: Int64(index), in: try sample.key("\(name)@verona.example"))
            }
            try await sample.say("But soft!", ago: 2)
            try await sample.say("Ay me! https://example.org", ago: 1, isOwn: true)
            let main = try MainWindow.shown(sample.context)
            main.window.setDefaultSize(width: 1200, height: 800)
            main.open(sample.key)
            #expect(await Toolkit.eventually { main.conversation?.timeline.position.isOpened == true })
            await Contrast.check(main.window, "main window")
            main.closeConversation()
            await Contrast.check(main.window, "main window")
            main.close(permanently: true)
            await sample.end()
        }

        @Test("contacts, a new conversation, a contact to add, preferences, a conversation to forward to")
        func windows() async throws {
            let sample = try await TalkSample(isEnabled: false)
            try await sample.save(
                StoredContact(address: sample.romeo, name: sampleWords("Romeo"), subscription: .both))
            try await sample.say("But soft!", ago: 2)
            let context = sample.context
            #expect(await Toolkit.eventually { sample.home.contacts.rows.elements.count == 1 })
            let contacts = Window("Contacts", width: 500, height: 600, context.contactsView().root)
            contacts.present()
            let new = try #require(NewConversationWindow.show(context, over: nil)).window
            let addition = try #require(ContactAdditionWindow.show("romeo@", context, over: nil)).window
            let preferences = ProgramPreferencesWindow.show(sample.home, over: nil).window
            let forwarding = ForwardingWindow([], context)
            forwarding.present()
            for window in [contacts, new, addition, preferences, forwarding.window] as [Window] {
                #expect(await Toolkit.eventually { window.width > 0 })
                await Contrast.check(window, window.title)
                window.close()
            }
            await sample.end()
        }

        @Test("the people of a room")
        func room() async throws {
            let sample = try await TalkSample(isEnabled: false)
            let key = try sample.key("orchard@rooms.example", .room)
            let model = RoomModel(key, store: sample.home.store, environment: sample.home.environment)
            model.show(
                RoomState(
                    isInside: true, nickname: "Jule",
                    people: [
                        RoomState.Person(nickname: "Nurse", standing: .owner, isModerator: true, status: "busy"),
                        RoomState.Person(nickname: "Romeo", hats: ["Lover"]),
                        RoomState.Person(nickname: "Jule", isOwn: true),
                    ]))
            let about = RoomWindow(model, sample.context)
            about.present()
            #expect(await Toolkit.eventually { about.window.width > 0 })
            await Contrast.check(about.window, "room")
            about.window.close()
            await sample.end()
        }
    }
}
