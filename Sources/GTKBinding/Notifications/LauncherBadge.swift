/// A number on the program's icon in docks and task bars that show such numbers: by the interface `com.canonical.Unity.LauncherEntry`,
/// which those of Ubuntu, KDE and others know. Nobody answers, so nobody knows whether it is shown.
///
/// On the bus it is a signal with the address of the desktop file and what has changed:
///
///     com.canonical.Unity.LauncherEntry.Update("application://im.hongyan.Hongyan.desktop",
///         {"count": <int64 3>, "count-visible": <true>})
public final class LauncherBadge {
    private static let interface = "com.canonical.Unity.LauncherEntry"

    private let bus: MessageBus
    private let desktopEntry: String
    private let path: String
    private var shown: Int?

    /// - Parameter desktopEntry: the name of the program's desktop file, without its ending.
    public init(_ bus: MessageBus, desktopEntry: String) {
        self.bus = bus
        self.desktopEntry = desktopEntry
        // Any path does, as long as no other program has it.
        path = "/" + desktopEntry.replacing(".", with: "/") + "/launcher"
    }

    /// Shows the number; 0 takes it away.
    public func show(_ count: Int) {
        guard count != shown else { return }
        shown = count
        bus.tell(
            "Update", of: Self.interface, from: path,
            [
                Variant("application://\(desktopEntry).desktop"),
                Variant(["count": Variant(Int64(count)), "count-visible": Variant(count > 0)]),
            ])
    }
}
