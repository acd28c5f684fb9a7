internal import Localization
internal import XMPPClient
internal import XMPPStream

/// One login and logout, to verify a password.
@MainActor
struct LoginAttempt {
    private let configuration: ClientConfiguration
    private let timeout: Duration
    private let isPersonAsked: @MainActor () -> Bool

    /// - Parameters:
    ///   - timeout: the maximum time of one step.
    ///   - isPersonAsked: whether the connection waits for the user, which does not count against the timeout.
    init(
        _ configuration: ClientConfiguration, timeout: Duration, isPersonAsked: @escaping @MainActor () -> Bool
    ) {
        self.configuration = configuration
        self.timeout = timeout
        self.isPersonAsked = isPersonAsked
    }

    /// Logs in and out.
    ///
    /// - Parameter step: called for each step.
    func run(_ step: @escaping @MainActor (ConnectionStep) -> Void) async throws(ClientError) {
        let watch = StepTimer()
        let client = Client(configuration)
        let work = Task {
            try await client.run(from: .connecting) { session in
                await Self.wait(for: session) { current in
                    watch.advanced()
                    step(current)
                }
            }
        }
        let watchdog = Task { [timeout, isPersonAsked] in
            while (try? await Task.sleep(for: .milliseconds(250))) != nil {
                if isPersonAsked() { watch.advanced() }
                if watch.elapsed > timeout {
                    watch.isTooLate = true
                    work.cancel()
                    return
                }
            }
        }
        let isOnline: Bool
        do {
            isOnline = try await withTaskCancellationHandler {
                try await work.value
            } onCancel: {
                work.cancel()
            }
        } catch {
            watchdog.cancel()
            if watch.isTooLate { throw ClientError(.timedOut, "The server did not respond in time.") }
            throw error as? ClientError ?? ClientError(.cancelled, "The login was given up.")
        }
        watchdog.cancel()
        if watch.isTooLate { throw ClientError(.timedOut, "The server did not respond in time.") }
        if !isOnline { throw ClientError(.connectionFailed, localized("The connection was lost.")) }
    }

    private static func wait(
        for session: Session, _ step: @MainActor (ConnectionStep) -> Void
    ) async -> Bool {
        let events = session.events(.connection)
        session.connect()
        for await batch in events {
            for case .stateChanged(let state) in batch {
                switch state {
                case .online: return true
                case .connecting(let current): step(current)
                case .offline: break
                }
            }
        }
        return false
    }
}

/// Records when a step started.
@MainActor
final class StepTimer {
    private var beginning = ContinuousClock.now
    var isTooLate = false

    var elapsed: Duration { beginning.duration(to: .now) }

    func advanced() { beginning = .now }
}
