package import TransportLayer
import XMPPStream

/// Reads one connection. What a read brings is handled in the same turn of the event loop; where something has to be waited
/// for, a task handles it, and reading pauses.
///
/// It is used on the executor of its session only.
final class ConnectionReader {
    /// Nothing is read until a task has handled what was read.
    private struct Pause {
        /// How the transport ended meanwhile.
        var end: TransportError??
    }

    /// Reads, or handles what was read, where that has to wait.
    private var task: Task<Void, Never>?
    private var pause: Pause?
    /// Whether the TLS handshake must run before the next read.
    private var isTLSDue = false
    /// Whether the data of one read is being handled: events wait until all of it is.
    private(set) var isHandling = false
    /// Whether it is handled in this turn of the event loop, at the end of which the timer is set once.
    private(set) var isInTurn = false

    func start(_ transport: any Transport, in session: isolated Session) {
        if let direct = session.connection.direct {
            direct.startReading(session)
        } else {
            task = Task { await read(from: transport, in: session) }
        }
    }

    /// Ends reading.
    func stop(in session: isolated Session) {
        session.connection.direct?.stopReading()
        task?.cancel()
    }

    /// Returns when nothing is read or handled any more.
    func waitUntilStopped(in session: isolated Session) async { await task?.value }

    /// The TLS handshake follows what was read.
    func startTLS() { isTLSDue = true }

    /// Reads from a transport that is not on the session's event loop.
    private func read(from transport: any Transport, in session: isolated Session) async {
        while await waitUntilReadable(in: session) {
            do throws(TransportError) {
                let bytes = try await transport.read()
                if bytes.isEmpty {
                    inputEnded(nil, in: session)
                } else {
                    bytes.withUnsafeBytes { inputReceived($0, in: session) }
                }
            } catch {
                guard error.code != .cancelled else { break }
                inputEnded(error, in: session)
            }
            await handleInput(in: session)
        }
    }

    /// Returns when bytes may be read; `false` when nothing more is read.
    @inline(never)
    private func waitUntilReadable(in session: isolated Session) async -> Bool {
        await session.waitForObservers()
        while mustDrain(session), !Task.isCancelled { await session.outboxDrained.wait() }
        return !session.machine.isDraining && !Task.isCancelled
    }

    /// Whether nothing is read because too much waits to be written.
    private func mustDrain(_ session: isolated Session) -> Bool {
        session.connection.writer.mustDrain && !session.machine.isDraining
    }

    private func inputReceived(_ bytes: UnsafeRawBufferPointer, in session: isolated Session) {
        isHandling = true
        session.counted.wakeUps += 1
        session.counted.bytesReceived += UInt64(bytes.count)
        session.observers.wire.report(.received(Array(bytes)))
        session.perform(session.stream?.bytesReceived(bytes, now: session.clock.now()))
    }

    private func inputEnded(_ error: TransportError?, in session: isolated Session) {
        isHandling = true
        session.perform(
            session.stream?.transportClosed(
                error.map { TransportClosure($0) } ?? .endOfStream, now: session.clock.now()))
    }

    /// Handles what was received, and does what follows from it.
    @inline(never)
    private func handleInput(in session: isolated Session) async {
        await session.receiver.handle(in: session)
        if session.isStored { await session.saveIfDue() }
        inputHandled(in: session)
        if isTLSDue, let transport = session.connection.transport { await secure(transport, in: session) }
        if session.machine.isDraining { session.connectionIsOver() }
    }

    private func inputHandled(in session: isolated Session) {
        isHandling = false
        session.flushEvents()
        session.stream?.releaseMemory()
    }

    /// Performs the TLS handshake after all unencrypted data was written.
    private func secure(_ transport: any Transport, in session: isolated Session) async {
        isTLSDue = false
        let rest = session.connection.writer.outbox.take().pieces
        do throws(TransportError) {
            try await session.write(rest, to: transport)
            let information = try await transport.startTLS(session.configuration.tls)
            session.perform(session.stream?.tlsEstablished(.init(information), now: session.clock.now()))
        } catch {
            session.perform(session.stream?.transportClosed(TransportClosure(error), now: session.clock.now()))
        }
    }

    // MARK: Reading in a turn of the event loop

    fileprivate func arrived(_ bytes: UnsafeRawBufferPointer, in session: isolated Session) {
        isInTurn = true
        inputReceived(bytes, in: session)
        let isHandled = session.receiver.handleAtOnce(in: session)
        isInTurn = false
        completeInput(isHandled: isHandled, in: session)
    }

    /// What several reads have brought is one batch for the observers: to wake one costs as much as to handle a read.
    fileprivate func arrivalsEnded(in session: isolated Session) {
        session.rearm()
        guard pause == nil else { return }
        inputHandled(in: session)
        if !session.observers.gate.isOpen { pauseReading(in: session) }
    }

    fileprivate func ended(_ error: TransportError?, in session: isolated Session) {
        // What was received before comes first.
        if pause != nil {
            pause?.end = .some(error)
        } else {
            inputEnded(error, in: session)
            completeInput(isHandled: session.receiver.handleAtOnce(in: session), in: session)
            arrivalsEnded(in: session)
        }
    }

    /// Goes on reading, unless something has to be waited for: then a task handles what was received, and reading pauses.
    private func completeInput(isHandled: Bool, in session: isolated Session) {
        let isOver = isHandled && !session.isStored && !isTLSDue && !session.machine.isDraining
        if isOver, !mustDrain(session) { return isHandling = false }
        pauseReading(in: session)
    }

    private func pauseReading(in session: isolated Session) {
        pause = Pause()
        session.connection.direct?.pauseReading()
        task = Task.immediate { await handlePaused(in: session) }
    }

    private func handlePaused(in session: isolated Session) async {
        while true {
            await handleInput(in: session)
            guard await waitUntilReadable(in: session) else { return }
            guard let error = pause?.end else { break }
            pause?.end = nil
            inputEnded(error, in: session)
        }
        pause = nil
        session.connection.direct?.resumeReading()
    }
}

extension Session: TransportReader {
    package nonisolated func bytesArrived(_ bytes: UnsafeRawBufferPointer) {
        onLoop(bytes) { $0.connection.reader.arrived($1, in: $0) }
    }

    package nonisolated func arrivalsEnded() { onLoop { $0.connection.reader.arrivalsEnded(in: $0) } }

    package nonisolated func readingEnded(_ error: TransportError?) {
        onLoop(error) { $0.connection.reader.ended($1, in: $0) }
    }
}
