import CommandLine
import Glibc
internal import Localization
import Roster
import TerminalApp
import XMPPAddress
import XMPPClient
import XMPPStanzas

/// `goose`: a companion to try the chat with.
@main
struct Program {
    private static let options: [OptionParser.Option] =
        ConnectionOptions.options + [
            .init("register", "register the account first if the server does not know it"),
            .init("report", value: "FILE", "append what is received and sent to this file, as JSON lines"),
            .init("help", letter: "h", "show this help"),
        ]

    static func main() async {
        signal(SIGPIPE, SIG_IGN)
        do {
            try await Interruption.run { try await perform() }
        } catch {
            let error = CommandError(error)
            StandardOutput.report("goose: " + error.description)
            exit(error.status.rawValue)
        }
    }

    private static func perform() async throws {
        let parser = OptionParser(options)
        let result = try parser.parse(Array(Swift.CommandLine.arguments.dropFirst()))
        if result.has("help") {
            return StandardOutput.writeLine(
                localized("Usage: %@", "goose --jid ADDRESS [OPTION…]") + "\n\n" + parser.help)
        }
        let report = try CompanionReport(result["report"])
        let signIn = try await SignIn(ConnectionOptions(result))
        let folder = try FileFolder(account: signIn.address)
        var policy = RosterPolicy()
        policy.acceptsAllRequests = true
        try await signIn.run(
            signIn.configuration(accepting: policy, name: "goose", isLasting: true),
            missingAccount: result.has("register") ? .register : .fail
        ) { session in
            let roster = try session.extensionInUse(Roster.self)
            let companion = Companion(session, folder: folder, report: report)
            let events = session.events(.messages)
            let changes = await roster.events()
            try await session.send(Presence(status: "honk"))
            try await session.settle()
            StandardOutput.writeLine("ready")
            await withDiscardingTaskGroup { group in
                group.addTask {
                    for await batch in changes {
                        for case .approved(let address) in batch { await companion.greet(address) }
                    }
                }
                await companion.run(events)
                group.cancelAll()
            }
        }
    }
}
