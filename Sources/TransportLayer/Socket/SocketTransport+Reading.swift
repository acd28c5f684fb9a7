import CEpoll
import Glibc

extension SocketTransport {
    public func read() async throws(TransportError) -> [UInt8] {
        precondition(!isReading, "a transport has one reader at a time")
        isReading = true
        defer { isReading = false }
        while true {
            if let bytes = try readNow() { return bytes }
            guard await waitForReading() else { throw .cancelledByTask }
        }
    }

    /// The bytes that are available without waiting; `nil` if there are none.
    private func readNow() throws(TransportError) -> [UInt8]? {
        if let failure { throw failure }
        keepWarm()
        do {
            if engine != nil {
                return try readSecured()
            }
            return try receiveBytes { [UInt8]($0) }
        } catch {
            fail(error)
            throw error
        }
    }

    private func readSecured() throws(TransportError) -> [UInt8]? {
        try receiveSecured { bytes throws(TransportError) -> [UInt8]? in
            let plaintext = try engine?.decrypt(bytes) ?? []
            return plaintext.isEmpty ? nil : plaintext
        }.map { $0 ?? [] }
    }

    /// The same in the memory of the loop, valid until the next call for any connection; empty at the end.
    private func decryptNow() throws(TransportError) -> UnsafeRawBufferPointer? {
        // Used by one connection of the loop at a time, on its thread.
        nonisolated(unsafe) let plaintext = loop.state.plaintext
        let count = try receiveSecured { bytes throws(TransportError) -> Int? in
            let count = try engine?.decrypt(bytes, into: plaintext) ?? 0
            return count == 0 ? nil : count
        }
        return count.map { UnsafeRawBufferPointer(rebasing: plaintext[..<($0 ?? 0)]) }
    }

    /// Receives until there are plain bytes; `nil` inside is the end, `nil` outside means that nothing is available.
    private func receiveSecured<Plain>(
        _ decrypt: (UnsafeRawBufferPointer) throws(TransportError) -> Plain?
    ) throws(TransportError) -> Plain?? {
        while true {
            if engine?.isPeerFinished == true { return .some(nil) }
            let plaintext: Plain??
            do {
                if engine?.hasInput == true {
                    // The handshake may have delivered the first bytes of the stream too.
                    plaintext = .some(try decrypt(UnsafeRawBufferPointer(start: nil, count: 0)))
                } else {
                    plaintext = try receiveBytes { bytes throws(TransportError) -> Plain? in
                        if bytes.isEmpty { throw .truncatedByPeer }
                        return try decrypt(bytes)
                    }
                }
            } catch {
                // The alert for the peer.
                takeEngineOutput()
                flush()
                throw error
            }
            guard let plaintext else { return nil }
            // Responses to key updates.
            if engine?.hasOutput == true { gather() }
            if let plaintext { return plaintext }
        }
    }

    /// One receive call into the buffer of the loop; an empty buffer is the end, `nil` means that nothing is available.
    func receiveBytes<R>(
        _ body: (UnsafeRawBufferPointer) throws(TransportError) -> R
    ) throws(TransportError) -> R? {
        if hasReadEnd { return try body(UnsafeRawBufferPointer(start: nil, count: 0)) }
        while isReadable {
            if isNegotiating { setOption(Int32(IPPROTO_TCP), TCP_QUICKACK, 1) }
            let scratch = loop.state.scratch
            let wanted = min(limits.bytesPerRead, scratch.count)
            let count = recv(descriptor, scratch.baseAddress, wanted, 0)
            if count > 0 {
                // Fewer bytes than requested: the kernel has no more, and epoll reports the next arrival.
                if count < wanted && !isHangingUp { isReadable = false }
                return try body(UnsafeRawBufferPointer(rebasing: scratch[..<count]))
            }
            if count == 0 {
                hasReadEnd = true
                return try body(UnsafeRawBufferPointer(start: nil, count: 0))
            }
            switch errno {
            case EINTR: continue
            case EAGAIN: isReadable = false
            case let code: throw TransportError(errno: code, "Receiving")
            }
        }
        return nil
    }

    /// Suspends until bytes may be available; returns `false` if the task was cancelled.
    func waitForReading() async -> Bool {
        if Task.isCancelled { return false }
        readWaiterNumber += 1
        let number = readWaiterNumber
        let loop = loop
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // An event that was handled since the caller has looked does not come again.
                if Task.isCancelled || phase == .closed || isReadable {
                    continuation.resume()
                } else {
                    readWaiters = [continuation]
                }
            }
        } onCancel: {
            loop.execute { self.onLoop { if $0.readWaiterNumber == number { $0.wakeReader() } } }
        }
        return !Task.isCancelled
    }

    func wakeReader() {
        if !readWaiters.isEmpty { exchange(&readWaiters, with: []).first?.resume() }
    }
}

// MARK: - Reading without a task

extension SocketTransport {
    /// How many reads follow each other before the other connections of the loop have their turn.
    private static let readsPerTurn = 4

    package nonisolated func startReading(_ reader: any TransportReader) {
        onLoop(reader) { transport, reader in
            precondition(!transport.isReading, "a transport has one reader at a time")
            transport.reader = reader
            transport.isReadingPaused = false
            transport.scheduleDelivery()
        }
    }

    package nonisolated func pauseReading() { onLoop { $0.isReadingPaused = true } }

    package nonisolated func resumeReading() {
        onLoop { transport in
            transport.isReadingPaused = false
            transport.scheduleDelivery()
        }
    }

    package nonisolated func stopReading() { onLoop { $0.reader = nil } }

    /// Goes on in the next iteration of the loop: what this one has led to is done and written before.
    private func scheduleDelivery() {
        guard !isDeliveryScheduled, !isDelivering else { return }
        isDeliveryScheduled = true
        loop.state.defer {
            self.onLoop { transport in
                transport.isDeliveryScheduled = false
                transport.deliver()
            }
        }
    }

    /// Passes what is available to the reader.
    func deliver() {
        guard !isDelivering else { return }
        isDelivering = true
        let mayHaveMore = deliverSome()
        reader?.arrivalsEnded()
        isDelivering = false
        keepWarm()
        if mayHaveMore { scheduleDelivery() }
    }

    private func deliverSome() -> Bool {
        for _ in 0..<Self.readsPerTurn {
            guard let reader, !isReadingPaused else { return false }
            do throws(TransportError) {
                guard try deliverOnce(to: reader) else { return false }
            } catch {
                fail(error)
                return false
            }
        }
        return true
    }

    /// - Returns: Whether there may be more.
    private func deliverOnce(to reader: any TransportReader) throws(TransportError) -> Bool {
        if hasFailed, let failure { throw failure }
        let count: Int?
        if engine == nil {
            count = try receiveBytes { bytes in
                if !bytes.isEmpty { reader.bytesArrived(bytes) }
                return bytes.count
            }
        } else {
            let bytes = try decryptNow()
            if let bytes, !bytes.isEmpty { reader.bytesArrived(bytes) }
            count = bytes?.count
        }
        guard let count else { return false }
        if count == 0, self.reader != nil {
            self.reader = nil
            reader.readingEnded(nil)
        }
        return count > 0
    }
}

extension TransportError {
    static let truncatedByPeer = TransportError(
        .truncated, "The connection ended without the end of TLS (close_notify): the last data may be missing.")
}
