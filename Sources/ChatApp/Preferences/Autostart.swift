internal import Foundation

/// Whether the desktop starts the program at login: a desktop file in the user's `autostart` folder (Desktop Application
/// Autostart Specification).
nonisolated struct Autostart: Sendable {
    let path: String
    private let id: String

    /// - Parameters:
    ///   - id: the name of the desktop file and of the icon.
    ///   - environment: says where the folder is.
    init(_ id: String, environment: [String: String] = ProcessInfo.processInfo.environment) {
        self.id = id
        let folder =
            environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
            ?? (environment["HOME"] ?? NSHomeDirectory()) + "/.config"
        path = "\(folder)/autostart/\(id).desktop"
    }

    @concurrent
    nonisolated func isOn() async -> Bool {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return false }
        return !text.contains("\nHidden=true")
    }

    /// - Returns: whether it could be changed.
    @concurrent
    nonisolated func turn(_ isOn: Bool) async -> Bool {
        if isOn { return write() }
        try? FileManager.default.removeItem(atPath: path)
        return !FileManager.default.fileExists(atPath: path)
    }

    private nonisolated func write() -> Bool {
        let program =
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? "hongyan-desktop"
        let quoted = program.map { "\"`$\\".contains($0) ? "\\\($0)" : String($0) }.joined()
        let text = """
            [Desktop Entry]
            Type=Application
            Name=Hongyan
            Icon=\(id)
            Exec="\(quoted)" --hidden
            X-GNOME-UsesNotifications=true

            """
        let folder = (path as NSString).deletingLastPathComponent
        try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        return FileManager.default.createFile(atPath: path, contents: Data(text.utf8))
    }
}
