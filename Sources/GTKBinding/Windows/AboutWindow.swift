internal import CGTK

/// A window with the author and the license of the program.
public final class AboutWindow: Window {
    public init(_ name: String, version: String, icon: String, developer: String, website: String, over parent: Window?)
    {
        super.init(toplevel: UnsafeMutableRawPointer(adw_about_window_new()))
        adw_about_window_set_application_name(cast(), name)
        adw_about_window_set_version(cast(), version)
        adw_about_window_set_application_icon(cast(), icon)
        adw_about_window_set_developer_name(cast(), developer)
        if !website.isEmpty { adw_about_window_set_website(cast(), website) }
        isTransient(for: parent)
    }

    public func show(comments: String) { adw_about_window_set_comments(cast(), comments) }

    /// The license, as text.
    public func show(license: String) {
        adw_about_window_set_license_type(cast(), .custom)
        adw_about_window_set_license(cast(), Markup.escape(license))
    }
}
