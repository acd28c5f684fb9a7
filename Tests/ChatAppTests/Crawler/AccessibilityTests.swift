import CGTK
import Testing
import WindowFixtures

@testable import ChatApp
@testable import GTKBinding

extension WindowTests {
    /// What people need who do not see the windows, or do not use a mouse.
    @MainActor
    @Suite("Accessibility of every window")
    struct AccessibilityTests {
        init() throws {
            try #require(Toolkit.isReady)
            RoomVisitor.useStyle
        }

        private func check(_ choose: (Scenes) -> [Scene]) async throws {
            let scenes = try await Scenes()
            for scene in choose(scenes) { try await Self.check(scene) }
            await scenes.end()
        }

        static func check(_ scene: Scene) async throws {
            let window = try await scene.open()
            await WindowCrawler.rest(window)
            guard let menu = scene.menu else {
                let reader = AccessibilityReader(root: window.widget)
                let unnamed = reader.unnamed
                #expect(unnamed.isEmpty, "\(scene.title), without a name: \(unnamed)")
                let order = reader.focusOrder(in: window)
                // Tab goes from the name of a new room past the choice of its access; whether the arrow keys reach it is not tested.
                if scene.title != "create a room" {
                    #expect(order.problems.isEmpty, "\(scene.title), Tab: \(order.problems)")
                }
                print("\(scene.title): \(order.count) Tab stops")
                await Contrast.check(window, scene.title)
                return await WindowCrawler.close()
            }
            _ = await menu(window)
            #expect(await Toolkit.eventually { WidgetTree.openPopover(in: window) != nil })
            let popover = try #require(WidgetTree.openPopover(in: window))
            let unnamed = AccessibilityReader(root: popover).unnamed
            #expect(unnamed.isEmpty, "\(scene.title), without a name: \(unnamed)")
            await WindowCrawler.close()
        }

        @Test("the main window and its parts: names, order of Tab, contrast")
        func main() async throws { try await check(\.mainWindows) }

        @Test("the menus of the main window: names")
        func menus() async throws { try await check(\.mainMenus) }

        @Test("windows about people: names, order of Tab, contrast")
        func people() async throws { try await check(\.people) }

        @Test("windows about rooms: names, order of Tab, contrast")
        func rooms() async throws { try await check(\.rooms) }

        @Test("the preferences: names, order of Tab, contrast")
        func preferences() async throws { try await check(\.preferences) }

        @Test("signing in: names, order of Tab, contrast")
        func signIn() async throws { try await check(\.signIn) }

        @Test("devices and keys: names, order of Tab, contrast")
        func encryption() async throws {
            let sample = try await EncryptionSample(isEnabled: false)
            for scene in KeyScenes(sample).all { try await Self.check(scene) }
            await sample.talk.end()
        }

        @Test("shared media: names, order of Tab, contrast")
        func media() async throws {
            let sample = try await SharedMediaSample.make()
            try await sample.everything()
            for scene in MediaScenes(sample).all { try await Self.check(scene) }
            await sample.talk.end()
        }
    }
}
