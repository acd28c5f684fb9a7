internal import Localization

/// A command of the chat: what the user types after a slash, and what it does. ``all`` is the table.
struct ChatCommand: Sendable {
    /// With the slash.
    let name: String
    /// Other names, which are not listed.
    var aliases: [String] = []
    /// Optional arguments are in brackets.
    let argument: String
    let help: String
    /// What is typed where the argument is missing, if that is less than ``argument``.
    var shortArgument: String?
    var completion: Completion?
    /// Returns `false` if the command is invalid, so that it can be corrected.
    let action: @MainActor (TerminalChat, TypedCommand) async -> Bool

    /// What the Tab key completes in the argument.
    enum Completion: Sendable {
        case file, contact, occupant
    }

    /// A command that is done when it was performed, unless it is refused (``ChatConsole/refuse(_:)``).
    static func command(
        _ name: String, aliases: [String] = [], _ argument: String, _ help: String, short: String? = nil,
        completes completion: Completion? = nil,
        _ action: @escaping @MainActor (TerminalChat, TypedCommand) async -> Void
    ) -> ChatCommand {
        ChatCommand(
            name: name, aliases: aliases, argument: argument, help: help, shortArgument: short, completion: completion
        ) { chat, typed in
            await action(chat, typed)
            return true
        }
    }

    /// A command that stays in the input if it fails.
    static func attempt(
        _ name: String, _ argument: String, _ help: String, completes completion: Completion? = nil,
        _ action: @escaping @MainActor (TerminalChat, TypedCommand) async -> Bool
    ) -> ChatCommand {
        ChatCommand(name: name, argument: argument, help: help, completion: completion, action: action)
    }

    /// The command with this name or alias.
    static func named(_ name: some StringProtocol) -> ChatCommand? {
        all.first { $0.name == name || $0.aliases.contains { $0 == name } }
    }

    /// The commands that a prefix can be completed to.
    static func completions(of beginning: String) -> [String] {
        all.map(\.name).filter { $0.hasPrefix(beginning) }
    }

    /// Whether it does nothing without an argument.
    var needsArgument: Bool { !argument.replacing(/\[[^\]]*\]/, with: "").trimmed.isEmpty }

    /// What is shown when the argument is missing.
    var usage: String { name + " " + (shortArgument ?? argument) }

    // MARK: Help

    /// The lines of `/help`.
    ///
    /// - Parameter encrypts: whether the account has encryption.
    static func helpText(encrypts: Bool) -> String {
        var lines = all.map { command in
            let left = [command.name, shown(command.argument)].filter { !$0.isEmpty }.joined(separator: " ")
            return localized("%@: %@", left, localized(command.help))
        }
        lines.append(
            localized(
                "Tab completes commands, names and files; Alt+A opens the next unread conversation, Alt+1 to Alt+9 those of the list; a message that begins with / is written with //."
            ))
        lines.append(
            localized("PageUp shows older messages. Marks: … waits, ✓ on the server, ✓✓ delivered, ✔✔ seen, ✗ failed."))
        if encrypts {
            lines.append(
                localized(
                    "🔒 encrypted, 🔐 with a verified key, 🔒! with a key that you do not trust, or not for all devices; 🔓 not encrypted."
                ))
        }
        return lines.joined(separator: "\n")
    }

    /// The arguments of a command in the user's language.
    static func shown(_ argument: String) -> String {
        let words = [
            "TEXT": localized("TEXT"), "FILE": localized("FILE"), "NUMBER": localized("NUMBER"),
            "EMOJI": localized("EMOJI"), "WORDS": localized("WORDS"), "ROOM": localized("ROOM"),
            "NICK": localized("NICK"), "NAME": localized("NAME"), "FINGERPRINT": localized("FINGERPRINT"),
            "LINK": localized("LINK"), "ADDRESS": localized("ADDRESS"),
        ]
        return argument.replacing(/[A-Z]+/) { words[String($0.output)] ?? String($0.output) }
    }
}
