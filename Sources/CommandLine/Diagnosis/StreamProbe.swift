internal import Cryptography
internal import SASLMechanisms
internal import TerminalApp
internal import TransportLayer
internal import XMPPAddress
internal import XMPPStream

/// Opens a stream up to the login, without sending any secret, and disconnects.
struct StreamProbe: Sendable {
    struct Result: Sendable {
        var tls: NegotiatedTLS?
        /// The duration of the handshake.
        var tlsDuration: Duration?
        /// The features of the server on the encrypted stream.
        var features: StreamFeatures?
        /// From the end of the handshake to the features.
        var openingDuration: Duration?
        /// Why the connection or the handshake failed.
        var error: TransportError?
        /// Why the stream failed.
        var failure: StreamFailure?
    }

    let address: JID
    let trust: TrustPolicy
    /// The timeout of the connection, the handshake and the opening, each. A question to the user has a longer one.
    let timeout: Duration
    let asksUser: Bool

    /// Probes an address of a host.
    func run(at target: SocketAddress, _ security: ServiceRecord.Kind) async -> Result {
        var result = Result()
        let transport: SocketTransport
        do throws(TransportError) {
            transport = try await SocketTransport.connect(to: target, timeout: timeout)
        } catch {
            result.error = error
            return result
        }
        let protocols = security == .directTLS ? [TLSConfiguration.xmppClientProtocol] : []
        var isReady = security == .startTLS
        if !isReady { isReady = await secure(transport, protocols, &result) }
        if isReady {
            await converse(over: transport, &result)
        }
        await transport.close()
        return result
    }

    /// Probes a WebSocket.
    func run(at url: WebSocketURL, resolver: ResolverConfiguration) async -> Result {
        var result = Result()
        var settings = Connector.Configuration()
        settings.resolver = resolver
        settings.candidateTimeout = timeout
        let start = ContinuousClock.now
        do throws(TransportError) {
            let connection = try await Connector(configuration: settings).connect(
                to: .webSocket(url.description), tls: TLSConfiguration(serverName: url.host, trust: trust))
            result.tls = connection.tls
            result.tlsDuration = .now - start
            await converse(over: connection.transport, &result)
            await connection.transport.close()
        } catch {
            result.error = error
        }
        return result
    }

    /// Opens the stream on a connected transport, which is secured if TLS comes first.
    private func converse(over transport: any Transport, _ result: inout Result) async {
        guard let nonce = try? SecureRandom.bytes(18) else { return }
        var configuration = ClientStreamConfiguration(
            address: address, purpose: .register, digests: .system, nonce: Hex.encode(nonce))
        configuration.tls = .required
        let held = HeldStream(configuration)
        var actions = held.stream.open(now: .now)
        actions += held.stream.transportConnected(
            tls: result.tls.map(TLSInformation.init(version:)),
            framing: transport.isMessageBased ? .webSocket : .stream, now: .now)
        var opening = ContinuousClock.now
        while true {
            let isTLSWanted = await perform(actions, over: transport, &result)
            if result.features != nil || result.failure != nil || result.error != nil { break }
            if isTLSWanted {
                guard await secure(transport, [], &result), let tls = result.tls else { break }
                opening = .now
                actions = held.stream.tlsEstablished(.init(version: tls), now: .now)
                continue
            }
            switch await read(from: transport) {
            case .success(let bytes) where bytes.isEmpty: actions = held.stream.transportClosed(.endOfStream, now: .now)
            case .success(let bytes): actions = held.stream.bytesReceived(bytes, now: .now)
            case .failure(let error):
                result.error = error
                return
            }
        }
        result.openingDuration = .now - opening
        _ = await perform(held.stream.close(now: .now), over: transport, &result)
    }

    /// - Returns: whether the handshake should start.
    private func perform(
        _ actions: [StreamAction], over transport: any Transport, _ result: inout Result
    ) async -> Bool {
        var isTLSWanted = false
        for action in actions {
            switch action {
            case .write(let bytes): try? await transport.write(bytes)
            case .startTLS: isTLSWanted = true
            case .progress(.opened(let features)): result.features = features
            case .ended(let end): if result.features == nil { result.failure = end.failure }
            default: break
            }
        }
        return isTLSWanted
    }

    private func secure(
        _ transport: any Transport, _ protocols: [String], _ result: inout Result
    ) async -> Bool {
        var configuration = TLSConfiguration(
            serverName: address.asciiDomain, trust: trust, applicationProtocols: protocols)
        if !asksUser { configuration.handshakeTimeout = timeout }
        let start = ContinuousClock.now
        do throws(TransportError) {
            result.tls = try await transport.startTLS(configuration)
        } catch {
            result.error = error
        }
        result.tlsDuration = .now - start
        return result.tls != nil
    }

    private func read(from transport: any Transport) async -> Swift.Result<[UInt8], TransportError> {
        let timeout = timeout
        let late = TransportError(.timedOut, "The server did not respond within \(timeout).")
        return await withTaskGroup(of: Swift.Result<[UInt8], TransportError>.self) { group in
            group.addTask {
                do throws(TransportError) {
                    return .success(try await transport.read())
                } catch {
                    return .failure(error)
                }
            }
            group.addTask {
                try? await Task.sleep(for: timeout)
                return .failure(late)
            }
            defer { group.cancelAll() }
            return await group.next() ?? .failure(late)
        }
    }
}

/// A local variable would be sufficient. But Swift 6.3 does not terminate in an optimised build if such a value, with
/// noncopyable enums inside noncopyable enums, is a local variable of an async function.
private final class HeldStream {
    var stream: ClientStream

    init(_ configuration: ClientStreamConfiguration) {
        stream = ClientStream(configuration: configuration)
    }
}

extension TLSInformation {
    /// The TLS information that the machine needs to open a stream without a login.
    init(version tls: NegotiatedTLS) {
        self.init(version: tls.version == .tls13 ? .tls13 : .tls12)
    }
}
