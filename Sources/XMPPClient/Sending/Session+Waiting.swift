public import XMPPStanzas

/// What to do with a message while there is no connection.
public enum OfflineRule: Sendable, Hashable {
    /// Throw ``ClientError`` with `notConnected`.
    case refuse
    /// Wait for the next connection.
    case wait
}

extension Session {
    /// Returns when the session is online: at once if it is, otherwise with the next connection.
    ///
    /// - Throws: ``ClientError`` if the session ends before, or `cancelled`.
    public func waitForConnection() async throws(ClientError) {
        try await waitUntilOnline()
        while !isOnline {
            let changes = events(.connection)
            // It may have come between the last check and the observation.
            if isOnline { return }
            if isOver { throw failure ?? .sessionEnded }
            for await _ in changes { if isOnline { return } }
            guard !Task.isCancelled else { throw .cancelled }
        }
    }

    /// Sends a message, and waits for a connection if there is none.
    ///
    /// The message waits in the task that calls: it is lost with the process, and several tasks that wait send in no
    /// particular order. A message that was written to a connection that broke is not sent again; its token fails.
    ///
    /// - Throws: ``ClientError`` as for ``send(_:)-(Message)``, without `notConnected` unless the session ends.
    @discardableResult
    public func send(_ message: Message, whenOffline rule: OfflineRule) async throws(ClientError) -> SendToken {
        while true {
            do throws(ClientError) {
                return try await send(message)
            } catch {
                guard rule == .wait, error.code == .notConnected else { throw error }
                try await waitForConnection()
            }
        }
    }
}
