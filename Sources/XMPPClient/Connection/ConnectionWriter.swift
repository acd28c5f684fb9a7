import TransportLayer
import Waiting
import XMLStreaming
import XMPPStanzas
import XMPPStream

/// Writes the data of one connection in one order: at the end of each turn of the event loop, at once if the transport takes
/// it, and otherwise in a task.
///
/// It is used on the executor of its session only.
final class ConnectionWriter {
    private enum State {
        /// The transport is not open yet, or the stream is over: data gathers.
        case closed
        /// The transport takes data.
        case ready
        /// A task writes what the transport did not take at once.
        case writing(Task<Void, Never>)
        /// The same after the end of the stream; the task is cancelled.
        case stopping(Task<Void, Never>)
        /// Writing has failed: nothing leaves the outbox any more.
        case failed
    }

    private var state = State.closed
    var outbox = Outbox()
    /// The elements other than stanzas in the outbox, if they are observed.
    private var elements: [XMLElement] = []

    /// Whether nothing may be read because too much waits to be written.
    var mustDrain: Bool {
        guard outbox.isOverflowing else { return false }
        if case .failed = state { return false }
        return true
    }

    /// Records an element in the outbox whose writing is reported.
    func append(_ element: XMLElement) { elements.append(element) }

    /// The transport is open: writes from now on.
    func start(in session: isolated Session) {
        state = .ready
        flush(in: session)
    }

    /// Ends writing; what waits is left for ``finish(until:closing:in:)``.
    func stop() {
        guard case .writing(let task) = state else { return state = .closed }
        task.cancel()
        state = .stopping(task)
    }

    /// Returns when nothing is being written any more.
    func waitUntilStopped(in session: isolated Session) async {
        guard case .stopping(let task) = state else { return }
        await task.value
        state = .closed
    }

    /// Discards what waits to be written.
    func clear() { outbox = Outbox() }

    /// Passes the outbox to the transport, at once if that needs no waiting.
    func flush(in session: isolated Session) {
        guard case .ready = state, !outbox.isEmpty else { return }
        // A stanza may be resent by another process only if it was stored before it left this one.
        guard !session.isStored, let direct = session.connection.direct, direct.isReadyToWrite else {
            guard let transport = session.connection.transport else { return }
            state = .writing(
                Task {
                    await writeOutbox(to: transport, in: session)
                    if case .writing = state { state = .ready }
                })
            return
        }
        let (bytes, stanzas) = outbox.takeBytes()
        let elements = takeElements()
        session.isWriting(bytes)
        direct.writeNow(bytes)
        var tokens = outbox.takeTokens()
        wrote(stanzas, elements, &tokens, in: session)
    }

    private func writeOutbox(to transport: any Transport, in session: isolated Session) async {
        while !Task.isCancelled, !outbox.isEmpty {
            let (pieces, stanzas) = outbox.take()
            let elements = takeElements()
            // Until they are written, tokens stay where the end of the stream finds them.
            let tokenCount = outbox.tokenCount
            // A stanza may be resent by another process only if it was stored before it left this one.
            guard await session.saveIfDue() else { return }
            do {
                try await session.write(pieces, to: transport)
            } catch {
                // The reader gets the same failure and reports it to the machine, unless it waits for data that is
                // never written.
                if case .writing = state { state = .failed }
                session.outboxDrained.send()
                return
            }
            var tokens = outbox.takeTokens(tokenCount)
            wrote(stanzas, elements, &tokens, in: session)
        }
    }

    private func wrote(
        _ stanzas: [StanzaToken], _ elements: [XMLElement], _ tokens: inout [[SendToken]], in session: isolated Session
    ) {
        session.sent.written(stanzas, in: session)
        session.sent.written(&tokens, in: session)
        report(elements, in: session)
        session.outboxHasRoom.send()
        session.outboxDrained.send()
        session.sender.outboxShrank(in: session)
    }

    /// Writes the remaining data after the end of the stream, unless the instant passes before, and closes the transport.
    func finish(
        until instant: ContinuousInstant, closing transport: any Transport, in session: isolated Session
    ) async {
        let (rest, stanzas) = outbox.take()
        let elements = takeElements()
        let isWritten = await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                defer { transport.abort() }
                do throws(TransportError) {
                    try await session.write(rest, to: transport)
                } catch {
                    return false
                }
                await transport.close()
                return true
            }
            group.addTask { [clock = session.clock] in
                await clock.sleep(instant)
                return false
            }
            let isWritten = await group.next() ?? false
            transport.abort()
            group.cancelAll()
            return isWritten
        }
        guard isWritten else { return }
        session.sent.written(stanzas, in: session)
        report(elements, in: session)
    }

    /// The elements in the outbox, taken together with its bytes.
    private func takeElements() -> [XMLElement] {
        guard !elements.isEmpty else { return [] }
        defer { elements = [] }
        return elements
    }

    private func report(_ elements: [XMLElement], in session: isolated Session) {
        for element in elements { session.emit(.elementSent(element)) }
        if !elements.isEmpty { session.flushEventsOutsideOfReading() }
    }
}

extension Session {
    /// Writes data that waited; the task that calls waits until the transport has taken it.
    func write(_ pieces: [[UInt8]], to transport: any Transport) async throws(TransportError) {
        for piece in pieces {
            // Counted before writing, because the response may arrive before this task continues.
            isWriting(piece)
            try await transport.write(piece)
        }
    }

    func isWriting(_ piece: [UInt8]) {
        counted.bytesSent += UInt64(piece.count)
        observers.wire.report(.sent(piece))
    }
}
