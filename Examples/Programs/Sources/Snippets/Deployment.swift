// A bot as a service.
import Foundation
import Hongyan

func settings(_ variables: [String: String]) throws -> ClientConfiguration {
    var configuration = try ClientConfiguration.environment(variables)
    // A bot tries for ever, from its start on, and keeps its session when its process ends.
    configuration.reconnection.attempts = nil
    configuration.reconnection.retriesFirstLogin = true
    configuration.store = try FileSessionStore(path: variables["STATE_DIRECTORY"].map { $0 + "/session" } ?? "session")
    return configuration
}

func console(_ session: Session) async throws {
    // All XML, without passwords and tokens, for as long as it is wanted.
    try await session.add { SessionLog($0, .wire) { _, line in print(line) } }
    try await Task.sleep(for: .seconds(60))
    await session.remove(SessionLog.self)
}

func watch(_ session: Session) async {
    for await batch in session.events(.connection) {
        for event in batch {
            switch event {
            case .stateChanged(let state): print(state.isOnline ? "online" : "offline")
            case .connection(.readingPaused(let observers)): print("nobody reads at \(observers)")
            default: break
            }
        }
    }
}
