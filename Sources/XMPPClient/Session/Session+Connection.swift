import TransportLayer
import Waiting
import XMLStreaming
import XMPPStanzas
import XMPPStream

extension Session {
    /// The timeout for writing the remaining data when a stream is over.
    private static let finishTime = Duration.seconds(2)

    /// One connection from its beginning to its end.
    @inline(never)
    func connect(at place: ReconnectionSchedule.Place) async {
        let over = connection(at: place)
        guard let over else { return connectionOver(resuming: machine.resumption) }
        if await open(at: place, until: over) {
            startConversation()
            await over.wait()
            await finish()
        }
        await endConnection()
    }

    /// Makes the stream of the next connection; returns what is opened at its end, `nil` if there is no stream.
    @inline(never)
    private func connection(at place: ReconnectionSchedule.Place) -> Gate? {
        connection = Connection()
        observers.wire.report(.began)
        saving.connectionBegan()
        observers.gate.reset()
        do {
            stream = ClientStream(
                configuration: try configuration.stream(
                    purpose, resuming: machine.resumption, with: memory,
                    bindRequests: extensionTable.instances.flatMap(\.bindRequests)))
        } catch {
            streamEnded(StreamEnd(reason: .closedByServer, resumption: machine.resumption))
            return nil
        }
        perform(stream?.open(now: clock.now()))
        return connection.over
    }

    /// Connects the transport; returns whether it is open.
    @inline(never)
    private func open(at place: ReconnectionSchedule.Place, until over: Gate) async -> Bool {
        switch await configuration.openTransport(at: place, on: loop, unless: over) {
        case .success(let opened):
            connection.transport = opened
            if let direct = opened as? any EventLoopTransport, direct.loop === loop { connection.direct = direct }
            connection.outbox = Outbox(keepsPieces: opened.isMessageBased)
            let tls = await opened.tlsInformation
            let framing: StreamFraming = opened.isMessageBased ? .webSocket : .stream
            perform(stream?.transportConnected(tls: tls.map { .init($0) }, framing: framing, now: clock.now()))
            return true
        case .failure(let error):
            perform(stream?.transportClosed(TransportClosure(error), now: clock.now()))
            return false
        }
    }

    @inline(never)
    private func endConnection() async {
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
        connection.direct = nil
        perform(machine.connectionOver(resuming: resumption, now: clock.now()))
        flushEvents()
    }

    /// Reads and writes from now on.
    @inline(never)
    private func startConversation() {
        guard let transport = connection.transport else { return }
        connection.isConversing = true
        flushOutbox()
        if let direct = connection.direct {
            direct.startReading(self)
        } else {
            connection.reading = Task { await self.read(from: transport) }
        }
    }

    /// Ends reading and writing when the stream is over, writes the remaining data and closes the transport, with a timeout.
    @inline(never)
    private func finish() async {
        guard let transport = connection.transport else { return }
        connection.direct?.stopReading()
        connection.isConversing = false
        connection.reading?.cancel()
        connection.writer?.cancel()
        await connection.reading?.value
        await connection.writer?.value
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

    // MARK: Writing

    /// Something was added to the outbox: it is written at the end of this turn of the event loop.
    func outboxGrew() {
        gatherTurn()
        if connection.outbox.isFull { updateIntake() }
    }

    /// Lets this turn of the event loop end with a call of ``turnEnded()``.
    func gatherTurn() {
        guard !isTurnGathered else { return }
        isTurnGathered = true
        loop.state.gather(self)
    }

    /// Passes the outbox to the transport, at once if that needs no waiting.
    private func flushOutbox() {
        guard connection.isConversing, !connection.outbox.isEmpty, connection.writer == nil,
            !connection.isWritingOver, let transport = connection.transport
        else { return }
        // A stanza may be resent by another process only if it was stored before it left this one.
        guard configuration.store == nil, let direct = connection.direct, direct.isReadyToWrite else {
            connection.writer = Task {
                await self.writeOutbox(to: transport)
                self.connection.writer = nil
            }
            return
        }
        let (pieces, stanzas) = connection.outbox.take()
        let elements = takeSentElements()
        for piece in pieces {
            counted.bytesSent += UInt64(piece.count)
            observers.wire.report(.sent(piece))
            direct.writeNow(piece)
        }
        var tokens = connection.outbox.takeTokens()
        wrote(stanzas, elements, &tokens)
    }

    private func writeOutbox(to transport: any Transport) async {
        while !Task.isCancelled, !connection.outbox.isEmpty {
            let (pieces, stanzas) = connection.outbox.take()
            let elements = takeSentElements()
            // Until they are written, tokens stay where the end of the stream finds them.
            let tokenCount = connection.outbox.tokenCount
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
            var tokens = connection.outbox.takeTokens(tokenCount)
            wrote(stanzas, elements, &tokens)
        }
    }

    private func wrote(_ stanzas: [StanzaToken], _ elements: [XMLElement], _ tokens: inout [[SendToken]]) {
        written(stanzas)
        wrote(&tokens)
        written(elements: elements)
        outboxHasRoom.send()
        outboxDrained.send()
        updateIntake()
    }

    func write(_ pieces: [[UInt8]], to transport: any Transport) async throws(TransportError) {
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
                // No observer exists yet.
                if !isObserved, isKnownUniquelyReferenced(&token) { continue }
                token.writtenUnmanaged()
                if isObserved { emit(.sent(token)) }
                ledger.remember(&token)
            }
        }
        flushEventsOutsideOfReading()
    }
}

extension Session: Flushable {
    /// The end of a turn of the event loop.
    package nonisolated func turnEnded() {
        assumeIsolated { session in
            session.isTurnGathered = false
            session.takeIntake()
            session.flushOutbox()
        }
    }
}
