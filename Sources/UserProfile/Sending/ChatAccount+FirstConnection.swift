internal import ChatEngine
internal import XMPPClient

/// The result of an account's attempt to connect.
enum FirstConnection: Sendable {
    case online
    case offline(ClientError?)

    var isOnline: Bool { if case .online = self { true } else { false } }
}

extension ChatAccount {
    /// Waits until the account is online, or its attempt to connect has failed, or none is made.
    ///
    /// - Parameters:
    ///   - isStarting: the account begins to connect now, so that it does not count as offline yet.
    ///   - seconds: the timeout.
    func firstConnection(isStarting: Bool, seconds: Int) async -> FirstConnection {
        // Before the first suspension, so that no change of the connection is missed.
        let events = events()
        switch await connectionState {
        case .online: return .online
        case .connecting: break
        case .offline(let reason, _): if reason != nil || !isStarting { return .offline(reason) }
        }
        return await withTaskGroup(of: FirstConnection.self) { group in
            group.addTask {
                for await event in events {
                    switch event {
                    case .connection(.online): return .online
                    case .connection(.offline(let reason?, _)): return .offline(reason)
                    default: break
                    }
                }
                return .offline(nil)
            }
            group.addTask {
                try? await Task.sleep(for: .seconds(seconds))
                return .offline(nil)
            }
            defer { group.cancelAll() }
            return await group.next() ?? .offline(nil)
        }
    }
}
