internal import Glibc
internal import Localization
internal import TerminalApp
internal import UserProfile
internal import XMPPClient

/// The program `hongyan`: finds the command, runs it, and turns a failure into a message and an exit status.
public enum HongyanProgram {
    /// - Parameter arguments: the command line, the program's name first.
    public static func run(_ arguments: [String]) async -> ExitStatus {
        // A closed reader is reported as an error of the write, not as a signal.
        signal(SIGPIPE, SIG_IGN)
        do {
            try await ProgramSignals.run { try await perform(Array(arguments.dropFirst())) }
            return .done
        } catch {
            let error = CommandError(error)
            StandardOutput.report("hongyan: " + error.description, .error)
            return error.status
        }
    }

    private static func perform(_ words: [String]) async throws {
        guard let name = words.first else {
            throw CommandError.usage(localized("Which command? `hongyan help` lists them."))
        }
        switch name {
        case "help", "--help", "-h":
            StandardOutput.writeLine(try help(for: words.dropFirst().first))
        case "--version", "version":
            StandardOutput.writeLine("hongyan \(Release.version)")
        default:
            let command = try find(name)
            let options = try OptionParser(command.allOptions).parse(Array(words.dropFirst()))
            if options.has("help") { return StandardOutput.writeLine(command.help) }
            try await command.run(Invocation(options: options, connection: ConnectionOptions(options)))
        }
    }

    private static func find(_ name: String) throws(CommandError) -> Command {
        guard let command = Command.all.first(where: { $0.name == name }) else {
            throw .usage(localized("There is no command “%@”; `hongyan help` lists them.", TerminalText.harmless(name)))
        }
        return command
    }

    private static func help(for name: String?) throws(CommandError) -> String {
        if let name { return try find(name).help }
        var lines = [
            localized("Usage: %@", "hongyan COMMAND [OPTION…] [ARGUMENT…]"), "",
            localized("Text, pictures and voice over XMPP, from the terminal."), "",
        ]
        for command in Command.all {
            let left = "  " + command.name + (command.synopsis.isEmpty ? "" : " " + command.synopsis)
            if DisplayWidth.of(left) > 30 {
                lines += [left, String(repeating: " ", count: 32) + localized(command.summary)]
            } else {
                lines.append(
                    left + String(repeating: " ", count: 32 - DisplayWidth.of(left)) + localized(command.summary))
            }
        }
        lines += ["", localized("`hongyan help COMMAND` explains one of them; its options may stand anywhere.")]
        return lines.joined(separator: "\n")
    }
}
