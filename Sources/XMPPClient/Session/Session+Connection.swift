import TransportLayer
import Waiting
import XMPPStanzas
import XMPPStream

extension Session {
    /// The timeout for writing the remaining data when a stream is over.
    private static let finishTime = Duration.seconds(2)

    /// One connection from its beginning to its end.
    func connect(at place: ReconnectionSchedule.Place) async {
        connection = Connection()
        observers.wire.report(.began)
        saving.connectionBegan()
        observers.gate.reset()
        let over = connection.over
        do {
            stream = ClientStream(
                configuration: try configuration.stream(
                    purpose, resuming: machine.resumption, with: memory,
                    bindRequests: extensionTable.instances.flatMap(\.bindRequests)))
        } catch {
            streamEnded(StreamEnd(reason: .closedByServer, resumption: machine.resumption))
            return connectionOver(resuming: machine.resumption)
        }
        perform(stream?.open(now: clock.now()))

        switch await configuration.openTransport(at: place, unless: over) {
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
        // Stanzas that were handled after the end count as well.
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

    /// Reads and writes until the stream is over.
    private func converse(over transport: any Transport, until over: Gate) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.read(from: transport) }
            group.addTask { await self.write(to: transport) }
            await over.wait()
            group.cancelAll()
        }
    }

    /// Writes the remaining data and closes the transport, with a timeout.
    private func finish(_ transport: any Transport) async {
        await saveIfDue()
        let (rest, stanzas) = connection.outbox.take()
        let elements = takeSentElements()
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
        if isWritten {
            written(stanzas)
            written(elements: elements)
        }
    }

    private func write(to transport: any Transport) async {
        while !Task.isCancelled {
            guard !connection.outbox.isEmpty else {
                await waitForOutbox(toHold: 1)
                continue
            }
            let byteCount = connection.outbox.byteCount
            let (pieces, stanzas) = connection.outbox.take()
            let elements = takeSentElements()
            // A stanza may be resent by another process only if it was stored before it left this one.
            guard await saveIfDue() else { return }
            do {
                try await write(pieces, to: transport)
            } catch {
                // The reader gets the same failure and reports it to the machine, unless it waits for data that is
                // never written.
                connection.isWritingOver = true
                outboxDrained.send()
                return
            }
            written(stanzas)
            written(elements: elements)
            outboxHasRoom.send()
            outboxDrained.send()
            if byteCount >= Outbox.burst { await gather() }
        }
    }

    private func waitForOutbox(toHold byteCount: Int) async {
        guard connection.outbox.byteCount < byteCount else { return }
        connection.wakesWriterAt = byteCount
        await outboxFilled.wait()
        connection.wakesWriterAt = .max
    }

    /// Lets more gather for the next write, but not longer than ``Outbox/gatheringTime``: during a burst each wake-up of a
    /// task costs more than many messages.
    private func gather() async {
        if !isGatheringTimed {
            isGatheringTimed = true
            spawn { [self] in
                // The time of the machine, not that of the session's clock: nothing in the protocol depends on it.
                try? await Task.sleep(for: Outbox.gatheringTime)
                await gatheringTimePassed()
            }
        }
        connection.outbox.reserveRoom()
        await waitForOutbox(toHold: Outbox.gathered)
        // The burst is over: its room is given back.
        if connection.outbox.isEmpty { _ = connection.outbox.take() }
    }

    private func gatheringTimePassed() {
        isGatheringTimed = false
        if connection.wakesWriterAt == Outbox.gathered { outboxFilled.send() }
    }

    private func write(_ pieces: [[UInt8]], to transport: any Transport) async throws(TransportError) {
        for piece in pieces {
            // Counted before writing, because the response may arrive before this task continues.
            counted.bytesSent += UInt64(piece.count)
            observers.wire.report(.sent(piece))
            try await transport.write(piece)
        }
    }

    private func written(_ numbers: [StanzaToken]) {
        guard !numbers.isEmpty else { return }
        let isObserved = observers.isObserved(.sending)
        for number in numbers {
            if connection.isManaged {
                guard let token = ledger[number] else { continue }
                token.advance(to: .written)
                if isObserved { emit(.sent(token)) }
            } else {
                guard var token = ledger.close(number) else { continue }
                // Nobody can learn of a change.
                if !isObserved, isKnownUniquelyReferenced(&token) { continue }
                token.writtenUnmanaged()
                if isObserved { emit(.sent(token)) }
                ledger.remember(&token)
            }
        }
        flushEventsOutsideOfReading()
    }

    // MARK: Reading

    /// Whether nothing is read because too much waits to be written.
    private var mustDrain: Bool {
        connection.outbox.isOverflowing && !connection.isWritingOver && machine.end == nil
    }

    private func read(from transport: any Transport) async {
        while machine.end == nil, !Task.isCancelled {
            await waitForObservers()
            while mustDrain, !Task.isCancelled { await outboxDrained.wait() }
            guard machine.end == nil else { break }
            var actions: [StreamAction]?
            do throws(TransportError) {
                let bytes = try await transport.read()
                connection.isHandlingInput = true
                counted.wakeUps += 1
                counted.bytesReceived += UInt64(bytes.count)
                observers.wire.report(.received(bytes))
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

    /// Performs the TLS handshake after all unencrypted data was written.
    private func secure(_ transport: any Transport) async {
        connection.isTLSDue = false
        let rest = connection.outbox.take().pieces
        do throws(TransportError) {
            try await write(rest, to: transport)
            let information = try await transport.startTLS(configuration.tls)
            perform(stream?.tlsEstablished(.init(information), now: clock.now()))
        } catch {
            perform(stream?.transportClosed(TransportClosure(error), now: clock.now()))
        }
    }
}
