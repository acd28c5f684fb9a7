internal import CGTK

/// Who has made the program, and under which terms.
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

    /// The terms, as text.
    public func show(license: String) {
        adw_about_window_set_license_type(cast(), .custom)
        adw_about_window_set_license(cast(), Markup.escape(license))
    }
}

/// The keys that do something, in groups.
public final class ShortcutsWindow: Window {
    public struct Group {
        let title: String
        let shortcuts: [(keys: String, title: String)]

        /// - Parameter shortcuts: keys as in ``Application/setShortcuts(_:for:)``, and what they do.
        public init(_ title: String, _ shortcuts: [(keys: String, title: String)]) {
            self.title = title
            self.shortcuts = shortcuts
        }
    }

    public init(_ groups: [Group]) {
        // GTK 4.8 can fill this window from a description only.
        func attribute(_ text: String) -> String { Markup.escape(text) }
        var description = """
            <interface><object class="GtkShortcutsWindow" id="window"><property name="modal">1</property>
            <child><object class="GtkShortcutsSection"><property name="section-name">all</property>
            """
        for group in groups {
            description += "<child><object class=\"GtkShortcutsGroup\">"
            description += "<property name=\"title\">\(attribute(group.title))</property>"
            for shortcut in group.shortcuts {
                description += "<child><object class=\"GtkShortcutsShortcut\">"
                description += "<property name=\"accelerator\">\(attribute(shortcut.keys))</property>"
                description += "<property name=\"title\">\(attribute(shortcut.title))</property></object></child>"
            }
            description += "</object></child>"
        }
        description += "</object></child></object></interface>"
        let builder = Object(
            adopting: gtk_builder_new_from_string(description, gssize(description.utf8.count)))
        guard let window = gtk_builder_get_object(builder.cast(), "window") else {
            preconditionFailure("The description of the window of shortcuts is one of ours.")
        }
        // The builder lets go of what it has built; GTK keeps windows.
        super.init(toplevel: UnsafeMutableRawPointer(window))
        withExtendedLifetime(builder) {}
    }
}
