internal import Localization
internal import UserProfile

/// What the arguments of the program ask for.
struct DesktopOptions {
    /// Printed instead of running the program, for `--help` and `--version`.
    let text: String?
    /// Whether the program starts without a window.
    let startsHidden: Bool
    /// Where the connections are logged.
    let log: LogFile?
    /// The program's name and the addresses to open, without the options.
    let arguments: [String]

    init(_ all: [String]) throws(LogFileError) {
        let given = all.dropFirst()
        if given.contains(where: { ["-h", "--help", "--help-all"].contains($0) }) {
            text = Self.help
        } else {
            text = given.contains("--version") ? "hongyan-desktop \(Release.version)" : nil
        }
        startsHidden = given.contains("--hidden")
        var arguments = all.filter { $0 != "--hidden" }
        let path = Self.take("--log", from: &arguments)
        let level = Self.take("--log-level", from: &arguments)
        self.arguments = arguments
        log = if text == nil, let path { try LogFile(path: path, level: level ?? "steps") } else { nil }
    }

    /// Removes an option with its value, which is the next word or follows `=`; `nil` if it is not there.
    private static func take(_ name: String, from arguments: inout [String]) -> String? {
        if let index = arguments.firstIndex(where: { $0.hasPrefix(name + "=") }) {
            return String(arguments.remove(at: index).dropFirst(name.count + 1))
        }
        guard let index = arguments.firstIndex(of: name), index + 1 < arguments.count else { return nil }
        defer { arguments.removeSubrange(index...index + 1) }
        return arguments[index + 1]
    }

    /// The text of `--help`.
    ///
    /// GLib's own text shows the application identifier as the program's name, and it needs an installed system locale
    /// to print Chinese.
    private static var help: String {
        """
        \(localized("Usage: %@", "hongyan-desktop [OPTION…] [ADDRESS…]"))

        \(localized("Opens the window, and in it what is at the addresses, such as %@.", "xmpp:juliet@example.org"))

              --hidden            \(localized("start without a window"))
              --log FILE          \(localized("append what happens on the connections to this file"))
              --log-level LEVEL   \(localized("failures, steps, stanzas or wire (all XML without secrets)"))
              --version           \(localized("print the version and exit"))
          -h, --help              \(localized("show this help"))
        """
    }
}
