import CGTK
import ChatStore
import ChatStoreTesting
import Foundation
import MessageFeatures
import ServerFixtures
import Synchronization
import Testing
import UserProfile
import WindowFixtures
import XMPPClient
import XMPPStanzas

@testable import ChatApp
@testable import ChatEngine
@testable import ChatModel
@testable import GTKBinding

extension WindowTests {
    @MainActor
    @Suite("The preferences page")
    struct PreferencesTests {
        init() throws { try #require(Toolkit.isReady) }

        private static let switches: [(title: String, path: KeyPath<PreferenceValues, Bool>)] = [
            ("Notify about new messages", \.showsNotifications),
            ("Show message text", \.showsTextInNotifications),
            ("Send read receipts", \.tellsReceipts),
            ("Send typing notifications", \.tellsTyping),
            ("Keep running in the background", \.runsInBackground),
        ]

        @Test("Escape leaves the page of an account, and then the window")
        func escape() async throws {
            let home = try await ChatHome.unreachable("juliet@capulet.example")
            let count = Widget.openWindowCount
            let account = try #require(home.accounts.rows.elements.first?.id)
            let view = ProgramPreferencesWindow.show(home, over: nil, account: account)
            await Toolkit.settle()
            let escape: UInt32 = 0xFF1B
            view.window.press(escape)
            #expect(await Toolkit.eventually { view.account == nil })
            #expect(Widget.openWindowCount == count + 1)
            view.window.press(escape)
            #expect(await Toolkit.eventually { Widget.openWindowCount == count })
            await home.stop()
        }

        @Test("P3-45: no preferences window has the search of libadwaita, which finds only titles of rows")
        func search() async throws {
            let home = try await ChatHome.unreachable("juliet@capulet.example")
            for window in [ProgramPreferencesWindow.show(home, over: nil).window, ShortcutsWindow.show(over: nil)] {
                #expect(await Toolkit.eventually { window.isMapped && window.width > 0 })
                let search = WidgetTree.first(in: window.widget) { widget in
                    guard WidgetTree.isA(widget, gtk_toggle_button_get_type()), gtk_widget_get_mapped(widget).isTrue
                    else { return false }
                    let button = UnsafeMutableRawPointer(widget).assumingMemoryBound(to: GtkButton.self)
                    return gtk_button_get_icon_name(button).map { String(cString: $0) } == "edit-find-symbolic"
                }
                #expect(search == nil)
                window.close()
            }
            await Toolkit.settle()
            await home.stop()
        }

        @Test("each switch and choice is saved at once, and restored after a restart")
        func file() async throws {
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let profile = Profile(folder: folder.path)
            func start() async -> (ChatHome, AppContext) {
                let home = ChatHome(
                    store: MemoryStore(), accountStorage: MemoryAccountStorage(),
                    preferences: await profile.preferences())
                let context = AppContext(home: home)
                context.appearance.follow()
                return (home, context)
            }
            var (home, context) = await start()
            var view = ProgramPreferencesWindow.show(home, over: nil)
            await Toolkit.settle()
            for (title, path) in Self.switches {
                #expect(await profile.preferences().values[keyPath: path], "\(title)")
                try view.window.click(row: title)
                #expect(await Toolkit.eventually { !home.preferences.values[keyPath: path] }, "\(title)")
                await home.preferences.flush()
                #expect(await !profile.preferences().values[keyPath: path], "\(title)")
            }
            try view.window.choose(2, inRow: "Appearance")
            await home.preferences.flush()
            #expect(await profile.preferences().values.colourScheme == .dark)
            #expect(await Toolkit.eventually { StyleManager.isDark })
            view.window.close()
            await home.stop()

            (home, context) = await start()
            view = ProgramPreferencesWindow.show(home, over: nil)
            #expect(await Toolkit.eventually { StyleManager.isDark })
            for (title, _) in Self.switches { #expect(try !view.window.isOn(row: title), "\(title)") }
            #expect(try view.window.chosen(inRow: "Appearance") == 2)
            try view.window.choose(1, inRow: "Appearance")
            #expect(await Toolkit.eventually { !StyleManager.isDark })
            view.window.close()
            await home.stop()
            withExtendedLifetime(context) {}
        }

        /// Records everything except message bodies that a device receives.
        private final class Wire: SessionExtension, StanzaInterceptor {
            private let names = Mutex<[String]>([])
            var interceptors: [any StanzaInterceptor] { [self] }
            /// The element names of received receipts, markers and chat states.
            var notices: Set<String> {
                names.withLock { Set($0) }.intersection(["received", "displayed", "composing", "paused"])
            }

            func forget() { names.withLock { $0 = [] } }

            func willReceive(_ stanza: AnyStanza, in session: Session) async -> Interception {
                names.withLock { $0 += stanza.payloads.map(\.name.local) }
                return .pass(stanza)
            }
        }

        @Test("with the switches off a contact gets no receipt, marker or typing notification")
        func disclosure() async throws {
            let server = try await ServerKind.prosody13.shared()
            let wire = Wire()
            let juliet = try await RoomVisitor("juliet", on: server)
            let romeo = try await RoomVisitor("romeo", on: server, watching: wire)
            _ = try await romeo.account.contacts.add(juliet.address, name: nil)
            #expect(await Toolkit.eventually { juliet.home.contacts.requests.elements.count == 1 })
            try await juliet.account.contacts.acceptRequest(of: romeo.address, addingBack: true)
            for home in [juliet.home, romeo.home] {
                #expect(await Toolkit.eventually { home.contacts.rows.elements.first?.section == .online })
            }
            let hers = ConversationKey(account: juliet.id, address: romeo.address, kind: .direct)
            let his = ConversationKey(account: romeo.id, address: juliet.address, kind: .direct)
            func preview(_ visitor: RoomVisitor) -> String? {
                visitor.home.conversations.rows.elements.first?.preview?.text
            }
            let composer = Composer(
                hers, store: juliet.home.store, actions: juliet.account, environment: juliet.home.environment)
            await composer.open()

            _ = try await romeo.account.send(.text(MessageText("one")), in: his)
            #expect(await Toolkit.eventually { preview(juliet) == "one" })
            composer.text = "Ay me"
            let id = try #require(juliet.home.conversations.rows.elements.first?.id)
            try await juliet.home.conversations.markRead(id, through: juliet.account)
            #expect(await Toolkit.eventually { wire.notices.isSuperset(of: ["received", "displayed", "composing"]) })
            _ = try await composer.send()
            #expect(await Toolkit.eventually { preview(romeo) == "Ay me" })

            let view = ProgramPreferencesWindow.show(juliet.home, over: nil)
            try view.window.click(row: "Send read receipts")
            try view.window.click(row: "Send typing notifications")
            #expect(
                await Toolkit.eventually {
                    let policy = juliet.account.context.policy
                    return !policy.tellsReceipts && !policy.tellsTyping
                })
            view.window.close()
            wire.forget()

            _ = try await romeo.account.send(.text(MessageText("two")), in: his)
            #expect(await Toolkit.eventually { preview(juliet) == "two" })
            try await juliet.home.conversations.markRead(id, through: juliet.account)
            composer.text = "done"
            // Her notifications arrive before her message.
            _ = try await composer.send()
            #expect(await Toolkit.eventually { preview(romeo) == "done" })
            #expect(wire.notices.isEmpty)
            await composer.close()
            await juliet.home.stop()
            await romeo.home.stop()
        }
    }
}
