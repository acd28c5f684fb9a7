import CGTK
import ServerFixtures
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
                #expect(order.problems.isEmpty, "\(scene.title), Tab: \(order.problems)")
                print("\(scene.title): \(order.count) Tab stops")
                let hyphenated = WidgetTree.hyphenatedAddresses(in: window.widget)
                #expect(hyphenated.isEmpty, "\(scene.title), hyphens: \(hyphenated)")
                await Contrast.check(window, scene.title)
                return await WindowCrawler.close()
            }
            _ = await menu(window)
            #expect(await Toolkit.eventually { WidgetTree.openPopover(in: window) != nil })
            let popover = try #require(WidgetTree.openPopover(in: window))
            let unnamed = AccessibilityReader(root: popover).unnamed
            #expect(unnamed.isEmpty, "\(scene.title), without a name: \(unnamed)")
            // A menu is as wide as its entries.
            await WindowCrawler.rest(window)
            let cut = WidgetTree.cutTexts(in: popover)
            #expect(cut.isEmpty, "\(scene.title), cut off: \(cut)")
            await WindowCrawler.close()
        }

        @Test("the main window and its parts: names, order of Tab, contrast")
        func main() async throws { try await check(\.mainWindows) }

        @Test("the menus of the main window: names")
        func menus() async throws { try await check { $0.mainMenus + [$0.program] } }

        @Test("windows about people: names, order of Tab, contrast")
        func people() async throws { try await check(\.people) }

        @Test("windows about rooms: names, order of Tab, contrast")
        func rooms() async throws { try await check(\.rooms) }

        @Test("windows and questions that need a connection: names, order of Tab, contrast")
        func online() async throws {
            let scenes = try await OnlineScenes(on: try await ServerKind.prosody13.shared())
            for scene in scenes.questions + scenes.all where scene.part == nil { try await Self.check(scene) }
            await scenes.end()
        }

        @Test("the preferences: names, order of Tab, contrast")
        func preferences() async throws { try await check(\.preferences) }

        /// Shows a long toast that does not go, and returns its text.
        private static func keepToast(in window: Window) -> String {
            let text = "This needs a connection; try again when the account is online, or later."
            let overlay = WidgetTree.first(in: window.widget) { WidgetTree.isA($0, adw_toast_overlay_get_type()) }
            guard let overlay else { return "no place for a toast" }
            let toast = Toast(text, seconds: 0)
            // Before the one that is there already.
            toast.use { adw_toast_set_priority($0, ADW_TOAST_PRIORITY_HIGH) }
            adw_toast_overlay_add_toast(OpaquePointer(overlay), toast.handedOver())
            return text
        }

        @Test("text of twice the size is whole: a toast, titles, addresses, a button with an icon")
        func largeText() async throws {
            ToolkitSettings.zoomText(2)
            defer { ToolkitSettings.zoomText(1) }
            let scenes = try await Scenes()
            let titles = ["contact page", "page of a room", "settings of a room", "people of a room"]
            let chosen = (scenes.people + scenes.rooms).filter { titles.contains($0.title) }
            #expect(chosen.count == titles.count)
            for scene in chosen {
                let window = try await scene.open()
                await WindowCrawler.rest(window)
                // The widths of letters differ between fonts.
                window.setDefaultSize(width: 480, height: window.defaultSize.height)
                let toast = scene.title == "settings of a room" ? Self.keepToast(in: window) : nil
                #expect(
                    await Toolkit.eventually {
                        WidgetTree.cutTexts(in: window.widget).isEmpty
                            && toast.map { WidgetTree.texts(in: window.widget).contains($0) } ?? true
                    }, "\(scene.title): \(WidgetTree.cutTexts(in: window.widget))")
                await WindowCrawler.close()
            }
            await scenes.end()
        }

        @Test("in a narrow window no word of a choice is divided")
        func wholeChoices() async throws {
            let scenes = try await Scenes()
            let scene = try #require(scenes.rooms.first { $0.title == "create a room" })
            let window = try await scene.open()
            let borders = await Toolkit.borders(of: window)
            window.setDefaultSize(width: 360 + borders, height: window.defaultSize.height)
            #expect(await Toolkit.eventually { window.width == 360 })
            await WindowCrawler.rest(window)
            var count = 0
            for index in 0..<3 {
                try window.choose(index, inRow: "Access")
                await WindowCrawler.rest(window)
                let row = try #require(
                    WidgetTree.first(in: window.widget) {
                        WidgetTree.isA($0, adw_combo_row_get_type()) && gtk_widget_get_mapped($0).isTrue
                    })
                for label in WidgetTree.labels(in: row) where !String(cString: gtk_label_get_text(label)).contains(" ")
                {
                    #expect(gtk_label_get_layout(label).map { pango_layout_get_line_count($0) } == 1)
                    count += 1
                }
            }
            // The title each time, and a choice of one word.
            #expect(count > 3)
            await WindowCrawler.close()
            await scenes.end()
        }

        @Test("text of twice the size is whole in a window of 370 pixels: choices")
        func largeTextInNarrowWindows() async throws {
            ToolkitSettings.zoomText(2)
            defer { ToolkitSettings.zoomText(1) }
            let scenes = try await Scenes()
            let types = [adw_combo_row_get_type()]
            let titles = ["create a room", "contact page"]
            let chosen = (scenes.people + scenes.rooms).filter { titles.contains($0.title) }
            #expect(chosen.count == titles.count)
            for scene in chosen {
                let window = try await scene.open()
                let borders = await Toolkit.borders(of: window)
                window.setDefaultSize(width: 370 + borders, height: window.defaultSize.height)
                await WindowCrawler.rest(window)
                #expect(
                    await Toolkit.eventually {
                        window.width <= 370 && WidgetTree.cutTexts(in: window.widget, of: types).isEmpty
                    }, "\(scene.title), \(window.width): \(WidgetTree.cutTexts(in: window.widget, of: types))")
                await WindowCrawler.close()
            }
            await scenes.end()
        }

        @Test(
            "with text of twice the size every window can be 370 pixels wide, with its title and those of its fields whole"
        )
        func narrowWindows() async throws {
            ToolkitSettings.zoomText(2)
            defer { ToolkitSettings.zoomText(1) }
            let scenes = try await Scenes()
            let windows =
                (scenes.mainWindows + scenes.people + scenes.rooms + scenes.preferences + scenes.signIn)
                .filter { $0.menu == nil } + [scenes.newAccount]
            for scene in windows {
                let window = try await scene.open()
                await WindowCrawler.rest(window)
                let width = WidgetTree.minimumContentWidth(of: window)
                #expect((1...370).contains(width), "\(scene.title): \(WidgetTree.widest(in: window.widget))")
                // Dialogs have the size of their content.
                if !WidgetTree.isA(window.widget, adw_message_dialog_get_type()) {
                    let borders = await Toolkit.borders(of: window)
                    window.setDefaultSize(width: 370 + borders, height: window.defaultSize.height)
                    #expect(await Toolkit.eventually { window.width <= 370 }, "\(scene.title)")
                }
                let types = [adw_window_title_get_type(), adw_entry_row_get_type()]
                #expect(
                    await Toolkit.eventually { WidgetTree.cutTexts(in: window.widget, of: types).isEmpty },
                    "\(scene.title), cut: \(WidgetTree.cutTexts(in: window.widget, of: types))")
                // libadwaita 1.2 crashes if the focus leaves a dialog whose rows are gone.
                gtk_window_set_focus(window.window, nil)
                await WindowCrawler.close()
            }
            await scenes.end()
        }

        @Test("what has the focus is seen: a row, a button, a switch, a choice, a message, a picture")
        func focus() async throws {
            let animations = ToolkitSettings.hasAnimations
            defer { ToolkitSettings.hasAnimations = animations }
            ToolkitSettings.hasAnimations = false
            func check(_ scenes: [Scene]) async throws {
                for scene in scenes {
                    let window = try await scene.open()
                    await WindowCrawler.rest(window)
                    let weak = await Marks.weakFocus(in: window)
                    #expect(weak.isEmpty, "\(scene.title), focus: \(weak)")
                    await WindowCrawler.close()
                }
            }
            let scenes = try await Scenes()
            let titles = ["main window", "contacts", "general preferences", "choice of a provider"]
            try await check(
                (scenes.mainWindows + scenes.preferences + scenes.signIn).filter {
                    titles.contains($0.title)
                })
            await scenes.end()
            let sample = try await SharedMediaSample.make()
            try await sample.everything()
            try await check(Array(MediaScenes(sample).all.prefix(1)))
            await sample.talk.end()
        }

        @Test("signing in: names, order of Tab, contrast")
        func signIn() async throws { try await check { $0.signIn + [$0.newAccount] } }

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
