internal import Localization
internal import XMPPClient
internal import XMPPStream

/// One login and one goodbye, to find out whether a password is right.
@MainActor
struct LoginAttempt {
    private let configuration: ClientConfiguration
    private let patience: Duration
    private let isPersonAsked: @MainActor () -> Bool

    /// - Parameters:
    ///   - patience: how long one step may take.
    ///   - isPersonAsked: the connection waits for a person at the moment, who may take any time.
    init(
        _ configuration: ClientConfiguration, patience: Duration, isPersonAsked: @escaping @MainActor () -> Bool
    ) {
        self.configuration = configuration
        self.patience = patience
        self.isPersonAsked = isPersonAsked
    }

    /// Logs in and signs off.
    ///
    /// - Parameter step: told each step.
    func run(_ step: @escaping @MainActor (ConnectionStep) -> Void) async throws(ClientError) {
        let watch = StepWatch()
        let client = Client(configuration)
        let work = Task {
            try await client.run(from: .connecting) { session in
                await Self.wait(for: session) { current in
                    watch.advanced()
                    step(current)
                }
            }
        }
        let guardian = Task { [patience, isPersonAsked] in
            while (try? await Task.sleep(for: .milliseconds(250))) != nil {
                if isPersonAsked() { watch.advanced() }
                if watch.elapsed > patience {
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
            guardian.cancel()
            if watch.isTooLate { throw ClientError(.timedOut, "The server did not respond in time.") }
            throw error as? ClientError ?? ClientError(.cancelled, "The login was given up.")
        }
        guardian.cancel()
        if watch.isTooLate { throw ClientError(.timedOut, "The server did not respond in time.") }
        if !isOnline { throw ClientError(.connectionFailed, localized("The connection was lost.")) }
    }

    private static func wait(
        for session: Session, _ step: @MainActor (ConnectionStep) -> Void
    ) async -> Bool {
        let events = session.events(.connection)
        switch await session.connectionState {
        case .online: return true
        case .connecting(let current): step(current)
        case .offline: break
        }
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

/// When a step began.
@MainActor
final class StepWatch {
    private var beginning = ContinuousClock.now
    var isTooLate = false

    var elapsed: Duration { beginning.duration(to: .now) }

    func advanced() { beginning = .now }
}
