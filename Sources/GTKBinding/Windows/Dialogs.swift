internal import CGTK

/// A question over a window, with one button per response.
///
///     let answer = await MessageDialog("Delete?", body: "It cannot be undone.")
///         .add("cancel", "_Cancel").add("delete", "_Delete", .destructive).ask(over: window)
public final class MessageDialog: Window {
    public enum Appearance {
        case plain, suggested, destructive

        var gtk: AdwResponseAppearance {
            switch self {
            case .plain: .default
            case .suggested: .suggested
            case .destructive: .destructive
            }
        }
    }

    public init(_ heading: String, body: String, _ child: Widget? = nil) {
        super.init(
            toplevel: UnsafeMutableRawPointer(
                adw_message_dialog_new(nil, ShownText.bounded(heading), ShownText.bounded(body))))
        breaksWordsWithoutHyphens()
        if let child { adw_message_dialog_set_extra_child(cast(), child.widget) }
    }

    /// A question about something with a name of its own.
    ///
    /// - Parameter names: begin the body, each on one line and once. A heading has lines of a few words, and would be broken within a long
    ///   name. Others choose names: one with line feeds cannot look like a part of the text, and a long one does not displace it.
    public convenience init(_ heading: String, about names: String..., body: String, _ child: Widget? = nil) {
        var lines: [String] = []
        for name in names {
            let line = name.split(whereSeparator: \.isNewline).joined(separator: " ")
            let shown = ShownText.bounded(line, to: ShownText.nameLimit)
            if !lines.contains(shown) { lines.append(shown) }
        }
        self.init(heading, body: lines.joined(separator: "\n") + "\n\n" + body, child)
    }

    @discardableResult
    public func add(_ response: String, _ label: String, _ appearance: Appearance = .plain) -> Self {
        adw_message_dialog_add_response(cast(), response, label)
        adw_message_dialog_set_response_appearance(cast(), response, appearance.gtk)
        return self
    }

    /// Return gives this response.
    @discardableResult
    public func byDefault(_ response: String) -> Self {
        adw_message_dialog_set_default_response(cast(), response)
        return self
    }

    /// Escape gives this response; the default is `close`.
    @discardableResult
    public func onEscape(_ response: String) -> Self {
        adw_message_dialog_set_close_response(cast(), response)
        return self
    }

    public func setEnabled(_ response: String, _ isEnabled: Bool) {
        adw_message_dialog_set_response_enabled(cast(), response, isEnabled.gboolean)
    }

    public func isEnabled(_ response: String) -> Bool {
        adw_message_dialog_get_response_enabled(cast(), response).isTrue
    }

    /// Responds like a click on the button.
    public func answer(_ response: String) { adw_message_dialog_response(cast(), response) }

    /// Shows it and calls `body` with the response.
    public func present(over parent: Window?, _ body: @escaping (String) -> Void) {
        isTransient(for: parent)
        isModal(true)
        connect("response") { call in body(call.string(1) ?? "") }
        present()
    }

    /// Shows it and waits for the response.
    public func ask(over parent: Window?) async -> String {
        await withCheckedContinuation { continuation in
            present(over: parent) { continuation.resume(returning: $0) }
        }
    }
}

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
