internal import CGTK

/// Shows that something is in progress.
public final class Spinner: Widget {
    public init() { super.init(adopting: UnsafeMutableRawPointer(gtk_spinner_new())) }

    public var isSpinning: Bool {
        get { gtk_spinner_get_spinning(cast()).isTrue }
        set { gtk_spinner_set_spinning(cast(), newValue.gboolean) }
    }
}

/// Shows the progress of something.
public final class ProgressBar: Widget {
    public init() { super.init(adopting: UnsafeMutableRawPointer(gtk_progress_bar_new())) }

    /// 0 to 1.
    public var fraction: Double {
        get { gtk_progress_bar_get_fraction(cast()) }
        set { gtk_progress_bar_set_fraction(cast(), min(max(newValue, 0), 1)) }
    }

    /// Moves the bar without a known fraction.
    public func pulse() { gtk_progress_bar_pulse(cast()) }
}

/// A page for when there is no content.
public final class StatusPage: Widget {
    public init(icon: String? = nil, title: String, description: String? = nil, _ child: Widget? = nil) {
        super.init(adopting: UnsafeMutableRawPointer(adw_status_page_new()))
        breaksWordsWithoutHyphens()
        adw_status_page_set_icon_name(cast(), icon)
        show(title: title, description: description)
        adw_status_page_set_child(cast(), child?.widget)
    }

    public func show(title: String, description: String? = nil) {
        adw_status_page_set_title(cast(), Markup.escape(ShownText.bounded(title)))
        adw_status_page_set_description(cast(), description.map { Markup.escape(ShownText.bounded($0)) })
    }
}

/// A child that slides in and out.
public final class Revealer: Widget {
    public enum Transition {
        case crossfade, slideUp, slideDown

        var gtk: GtkRevealerTransitionType {
            switch self {
            case .crossfade: .crossfade
            case .slideUp: .slideUp
            case .slideDown: .slideDown
            }
        }
    }

    public init(_ child: Widget, _ transition: Transition = .slideDown) {
        super.init(adopting: UnsafeMutableRawPointer(gtk_revealer_new()))
        gtk_revealer_set_transition_type(cast(), transition.gtk)
        gtk_revealer_set_child(cast(), child.widget)
    }

    public var isRevealed: Bool {
        get { gtk_revealer_get_reveal_child(cast()).isTrue }
        set { gtk_revealer_set_reveal_child(cast(), newValue.gboolean) }
    }
}
