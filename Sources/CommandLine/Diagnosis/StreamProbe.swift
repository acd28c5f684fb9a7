internal import Cryptography
internal import SASLMechanisms
internal import TerminalApp
internal import TransportLayer
internal import XMPPAddress
internal import XMPPStream

/// Opens a stream up to the point where one would log in, without telling any secret, and hangs up.
struct StreamProbe: Sendable {
    struct Result: Sendable {
        var tls: NegotiatedTLS?
        /// Of the handshake.
        var tlsDuration: Duration?
        /// What the server offers on the encrypted stream.
        var features: StreamFeatures?
        /// From the end of the handshake to the offer.
        var openingDuration: Duration?
        /// Why the connection or the handshake failed.
        var error: TransportError?
        /// Why the stream failed.
        var failure: StreamFailure?
    }

    let address: JID
    let trust: TrustPolicy
    /// For the connection, the handshake and the opening, each. A person who is asked has more.
    let patience: Duration
    let asksPerson: Bool

    /// At an address of a host.
    func run(at target: SocketAddress, _ security: ServiceRecord.Kind) async -> Result {
        var result = Result()
        let transport: SocketTransport
        do throws(TransportError) {
            transport = try await SocketTransport.connect(to: target, timeout: patience)
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

    /// The same at a WebSocket.
    func run(at url: WebSocketURL, resolver: ResolverConfiguration) async -> Result {
        var result = Result()
        var settings = Connector.Configuration()
        settings.resolver = resolver
        settings.candidateTimeout = patience
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

    /// Opens the stream on a transport that is connected, and secured where TLS comes first.
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

    /// - Returns: whether the handshake is to begin.
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
        if !asksPerson { configuration.handshakeTimeout = patience }
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
        let patience = patience
        let late = TransportError(.timedOut, "The server did not answer within \(patience).")
        return await withTaskGroup(of: Swift.Result<[UInt8], TransportError>.self) { group in
            group.addTask {
                do throws(TransportError) {
                    return .success(try await transport.read())
                } catch {
                    return .failure(error)
                }
            }
            group.addTask {
                try? await Task.sleep(for: patience)
                return .failure(late)
            }
            defer { group.cancelAll() }
            return await group.next() ?? .failure(late)
        }
    }
}

/// A variable of the function that has the conversation would do. But Swift 6.3 does not come to the end of an optimised build where
/// such a value, with enums that cannot be copied in enums that cannot be copied, lives in an asynchronous function.
private final class HeldStream {
    var stream: ClientStream

    init(_ configuration: ClientStreamConfiguration) {
        stream = ClientStream(configuration: configuration)
    }
}

extension TLSInformation {
    /// As much as the machine needs for opening a stream on which nobody logs in.
    init(version tls: NegotiatedTLS) {
        self.init(version: tls.version == .tls13 ? .tls13 : .tls12)
    }
}
