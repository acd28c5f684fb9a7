import Cryptography
import SASLMechanisms
import TransportLayer
import Waiting
import XMLStreaming
import XMPPAddress
import XMPPStanzas
import XMPPStream

/// The parts of the configuration that one connection needs.
extension ClientConfiguration {
    /// If the timeout of the handshake is longer than this, it asks the user, whose time does not count for the login.
    private static let longestHandshake = Duration.seconds(60)
    /// The length of a nonce in bytes: 18 bytes are 24 characters in Base64.
    private static let nonceLength = 18
    /// The timeout for connecting to a host that the server named.
    private static let detourTime = Duration.seconds(5)

    /// Creates the stream of the next connection.
    func stream(
        _ purpose: Session.Purpose, resuming resumption: ResumptionState?, with memory: ConnectionMemory,
        bindRequests: [BindRequest]
    ) throws -> ClientStreamConfiguration {
        let streamPurpose: ClientStreamConfiguration.Purpose =
            switch purpose {
            case .login: .authenticate(credentials)
            case .registration: .register
            case .component: .component(credentials)
            }
        var stream = ClientStreamConfiguration(
            address: address, purpose: streamPurpose,
            digests: .system, nonce: Base64.encode(try SecureRandom.bytes(Self.nonceLength)))
        stream.tls = encryption
        stream.mechanisms = mechanisms
        stream.mechanisms.previousMechanism = memory.mechanism ?? mechanisms.previousMechanism
        stream.resourceConflict =
            switch resourceConflict {
            case .tryAlternatives(let resources): .tryAlternatives(resources)
            case .letServerChoose: .letServerChoose
            case .ask: .ask
            case .fail: .fail
            }
        stream.usesStreamManagement = usesStreamManagement
        stream.resumption = resumption
        stream.plan = negotiation
        stream.keepAlive = keepAlive
        stream.keepAlivePace = memory.keepAlivePace
        stream.serverLimits = memory.limits
        stream.userAgent = userAgent
        stream.fastToken = memory.token
        stream.bindTag = userAgent?.software
        stream.bindRequests = bindRequests
        stream.loginTimeout = loginTimeout
        let handshake = self.tls.handshakeTimeout
        if handshake > Self.longestHandshake { stream.loginTimeout += handshake }
        stream.resumptionTimeout = resumptionTimeout
        stream.closeTimeout = closeTimeout
        return stream
    }

    /// Connects, unless the stream ends before: closed by the program, or timed out.
    func openTransport(
        at place: ReconnectionSchedule.Place, on loop: EventLoop, unless over: Gate
    ) async -> Result<any Transport, TransportError> {
        let isDetour = place.host != nil
        let place = place.host
        let target = TransportFactory.Target(
            domain: address.domainJID, host: place?.name ?? host, port: place == nil ? port : place?.port,
            isDirectTLS: encryption == .directTLS, tls: tls, proxy: proxy, loop: loop)
        let (connect, clock) = (transports.connect, clock)
        return await withTaskGroup(of: Result<any Transport, TransportError>?.self) { group in
            group.addTask {
                do throws(TransportError) {
                    return .success(try await connect(target))
                } catch {
                    return .failure(error)
                }
            }
            group.addTask {
                await over.wait()
                return nil
            }
            if isDetour {
                // Not the complete timeout of the login, so that the usual host can be tried after it.
                let due = clock.now().advanced(by: Self.detourTime)
                group.addTask { [clock] in
                    await clock.sleep(due)
                    return .failure(TransportError(.timedOut, "The place that the server named does not answer."))
                }
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            if let first { return first }
            // The connection may have been established at the same time.
            for await late in group {
                if case .success(let transport)? = late { transport.abort() }
            }
            return .failure(TransportError(.cancelled, "The connection was not wanted any more."))
        }
    }

    var tls: TLSConfiguration {
        var tls = TLSConfiguration(
            serverName: address.asciiDomain, trust: trust,
            applicationProtocols: encryption == .directTLS ? [TLSConfiguration.xmppClientProtocol] : [])
        tls.identity = clientIdentity
        tls.sessionCache = clientIdentity == nil ? tlsSessions : nil
        return tls
    }
}

extension ReconnectionSchedule.Place {
    /// The host that the server named.
    fileprivate var host: StreamError.Host? {
        switch self {
        case .usual: nil
        case .redirected(let host), .keeper(let host): host
        }
    }
}
