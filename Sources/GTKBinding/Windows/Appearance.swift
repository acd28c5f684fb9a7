internal import CGTK
internal import Glibc

/// The style sheet of the program, on top of the desktop's.
public enum StyleSheet {
    /// Adds rules in GTK's CSS, for all windows.
    public static func add(_ rules: String) {
        load(rules, into: provider())
    }

    /// Adds rules that are there while texts are large (``ToolkitSettings/hasLargeText``).
    public static func addForLargeText(_ rules: String) {
        let provider = provider()
        func apply() { load(ToolkitSettings.hasLargeText ? rules : "", into: provider) }
        apply()
        ToolkitSettings.onTextSize(apply)
    }

    private static func provider() -> Object {
        let provider = Object(adopting: gtk_css_provider_new())
        guard let display = gdk_display_get_default() else { return provider }
        provider.use {
            gtk_style_context_add_provider_for_display(
                display, $0, guint(GTK_STYLE_PROVIDER_PRIORITY_APPLICATION))
        }
        return provider
    }

    private static func load(_ rules: String, into provider: Object) {
        gtk_css_provider_load_from_data(provider.cast(), rules, gssize(rules.utf8.count))
    }
}

/// Light or dark.
public enum StyleManager {
    public enum Scheme: Sendable {
        /// Follows the desktop.
        case system
        case light, dark

        var gtk: AdwColorScheme {
            switch self {
            case .system: .default
            case .light: .forceLight
            case .dark: .forceDark
            }
        }
    }

    public static func use(_ scheme: Scheme) {
        adw_style_manager_set_color_scheme(adw_style_manager_get_default(), scheme.gtk)
    }

    public static var isDark: Bool { adw_style_manager_get_dark(adw_style_manager_get_default()).isTrue }

    /// Calls `body` when the style changes between light and dark.
    public static func onChange(_ body: @escaping () -> Void) {
        Object(borrowing: UnsafeMutableRawPointer(adw_style_manager_get_default())).on("notify::dark", body)
    }
}

/// The settings of the desktop, as known to GTK.
public enum ToolkitSettings {
    private static var settings: Object? {
        gtk_settings_get_default().map { Object(borrowing: UnsafeMutableRawPointer($0)) }
    }

    /// Whether widgets are animated.
    public static var hasAnimations: Bool {
        get { settings?.boolean("gtk-enable-animations") ?? true }
        set { settings?.set("gtk-enable-animations", newValue) }
    }

    /// For example `Cantarell 11`.
    public static var font: String? {
        get { settings?.string("gtk-font-name") }
        set { if let newValue { settings?.set("gtk-font-name", newValue) } }
    }

    /// The size of texts that the desktop wants, in 1024ths of a dot per inch; -1 where it says nothing.
    private static let desktopResolution: Int = settings?.integer("gtk-xft-dpi") ?? -1

    /// The size of texts in relation to that of the desktop.
    public static func zoomText(_ factor: Double) {
        let usual = desktopResolution > 0 ? Double(desktopResolution) : 96 * 1024
        settings?.set("gtk-xft-dpi", Int(factor * usual))
    }

    /// The size of texts, as the desktop and the program have set it; 1 is that of a desktop without a setting.
    public static var textSize: Double {
        let resolution = settings?.integer("gtk-xft-dpi") ?? -1
        return resolution > 0 ? Double(resolution) / (96 * 1024) : 1
    }

    /// Whether texts are so large that windows save space.
    public static var hasLargeText: Bool { textSize > 1.2 }

    /// Calls `body` when the size of texts has changed.
    static func onTextSize(_ body: @escaping () -> Void) { settings?.on("notify::gtk-xft-dpi", body) }

    /// The size of texts; 1 is that of a desktop without a setting.
    package static func scaleText(_ factor: Double) { settings?.set("gtk-xft-dpi", Int(factor * 96 * 1024)) }

    /// Whether glyphs are aligned to whole pixels, which is GTK's default without a desktop setting.
    package static func hintFonts(_ isOn: Bool) { settings?.set("gtk-hint-font-metrics", isOn) }

    /// The buttons of windows and their side: `appmenu:minimize,close`.
    package static var buttonLayout: String? {
        get { settings?.string("gtk-decoration-layout") }
        set { if let newValue { settings?.set("gtk-decoration-layout", newValue) } }
    }

    /// The icon of windows without a desktop file.
    public static func useIcon(_ name: String) { gtk_window_set_default_icon_name(name) }

    /// Adds a folder for icons besides those of the theme.
    public static func addIconFolder(_ path: String) {
        guard let display = gdk_display_get_default() else { return }
        gtk_icon_theme_add_search_path(gtk_icon_theme_get_for_display(display), path)
    }

    /// Whether the theme, or one that it falls back to, has an icon of this name.
    public static func hasIcon(_ name: String) -> Bool {
        guard let display = gdk_display_get_default() else { return false }
        return gtk_icon_theme_has_icon(gtk_icon_theme_get_for_display(display), name).isTrue
    }

    /// The name of the program for screen readers and the desktop.
    public static func useProgramName(_ name: String, id: String) {
        g_set_application_name(name)
        g_set_prgname(id)
    }

    /// Opens a URI with the user's default program for it.
    public static func open(_ uri: String, over parent: Window?) {
        gtk_show_uri(parent?.window, uri, guint32(GDK_CURRENT_TIME))
    }
}

/// The rendering of windows.
public enum Graphics {
    private static let devices = ["/dev/dri/renderD128", "/dev/dri/renderD129", "/dev/nvidia0", "/dev/dxg"]
    private static let variable = "GDK_DEBUG"
    private static var hasSet = false

    /// Without a graphics card GTK would emulate one: a compiler of tens of megabytes is loaded at the start, and each
    /// frame takes several times as long as with GTK's software renderer. Call it before the program runs.
    ///
    /// An explicit choice of the user takes precedence.
    public static func useProcessorWithoutCard() {
        guard getenv(variable) == nil, ["cairo", nil].contains(getenv("GSK_RENDERER").map { String(cString: $0) }),
            !devices.contains(where: { access($0, F_OK) == 0 })
        else { return }
        setenv(variable, "gl-disable", 1)
        hasSet = true
    }

    /// Child processes make their own choice. Call it after GTK has started.
    public static func forgetChoice() {
        if hasSet { unsetenv(variable) }
        hasSet = false
    }
}
