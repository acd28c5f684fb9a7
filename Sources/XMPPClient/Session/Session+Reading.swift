package import TransportLayer
import XMPPStream

extension Session {
    /// Whether nothing is read because too much waits to be written.
    private var mustDrain: Bool {
        connection.outbox.isOverflowing && !connection.isWritingOver && !machine.isDraining
    }

    /// Reads from a transport that is not on the session's event loop.
    func read(from transport: any Transport) async {
        while await waitUntilReadable() {
            do throws(TransportError) {
                let bytes = try await transport.read()
                if bytes.isEmpty { inputEnded(nil) } else { bytes.withUnsafeBytes { inputReceived($0) } }
            } catch {
                guard error.code != .cancelled else { break }
                inputEnded(error)
            }
            await handleInput()
        }
    }

    /// Returns when bytes may be read; `false` when nothing more is read.
    @inline(never)
    private func waitUntilReadable() async -> Bool {
        await waitForObservers()
        while mustDrain, !Task.isCancelled { await outboxDrained.wait() }
        return !machine.isDraining && !Task.isCancelled
    }

    private func inputReceived(_ bytes: UnsafeRawBufferPointer) {
        connection.isHandlingInput = true
        counted.wakeUps += 1
        counted.bytesReceived += UInt64(bytes.count)
        observers.wire.report(.received(Array(bytes)))
        perform(stream?.bytesReceived(bytes, now: clock.now()))
    }

    private func inputEnded(_ error: TransportError?) {
        connection.isHandlingInput = true
        perform(stream?.transportClosed(error.map { TransportClosure($0) } ?? .endOfStream, now: clock.now()))
    }

    /// Handles what was received, and does what follows from it.
    @inline(never)
    private func handleInput() async {
        await handleInbox()
        if configuration.store != nil { await saveIfDue() }
        inputHandled()
        if connection.isTLSDue, let transport = connection.transport { await secure(transport) }
        if machine.isDraining { connection.over.open() }
    }

    private func inputHandled() {
        connection.isHandlingInput = false
        flushEvents()
        stream?.releaseMemory()
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

// MARK: - Reading in a turn of the event loop

extension Session: TransportReader {
    package nonisolated func bytesArrived(_ bytes: UnsafeRawBufferPointer) {
        // Valid during this call, which is on the session's executor.
        nonisolated(unsafe) let bytes = bytes
        assumeIsolated { session in
            session.inputReceived(bytes)
            session.completeInput()
        }
    }

    package nonisolated func readingEnded(_ error: TransportError?) {
        assumeIsolated { session in
            // What was received before comes first.
            if session.connection.isReadingPaused {
                session.connection.pendingEnd = .some(error)
            } else {
                session.inputEnded(error)
                session.completeInput()
            }
        }
    }

    /// Handles what was received in this turn, unless something has to be waited for: then a task does, and reading pauses.
    private func completeInput() {
        if handleInboxAtOnce(), configuration.store == nil, !connection.isTLSDue, !machine.isDraining {
            inputHandled()
            if observers.gate.isOpen, !mustDrain { return }
        }
        connection.isReadingPaused = true
        connection.direct?.pauseReading()
        connection.reading = Task.immediate { await self.handlePaused() }
    }

    private func handlePaused() async {
        while true {
            await handleInput()
            guard await waitUntilReadable() else { return }
            guard let error = connection.pendingEnd else { break }
            connection.pendingEnd = nil
            inputEnded(error)
        }
        connection.isReadingPaused = false
        connection.direct?.resumeReading()
    }
}
