import CGTK
import Foundation
import Testing
import WindowFixtures

@testable import GTKBinding

extension GTKTests {
    @MainActor
    @Suite("The lifetime of handlers")
    struct HandlerLifeTests {
        /// A kind of object with a handler, and a way to emit the signal without the wrapper that connected it.
        @MainActor
        private struct Kind {
            let name: String
            /// Creates the wrapper and connects a handler that calls `called`.
            let make: (_ called: @escaping () -> Void) -> Object
            let emit: (Object) -> Void

            init<Wrapper: Object>(
                _ name: String, _ make: @escaping () -> Wrapper,
                _ connect: @escaping (Wrapper, @escaping () -> Void) -> Void, _ emit: @escaping (Object) -> Void
            ) {
                self.name = name
                self.make = { called in
                    let wrapper = make()
                    connect(wrapper, called)
                    return wrapper
                }
                self.emit = emit
            }
        }

        init() throws { try #require(Toolkit.isReady) }

        private static func notify(_ property: String) -> (Object) -> Void {
            { g_object_notify($0.cast(), property) }
        }

        private static func emit(_ signal: String) -> (Object) -> Void {
            { object in emit(signal, from: object.raw) }
        }

        /// Emits a signal with the arguments that it declares: zeros, and texts where a text is declared.
        private static func emit(_ signal: String, from raw: UnsafeMutableRawPointer, _ numbers: [UInt32] = []) {
            let instance = raw.assumingMemoryBound(to: GTypeInstance.self)
            let type = instance.pointee.g_class.pointee.g_type
            let id = g_signal_lookup(signal, type)
            var query = GSignalQuery()
            g_signal_query(id, &query)
            var values = [GValue](repeating: GValue(), count: Int(query.n_params) + 1)
            g_value_init(&values[0], type)
            g_value_set_object(&values[0], raw)
            for index in 0..<Int(query.n_params) {
                let kind = query.param_types[index] & ~GType(1)
                g_value_init(&values[index + 1], kind)
                let number = index < numbers.count ? numbers[index] : 0
                switch g_type_fundamental(kind) {
                case FundamentalType.string: g_value_set_string(&values[index + 1], "text")
                case FundamentalType.unsigned: g_value_set_uint(&values[index + 1], number)
                default: break
                }
            }
            var result = GValue()
            let answers = query.return_type & ~GType(1)
            if answers != GType(1 << 2) { g_value_init(&result, answers) }
            values.withUnsafeBufferPointer { g_signal_emitv($0.baseAddress, id, 0, &result) }
            for index in values.indices { g_value_unset(&values[index]) }
        }

        /// Presses a key in a widget, for its key controllers.
        private static func press(_ key: Int32) -> (Object) -> Void {
            { object in
                let controllers = Object(adopting: gtk_widget_observe_controllers(object.cast()))
                for index in 0..<g_list_model_get_n_items(controllers.cast()) {
                    guard let raw = g_list_model_get_item(controllers.cast(), index) else { continue }
                    let isKey = g_type_check_instance_is_a(
                        raw.assumingMemoryBound(to: GTypeInstance.self), gtk_event_controller_key_get_type())
                    if isKey.isTrue { emit("key-pressed", from: raw, [UInt32(key)]) }
                    g_object_unref(raw)
                }
            }
        }

        private static let kinds = [
            Kind("button", { Button("Honk") }, { $0.onClick($1) }, emit("clicked")),
            Kind(
                "toggle button", { ToggleButton("Honk") }, { button, called in button.onToggle { _ in called() } },
                { $0.set("active", true) }),
            Kind(
                "check button", { CheckButton("Honk") }, { button, called in button.onToggle { _ in called() } },
                { $0.set("active", true) }),
            Kind(
                "switch", { Switch() }, { control, called in control.onToggle { if $0 { called() } } },
                { $0.set("active", true) }),
            Kind(
                "switch row", { SwitchRow("Honk") }, { row, called in row.onToggle { if $0 { called() } } },
                { adw_action_row_activate($0.cast()) }),
            Kind(
                "combo row", { ComboRow("Bird", choices: ["goose", "swan"]) },
                { row, called in row.onSelect { if $0 == 1 { called() } } },
                { adw_combo_row_set_selected($0.cast(), 1) }),
            Kind("action row", { ActionRow("Honk") }, { $0.onActivate($1) }, emit("activated")),
            Kind("entry row, apply", { EntryRow("Name") }, { $0.onApply($1) }, emit("apply")),
            Kind("entry row, Return", { EntryRow("Name") }, { $0.onActivate($1) }, emit("entry-activated")),
            Kind(
                "entry row, change", { EntryRow("Name") },
                { row, called in row.onChange { if $0 == "goose" { called() } } }, { $0.set("text", "goose") }),
            Kind(
                "password row", { PasswordEntryRow("Password") }, { row, called in row.onChange { _ in called() } },
                { $0.set("text", "goose") }),
            Kind(
                "entry", { Entry() }, { entry, called in entry.onChange { if $0 == "goose" { called() } } },
                { $0.set("text", "goose") }),
            Kind("entry, Return", { Entry() }, { $0.onActivate($1) }, emit("activate")),
            Kind(
                "search entry", { SearchEntry() }, { entry, called in entry.onSearch { _ in called() } },
                emit("search-changed")),
            Kind("search entry, Escape", { SearchEntry() }, { $0.onStop($1) }, emit("stop-search")),
            Kind(
                "search bar", { SearchBar(SearchEntry()) },
                { bar, called in bar.onOpen { if $0 { called() } } }, { $0.set("search-mode-enabled", true) }),
            Kind(
                "stack", { Stack() }, { stack, called in stack.onChange { _ in called() } },
                notify("visible-child-name")),
            Kind(
                "leaflet", { Leaflet(Label("list"), Label("conversation")) },
                { leaflet, called in leaflet.onFold { _ in called() } }, notify("folded")),
            Kind(
                "window", { Window("Honk") }, { window, called in window.onActive { _ in called() } },
                notify("is-active")),
            Kind(
                "window, closing", { Window("Honk") },
                { window, called in
                    window.onCloseRequest {
                        called()
                        return true
                    }
                }, emit("close-request")),
            Kind(
                "window, Escape", { Window("Honk") },
                { window, called in
                    window.present()
                    window.closesOnEscape()
                    window.onCloseRequest {
                        called()
                        return true
                    }
                }, press(GDK_KEY_Escape)),
            Kind(
                "menu key", { Label("row") }, { label, called in label.onMenu { _, _ in called() } },
                press(GDK_KEY_Menu)),
            Kind("popover", { Popover(Label("menu")) }, { $0.onClose($1) }, emit("closed")),
            Kind(
                "calendar", { CalendarView() }, { calendar, called in calendar.onSelect { called() } },
                emit("day-selected")),
            Kind(
                "text view", { TextView() }, { view, called in view.onChange { if $0 == "goose" { called() } } },
                { gtk_text_buffer_set_text(gtk_text_view_get_buffer($0.cast()), "goose", -1) }),
            Kind("text view, input method", { TextView() }, { $0.onComposing($1) }, emit("preedit-changed")),
            Kind(
                "text view, paste", { TextView() },
                { view, called in
                    view.onPaste {
                        called()
                        return true
                    }
                }, emit("paste-clipboard")),
            Kind(
                "action", { Action("honk", {}) }, { $0.on("activate", $1) },
                { g_action_activate($0.cast(), nil) }),
            Kind(
                "list box", { ListBox() },
                { box, called in
                    let row = ActionRow("first")
                    row.onActivate {}
                    box.append(row)
                    box.onActivate { _ in called() }
                },
                { box in
                    let row = gtk_list_box_get_row_at_index(box.cast(), 0)
                    gtk_widget_activate(UnsafeMutableRawPointer(row)?.assumingMemoryBound(to: GtkWidget.self))
                }),
        ]

        @Test("a handler is called as long as the object exists, even after the wrapper that connected it was released")
        func wrappersGo() async {
            for kind in Self.kinds {
                await Toolkit.settle()
                let before = Object.liveCount
                var calls = 0
                do {
                    var wrapper: Object? = kind.make { calls += 1 }
                    guard let raw = wrapper?.raw else { continue }
                    let twin = Object(borrowing: raw)
                    weak let witness = wrapper
                    wrapper = nil
                    #expect(witness == nil, "\(kind.name)")
                    kind.emit(twin)
                    #expect(await Toolkit.eventually { calls > 0 }, "\(kind.name)")
                    if kind.name.hasPrefix("window") { gtk_window_destroy(twin.cast()) }
                }
                #expect(await Toolkit.eventually { Object.liveCount <= before }, "\(kind.name)")
            }
        }

        @Test("a field that is destroyed with its text reports no change")
        func destruction() async {
            var texts: [String] = []
            let row = EntryRow("Name")
            row.text = "goose"
            row.onChange { texts.append($0) }
            do {
                let group = PreferencesGroup("", description: nil, [row])
                let window = Window("Fields", width: 300, height: 300, group)
                window.present()
                await Toolkit.settle()
                window.destroy()
            }
            await Toolkit.settle()
            #expect(texts.isEmpty)
        }

        @Test("a toggle action works without its wrapper")
        func switchingAction() async {
            var states: [Bool] = []
            let group = ActionGroup([Action("honk", isOn: false) { states.append($0) }])
            group.activate("honk")
            group.activate("honk")
            #expect(states == [true, false])
        }

        @Test("the selection of a list is reported, and its rows are updated, without the wrapper of the list")
        func lists() async {
            @MainActor final class Row: ListRow {
                let label = Label()
                var root: Widget { label }
                func show(_ item: String) { label.text = item }
            }
            let model = ListModel(["a", "b"])
            var rows: [Row] = []
            var selected: [Int?] = []
            var list: ListView<Row>? = ListView(model, selection: .single) {
                rows.append(Row())
                return rows[rows.count - 1]
            }
            list?.onSelect { selected.append($0) }
            weak let witness = list
            guard let raw = list?.raw else { return }
            let window = list.map { Window("List", width: 300, height: 400, ScrolledWindow($0).expand(.vertical)) }
            list = nil
            #expect(witness == nil)
            window?.present()
            #expect(await Toolkit.eventually { rows.contains { $0.label.text == "b" } })
            model.update("B", at: 1)
            #expect(rows.contains { $0.label.text == "B" })
            gtk_single_selection_set_selected(gtk_list_view_get_model(OpaquePointer(raw)), 1)
            #expect(selected == [1])
            window?.destroy()
        }

        @Test("no signal handler of this module references its wrapper weakly")
        func sources() throws {
            let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent().appendingPathComponent("Sources/GTKBinding")
            let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
            var count = 0
            for case let file as URL in files where file.pathExtension == "swift" {
                count += 1
                for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
                    let isHandler = line.contains("on(\"") || line.contains("connect(\"") || line.contains("onKey(")
                    #expect(!(isHandler && line.contains("[weak ")), "\(file.lastPathComponent): \(line)")
                }
            }
            #expect(count > 30)
        }
    }
}
