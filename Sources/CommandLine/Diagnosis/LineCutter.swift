internal import Synchronization
internal import TransportLayer
internal import XMPPClient

/// Connects sessions to one place that is known to work, and cuts the connection as a broken network would.
final class LineCutter: Sendable {
    private let candidate: ConnectionCandidate
    private let address: SocketAddress
    private let current = Mutex<(any Transport)?>(nil)

    init(_ place: TLSHop.Attempt) {
        candidate = place.candidate
        address = place.address
    }

    var factory: TransportFactory {
        TransportFactory { [self] target throws(TransportError) in
            let transport = try await Connector().connect(
                to: .host(address.address, port: address.port, security: candidate.security), tls: target.tls
            ).transport
            current.withLock { $0 = transport }
            return transport
        }
    }

    /// Nothing is said any more, not even goodbye.
    func cut() {
        current.withLock { $0 }?.abort()
    }
}
