import TransportLayer
package import XMLStreaming

/// An error in an attack before it reached the attacked program.
package struct HostileFailure: Error, CustomStringConvertible {
    package var description: String

    package init(_ description: String) { self.description = description }
}

/// One end of an XML stream on loopback that sends any bytes and reads elements.
package actor HostileLine {
    /// The timeout for an expected element; test machines are slow and shared.
    package static let timeout = Duration.seconds(60)
    /// The attacker accepts everything that it receives.
    private static let limits = XMLLimits(
        depth: 10_000, elementBytes: 1 << 29, attributesPerElement: 100_000, nameBytes: 30_000,
        namespaceBindings: 100_000)

    private let transport: SocketTransport
    private var parser = XMLStreamParser(limits: limits)
    private var streamID: String?
    private var journal: [XMLElement] = []
    private var looked = 0
    private var isEnded = false
    private var waiters: [CheckedContinuation<Void, Never>] = []
    private var responder: (@Sendable (XMLElement) async -> [String])?

    package init(port: UInt16) async throws {
        guard let address = SocketAddress("127.0.0.1", port: port) else { throw HostileFailure("no address") }
        transport = try await SocketTransport.connect(to: address)
    }

    // MARK: In clear text, before the elements are read

    package func send(_ text: String) async throws { try await transport.write(Array(text.utf8)) }

    /// Reads up to a text; only before ``listen()``.
    package func text(until end: String) async throws -> String {
        var text = ""
        while !text.contains(end) {
            let bytes = try await transport.read()
            guard !bytes.isEmpty else { throw HostileFailure("The server ended the stream: \(text.suffix(300))") }
            text += String(decoding: bytes, as: UTF8.self)
        }
        return text
    }

    package func startTLS(authorityFile: String) async throws {
        _ = try await transport.startTLS(
            TLSConfiguration(serverName: "xmpp.test", trust: .certificateAuthority(authorityFile)))
    }

    // MARK: Elements

    /// Starts reading elements.
    package func listen() {
        Task { await read() }
    }

    /// Answers each received element with any texts.
    package func respond(_ responder: @escaping @Sendable (XMLElement) async -> [String]) {
        self.responder = responder
    }

    private func read() async {
        while let bytes = try? await transport.read(), !bytes.isEmpty {
            parser.append(bytes)
            while let event = try? parser.next() {
                if case .streamOpened(let root) = event {
                    streamID = root["id"]
                    wake()
                }
                if case .element(let element) = event { await received(element) }
            }
        }
        isEnded = true
        wake()
    }

    private func received(_ element: XMLElement) async {
        journal.append(element)
        if element.localName == "r" { try? await send("<a xmlns='urn:xmpp:sm:3' h='0'/>") }
        for answer in await responder?(element) ?? [] { try? await send(answer) }
        wake()
    }

    /// The `id` of the other end's stream.
    package func openedID() async throws -> String {
        try await wait(for: "the stream header") { streamID != nil || isEnded }
        guard let streamID else { throw HostileFailure("The server ended the stream.") }
        return streamID
    }

    /// All received elements.
    package var received: [XMLElement] { journal }
    package var hasEnded: Bool { isEnded }

    /// The next unread element that fulfils the condition.
    @discardableResult
    package func next(
        _ description: String, where condition: @Sendable (XMLElement) -> Bool
    ) async throws -> XMLElement {
        var found: XMLElement?
        try await wait(for: description) {
            while found == nil, looked < journal.count {
                if condition(journal[looked]) { found = journal[looked] }
                looked += 1
            }
            return found != nil || isEnded
        }
        guard let found else {
            let seen = journal.suffix(2).map { String($0.description.prefix(300)) }
            throw HostileFailure("The stream ended before there was \(description): \(seen)")
        }
        return found
    }

    private func wait(for description: String, until condition: () -> Bool) async throws {
        let deadline = ContinuousClock.now + Self.timeout
        let bell = Task {
            try await Task.sleep(until: deadline)
            wake()
        }
        defer { bell.cancel() }
        while !condition() {
            guard ContinuousClock.now < deadline else {
                let seen = journal.suffix(5).map { String($0.description.prefix(300)) }
                throw HostileFailure("There was no \(description). The last elements: \(seen)")
            }
            await withCheckedContinuation { waiters.append($0) }
        }
    }

    private func wake() {
        let woken = waiters
        waiters = []
        for waiter in woken { waiter.resume() }
    }

    package func close() async { await transport.close() }
}
