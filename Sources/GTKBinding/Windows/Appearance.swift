internal import CGTK
internal import Glibc

/// The program's own style, over that of the desktop.
public enum StyleSheet {
    /// Adds rules in GTK's CSS, for all windows.
    public static func add(_ rules: String) {
        guard let display = gdk_display_get_default() else { return }
        let provider = Object(adopting: gtk_css_provider_new())
        gtk_css_provider_load_from_data(provider.cast(), rules, gssize(rules.utf8.count))
        provider.use {
            gtk_style_context_add_provider_for_display(
                display, $0, guint(GTK_STYLE_PROVIDER_PRIORITY_APPLICATION))
        }
    }
}

/// Light or dark.
public enum StyleManager {
    public enum Scheme: Sendable {
        /// As the desktop wishes.
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

    /// Calls `body` when light becomes dark, or dark light.
    public static func onChange(_ body: @escaping () -> Void) {
        Object(borrowing: UnsafeMutableRawPointer(adw_style_manager_get_default())).on("notify::dark", body)
    }
}

/// The desktop's settings, as GTK knows them.
public enum ToolkitSettings {
    private static var settings: Object? {
        gtk_settings_get_default().map { Object(borrowing: UnsafeMutableRawPointer($0)) }
    }

    /// Widgets move and fade.
    public static var hasAnimations: Bool {
        get { settings?.boolean("gtk-enable-animations") ?? true }
        set { settings?.set("gtk-enable-animations", newValue) }
    }

    /// For example `Cantarell 11`.
    public static var font: String? {
        get { settings?.string("gtk-font-name") }
        set { if let newValue { settings?.set("gtk-font-name", newValue) } }
    }

    /// Letters stand on whole pixels, as they do where a desktop says nothing else.
    public static func hintFonts(_ isOn: Bool) { settings?.set("gtk-hint-font-metrics", isOn) }

    /// Which buttons windows have, and at which end: `appmenu:minimize,close`.
    public static var buttonLayout: String? {
        get { settings?.string("gtk-decoration-layout") }
        set { if let newValue { settings?.set("gtk-decoration-layout", newValue) } }
    }

    /// The icon of windows that have no desktop file.
    public static func useIcon(_ name: String) { gtk_window_set_default_icon_name(name) }

    /// Where icons are searched besides the theme's own folders.
    public static func addIconFolder(_ path: String) {
        guard let display = gdk_display_get_default() else { return }
        gtk_icon_theme_add_search_path(gtk_icon_theme_get_for_display(display), path)
    }

    /// Whether the theme, or what it falls back on, has a picture by this name.
    public static func hasIcon(_ name: String) -> Bool {
        guard let display = gdk_display_get_default() else { return false }
        return gtk_icon_theme_has_icon(gtk_icon_theme_get_for_display(display), name).isTrue
    }

    /// The name of the program as screen readers and the desktop say it.
    public static func useProgramName(_ name: String, id: String) {
        g_set_application_name(name)
        g_set_prgname(id)
    }

    /// Opens an address with the program that the person has chosen for it.
    public static func open(_ uri: String, over parent: Window?) {
        gtk_show_uri(parent?.window, uri, guint32(GDK_CURRENT_TIME))
    }
}

/// How windows are painted.
public enum Graphics {
    private static let devices = ["/dev/dri/renderD128", "/dev/dri/renderD129", "/dev/nvidia0", "/dev/dxg"]
    private static let variable = "GDK_DEBUG"
    private static var hasSet = false

    /// Without a graphics card GTK would have one computed: tens of megabytes of a compiler are loaded at the start, and each frame
    /// takes several times longer than it does in GTK's own way of painting by the processor. Before the program runs.
    ///
    /// A person who has said how GTK shall paint is obeyed.
    public static func useProcessorWithoutCard() {
        guard getenv(variable) == nil, ["cairo", nil].contains(getenv("GSK_RENDERER").map { String(cString: $0) }),
            !devices.contains(where: { access($0, F_OK) == 0 })
        else { return }
        setenv(variable, "gl-disable", 1)
        hasSet = true
    }

    /// Programs that are started by this one shall decide for themselves. When GTK has begun.
    public static func forgetChoice() {
        if hasSet { unsetenv(variable) }
        hasSet = false
    }
}
