internal import EntityInformation
internal import XMPPAddress
internal import XMPPClient
internal import XMPPStream

extension Command {
    static let connection = Command(
        name: "connection", synopsis: "[ADDRESS]", summary: "sign in and show the state of the connection",
        options: [.init("watch", letter: "w", "keep running and show every change until Ctrl-C")]
    ) { invocation in
        let signIn = try await SignIn(invocation.namedAccount())
        if invocation.options.has("watch") {
            try await watch(signIn, invocation)
        } else {
            try await show(signIn, invocation)
        }
    }

    // Not inlined: the optimizer of Swift 6.3 crashes when it splits all of this as one coroutine.
    @inline(never)
    private static func watch(_ signIn: SignIn, _ invocation: Invocation) async throws {
        var configuration = signIn.lastingConfiguration
        configuration.reconnection.retriesFirstLogin = true
        let watch = ConnectionWatch(isJSON: invocation.isJSON)
        try await signIn.run(configuration, from: .connecting) { await watch.run($0) }
    }

    @inline(never)
    private static func show(_ signIn: SignIn, _ invocation: Invocation) async throws {
        let start = ContinuousClock.now
        try await signIn.run(signIn.configuration) { session in
            let duration = ContinuousClock.now - start
            let roundTrip = try await session.ping()
            guard let agreement = await session.agreement else { return }
            let summary = ConnectionSummary(agreement: agreement, login: duration, roundTrip: roundTrip)
            invocation.show(summary.lines.map(\.text).joined(separator: "\n"), json: summary.json)
        }
    }
}

/// A summary of a connection's properties.
struct ConnectionSummary: Equatable {
    var agreement: StreamSession
    /// From the start to the first stanza.
    var login: Duration
    /// The round-trip time to the server.
    var roundTrip: Duration

    private var state: ConnectionState { .online(isResumed: agreement.isResumed) }

    var lines: [Phrase] {
        var ways: [Phrase] = [.verbatim(agreement.mechanism)]
        if agreement.usesFAST { ways.append(Phrase("with a token")) }
        if agreement.usesSASL2 { ways.append(.verbatim("SASL2")) }
        if agreement.isBoundInline { ways.append(.verbatim("Bind 2")) }
        var lines = [
            state.phrase(as: agreement.address),
            Phrase("login: %@, in %@", Phrase.list(ways), login.text),
        ]
        if let tls = agreement.tls {
            lines.append(
                Phrase(
                    "encryption: %@",
                    Phrase.list([tls.version.rawValue, tls.cipherSuite].compactMap { $0 }.map { .verbatim($0) })))
        }
        lines.append(
            agreement.isResumable
                ? Phrase("after a lost connection the session is resumed")
                : agreement.isManaged
                    ? Phrase("after a lost connection a new session starts; no message is lost silently")
                    : Phrase("after a lost connection a new session starts; messages in transit may be lost"))
        lines.append(Phrase("round trip to the server: %@", roundTrip.text))
        return lines
    }

    var json: JSONValue {
        JSONValue(
            [("event", "connection")] + state.facts(as: agreement.address) + [
                ("mechanism", .string(agreement.mechanism)), ("sasl2", .bool(agreement.usesSASL2)),
                ("bind2", .bool(agreement.isBoundInline)), ("fast", .bool(agreement.usesFAST)),
                ("tls", .text(agreement.tls?.version.rawValue)), ("cipher", .text(agreement.tls?.cipherSuite)),
                ("acknowledged", .bool(agreement.isManaged)), ("resumable", .bool(agreement.isResumable)),
                ("loginMilliseconds", .count(login.wholeMilliseconds)),
                ("roundTripMilliseconds", .count(roundTrip.wholeMilliseconds)),
            ])
    }
}
