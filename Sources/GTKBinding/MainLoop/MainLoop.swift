internal import CGTK
// Not named in this file, but linked: CGTK declares functions of its library.
internal import Dispatch
internal import Glibc

/// GLib's main loop, which also runs Swift's main actor.
///
/// On Linux the main actor is the main queue of libdispatch. A program with a synchronous `main` runs GLib's loop on
/// its first thread, and ``serveMainActor()`` makes that loop run the jobs of the main actor.
///
///     @main struct Program {
///         static func main() {
///             MainLoop.serveMainActor()
///             exit(Application("org.example.App").run())
///         }
///     }
///
/// All pending jobs run in one iteration, so submit batches and not thousands of tasks; never run a loop inside a loop.
/// Foundation's timers and run loops are not supported: use `Task.sleep`.
public enum MainLoop {
    private static var isServing = false

    /// Makes the loop run the jobs of the main actor. Call it once per process, on its first thread.
    public static func serveMainActor() {
        guard !isServing else { return }
        isServing = true
        // libdispatch makes this descriptor readable when a job is pending.
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

    /// When scheduled work runs.
    public nonisolated enum Phase: Sendable {
        /// After pending events, before the next layout and painting.
        case beforeLayout
        /// When nothing else is pending.
        case idle

        var priority: Int32 { self == .beforeLayout ? 105 : 200 }
    }

    /// Runs a closure in a later iteration of the loop. May be called on any thread.
    public nonisolated static func schedule(
        _ phase: Phase = .beforeLayout, _ body: @escaping @MainActor @Sendable () -> Void
    ) {
        g_idle_add_full(
            phase.priority,
            { data in
                guard let data else { return 0 }
                let body = Unmanaged<ScheduledWork>.fromOpaque(data).takeUnretainedValue().body
                MainActor.assumeIsolated { body() }
                return 0
            }, Unmanaged.passRetained(ScheduledWork(body)).toOpaque(),
            { data in if let data { Unmanaged<ScheduledWork>.fromOpaque(data).release() } })
    }

    /// Calls `body` repeatedly as long as the result is retained, at about that interval: together with other timers
    /// that are due then.
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

    /// Ends when the last reference to it is released.
    public final class Repetition {
        private let id: guint

        fileprivate init(id: guint) { self.id = id }

        isolated deinit { g_source_remove(id) }
    }

    /// Whether the caller runs on the loop, on its thread.
    package nonisolated static var isCalling: Bool { g_main_context_is_owner(nil).isTrue }

    /// Runs one iteration of the loop, for tests without a running loop.
    ///
    /// - Returns: whether there was something to do.
    @discardableResult
    package static func runIteration(mayBlock: Bool = false) -> Bool {
        g_main_context_iteration(nil, mayBlock.gboolean).isTrue
    }

    /// Initialises GTK and libadwaita without an ``Application``; returns `false` if there is no display.
    package static func initializeToolkit() -> Bool {
        guard gtk_init_check().isTrue else { return false }
        adw_init()
        return true
    }
}

private nonisolated final class ScheduledWork: Sendable {
    let body: @MainActor @Sendable () -> Void

    init(_ body: @escaping @MainActor @Sendable () -> Void) { self.body = body }
}
