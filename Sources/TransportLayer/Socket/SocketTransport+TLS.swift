extension SocketTransport {
    public func startTLS(_ configuration: TLSConfiguration) async throws(TransportError) -> NegotiatedTLS {
        // Reading the authorities from disk on the loop would block all its connections.
        try await configuration.trust.prepare()
        if let failure { throw failure }
        return try await secure(
            try TLSEngine(client: configuration), timeout: configuration.handshakeTimeout, configuration.trust)
    }

    /// Secures the connection as the server.
    package func acceptTLS(_ configuration: TLSServerConfiguration) async throws(TransportError) -> NegotiatedTLS {
        if let failure { throw failure }
        return try await secure(try TLSEngine(server: configuration), timeout: configuration.handshakeTimeout, nil)
    }

    private func secure(
        _ newEngine: sending TLSEngine, timeout: Duration, _ trust: TrustPolicy?
    ) async throws(TransportError) -> NegotiatedTLS {
        precondition(!isReading, "no read may be pending when TLS starts")
        precondition(engine == nil, "a connection is secured once")
        isReading = true
        defer { isReading = false }
        // Bytes queued before are sent unencrypted.
        flush()
        appendOutgoing(exchange(&queued, with: []))
        engine = newEngine
        let timer = loop.state.schedule(after: timeout) { [weak self] in
            self?.onLoop {
                $0.fail(TransportError(.timedOut, "The TLS handshake did not end within \(timeout)."))
            }
        }
        defer { loop.state.cancelTimer(timer) }
        do {
            return try await handshake(trust)
        } catch {
            // The alert is sent if the kernel accepts it; the connection is unusable.
            takeEngineOutput()
            flush()
            fail(error)
            throw failure ?? error
        }
    }

    private func handshake(_ trust: TrustPolicy?) async throws(TransportError) -> NegotiatedTLS {
        while true {
            if let failure { throw failure }
            let progress = try engine?.handshake()
            takeEngineOutput()
            flush()
            switch progress {
            case .established(let information): return information
            case .needsDecision(let evaluation):
                let isAccepted = await trust?.ask(evaluation) ?? false
                if let failure { throw failure }
                engine?.decide(isAccepted: isAccepted)
            case .needsBytes, nil: try await receiveHandshakeBytes()
            }
            if Task.isCancelled { throw .cancelledByTask }
        }
    }

    private func receiveHandshakeBytes() async throws(TransportError) {
        while true {
            if let failure { throw failure }
            let count = try receiveBytes { bytes in
                engine?.append(bytes)
                return bytes.count
            }
            if let count {
                if count > 0 { return }
                throw TransportError(.connectionReset, "The peer ended the connection during the TLS handshake.")
            }
            guard await waitForReading() else { throw .cancelledByTask }
        }
    }
}
