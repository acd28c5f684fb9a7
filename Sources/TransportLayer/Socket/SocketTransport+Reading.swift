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
        do {
            if engine != nil {
                // The handshake may have delivered the first bytes of the stream too.
                if let bytes = try engine?.decryptBuffered(), !bytes.isEmpty { return bytes }
                return try readSecured()
            }
            return try receiveBytes { [UInt8]($0) }
        } catch {
            fail(error)
            throw error
        }
    }

    private func readSecured() throws(TransportError) -> [UInt8]? {
        while true {
            if engine?.isPeerFinished == true { return [] }
            let plaintext: [UInt8]?
            do {
                plaintext = try receiveBytes { bytes throws(TransportError) -> [UInt8] in
                    if bytes.isEmpty { throw .truncatedByPeer }
                    return try engine?.decrypt(bytes) ?? []
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
            if !plaintext.isEmpty { return plaintext }
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
                if Task.isCancelled || phase == .closed {
                    continuation.resume()
                } else {
                    readWaiter = continuation
                }
            }
        } onCancel: {
            loop.execute { self.assumeIsolated { if $0.readWaiterNumber == number { $0.wakeReader() } } }
        }
        return !Task.isCancelled
    }

    func wakeReader() {
        guard let waiter = readWaiter else { return }
        readWaiter = nil
        waiter.resume()
    }
}

extension TransportError {
    static let truncatedByPeer = TransportError(
        .truncated, "The connection ended without the end of TLS (close_notify): the last data may be missing.")
}
