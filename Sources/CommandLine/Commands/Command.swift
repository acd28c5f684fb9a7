internal import JSONRPC
internal import Localization
internal import TerminalApp
internal import UserProfile

/// One command of `hongyan`: its name, its options, its action.
struct Command: Sendable {
    var name: String
    /// The arguments after the name, such as `ADDRESS TEXT…`.
    var synopsis = ""
    var summary: String
    var options: [OptionParser.Option] = []
    /// Whether it takes the options of ``ConnectionOptions``.
    var connects = true
    /// Whether it uses stored conversations, and so takes `--profile`.
    var usesProfile = false
    /// More about its arguments, in the user's language, for its help.
    var remarks: (@Sendable () -> String)?
    var run: @Sendable (Invocation) async throws -> Void

    static let all: [Command] = [
        register, login, logout, accounts, account, roster, add, accept, reject, remove, send, chat, listen, serve,
        history, export, `import`, queue, keys, command, connection, doctor, load,
    ]

    private static let common: [OptionParser.Option] = [
        .init("json", "print data as JSON, one object on a line"),
        .init("help", letter: "h", "show this help"),
    ]

    var allOptions: [OptionParser.Option] {
        options + (usesProfile ? [Profile.option] : []) + (connects ? ConnectionOptions.options : []) + Self.common
    }

    var help: String {
        let usage = localized("Usage: %@", "hongyan \(name)" + (synopsis.isEmpty ? "" : " \(synopsis)"))
        let parts = [usage, localized(summary), remarks?(), OptionParser(allOptions).help]
        return parts.compactMap(\.self).joined(separator: "\n\n")
    }
}

/// A command with its options and arguments.
struct Invocation: Sendable {
    let options: OptionParser.Result
    let connection: ConnectionOptions

    var arguments: [String] { options.arguments }
    var isJSON: Bool { options.has("json") }

    /// Prints one result, as text or as JSON.
    func show(_ text: String, json: JSONValue) {
        StandardOutput.writeLine(isJSON ? json.description : text)
    }

    /// Prints a text, but not with JSON output.
    func showText(_ text: String) {
        if isJSON { StandardOutput.report(text) } else { StandardOutput.writeLine(text) }
    }

    func requireNoArguments() throws(CommandError) {
        if let first = arguments.first { throw .usage(localized("“%@” is one argument too many.", first)) }
    }
}
