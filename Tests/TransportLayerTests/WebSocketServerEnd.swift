@testable import TransportLayer

/// The server side of a WebSocket, for tests.
struct WebSocketServerEnd: ~Copyable {
    let transport: any Transport
    var connection = WebSocketConnection(role: .server)
    private var generator = SystemRandomNumberGenerator()
    /// The request of the client, line by line.
    private(set) var request: [Substring] = []

    /// Reads the request and answers it.
    ///
    /// - Parameter answer: creates the response from the expected `Sec-WebSocket-Accept`; by default a valid one.
    init(
        _ transport: any Transport,
        answer: (String) -> String = { Self.good($0) }
    ) async throws {
        self.transport = transport
        var bytes: [UInt8] = []
        while !String(decoding: bytes, as: UTF8.self).contains("\r\n\r\n") {
            let more = try await transport.read()
            if more.isEmpty { throw TransportError(.truncated, "The client has gone.") }
            bytes += more
        }
        request = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n")
        let key = request.first { $0.hasPrefix("Sec-WebSocket-Key: ") }?.dropFirst(19) ?? ""
        try await transport.write(Array(answer(WebSocketUpgrade.accept(String(key))).utf8))
    }

    static func good(_ accept: String) -> String {
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            + "Sec-WebSocket-Accept: \(accept)\r\nSec-WebSocket-Protocol: xmpp\r\n\r\n"
    }

    func send(_ opcode: WebSocketOpcode, _ payload: [UInt8], isFinal: Bool = true) async throws {
        try await transport.write(WebSocketFrame.encode(opcode, payload, isFinal: isFinal, mask: nil))
    }

    /// The messages of the client until the connection ends or `count` frames have arrived; nothing is answered.
    func events(_ count: Int = .max) async throws -> [WebSocketEvent] {
        var reader = WebSocketFrameReader(role: .server)
        var events: [WebSocketEvent] = []
        while events.count < count {
            let bytes = try await transport.read()
            if bytes.isEmpty { break }
            reader.append(bytes)
            while let event = try reader.next() { events.append(event) }
        }
        return events
    }

    /// Echoes every message and answers the close frame, until the end.
    mutating func echo() async throws {
        while true {
            let bytes = try await transport.read()
            if bytes.isEmpty { return }
            for action in connection.bytesReceived(bytes, using: &generator) {
                switch action {
                case .write(let bytes): try await transport.write(bytes)
                case .message(let text):
                    if let frame = connection.send(text, using: &generator) { try await transport.write(frame) }
                case .ended, .failed: return try await transport.finishWriting()
                }
            }
        }
    }
}
