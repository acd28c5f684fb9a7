import Cryptography
import SASLMechanisms
import TransportLayer
import Waiting
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

    /// How long the place that a server named may take to accept a connection.
    private static let detourTime = Duration.seconds(5)

    /// One connection from its beginning to its end.
    func connect(at place: ReconnectionSchedule.Place) async {
        connection = Connection()
        saving.connectionBegan()
        observers.gate.reset()
        let over = connection.over
        do {
            stream = ClientStream(configuration: try streamConfiguration(resuming: machine.resumption))
        } catch {
            streamEnded(StreamEnd(reason: .closedByServer, resumption: machine.resumption))
            return connectionOver(resuming: machine.resumption)
        }
        perform(stream?.open(now: clock.now()))

        switch await openTransport(at: place, unless: over) {
        case .success(let opened):
            connection.transport = opened
            connection.outbox = Outbox(keepsPieces: opened.isMessageBased)
            let tls = await opened.tlsInformation
            let framing: StreamFraming = opened.isMessageBased ? .webSocket : .stream
            perform(stream?.transportConnected(tls: tls.map { .init($0) }, framing: framing, now: clock.now()))
            await converse(over: opened, until: over)
            await finish(opened)
        case .failure(let error):
            perform(stream?.transportClosed(TransportClosure(error), now: clock.now()))
        }
        guard let end = machine.end else { preconditionFailure("a connection is finished when its stream has ended") }
        await saveEnd(end)
        // What was handled after the end counts, too.
        connectionOver(
            resuming: end.resumption == nil ? nil : stream?.resumptionState(afterHandling: 0) ?? end.resumption)
    }

    private func connectionOver(resuming resumption: ResumptionState?) {
        counted.keepAlives += stream?.keepAliveCount ?? 0
        if let pace = stream?.keepAlivePace { memory.keepAlivePace = pace }
        if let limits = stream?.serverLimits { memory.limits = limits }
        stream = nil
        connection.transport = nil
        perform(machine.connectionOver(resuming: resumption, now: clock.now()))
        flushEvents()
    }

    private func streamConfiguration(resuming resumption: ResumptionState?) throws -> ClientStreamConfiguration {
        var stream = ClientStreamConfiguration(
            address: configuration.address,
            purpose: purpose == .login ? .authenticate(configuration.credentials) : .register,
            digests: .system, nonce: Base64.encode(try SecureRandom.bytes(Self.nonceLength)))
        stream.tls = configuration.encryption
        stream.mechanisms = configuration.mechanisms
        stream.mechanisms.previousMechanism = memory.mechanism ?? configuration.mechanisms.previousMechanism
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
        stream.keepAlivePace = memory.keepAlivePace
        stream.serverLimits = memory.limits
        stream.userAgent = configuration.userAgent
        stream.fastToken = memory.token
        stream.bindTag = configuration.userAgent?.software
        stream.bindRequests = extensionTable.all.flatMap(\.bindRequests)
        stream.loginTimeout = configuration.loginTimeout
        let handshake = tlsConfiguration.handshakeTimeout
        if handshake > Self.longestHandshake { stream.loginTimeout += handshake }
        stream.resumptionTimeout = configuration.resumptionTimeout
        stream.closeTimeout = configuration.closeTimeout
        return stream
    }

    /// Connects, unless the stream is over before: closed by the program, or out of time.
    private func openTransport(
        at place: ReconnectionSchedule.Place, unless over: Gate
    ) async -> Result<any Transport, TransportError> {
        let isDetour = place.host != nil
        let place = place.host
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
            if isDetour {
                // Not the whole time of the login: the usual place waits.
                let due = clock.now().advanced(by: Self.detourTime)
                group.addTask { [clock] in
                    await clock.sleep(due)
                    return .failure(TransportError(.timedOut, "The place that the server named does not answer."))
                }
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
        var tls = TLSConfiguration(
            serverName: configuration.address.asciiDomain, trust: configuration.trust,
            applicationProtocols: configuration.encryption == .directTLS ? [TLSConfiguration.xmppClientProtocol] : [])
        tls.identity = configuration.clientIdentity
        tls.sessionCache = configuration.clientIdentity == nil ? configuration.tlsSessions : nil
        return tls
    }

    /// Reads and writes until the stream is over.
    private func converse(over transport: any Transport, until over: Gate) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.read(from: transport) }
            group.addTask { await self.write(to: transport) }
            await over.wait()
            group.cancelAll()
        }
    }

    /// Writes what is left and closes, in bounded time.
    private func finish(_ transport: any Transport) async {
        await saveIfDue()
        let (rest, stanzas) = connection.outbox.take()
        let instant = clock.now().advanced(by: Self.finishTime)
        let isWritten = await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                defer { transport.abort() }
                do throws(TransportError) {
                    try await self.write(rest, to: transport)
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
            guard !connection.outbox.isEmpty else {
                await outboxFilled.wait()
                continue
            }
            let (pieces, stanzas) = connection.outbox.take()
            // A stanza may be resent by another process only if it was stored before it left this one.
            guard await saveIfDue() else { return }
            do {
                try await write(pieces, to: transport)
            } catch {
                // The reader meets the same failure and tells the machine.
                return
            }
            written(stanzas)
            outboxHasRoom.send()
            outboxDrained.send()
        }
    }

    private func write(_ pieces: [[UInt8]], to transport: any Transport) async throws(TransportError) {
        for piece in pieces {
            // Counted before: the answer may be here before this task has its turn again.
            counted.bytesSent += UInt64(piece.count)
            try await transport.write(piece)
        }
    }

    private func written(_ numbers: [StanzaToken]) {
        guard !numbers.isEmpty else { return }
        for number in numbers {
            guard let token = connection.isManaged ? ledger[number] : ledger.close(number) else { continue }
            if connection.isManaged { token.advance(to: .written) } else { token.writtenUnmanaged() }
            emit(.sent(token))
        }
        flushEventsOutsideOfReading()
    }

    // MARK: Reading

    private func read(from transport: any Transport) async {
        while machine.end == nil, !Task.isCancelled {
            await observers.gate.wait()
            while connection.outbox.isOverflowing, machine.end == nil, !Task.isCancelled { await outboxDrained.wait() }
            guard machine.end == nil else { break }
            var actions: [StreamAction]?
            do throws(TransportError) {
                let bytes = try await transport.read()
                connection.isHandlingInput = true
                counted.wakeUps += 1
                counted.bytesReceived += UInt64(bytes.count)
                if bytes.isEmpty {
                    actions = stream?.transportClosed(.endOfStream, now: clock.now())
                } else {
                    actions = stream?.bytesReceived(bytes, now: clock.now())
                }
            } catch {
                guard error.code != .cancelled else { break }
                connection.isHandlingInput = true
                actions = stream?.transportClosed(TransportClosure(error), now: clock.now())
            }
            perform(actions)
            await handleInbox()
            if configuration.store != nil { await saveIfDue() }
            connection.isHandlingInput = false
            flushEvents()
            if connection.isTLSDue { await secure(transport) }
            if machine.end != nil { connection.over.open() }
        }
    }

    /// The TLS handshake, after everything that was to go out in clear.
    private func secure(_ transport: any Transport) async {
        connection.isTLSDue = false
        let rest = connection.outbox.take().pieces
        do throws(TransportError) {
            try await write(rest, to: transport)
            let information = try await transport.startTLS(tlsConfiguration)
            perform(stream?.tlsEstablished(.init(information), now: clock.now()))
        } catch {
            perform(stream?.transportClosed(TransportClosure(error), now: clock.now()))
        }
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
