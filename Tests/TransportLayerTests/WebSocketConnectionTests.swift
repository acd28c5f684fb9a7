import Testing

@testable import TransportLayer

/// The connection after the upgrade: each state, each event.
struct WebSocketConnectionTests {
    private var generator = SystemRandomNumberGenerator()

    private func frame(_ opcode: WebSocketOpcode, _ payload: [UInt8]) -> [UInt8] {
        WebSocketFrame.encode(opcode, payload, mask: nil)
    }

    /// The bytes of the client as the server reads them.
    private func decoded(_ actions: [WebSocketAction]) -> [WebSocketEvent] {
        var reader = WebSocketFrameReader(role: .server)
        var events: [WebSocketEvent] = []
        for case .write(let bytes) in actions { reader.append(bytes) }
        while let event = try? reader.next() { events.append(event) }
        return events
    }

    @Test("Open: messages are sent and received, the last of several pings is answered, pongs are ignored")
    mutating func open() {
        var connection = WebSocketConnection(role: .client)
        let pings = frame(.ping, [1]) + frame(.text, [0x61]) + frame(.ping, [2]) + frame(.pong, [9])
        let actions = connection.bytesReceived(pings, using: &generator)
        #expect(actions.first == .message([0x61]))
        #expect(actions.count == 2)
        #expect(decoded(actions) == [.pong([2])])
        let sent = connection.send([0x62], using: &generator)
        #expect(decoded([.write(sent ?? [])]) == [.text([0x62])])
    }

    @Test("Each frame has its own mask")
    mutating func masks() {
        var connection = WebSocketConnection(role: .client)
        var masks: Set<[UInt8]> = []
        for _ in 0..<100 { masks.insert(Array((connection.send([0x61], using: &generator) ?? [])[2..<6])) }
        #expect(masks.count > 95)
    }

    @Test("Open: the peer's close frame is answered with its code and ends the connection")
    mutating func closedByPeer() {
        for payload in [[], [0x03, 0xE8], [0x03, 0xE9, 0x62, 0x79, 0x65]] as [[UInt8]] {
            var connection = WebSocketConnection(role: .client)
            let actions = connection.bytesReceived(
                frame(.ping, [7]) + frame(.close, payload) + frame(.text, [1]), using: &generator)
            let closure = payload.isEmpty ? nil : WebSocketClosure(1000 + UInt16(payload[1] - 0xE8))
            #expect(decoded(actions) == [.pong([7]), .close(closure)])
            #expect(actions.last == .ended(closure.map { WebSocketClosure($0.code, payload.count > 2 ? "bye" : "") }))
            let isOpen = connection.isOpen
            #expect(!isOpen)
            #expect(connection.send([0x61], using: &generator) == nil)
            #expect(connection.close(using: &generator) == nil)
            #expect(connection.bytesReceived(frame(.text, [0x61]), using: &generator).isEmpty)
        }
    }

    @Test("Closing: messages in transit arrive, nothing is sent, and the peer's close frame ends the connection")
    mutating func closing() {
        var connection = WebSocketConnection(role: .client)
        let close = connection.close(using: &generator)
        #expect(decoded([.write(close ?? [])]) == [.close(.normal)])
        #expect(connection.close(using: &generator) == nil)
        #expect(connection.send([0x61], using: &generator) == nil)
        let late = connection.bytesReceived(frame(.text, [0x61]) + frame(.ping, []), using: &generator)
        #expect(late == [.message([0x61])])
        let end = connection.bytesReceived(frame(.close, [0x03, 0xE8]), using: &generator)
        #expect(end == [.ended(.normal)])
    }

    @Test("An error of the peer is reported to it once and ends the connection")
    mutating func fault() {
        for isClosing in [false, true] {
            var connection = WebSocketConnection(role: .client)
            if isClosing { _ = connection.close(using: &generator) }
            let actions = connection.bytesReceived(frame(.text, [0x61]) + [0x82, 0x00], using: &generator)
            #expect(actions.first == .message([0x61]))
            guard case .failed(let error)? = actions.last else {
                Issue.record("it must fail")
                return
            }
            #expect(error.code == .unsupportedData)
            let told = decoded(actions)
            #expect(told == (isClosing ? [] : [.close(WebSocketClosure(1003, error.description))]))
            #expect(connection.bytesReceived([0x81, 0x00], using: &generator).isEmpty)
            #expect(connection.send([0x61], using: &generator) == nil)
        }
    }

    @Test("Two ends communicate, even one byte at a time")
    mutating func bothEnds() {
        var client = WebSocketConnection(role: .client)
        var server = WebSocketConnection(role: .server)
        var received: [[UInt8]] = []
        let texts = [0, 1, 125, 126, 70_000].map { pattern($0).map { $0 & 0x7F } }
        for text in texts {
            for byte in client.send(text, using: &generator) ?? [] {
                for case .message(let text) in server.bytesReceived([byte], using: &generator) {
                    received.append(text)
                    let answer = server.send(text, using: &generator) ?? []
                    #expect(client.bytesReceived(answer, using: &generator) == [.message(text)])
                }
            }
        }
        #expect(received == texts)
        let actions = server.bytesReceived(client.close(using: &generator) ?? [], using: &generator)
        guard case .write(let answer)? = actions.first else {
            Issue.record("the close frame must be answered")
            return
        }
        #expect(client.bytesReceived(answer, using: &generator) == [.ended(.normal)])
    }
}
