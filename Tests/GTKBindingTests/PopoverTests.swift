import CGTK
import Testing
import WindowFixtures

@testable import GTKBinding

extension GTKTests {
    @MainActor
    @Suite("Popovers")
    struct PopoverTests {
        init() throws { try #require(Toolkit.isReady) }

        private func isUnderPointer(_ widget: Widget) -> Bool {
            gtk_widget_get_state_flags(widget.widget).rawValue & GTK_STATE_FLAG_PRELIGHT.rawValue != 0
        }

        /// The place of the pointer in a window.
        private func pointer(in window: Window) throws -> (x: Double, y: Double) {
            let seat = try #require(gdk_display_get_default_seat(gtk_widget_get_display(window.widget)))
            let surface = try #require(gtk_native_get_surface(window.cast()))
            var (x, y) = (0.0, 0.0)
            // Its result is only whether another surface is there.
            gdk_surface_get_device_position(surface, gdk_seat_get_pointer(seat), &x, &y, nil)
            return (x, y)
        }

        @Test("a window is laid out after a popover was closed that something still refers to")
        func layout() async throws {
            // Nearly as large as the screen, so the pointer is in it.
            let label = Label("But soft!").expand(.vertical, .horizontal)
            let window = Window("Test", width: 1200, height: 900, Box.vertical(label))
            window.present()
            #expect(await Toolkit.eventually { isUnderPointer(window) })
            var frames = 0
            window.onFrameWork { _ in frames += 1 }
            func layOut() async -> Bool {
                let before = frames
                gtk_widget_queue_resize(label.widget)
                return await Toolkit.eventually { frames > before }
            }
            let popover = Popover(Label("Peace!"))
            let place = try pointer(in: window)
            popover.open(at: place.x, place.y - 30, of: label)
            #expect(await Toolkit.eventually { popover.isMapped && isUnderPointer(popover) })
            // The layout asks where in the popover the pointer is. GTK answers with the next frame, which is due when the popover closes,
            // and comes before it is removed from its parent.
            #expect(await layOut())
            let due = ContinuousClock.now + .milliseconds(50)
            while ContinuousClock.now < due {}
            popover.close()
            #expect(await Toolkit.eventually { gtk_widget_get_parent(popover.widget) == nil })
            #expect(await layOut())
            window.destroy()
        }
    }
}
