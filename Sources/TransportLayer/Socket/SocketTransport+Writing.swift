import CEpoll
import Glibc

extension SocketTransport: Flushable {
    public func write(_ bytes: [UInt8]) async throws(TransportError) {
        while true {
            if let failure = failure ?? writeFailure { throw failure }
            if phase == .finishing {
                throw TransportError(.writingFinished, "Our half of the connection has been ended already.")
            }
            if unsentCount < limits.queuedBytes { break }
            let isOver = { self.unsentCount < self.limits.queuedBytes || self.hasFailed || self.hasFailedWriting }
            guard await waitForWriting(isCancellable: true, until: isOver) else { throw .cancelledByTask }
        }
        queue(bytes)
    }

    private func queue(_ bytes: [UInt8]) {
        if bytes.isEmpty { return }
        queued = Self.joined(exchange(&queued, with: []), bytes)
        gather()
    }

    public func finishWriting() async throws(TransportError) {
        if let failure = failure ?? writeFailure { throw failure }
        beginFinishing()
        gather()
    }

    func beginFinishing() {
        guard phase == .open else { return }
        phase = .finishing
        mustFinish = true
    }

    /// Schedules a flush at the end of this loop iteration.
    func gather() {
        guard !isGathered else { return }
        isGathered = true
        loop.state.gather(self)
    }

    package nonisolated func turnEnded() {
        onLoop {
            $0.isGathered = false
            $0.flush()
        }
    }

    /// Passes bytes to the kernel as far as it accepts them, and resumes the writers that have room now.
    func flush() {
        guard phase == .open || phase == .finishing, !hasFailedWriting else { return }
        sendQueued()
        if hasSentEnd || unsentCount < limits.queuedBytes { wakeWriters() }
    }

    private func sendQueued() {
        guard send() else { return }
        while !queued.isEmpty || engine?.hasOutput == true {
            // Encrypted as late as possible, so that a stalled peer costs memory for plain bytes only.
            let bytes = exchange(&queued, with: [])
            if engine == nil {
                outgoing = bytes
            } else {
                do throws(TransportError) {
                    if !bytes.isEmpty { try engine?.encrypt(bytes) }
                } catch {
                    return fail(error)
                }
                takeEngineOutput()
            }
            guard send() else { return }
        }
        guard mustFinish else { return }
        // The close_notify of TLS needs another pass.
        engine?.finishWriting()
        takeEngineOutput()
        guard send() else { return }
        mustFinish = false
        shutdown(descriptor, Int32(SHUT_WR))
        hasSentEnd = true
    }

    /// The bytes that callers have written and the kernel has not accepted.
    private var unsentCount: Int { queued.count + outgoing.count - outgoingOffset }

    func takeEngineOutput() {
        if let bytes = engine?.takeOutput() { appendOutgoing(bytes) }
    }

    func appendOutgoing(_ bytes: [UInt8]) { outgoing = Self.joined(exchange(&outgoing, with: []), bytes) }

    private static func joined(_ bytes: consuming [UInt8], _ more: [UInt8]) -> [UInt8] {
        if bytes.isEmpty { return more }
        bytes += more
        return bytes
    }

    /// Sends `outgoing`; returns `false` if the kernel accepts no more now or the connection failed.
    private func send() -> Bool {
        while outgoingOffset < outgoing.count {
            guard isWritable else { return false }
            // A closure that captures the actor asks the runtime for its executor.
            let (bytes, offset, descriptor) = (outgoing, outgoingOffset, descriptor)
            let count = bytes.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress?.advanced(by: offset), $0.count - offset, Int32(MSG_NOSIGNAL))
            }
            if count >= 0 {
                outgoingOffset += count
                continue
            }
            switch errno {
            case EINTR: continue
            case EAGAIN:
                isWritable = false
                return false
            case let code:
                writingFailed(code)
                return false
            }
        }
        if outgoingOffset > 0 { (outgoing, outgoingOffset) = ([], 0) }
        return true
    }

    /// The peer accepts no more bytes. Data that it sent before (perhaps the reason) may still be read, so only writers
    /// get the error now.
    private func writingFailed(_ code: Int32) {
        writeFailure = TransportError(errno: code, "Sending")
        queued = []
        outgoing = []
        outgoingOffset = 0
        mustFinish = false
        hasSentEnd = true
        wakeWriters()
    }

    /// Suspends until the state of writing has changed; returns `false` if the task was cancelled.
    ///
    /// - Parameter isOver: Whether there is nothing to wait for. It is asked when nothing can come in between any more: before,
    ///   the task may have been suspended and an event handled, which does not come again.
    @discardableResult
    func waitForWriting(isCancellable: Bool, until isOver: () -> Bool) async -> Bool {
        if isCancellable && Task.isCancelled { return false }
        lastWaiter += 1
        let number = lastWaiter
        guard isCancellable else {
            await withCheckedContinuation { continuation in
                if isOver() { continuation.resume() } else { addWaiter(number, continuation) }
            }
            return true
        }
        let loop = loop
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if Task.isCancelled || phase == .closed || isOver() {
                    continuation.resume()
                } else {
                    addWaiter(number, continuation)
                }
            }
        } onCancel: {
            loop.execute { self.onLoop { $0.removeWaiter(number)?.resume() } }
        }
        return !Task.isCancelled
    }

    private func addWaiter(_ number: UInt64, _ continuation: CheckedContinuation<Void, Never>) {
        var waiters = exchange(&writeWaiters, with: [:])
        waiters[number] = continuation
        writeWaiters = waiters
    }

    private func removeWaiter(_ number: UInt64) -> CheckedContinuation<Void, Never>? {
        var waiters = exchange(&writeWaiters, with: [:])
        defer { writeWaiters = waiters }
        return waiters.removeValue(forKey: number)
    }

    func wakeWriters() {
        guard !writeWaiters.isEmpty else { return }
        // In the order of arrival.
        let waiters = exchange(&writeWaiters, with: [:]).sorted { $0.key < $1.key }
        for (_, waiter) in waiters { waiter.resume() }
    }
}

extension SocketTransport: EventLoopTransport {
    package nonisolated var isReadyToWrite: Bool {
        onLoop {
            // An open transport has no failure of reading.
            $0.phase == .open && !$0.hasFailedWriting && $0.unsentCount < $0.limits.queuedBytes
        }
    }

    package nonisolated func writeNow(_ bytes: [UInt8]) { onLoop(bytes) { $0.queue($1) } }
}

extension SocketTransport {
    /// Whether the kernel accepts no more bytes and the queue is full.
    var isStalled: Bool { !isWritable && unsentCount >= limits.queuedBytes }
}
