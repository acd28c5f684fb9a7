import Foundation
import Hongyan

/// `goose ADDRESS PASSWORD-FILE`: a companion to try a chat program with. It prints `ready` when it is online.
/// `goose converse COMPANION ADDRESS PASSWORD-FILE`: a scripted conversation with it; the exit status is 0 only if each side received
/// exactly what the other one sent.
///
/// Both register the account if the server does not know it. `XMPP_HOST`, `XMPP_PORT` and `XMPP_CA` in the environment lead to a
/// server that DNS does not know.
@main
struct Goose {
    static func main() async {
        signal(SIGPIPE, SIG_IGN)
        let work = Task { try await perform(Array(CommandLine.arguments.dropFirst())) }
        // Cancelling closes the stream politely: the contacts see the goose go.
        let interrupts = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { work.cancel() }
            source.resume()
            return source
        }
        defer { for source in interrupts { source.cancel() } }
        do {
            try await work.value
        } catch {
            FileHandle.standardError.write(Data("goose: \(error)\n".utf8))
            exit((error as? ClientError)?.exitClass.rawValue ?? 1)
        }
    }

    private static func perform(_ arguments: [String]) async throws {
        if arguments.count == 4, arguments[0] == "converse" {
            let companion = try JID(arguments[1])
            try await signIn(arguments[2], passwordFile: arguments[3], policy: RosterPolicy()) { session in
                try await ScriptedConversation(with: companion, in: session).play()
            }
        } else if arguments.count == 2 {
            var policy = RosterPolicy()
            policy.acceptsAllRequests = true
            let commands = [Feeding.command]
            try await signIn(arguments[0], passwordFile: arguments[1], policy: policy, offering: commands) { session in
                try await accompany(in: session)
            }
        } else {
            throw ClientError(
                .invalidConfiguration,
                "Usage: goose ADDRESS PASSWORD-FILE, or goose converse COMPANION ADDRESS PASSWORD-FILE")
        }
    }

    private static func signIn(
        _ address: String, passwordFile: String, policy: RosterPolicy, offering commands: [Command] = [],
        _ body: (Session) async throws -> Void
    ) async throws {
        let environment = ProcessInfo.processInfo.environment
        let password = try String(contentsOfFile: passwordFile, encoding: .utf8).prefix { !$0.isNewline }
        var configuration = ClientConfiguration(address: try JID(address), password: String(password))
        configuration.host = environment["XMPP_HOST"]
        configuration.port = environment["XMPP_PORT"].flatMap { UInt16($0) }
        if let authority = environment["XMPP_CA"] { configuration.trust = .certificateAuthority(authority) }
        let bare = configuration
        configuration.add { ServiceDiscovery($0, identity: .init(category: "client", type: "bot", name: "Goose")) }
        configuration.add { _ in EntityInformation() }
        configuration.add { [policy] in Roster($0, policy: policy) }
        configuration.add { _ in DeliveryReceipts() }
        if !commands.isEmpty { configuration.add { AdHocCommands($0, offering: commands) } }
        let http = HTTPClient(configuration: .init(trust: configuration.trust))
        configuration.add { FileSharing($0, http: http) }
        do {
            try await Client(configuration).run(body)
        } catch let error as ClientError where error.code == .authenticationFailed {
            do {
                try await Client(bare).registerAccount()
            } catch {
                // The account is there, with another password.
                throw error
            }
            try await Client(configuration).run(body)
        }
    }

    private static func accompany(in session: Session) async throws {
        let companion = Companion(session)
        let events = session.events(.messages)
        let changes = await session[Roster.self]?.events()
        try await session.send(Presence(status: "honk"))
        // The server answers in the order of what it gets: the presence is out.
        try await session.ping()
        say("ready")
        await withDiscardingTaskGroup { group in
            group.addTask {
                guard let changes else { return }
                for await batch in changes {
                    for case .approved(let address) in batch { await companion.greet(address) }
                }
            }
            await companion.run(events)
            group.cancelAll()
        }
    }

    static func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }
}
