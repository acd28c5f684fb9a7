internal import CGTK

/// The file chooser of the desktop.
public enum FileChooser {
    /// The files that may be chosen, for example pictures by `image/*`.
    public struct Filter {
        let name: String
        let mediaTypes: [String]

        public init(_ name: String, mediaTypes: [String]) {
            self.name = name
            self.mediaTypes = mediaTypes
        }
    }

    /// Asks for files to read; empty if the user cancels.
    public static func open(
        _ title: String, accept: String? = nil, several: Bool = false, filters: [Filter] = [], over parent: Window?
    ) async -> [String] {
        let chooser = make(title, .open, accept, parent)
        gtk_file_chooser_set_select_multiple(chooser.cast(), several.gboolean)
        for filter in filters {
            let object = Object(adopting: gtk_file_filter_new())
            gtk_file_filter_set_name(object.cast(), filter.name)
            for type in filter.mediaTypes { gtk_file_filter_add_mime_type(object.cast(), type) }
            object.use { gtk_file_chooser_add_filter(chooser.cast(), $0) }
        }
        return await run(chooser)
    }

    /// Asks for a path to write a file to; the desktop has asked before replacing an existing one.
    public static func save(
        _ title: String, accept: String? = nil, name: String, over parent: Window?
    ) async -> String? {
        let chooser = make(title, .save, accept, parent)
        // The name may come from a stranger: only its last component is used.
        gtk_file_chooser_set_current_name(chooser.cast(), String(name.split(separator: "/").last ?? "file"))
        return await run(chooser).first
    }

    /// Asks for a folder.
    public static func folder(_ title: String, accept: String? = nil, over parent: Window?) async -> String? {
        await run(make(title, .selectFolder, accept, parent)).first
    }

    private static func make(
        _ title: String, _ action: GtkFileChooserAction, _ accept: String?, _ parent: Window?
    ) -> Object {
        let chooser = Object(adopting: gtk_file_chooser_native_new(title, parent?.window, action, accept, nil))
        gtk_native_dialog_set_modal(chooser.cast(), 1)
        return chooser
    }

    private static func run(_ chooser: Object) async -> [String] {
        await withCheckedContinuation { continuation in
            var isAnswered = false
            // The handler retains the chooser until there is a response.
            var kept: Object? = chooser
            chooser.connect("response") { call in
                guard !isAnswered, let chooser = kept else { return }
                isAnswered = true
                kept = nil
                let isAccepted = call.integer(1) == acceptResponse
                continuation.resume(returning: isAccepted ? paths(chooser) : [])
            }
            gtk_native_dialog_show(chooser.cast())
        }
    }

    /// GTK_RESPONSE_ACCEPT.
    private static let acceptResponse = -3

    private static func paths(_ chooser: Object) -> [String] {
        let files = Object(adopting: gtk_file_chooser_get_files(chooser.cast()))
        defer { withExtendedLifetime(files) {} }
        return (0..<g_list_model_get_n_items(files.cast())).compactMap { index in
            guard let file = g_list_model_get_item(files.cast(), index) else { return nil }
            defer { g_object_unref(file) }
            guard let path = g_file_get_path(OpaquePointer(file)) else { return nil }
            defer { g_free(path) }
            return String(cString: path)
        }
    }
}
