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
        // Tests read the names for screen readers.
        setenv("GTK_A11Y", "test", 1)
        guard MainLoop.initializeToolkit() else { return false }
        ToolkitSettings.hasAnimations = false
        // Pictures look like windows on most desktops.
        if folder != nil {
            ToolkitSettings.font = "Cantarell 11"
            ToolkitSettings.hintFonts(true)
            if let size = ProcessInfo.processInfo.environment["HONGYAN_WINDOW_TEXT"].flatMap(Double.init) {
                ToolkitSettings.scaleText(size)
            }
            ToolkitSettings.buttonLayout = "appmenu:close"
        }
        return true
    }()

    /// Screenshots in another language wait for texts that never appear, so they get a shorter timeout.
    private static let limit = Duration.seconds(folder != nil && Localization.language != "en" ? 4 : 60)

    /// Runs the main loop until a condition is true. Returns `false` after the timeout.
    public static func eventually(_ isTrue: @MainActor () -> Bool) async -> Bool {
        let end = ContinuousClock.now + limit
        while !isTrue() {
            guard ContinuousClock.now < end else { return false }
            if !MainLoop.runIteration() { try? await Task.sleep(for: .milliseconds(1)) }
        }
        return true
    }

    /// The same for a condition that is asked of others, such as a store. The loop runs while they answer, too: the
    /// clipboard answers in a later iteration.
    public static func eventually(asking isTrue: @escaping @MainActor () async -> Bool) async -> Bool {
        let end = ContinuousClock.now + limit
        while ContinuousClock.now < end {
            var answer: Bool?
            let question = Task { answer = await isTrue() }
            while answer == nil {
                guard ContinuousClock.now < end else {
                    question.cancel()
                    return false
                }
                if !MainLoop.runIteration() { try? await Task.sleep(for: .milliseconds(1)) }
            }
            if answer == true { return true }
            try? await Task.sleep(for: .milliseconds(2))
        }
        return false
    }

    /// Runs the main loop until nothing is pending.
    public static func settle() async {
        for _ in 0..<3 {
            while MainLoop.runIteration() {}
            await Task.yield()
        }
    }

    /// The width of the borders of a window that is shown. They are there only without a window manager, belong to the size of
    /// the window, and are no content.
    public static func borders(of window: Window) async -> Int {
        _ = await eventually { window.width > 0 }
        return window.defaultSize.width - window.width
    }

    /// The folder for screenshots, if they are requested.
    private static let folder = ProcessInfo.processInfo.environment["HONGYAN_WINDOW_PICTURES"]

    /// Saves screenshots of a window, light, dark and narrow, if they are requested.
    ///
    /// - Parameter popover: an open popover to include.
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
            // A busy machine may need longer, and animated widgets are empty until the next layout.
            _ = await eventually { window.render(with: popover)?.save(to: "\(folder)/\(name)\(suffix).png") ?? false }
        }
        StyleManager.use(.light)
        window.setDefaultSize(width: size.width, height: size.height)
    }
}
