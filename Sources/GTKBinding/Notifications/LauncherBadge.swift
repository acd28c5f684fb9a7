/// A badge on the program's icon in docks and task bars that support the interface `com.canonical.Unity.LauncherEntry`,
/// such as those of Ubuntu and KDE. There is no response, so it is unknown whether the badge is shown.
///
/// On the bus it is a signal with the URI of the desktop file and the changed properties:
///
///     com.canonical.Unity.LauncherEntry.Update("application://im.hongyan.Hongyan.desktop",
///         {"count": <int64 3>, "count-visible": <true>})
public final class LauncherBadge {
    private static let interface = "com.canonical.Unity.LauncherEntry"

    private let bus: MessageBus
    private let desktopEntry: String
    private let path: String
    private var shown: Int?

    /// - Parameter desktopEntry: the name of the program's desktop file, without its suffix.
    public init(_ bus: MessageBus, desktopEntry: String) {
        self.bus = bus
        self.desktopEntry = desktopEntry
        // Any path that no other program uses.
        path = "/" + desktopEntry.replacing(".", with: "/") + "/launcher"
    }

    /// Shows the number; 0 removes it.
    public func show(_ count: Int) {
        guard count != shown else { return }
        shown = count
        bus.emit(
            "Update", of: Self.interface, from: path,
            [
                Variant("application://\(desktopEntry).desktop"),
                Variant(["count": Variant(Int64(count)), "count-visible": Variant(count > 0)]),
            ])
    }
}
