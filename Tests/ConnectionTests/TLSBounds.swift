import ServerFixtures
import Synchronization
import TransportLayer
import XMPPClient

/// One TLS version for all connections of a client, the sessions that they share, and the results.
final class TLSBounds: Sendable {
    let version: TLSVersion
    private let cache = TLSSessionCache()
    private let handshakes = Mutex<[NegotiatedTLS]>([])

    init(_ version: TLSVersion) { self.version = version }

    /// For each handshake, whether it resumed an earlier session.
    var resumptions: [Bool] { handshakes.withLock { $0.map(\.isResumed) } }

    func applied(to configuration: TLSConfiguration) -> TLSConfiguration {
        var bounded = configuration
        (bounded.minimumVersion, bounded.maximumVersion) = (version, version)
        bounded.sessionCache = cache
        return bounded
    }

    func note(_ information: NegotiatedTLS) { handshakes.withLock { $0.append(information) } }

    /// Connects with one transport only.
    func factory(_ way: MatrixRow.Way, _ server: RunningServer, through proxy: FaultProxy) -> TransportFactory {
        let target: ConnectionTarget =
            switch way {
            case .startTLS: .host(server.host, port: proxy.port, security: .startTLS)
            case .directTLS: .host(server.host, port: proxy.port, security: .directTLS)
            case .webSocket:
                .webSocket(server.webSocketURL.replacing(":\(server.httpsPort)/", with: ":\(proxy.port)/"))
            }
        return TransportFactory { [self] wanted throws(TransportError) in
            let established = try await Connector().connect(to: target, tls: applied(to: wanted.tls))
            if let tls = established.tls { note(tls) }
            return BoundedTransport(transport: established.transport, bounds: self)
        }
    }
}
