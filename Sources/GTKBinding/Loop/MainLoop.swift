internal import CGTK
// Nothing of it is named here; it has the library linked whose functions CGTK declares.
internal import Dispatch
internal import Glibc

/// GLib's main loop, which also serves Swift's main actor.
///
/// The main actor of Swift on Linux is libdispatch's main queue. A program with a synchronous `main` gives its first thread to
/// GLib's loop, and ``serveMainActor()`` makes that loop run what waits for the main actor.
///
///     @main struct Program {
///         static func main() {
///             MainLoop.serveMainActor()
///             exit(Application("org.example.App").run())
///         }
///     }
///
/// What waits is run at once and altogether, so hand over batches and not thousands of tasks; never run a loop inside a
/// loop. Foundation's timers and run loops are not served: use `Task.sleep`.
public enum MainLoop {
    private static var isServing = false

    /// Serves the main actor from the loop from now on. Once per process, on its first thread.
    public static func serveMainActor() {
        guard !isServing else { return }
        isServing = true
        // libdispatch makes this descriptor readable when something waits.
        let source = g_unix_fd_source_new(_dispatch_get_main_queue_handle_4CF(), GIOCondition.in)
        let callback: @convention(c) (Int32, GIOCondition, gpointer?) -> gboolean = { descriptor, _, _ in
            var count: UInt64 = 0
            _ = read(descriptor, &count, MemoryLayout<UInt64>.size)
            _dispatch_main_queue_callback_4CF(nil)
            return 1
        }
        g_source_set_callback(source, unsafeBitCast(callback, to: GSourceFunc.self), nil, nil)
        g_source_set_name(source, "Swift main actor")
        g_source_attach(source, nil)
        g_source_unref(source)
    }

    /// When work is done that waits for its turn.
    public nonisolated enum Turn: Sendable {
        /// After what has happened so far, before the next layout and painting.
        case beforeLayout
        /// When nothing else is to be done.
        case idle

        var priority: Int32 { self == .beforeLayout ? 105 : 200 }
    }

    /// Does something in a later turn of the loop. May be called on any thread.
    public nonisolated static func schedule(
        _ turn: Turn = .beforeLayout, _ body: @escaping @MainActor @Sendable () -> Void
    ) {
        g_idle_add_full(
            turn.priority,
            { data in
                guard let data else { return 0 }
                let body = Unmanaged<ScheduledWork>.fromOpaque(data).takeUnretainedValue().body
                MainActor.assumeIsolated { body() }
                return 0
            }, Unmanaged.passRetained(ScheduledWork(body)).toOpaque(),
            { data in if let data { Unmanaged<ScheduledWork>.fromOpaque(data).release() } })
    }

    /// Calls `body` again and again as long as the result is kept, at about that distance: what else is due then is done at once.
    public static func every(seconds: Int, _ body: @escaping () -> Void) -> Repetition {
        let id = g_timeout_add_seconds_full(
            G_PRIORITY_DEFAULT, guint(max(1, seconds)),
            { data in
                guard let data else { return 0 }
                MainActor.assumeIsolated { Callback<Void, Void>.from(data).body(()) }
                return 1
            }, Callback<Void, Void>(body).retained,
            { data in if let data { Callback<Void, Void>.release(data) } })
        return Repetition(id: id)
    }

    /// Ends with the last reference to it.
    public final class Repetition {
        private let id: guint

        fileprivate init(id: guint) { self.id = id }

        isolated deinit { g_source_remove(id) }
    }

    /// Whether this is called by the loop, on its thread.
    public nonisolated static var isCalling: Bool { g_main_context_is_owner(nil).isTrue }

    /// Turns the loop once; for tests, where no loop runs.
    ///
    /// - Returns: whether there was something to do.
    @discardableResult
    public static func turn(mayBlock: Bool = false) -> Bool {
        g_main_context_iteration(nil, mayBlock.gboolean).isTrue
    }

    /// Gets GTK and libadwaita ready where there is no ``Application``; `false` if there is no display.
    public static func initializeToolkit() -> Bool {
        guard gtk_init_check().isTrue else { return false }
        adw_init()
        return true
    }
}

private nonisolated final class ScheduledWork: Sendable {
    let body: @MainActor @Sendable () -> Void

    init(_ body: @escaping @MainActor @Sendable () -> Void) { self.body = body }
}
