import HongyanTesting
import ServerFixtures
import Testing

@testable import TransportLayer

/// The transport over WebSocket, with an end in memory, over TLS, and with a real server.
@Suite(.timeLimit(.minutes(20)))
struct WebSocketTransportTests {
    private func url() throws -> WebSocketURL { try WebSocketURL("ws://localhost/ws", allowsPlaintext: true) }

    /// Both ends after the upgrade.
    private func pair(
        readLimit: Int = .max, answer: @escaping @Sendable (String) -> String = { WebSocketServerEnd.good($0) }
    ) async throws -> (client: WebSocketTransport, server: InMemoryTransport) {
        let (one, other) = InMemoryTransport.pair(readLimit: readLimit)
        let server = Task { _ = try await WebSocketServerEnd(other, answer: answer) }
        let client = try await WebSocketTransport.upgrade(one, to: url())
        try await server.value
        return (client, other)
    }

    private func send(
        _ opcode: WebSocketOpcode, _ payload: [UInt8], isFinal: Bool = true, on server: InMemoryTransport
    ) async throws {
        try await server.write(WebSocketFrame.encode(opcode, payload, isFinal: isFinal, mask: nil))
    }

    /// The next event of the client.
    private func event(_ server: InMemoryTransport) async throws -> WebSocketEvent? {
        var reader = WebSocketFrameReader(role: .server)
        while true {
            let bytes = try await server.read()
            if bytes.isEmpty { return nil }
            reader.append(bytes)
            if let event = try reader.next() { return event }
        }
    }

    @Test("Each write is one message and each read one whole message, whatever the pieces", arguments: [Int.max, 1])
    func messages(_ readLimit: Int) async throws {
        let (client, server) = try await pair(readLimit: readLimit)
        #expect(client.isMessageBased)
        #expect(!server.isMessageBased)
        try await client.write(Array("<open/>".utf8))
        #expect(try await event(server) == .text(Array("<open/>".utf8)))
        try await send(.text, Array("<message>".utf8), isFinal: false, on: server)
        try await send(.ping, [1, 2], on: server)
        try await send(.continuation, Array("</message>".utf8), on: server)
        try await send(.text, [], on: server)
        try await send(.text, Array("<presence/>".utf8), on: server)
        #expect(try await client.read() == Array("<message></message>".utf8))
        #expect(try await client.read() == Array("<presence/>".utf8))
        #expect(try await event(server) == .pong([1, 2]))
        // An empty write sends nothing.
        try await client.write([])
        try await client.write([0x61])
        #expect(try await event(server) == .text([0x61]))
    }

    @Test("Bytes that arrive with the response to the upgrade are not lost")
    func early() async throws {
        let frame = String(
            decoding: WebSocketFrame.encode(.text, Array("<a/>".utf8), mask: nil).dropFirst(), as: UTF8.self)
        let (one, other) = InMemoryTransport.pair()
        let server = Task {
            var bytes: [UInt8] = []
            while !bytes.suffix(4).elementsEqual("\r\n\r\n".utf8) { bytes += try await other.read() }
            let text = String(decoding: bytes, as: UTF8.self)
            let key = text.split(separator: "\r\n").first { $0.hasPrefix("Sec-WebSocket-Key: ") }?.dropFirst(19) ?? ""
            let answer = Array(WebSocketServerEnd.good(WebSocketUpgrade.accept(String(key))).utf8)
            try await other.write(answer + [0x81] + Array(frame.utf8))
        }
        let client = try await WebSocketTransport.upgrade(one, to: url())
        try await server.value
        #expect(try await client.read() == Array("<a/>".utf8))
    }

    @Test("The peer's close frame is answered and ends the connection; messages before it are read first")
    func closedByPeer() async throws {
        let (client, server) = try await pair()
        try await send(.text, [0x61], on: server)
        try await send(.close, [0x03, 0xE8], on: server)
        #expect(try await client.read() == [0x61])
        #expect(try await client.read() == [])
        #expect(try await client.read() == [])
        #expect(try await event(server) == .close(.normal))
        #expect(try await server.read() == [])
        let error = await #expect(throws: TransportError.self) { try await client.write([0x61]) }
        #expect(error?.code == .writingFinished)
    }

    @Test("A close frame with an error is an error with the reason of the server")
    func closedWithError() async throws {
        let (client, server) = try await pair()
        try await send(.close, WebSocketFrame.closePayload(WebSocketClosure(1011, "out of cheese")), on: server)
        let error = await #expect(throws: TransportError.self) { _ = try await client.read() }
        #expect(error?.code == .webSocketFailed)
        #expect(error?.description.contains("1011, out of cheese") == true)
    }

    @Test("Our side ends with a close frame, and the peer's answer ends the connection")
    func finishWriting() async throws {
        let (client, server) = try await pair()
        try await client.write([0x61])
        try await client.finishWriting()
        try await client.finishWriting()
        var reader = WebSocketFrameReader(role: .server)
        var events: [WebSocketEvent] = []
        while events.count < 2 {
            reader.append(try await server.read())
            while let event = try reader.next() { events.append(event) }
        }
        #expect(events == [.text([0x61]), .close(.normal)])
        try await send(.text, [0x62], on: server)
        try await send(.close, [0x03, 0xE8], on: server)
        #expect(try await client.read() == [0x62])
        #expect(try await client.read() == [])
    }

    @Test("A violation of the rules is reported to the peer and ends the connection")
    func brokenRule() async throws {
        let (client, server) = try await pair()
        try await send(.text, [0x61], on: server)
        try await send(.binary, [0], on: server)
        #expect(try await client.read() == [0x61])
        for _ in 0..<2 {
            let error = await #expect(throws: TransportError.self) { _ = try await client.read() }
            #expect(error?.code == .webSocketFailed)
            #expect(error?.description.contains("binary") == true)
        }
        guard case .close(let closure?)? = try await event(server) else {
            Issue.record("the peer must be told")
            return
        }
        #expect(closure.code == 1003)
        await #expect(throws: TransportError.self) { try await client.write([0x61]) }
    }

    @Test("An end without a close frame is an end between messages, and a loss inside of one")
    func endWithoutClose() async throws {
        let (client, server) = try await pair()
        try await send(.text, [0x61], on: server)
        try await server.finishWriting()
        #expect(try await client.read() == [0x61])
        #expect(try await client.read() == [])
        for isFragment in [true, false] {
            let (client, server) = try await pair()
            if isFragment {
                try await send(.text, [0x61], isFinal: false, on: server)
            } else {
                try await server.write([0x81])
            }
            try await server.finishWriting()
            let error = await #expect(throws: TransportError.self) { _ = try await client.read() }
            #expect(error?.code == .truncated)
        }
    }

    @Test("Closing sends a close frame; a waiting reader is notified; cancelling loses nothing")
    func close() async throws {
        let (client, server) = try await pair()
        let reader = Task { await client.readErrorCode() }
        reader.cancel()
        #expect(await reader.value == .cancelled)
        try await send(.text, [0x61], on: server)
        #expect(try await client.read() == [0x61])
        async let code = client.readErrorCode()
        await client.close()
        #expect(await code == .closed)
        #expect(try await event(server) == .close(.normal))
        await client.close()
    }

    @Test(
        "A rejected upgrade is a specific error and closes the connection",
        arguments: [
            ("HTTP/1.1 404 Not Found\r\n\r\n", TransportError.Code.httpStatus, "404"),
            ("HTTP/1.1 302 Found\r\nLocation: https://evil.test/\r\n\r\n", .httpStatus, "evil.test"),
            ("HTTP/1.1 101 OK\r\n\r\n", .webSocketFailed, "WebSocket"), ("SSH-2.0\r\n\r\n", .webSocketFailed, "HTTP"),
        ])
    func refused(_ answer: String, _ code: TransportError.Code, _ words: String) async throws {
        let (one, other) = InMemoryTransport.pair()
        let server = Task { _ = try await WebSocketServerEnd(other) { _ in answer } }
        let address = try url()
        let error = await #expect(throws: TransportError.self) {
            _ = try await WebSocketTransport.upgrade(one, to: address)
        }
        #expect(error?.code == code)
        #expect(error?.description.contains(words) == true)
        _ = try? await server.value
        #expect(await other.readErrorCode() == .connectionReset)
    }

    @Test("An upgrade ends if the server does not answer, closes the connection, or the user cancels")
    func noAnswer() async throws {
        let address = try url()
        let (silent, _server) = InMemoryTransport.pair()
        let timeout = await #expect(throws: TransportError.self) {
            _ = try await WebSocketTransport.upgrade(silent, to: address, timeout: .milliseconds(50))
        }
        #expect(timeout?.code == .timedOut)
        await _server.close()
        let (ended, server) = InMemoryTransport.pair()
        try await server.finishWriting()
        let end = await #expect(throws: TransportError.self) {
            _ = try await WebSocketTransport.upgrade(ended, to: address)
        }
        #expect(end?.code == .webSocketFailed)
        let (one, other) = InMemoryTransport.pair()
        let upgrade = Task {
            await Result { () async throws(TransportError) in try await WebSocketTransport.upgrade(one, to: address) }
        }
        #expect(try await !other.read().isEmpty)
        upgrade.cancel()
        guard case .failure(let error) = await upgrade.value else {
            Issue.record("it must not succeed")
            return
        }
        #expect(error.code == .cancelled)
    }

    @Test("wss: is not used over a connection without TLS, and TLS is not started inside of it")
    func security() async throws {
        let (one, _) = InMemoryTransport.pair()
        let error = await #expect(throws: TransportError.self) {
            _ = try await WebSocketTransport.upgrade(one, to: WebSocketURL("wss://xmpp.test/ws"))
        }
        #expect(error?.code == .invalidConfiguration)
        let (client, _server) = try await pair()
        let tls = try await Loopback.client()
        await #expect(throws: TransportError.self) { _ = try await client.startTLS(tls) }
        await _server.close()
    }

    @Test("Over TLS: many messages in both directions, and the TLS information")
    func overTLS() async throws {
        let (one, other) = try await Loopback.securedPair()
        let server = Task {
            var end = try await WebSocketServerEnd(other)
            try await end.echo()
        }
        let client = try await WebSocketTransport.upgrade(one, to: WebSocketURL("wss://xmpp.test/ws"))
        #expect(await client.tlsInformation?.peerCertificates.isEmpty == false)
        let texts = (0..<200).map { number in pattern(number * 97 + 1, seed: UInt32(number)).map { $0 & 0x7F } }
        async let sent: Void = {
            for text in texts { try await client.write(text) }
        }()
        for text in texts { #expect(try await client.read() == text) }
        try await sent
        try await client.finishWriting()
        #expect(try await client.read() == [])
        try await server.value
        await client.close()
    }

    @Test("A real server uses XMPP over it")
    func prosody() async throws {
        let server = try await PrivateProsody.shared(ServerOptions { $0.addedModules = ["websocket"] })
        let base = try await SocketTransport.connect(to: Loopback.address(port: server.httpsPort))
        _ = try await base.startTLS(Loopback.client("localhost"))
        let client = try await WebSocketTransport.upgrade(
            base, to: WebSocketURL("wss://localhost:\(server.httpsPort)/xmpp-websocket"))
        let framing = "urn:ietf:params:xml:ns:xmpp-framing"
        try await client.write(Array("<open xmlns='\(framing)' to='xmpp.test' version='1.0'/>".utf8))
        let open = String(decoding: try await client.read(), as: UTF8.self)
        #expect(open.hasPrefix("<open") && open.contains(framing))
        let features = String(decoding: try await client.read(), as: UTF8.self)
        #expect(features.contains("features") && features.contains("SCRAM-SHA-1"))
        try await client.write(Array("<close xmlns='\(framing)'/>".utf8))
        let close = String(decoding: try await client.read(), as: UTF8.self)
        #expect(close.hasPrefix("<close"))
        #expect(try await client.read() == [])
        await client.close()
    }
}
