import Cryptography
import SASLMechanisms
import TransportLayer
import XMLStreaming
import XMPPAddress
import XMPPStanzas
import XMPPStream

extension Session {
    /// A handshake that may take longer than this asks a person, whose time is not the login's.
    private static let longestHandshake = Duration.seconds(60)
    /// Bytes of a nonce: 18 are 24 characters in base64.
    private static let nonceLength = 18
    /// How long what is left may take to be written when a stream is over.
    private static let finishTime = Duration.seconds(2)

    /// One connection from its beginning to its end.
    func connect(resuming resumption: ResumptionState?, at place: StreamError.Host?) async -> StreamEnd {
        let over = Latch()
        streamOver = over
        streamEnd = nil
        isTLSWanted = false
        inbox = []
        outbox = Outbox()
        observers.gate.reset()
        do {
            stream = ClientStream(configuration: try streamConfiguration(resuming: resumption))
        } catch {
            return StreamEnd(reason: .closedByServer)
        }
        perform(stream?.open(now: clock.now()))

        switch await openTransport(at: place, unless: over) {
        case .success(let opened):
            transport = opened
            let tls = await opened.tlsInformation
            perform(stream?.transportConnected(tls: tls.map { .init($0) }, now: clock.now()))
            await converse(over: opened, until: over)
            await finish(opened)
        case .failure(let error):
            perform(stream?.transportClosed(TransportClosure(error), now: clock.now()))
        }
        let end = streamEnd ?? StreamEnd(reason: .requested)
        stream = nil
        transport = nil
        flushEvents()
        return end
    }

    private func streamConfiguration(resuming resumption: ResumptionState?) throws -> ClientStreamConfiguration {
        var stream = ClientStreamConfiguration(
            address: configuration.address,
            purpose: purpose == .login ? .authenticate(configuration.credentials) : .register,
            digests: .system, nonce: Base64.encode(try SecureRandom.bytes(Self.nonceLength)))
        stream.tls = configuration.encryption
        stream.mechanisms = configuration.mechanisms
        stream.resourceConflict =
            switch configuration.resourceConflict {
            case .tryAlternatives(let resources): .tryAlternatives(resources)
            case .letServerChoose: .letServerChoose
            case .ask: .ask
            case .fail: .fail
            }
        stream.usesStreamManagement = configuration.usesStreamManagement
        stream.resumption = resumption
        stream.plan = configuration.negotiation
        stream.keepAlive = configuration.keepAlive
        stream.loginTimeout = configuration.loginTimeout
        let handshake = tlsConfiguration.handshakeTimeout
        if handshake > Self.longestHandshake { stream.loginTimeout += handshake }
        stream.closeTimeout = configuration.closeTimeout
        return stream
    }

    /// Connects, unless the stream is over before: closed by the program, or out of time.
    private func openTransport(
        at place: StreamError.Host?, unless over: Latch
    ) async -> Result<any Transport, TransportError> {
        let target = TransportFactory.Target(
            domain: configuration.address.domainJID, host: place?.name ?? configuration.host,
            port: place == nil ? configuration.port : place?.port,
            isDirectTLS: configuration.encryption == .directTLS, tls: tlsConfiguration)
        let connect = configuration.transports.connect
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
            let first = await group.next() ?? nil
            group.cancelAll()
            if let first { return first }
            // The connection may have come in the same moment.
            for await late in group {
                if case .success(let transport)? = late { transport.abort() }
            }
            return .failure(TransportError(.cancelled, "The connection was not wanted any more."))
        }
    }

    private var tlsConfiguration: TLSConfiguration {
        TLSConfiguration(
            serverName: configuration.address.asciiDomain, trust: configuration.trust,
            applicationProtocols: configuration.encryption == .directTLS ? [TLSConfiguration.xmppClientProtocol] : [])
    }

    /// Reads and writes until the stream is over.
    private func converse(over transport: any Transport, until over: Latch) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.read(from: transport) }
            group.addTask { await self.write(to: transport) }
            await over.wait()
            group.cancelAll()
        }
    }

    /// Writes what is left and closes, in bounded time.
    private func finish(_ transport: any Transport) async {
        let (rest, stanzas) = outbox.take()
        let instant = clock.now().advanced(by: Self.finishTime)
        let isWritten = await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                defer { transport.abort() }
                do throws(TransportError) {
                    if !rest.isEmpty { try await transport.write(rest) }
                } catch {
                    return false
                }
                await transport.close()
                return true
            }
            group.addTask { [clock] in
                await clock.sleep(instant)
                return false
            }
            let isWritten = await group.next() ?? false
            transport.abort()
            group.cancelAll()
            return isWritten
        }
        if isWritten { written(stanzas) }
    }

    private func write(to transport: any Transport) async {
        while !Task.isCancelled {
            guard !outbox.isEmpty else {
                await outboxBell.wait()
                continue
            }
            let (bytes, stanzas) = outbox.take()
            do {
                try await transport.write(bytes)
            } catch {
                // The reader meets the same failure and tells the machine.
                return
            }
            written(stanzas)
            roomBell.ring()
            drainBell.ring()
        }
    }

    private func written(_ numbers: [StanzaToken]) {
        guard !numbers.isEmpty else { return }
        for number in numbers {
            guard let token = isManaged ? ledger[number] : ledger.close(number) else { continue }
            if isManaged { token.advance(to: .written) } else { token.writtenUnmanaged() }
            emit(.sent(token))
        }
        if !isHandlingInput { flushEvents() }
    }

    // MARK: Reading

    private func read(from transport: any Transport) async {
        while streamEnd == nil, !Task.isCancelled {
            await observers.gate.wait()
            while outbox.isOverflowing, streamEnd == nil, !Task.isCancelled { await drainBell.wait() }
            guard streamEnd == nil else { break }
            var actions: [StreamAction]?
            do throws(TransportError) {
                let bytes = try await transport.read()
                isHandlingInput = true
                if bytes.isEmpty {
                    actions = stream?.transportClosed(.endOfStream, now: clock.now())
                } else {
                    actions = stream?.bytesReceived(bytes, now: clock.now())
                }
            } catch {
                guard error.code != .cancelled else { break }
                isHandlingInput = true
                actions = stream?.transportClosed(TransportClosure(error), now: clock.now())
            }
            perform(actions)
            await handleInbox()
            isHandlingInput = false
            flushEvents()
            if isTLSWanted { await secure(transport) }
            if streamEnd != nil { streamOver.open() }
        }
    }

    /// The TLS handshake, after everything that was to go out in clear.
    private func secure(_ transport: any Transport) async {
        isTLSWanted = false
        let rest = outbox.take().bytes
        do throws(TransportError) {
            if !rest.isEmpty { try await transport.write(rest) }
            let information = try await transport.startTLS(tlsConfiguration)
            perform(stream?.tlsEstablished(.init(information), now: clock.now()))
        } catch {
            perform(stream?.transportClosed(TransportClosure(error), now: clock.now()))
        }
    }
}
