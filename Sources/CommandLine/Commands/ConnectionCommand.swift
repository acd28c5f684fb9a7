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
