import CGTK
import ChatEngine
import ChatStore
import Testing
import WindowFixtures
import XMPPAddress

@testable import ChatApp
@testable import ChatModel
@testable import GTKBinding

/// A window, or a menu in it, that tests open and look at.
@MainActor
struct Scene {
    /// Opens a menu in a window, and returns the button that has it, if any.
    typealias Menu = @MainActor (Window) async -> WidgetPointer?

    let title: String
    /// The English names of the controls that have no effect that can be seen in this process, with the reason.
    var exceptions: [String: String] = [:]
    /// What controls must change, by their English names, where any change is not enough.
    var effects: [String: @MainActor () -> Bool] = [:]
    var menu: Menu?
    /// Finds the part of the window whose controls are used; `nil` for the whole window. The others belong to another scene.
    var part: (@MainActor (Window) async -> WidgetPointer?)?
    let open: @MainActor () async throws -> Window

    /// The same window, of which a part is used.
    func part(_ part: @escaping @MainActor (Window) async -> WidgetPointer?) -> Scene {
        Scene(title: title, exceptions: exceptions, effects: effects, menu: menu, part: part, open: open)
    }

    /// The group of preferences in which a row has this English title.
    static func group(with title: String) -> @MainActor (Window) async -> WidgetPointer? {
        let titles = Control.names([title])
        return { window in
            @MainActor func find() -> WidgetPointer? {
                WidgetTree.first(in: window.widget) {
                    WidgetTree.isA($0, adw_preferences_row_get_type()) && gtk_widget_get_mapped($0).isTrue
                        && WidgetTree.rowTitle(of: $0).map(titles.contains) == true
                }
            }
            _ = await Toolkit.eventually { find() != nil }
            return find().flatMap { WidgetTree.ancestor(of: $0, adw_preferences_group_get_type()) }
        }
    }

    /// The same window with a menu in it.
    func menu(
        _ title: String, exceptions: [String: String] = [:], _ menu: @escaping Menu
    ) -> Scene {
        Scene(title: title, exceptions: exceptions, menu: menu, open: open)
    }

    /// Opens the menu of a button that fulfils a condition.
    static func menu(where isFound: @escaping @MainActor (WidgetPointer) -> Bool) -> Menu {
        { window in
            @MainActor func find() -> WidgetPointer? {
                WidgetTree.first(in: window.widget) {
                    WidgetTree.isA($0, gtk_menu_button_get_type()) && gtk_widget_get_mapped($0).isTrue && isFound($0)
                }
            }
            _ = await Toolkit.eventually { find() != nil }
            let button = find()
            if let button { gtk_menu_button_popup(OpaquePointer(button)) }
            return button
        }
    }

    /// Opens the menu of the button with an English name.
    static func menu(of name: String) -> Menu {
        menu { Control.names([name]).contains(WidgetTree.name(of: $0)) }
    }
}
