import Waiting
import XMPPStream

// What a program can do with the life of a session.
extension Session {
    /// Lets the session connect. Only a closure that begins with ``Client/Beginning/connecting`` needs it, once it observes
    /// the events it wants; ``waitUntilOnline()`` includes it.
    public nonisolated func connect() {
        loop.execute { self.onLoop { $0.leaveRest() } }
    }

    /// Connects, and returns when the session is online and the extensions have started for the first time, or
    /// ``ClientConfiguration/startTimeout`` later.
    ///
    /// - Throws: ``ClientError`` if the login failed, the session ended before, or the task was cancelled.
    public func waitUntilOnline() async throws(ClientError) {
        leaveRest()
        await firstOnline.wait()
        // The session of a cancelled task may have ended already, because it is closed then.
        guard firstOnline.isOpen, !Task.isCancelled else { throw .cancelled }
        if isOver { throw failure ?? .sessionEnded }
    }

    /// Connects at once if the session is offline, regardless of the backoff; if it is online, checks the connection,
    /// and connects again if the server does not respond. A session that has ended stays ended.
    public func reconnectNow() {
        perform(machine.connectNow(now: clock.now()))
    }

    /// Checks whether the connection is alive (XEP-0198 §4, or XEP-0199 without stream management).
    ///
    /// - Parameter timeout: The timeout for the response; by default that of the reconnection policy.
    /// - Returns: Whether the connection is alive. If not, the session connects again by its own rules.
    /// - Throws: ``ClientError`` with `notConnected` if the session is not online, `cancelled`.
    @discardableResult
    public func probe(within timeout: Duration? = nil) async throws(ClientError) -> Bool {
        guard isOnline else { throw .notConnected }
        let number = machine.connections
        let over = probeOver ?? Gate()
        probeOver = over
        perform(stream?.probe(within: timeout ?? configuration.reconnection.probeTimeout, now: clock.now()))
        await over.wait()
        guard over.isOpen else { throw .cancelled }
        return isOnline && machine.connections == number
    }

    /// Closes the session and returns when it has ended: unavailable presence, `</stream:stream>`, and a limited wait
    /// for that of the server (RFC 6120 §4.4).
    public nonisolated func close() async {
        requestClose()
        await ended.wait()
    }

    /// Returns when the session has ended, by itself or because it was closed; at once when the task is cancelled.
    public nonisolated func untilEnd() async { await ended.wait() }

    /// Ends the session and leaves it on the server, so that the next process resumes it and contacts do not notice the pause
    /// (XEP-0198 §5): the connection is closed without `</stream:stream>`. It returns when the state is stored.
    ///
    /// A session that cannot be resumed, or whose state is not stored, is closed as with ``close()``.
    public nonisolated func suspend() async {
        requestClose(.suspending)
        await ended.wait()
    }

    nonisolated func requestClose(_ farewell: SessionMachine.Farewell = .closing) {
        loop.execute { self.onLoop { $0.close(farewell) } }
    }
}
