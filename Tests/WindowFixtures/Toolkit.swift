import Foundation
public import GTKBinding
import Localization
import ServerFixtures

/// GTK in this test process.
@MainActor
public enum Toolkit {
    /// Whether GTK runs on a private display.
    public static let isReady: Bool = {
        guard case .success(let display) = PrivateDisplay.shared else { return false }
        display.adopt()
        guard MainLoop.initializeToolkit() else { return false }
        ToolkitSettings.hasAnimations = false
        // Pictures look like windows on most desktops.
        if folder != nil {
            ToolkitSettings.font = "Cantarell 11"
            ToolkitSettings.hintFonts(true)
            ToolkitSettings.buttonLayout = "appmenu:close"
        }
        return true
    }()

    /// If pictures are taken in a different language than that of the tests, some tests wait for texts that never
    /// appear.
    private static let limit = Duration.seconds(folder != nil && Localization.language != "en" ? 4 : 30)

    /// Runs GLib's loop until a condition is true.
    public static func turn(until isTrue: @MainActor () -> Bool) async -> Bool {
        let end = ContinuousClock.now + limit
        while !isTrue() {
            guard ContinuousClock.now < end else { return false }
            if !MainLoop.runIteration() { try? await Task.sleep(for: .milliseconds(1)) }
        }
        return true
    }

    /// Runs the loop until it is idle.
    public static func settle() async {
        for _ in 0..<3 {
            while MainLoop.runIteration() {}
            await Task.yield()
        }
    }

    /// The folder for pictures of the windows, if enabled.
    private static let folder = ProcessInfo.processInfo.environment["HONGYAN_WINDOW_PICTURES"]

    /// Saves pictures of a window, light, dark and narrow, if enabled.
    ///
    /// - Parameter popover: an open popover over it.
    public static func picture(_ window: Window, _ name: String, with popover: Popover? = nil) async {
        guard let folder else { return }
        let size = window.defaultSize
        for (suffix, scheme, width) in [
            ("", StyleManager.Scheme.light, size.width), ("-dark", .dark, size.width), ("-narrow", .light, 360),
        ] {
            StyleManager.use(scheme)
            window.setDefaultSize(width: width, height: size.height)
            let end = ContinuousClock.now + .milliseconds(600)
            while ContinuousClock.now < end {
                if !MainLoop.runIteration() { try? await Task.sleep(for: .milliseconds(5)) }
            }
            // A loaded machine may need longer, and a moving widget shows nothing before it is laid out again.
            _ = await turn { window.render(with: popover)?.save(to: "\(folder)/\(name)\(suffix).png") ?? false }
        }
        StyleManager.use(.light)
        window.setDefaultSize(width: size.width, height: size.height)
    }
}
