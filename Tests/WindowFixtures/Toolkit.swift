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
        // Pictures are to look as windows do on most desktops that the program is used on.
        if folder != nil {
            ToolkitSettings.font = "Cantarell 11"
            ToolkitSettings.hintFonts(true)
            ToolkitSettings.buttonLayout = "appmenu:close"
        }
        return true
    }()

    /// Where pictures are made in another language than that of the tests, some wait for words that never come.
    private static let limit = Duration.seconds(folder != nil && Localization.language != "en" ? 4 : 30)

    /// Turns GLib's loop until something is true.
    public static func turn(until isTrue: @MainActor () -> Bool) async -> Bool {
        let end = ContinuousClock.now + limit
        while !isTrue() {
            guard ContinuousClock.now < end else { return false }
            if !MainLoop.runIteration() { try? await Task.sleep(for: .milliseconds(1)) }
        }
        return true
    }

    /// Turns the loop until nothing is left to do.
    public static func settle() async {
        for _ in 0..<3 {
            while MainLoop.runIteration() {}
            await Task.yield()
        }
    }

    /// Where pictures of the windows are wanted, if they are.
    private static let folder = ProcessInfo.processInfo.environment["HONGYAN_WINDOW_PICTURES"]

    /// Writes what a window looks like, light, dark and narrow, if that is wanted.
    ///
    /// - Parameter popover: one that is open over it.
    public static func picture(_ window: Window, _ name: String, with popover: Popover? = nil) async {
        guard let folder else { return }
        let size = window.defaultSize
        for (suffix, scheme, width) in [
            ("", StyleManager.Scheme.light, size.width), ("-dark", .dark, size.width), ("-narrow", .light, 360),
        ] {
            StyleManager.use(scheme)
            window.setDefaultSize(width: width, height: size.height)
            let end = ContinuousClock.now + .milliseconds(600)
            while ContinuousClock.now < end { if !MainLoop.runIteration() { try? await Task.sleep(for: .milliseconds(5)) } }
            // A busy machine may need longer, and what moves has nothing to show before it is laid out again.
            _ = await turn { window.render(with: popover)?.save(to: "\(folder)/\(name)\(suffix).png") ?? false }
        }
        StyleManager.use(.light)
        window.setDefaultSize(width: size.width, height: size.height)
    }
}
