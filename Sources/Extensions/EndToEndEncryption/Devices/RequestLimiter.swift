internal import Synchronization
import Waiting
internal import Waiting
internal import XMPPAddress

/// Bounds the requests for lists and bundles, altogether and for each server, so that one server cannot delay the messages to
/// others: one that was silent is not asked for some time.
final class RequestLimiter: Sendable {
    typealias Instant = ContinuousInstant

    private struct Server {
        let lock = AsyncLock(limit: EncryptionLimits.parallelRequestsOfServer)
        /// Requests that wait or are sent.
        var users = 0
        /// Times in a row that it was silent, and until when it is not asked.
        var silences = 0
        var end: Instant?

        mutating func answered() { (silences, end) = (0, nil) }
    }

    private let all = AsyncLock(limit: EncryptionLimits.parallelRequests)
    private let servers = Mutex<[String: Server]>([:])

    /// Returns when a request to the server may be sent; false if it must not, because the server was silent or the task was
    /// cancelled. After true ``leave(_:wasSilent:now:)`` must be called.
    func enter(_ server: String, now: @Sendable () -> Instant) async -> Bool {
        let lock = servers.withLock { servers -> AsyncLock? in
            guard !Self.isSilent(servers[server], now()) else { return nil }
            servers[server, default: Server()].users += 1
            return servers[server]?.lock
        }
        guard let lock else { return false }
        if await lock.enter() {
            // It may have been silent meanwhile.
            if servers.withLock({ !Self.isSilent($0[server], now()) }), await all.enter() { return true }
            lock.leave()
        }
        servers.withLock { Self.forget(server, in: &$0, now()) }
        return false
    }

    func leave(_ server: String, wasSilent: Bool, now: Instant) {
        all.leave()
        servers.withLock { servers in
            servers[server]?.lock.leave()
            if !wasSilent {
                servers[server]?.answered()
            } else if !Self.isSilent(servers[server], now) {
                // Requests that were sent side by side count once.
                let silences = (servers[server]?.silences ?? 0) + 1
                servers[server]?.silences = silences
                servers[server]?.end = now.advanced(by: EncryptionLimits.retry.pause(after: silences))
            }
            Self.forget(server, in: &servers, now)
        }
    }

    /// Another connection: what was silent may answer now.
    func reset() {
        servers.withLock { servers in
            for name in servers.keys { servers[name]?.answered() }
            servers = servers.filter { $0.value.users > 0 }
        }
    }

    private static func isSilent(_ server: Server?, _ now: Instant) -> Bool {
        guard let end = server?.end else { return false }
        return now < end
    }

    private static func forget(_ name: String, in servers: inout [String: Server], _ now: Instant) {
        servers[name]?.users -= 1
        if servers[name]?.users == 0, servers[name]?.silences == 0 { servers[name] = nil }
        guard servers.count > EncryptionLimits.servers else { return }
        servers = servers.filter { $0.value.users > 0 || isSilent($0.value, now) }
    }
}
