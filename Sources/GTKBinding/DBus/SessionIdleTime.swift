/// How long the user has done nothing in the whole session of the desktop, also in other programs.
///
/// GNOME says it at `org.gnome.Mutter.IdleMonitor`, KDE at `org.freedesktop.ScreenSaver`, both in milliseconds. The hint of logind
/// says less: it is set only by desktops, minutes later, and on others never.
public final class SessionIdleTime {
    private static let sources: [(interface: MessageBus.Interface, method: String, type: String)] = [
        (
            MessageBus.Interface("org.gnome.Mutter.IdleMonitor", path: "/org/gnome/Mutter/IdleMonitor/Core"),
            "GetIdletime", "(t)"
        ),
        (
            MessageBus.Interface("org.freedesktop.ScreenSaver", path: "/org/freedesktop/ScreenSaver"),
            "GetSessionIdleTime", "(u)"
        ),
    ]
    /// A longer time is an error of the desktop.
    private static let limit = Duration.seconds(365 * 24 * 3600)

    private let bus: MessageBus

    public init(_ bus: MessageBus) { self.bus = bus }

    /// The time since the last input; `nil` if the desktop does not say it.
    public func current() async -> Duration? {
        for source in Self.sources {
            do throws(GTKError) {
                let answer = try await bus.call(
                    source.method, of: source.interface, gives: source.type, startsProgram: false)
                guard let milliseconds = answer[0]?.wideNumber else { continue }
                let time = Duration.milliseconds(Int64(clamping: milliseconds))
                if time <= Self.limit { return time }
            } catch {
                // It is another desktop.
            }
        }
        return nil
    }
}
