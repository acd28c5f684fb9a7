import CGTK
import Testing
import WindowFixtures

@testable import GTKBinding

extension GTKTests {
    @MainActor
    @Suite("What GTK would keep")
    struct LeftoverTests {
        init() throws { try #require(Toolkit.isReady) }

        @Test("a scrolled window that has gone is not called when the settings change")
        func settings() async {
            let scroller = ScrolledWindow(Label("text"))
            let window = Window("Scroller", width: 100, height: 100, scroller)
            func follows() -> Bool {
                let settings = gtk_settings_get_default().map { UnsafeMutableRawPointer($0) }
                return g_signal_handler_find(settings, .data, 0, 0, nil, nil, scroller.raw) != 0
            }
            window.present()
            #expect(await Toolkit.eventually { follows() })
            window.destroy()
            #expect(!follows())
        }
    }
}
