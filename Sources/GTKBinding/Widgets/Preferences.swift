internal import CGTK

/// A group of rows with a title.
public final class PreferencesGroup: Widget {
    public init(_ title: String = "", description: String? = nil, _ rows: [Widget] = []) {
        super.init(adopting: UnsafeMutableRawPointer(adw_preferences_group_new()))
        breaksWordsWithoutHyphens()
        show(title: title)
        show(description: description)
        for row in rows { add(row) }
    }

    public func show(title: String) { adw_preferences_group_set_title(cast(), Markup.escape(ShownText.bounded(title))) }
    public func show(description: String?) {
        adw_preferences_group_set_description(
            cast(), description.map { Markup.escape(ShownText.bounded($0)) })
    }
    public func show(suffix: Widget?) { adw_preferences_group_set_header_suffix(cast(), suffix?.widget) }
    public func add(_ row: Widget) { adw_preferences_group_add(cast(), row.widget) }
    public func remove(_ row: Widget) { adw_preferences_group_remove(cast(), row.widget) }
}

/// A scrollable page of groups.
public final class PreferencesPage: Widget {
    public init(_ title: String = "", icon: String? = nil, _ groups: [PreferencesGroup] = []) {
        super.init(adopting: UnsafeMutableRawPointer(adw_preferences_page_new()))
        adw_preferences_page_set_title(cast(), title)
        adw_preferences_page_set_icon_name(cast(), icon)
        for group in groups { add(group) }
    }

    public func add(_ group: PreferencesGroup) { adw_preferences_page_add(cast(), group.cast()) }
    public func remove(_ group: PreferencesGroup) { adw_preferences_page_remove(cast(), group.cast()) }
}

/// The window for the settings of a program.
public final class PreferencesWindow: Window {
    public init(_ title: String, over parent: Window?, _ pages: [PreferencesPage] = []) {
        super.init(toplevel: UnsafeMutableRawPointer(adw_preferences_window_new()))
        self.title = title
        isTransient(for: parent)
        // Its search finds only titles of rows, and its button has no name.
        adw_preferences_window_set_search_enabled(cast(), 0)
        for page in pages { add(page) }
    }

    public func add(_ page: PreferencesPage) { adw_preferences_window_add(cast(), page.cast()) }

    public func show(_ page: PreferencesPage) { adw_preferences_window_set_visible_page(cast(), page.cast()) }

    /// Opens a subpage with a back button.
    public func open(subpage: Widget) { adw_preferences_window_present_subpage(cast(), subpage.widget) }
    public func closeSubpage() { adw_preferences_window_close_subpage(cast()) }
    public func show(_ toast: Toast) { adw_preferences_window_add_toast(cast(), toast.handedOver()) }
}
