internal import Localization

extension DesktopProgram {
    static let helpOptions: Set<String> = ["-h", "--help", "--help-all"]

    /// How the program is called.
    ///
    /// GLib's own answer names the program by its address on the session bus, and cannot write Chinese where the system's locale for
    /// it is not installed.
    static var help: String {
        """
        \(localized("Usage: %@", "hongyan-desktop [OPTION…] [ADDRESS…]"))

        \(localized("Opens the window, and in it what is at the addresses, such as %@.", "xmpp:juliet@example.org"))

              --hidden    \(localized("begin without a window"))
              --version   \(localized("say which release this is, and end"))
          -h, --help      \(localized("show this help"))
        """
    }
}
