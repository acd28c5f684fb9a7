import CGTK
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

        /// The labels of a window that are on the screen, with their texts.
        private static func labels(in window: Window) -> [(text: String, label: Widget)] {
            var found: [(String, Widget)] = []
            func visit(_ widget: UnsafeMutablePointer<GtkWidget>) {
                let object = Widget(borrowing: UnsafeMutableRawPointer(widget))
                guard object.isMapped, object.isSensitive else { return }
                // Initials stand for a picture, beside the name.
                if gtk_widget_get_ancestor(widget, adw_avatar_get_type()) != nil { return }
                let isLabel = g_type_check_instance_is_a(
                    UnsafeMutableRawPointer(widget).assumingMemoryBound(to: GTypeInstance.self), gtk_label_get_type())
                // Selected text has colours of its own.
                let isSelected =
                    isLabel.isTrue && gtk_label_get_selection_bounds(OpaquePointer(widget), nil, nil).isTrue
                if isLabel.isTrue, !isSelected, let text = gtk_label_get_text(OpaquePointer(widget)), object.isOnScreen
                {
                    let text = String(cString: text)
                    // Emoji have colours of their own.
                    if text.contains(where: { $0.isLetter && $0.isASCII }) { found.append((text, object)) }
                }
                var child = gtk_widget_get_first_child(widget)
                while let next = child {
                    visit(next)
                    child = gtk_widget_get_next_sibling(next)
                }
            }
            visit(window.widget)
            return found
        }

        /// Texts of a window with less than 4.5:1. Antialiasing takes a little of it from thin strokes.
        private static func weak(_ window: Window, in scheme: StyleManager.Scheme) async -> [String] {
            StyleManager.use(scheme)
            await Toolkit.settle()
            _ = await Toolkit.eventually { window.render() != nil }
            var found: [String] = []
            // A frame in between may still show the other style.
            for _ in 0..<20 {
                for _ in 0..<10 { _ = MainLoop.runIteration() }
                try? await Task.sleep(for: .milliseconds(20))
                guard let pixels = Pixels(window) else { continue }
                found = labels(in: window).compactMap { text, label in
                    let contrast = pixels.contrast(of: label, in: window)
                    return contrast > 1 && contrast < 4.4 ? "\(scheme) “\(text)” \(contrast)" : nil
                }
                if found.isEmpty { break }
            }
            return found
        }

        private static func check(_ window: Window) async {
            // Thick strokes have pixels of the full colour.
            ToolkitSettings.zoomText(2)
            for scheme in [StyleManager.Scheme.light, .dark] {
                let weak = await weak(window, in: scheme)
                #expect(weak.isEmpty, "\(weak)")
            }
            ToolkitSettings.zoomText(1)
            StyleManager.use(.light)
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
            #expect(await Toolkit.eventually { main.conversation?.timeline.isOpened == true })
            await Self.check(main.window)
            main.closeConversation()
            await Self.check(main.window)
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
                await Self.check(window)
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
            await Self.check(about.window)
            about.window.close()
            await sample.end()
        }
    }
}
