internal import Automation
internal import ChatModel
internal import EntityInformation
internal import JSONRPC
internal import TerminalApp
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

/// The costs of an idle connection: the counts since it was established, and the projection for an hour.
struct TrafficBudget: Equatable {
    var bytesSent: UInt64
    var bytesReceived: UInt64
    var wakeUps: UInt64
    var keepAlives: UInt64
    var elapsed: Duration

    /// From a shorter measurement, a single stanza would result in an absurd amount per hour.
    static let shortestTime = Duration.seconds(10)

    init(bytesSent: UInt64, bytesReceived: UInt64, wakeUps: UInt64, keepAlives: UInt64, elapsed: Duration) {
        self.bytesSent = bytesSent
        self.bytesReceived = bytesReceived
        self.wakeUps = wakeUps
        self.keepAlives = keepAlives
        self.elapsed = elapsed
    }

    init(from first: Traffic, to last: Traffic, elapsed: Duration) {
        self.init(
            bytesSent: last.bytesSent - first.bytesSent, bytesReceived: last.bytesReceived - first.bytesReceived,
            wakeUps: last.wakeUps - first.wakeUps, keepAlives: last.keepAlives - first.keepAlives, elapsed: elapsed)
    }

    var bytes: UInt64 { bytesSent + bytesReceived }

    /// `nil` while the measurement is too short.
    func perHour(_ count: UInt64) -> UInt64? {
        guard elapsed >= Self.shortestTime else { return nil }
        return UInt64((Double(count) * 3_600_000 / Double(elapsed.wholeMilliseconds)).rounded())
    }

    var phrase: Phrase {
        let time = Wording.length(elapsed)
        guard let bytes = perHour(bytes), let wakeUps = perHour(wakeUps) else {
            return Phrase("%@ and %@ wake-ups in %@", Wording.size(self.bytes), self.wakeUps, time)
        }
        return Phrase("%@ keep-alives; ≈ %@/h, %@ wake-ups/h (from %@)", keepAlives, Wording.size(bytes), wakeUps, time)
    }

    var json: JSONValue {
        JSONValue([
            ("event", "traffic"), ("milliseconds", .count(elapsed.wholeMilliseconds)),
            ("bytesSent", .count(bytesSent)), ("bytesReceived", .count(bytesReceived)), ("wakeUps", .count(wakeUps)),
            ("keepAlives", .count(keepAlives)), ("bytesPerHour", .count(perHour(bytes))),
            ("wakeUpsPerHour", .count(perHour(wakeUps))),
        ])
    }
}
