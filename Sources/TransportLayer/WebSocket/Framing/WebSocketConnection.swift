/// An action for the owner of a ``WebSocketConnection``.
public enum WebSocketAction: Sendable, Hashable {
    /// Bytes for the peer.
    case write([UInt8])
    /// A message has arrived.
    case message([UInt8])
    /// The closing handshake is complete. The closure is the peer's; `nil` if it gave no reason.
    case ended(WebSocketClosure?)
    /// The peer violated the protocol; the bytes before inform it.
    case failed(WebSocketError)
}

/// A WebSocket connection after the upgrade, without I/O: messages, pongs, and the closing handshake (RFC 6455 §5.5,
/// §7).
///
/// The random numbers for the masks are arguments.
public struct WebSocketConnection: ~Copyable, Sendable {
    enum State: Sendable {
        /// Both ends may send. → closing, ended.
        case open
        /// We have sent our close frame and wait for the peer's. → ended.
        case closing
        /// No more data in either direction.
        case ended
    }

    private(set) var state = State.open
    private var reader: WebSocketFrameReader

    public init(role: WebSocketRole, limits: WebSocketLimits = WebSocketLimits()) {
        reader = WebSocketFrameReader(role: role, limits: limits)
    }

    /// Whether messages may be sent.
    public var isOpen: Bool { state == .open }

    /// Whether the bytes so far end inside a message.
    public var isIncomplete: Bool { reader.isIncomplete }

    /// Handles bytes from the peer.
    ///
    /// Several pings at once get one pong, to the last of them (RFC 6455 §5.5.3), so a peer cannot make us send more
    /// than it sends.
    public mutating func bytesReceived(
        _ bytes: [UInt8], using generator: inout some RandomNumberGenerator
    ) -> [WebSocketAction] {
        guard state != .ended else { return [] }
        reader.append(bytes)
        var actions: [WebSocketAction] = []
        var ping: [UInt8]?
        do throws(WebSocketError) {
            while let event = try reader.next() {
                switch event {
                case .text(let message): actions.append(.message(message))
                case .ping(let payload): ping = payload
                case .pong: break
                case .close(let closure):
                    answer(&ping, &actions, &generator)
                    if state == .open {
                        let payload = closure.map { WebSocketFrame.closePayload(WebSocketClosure($0.code)) } ?? []
                        actions.append(.write(frame(.close, payload, &generator)))
                    }
                    state = .ended
                    actions.append(.ended(closure))
                }
            }
        } catch {
            if state == .open {
                let closure = WebSocketClosure(error.code.rawValue, error.description)
                actions.append(.write(frame(.close, WebSocketFrame.closePayload(closure), &generator)))
            }
            state = .ended
            actions.append(.failed(error))
        }
        answer(&ping, &actions, &generator)
        return actions
    }

    private func answer(
        _ ping: inout [UInt8]?, _ actions: inout [WebSocketAction], _ generator: inout some RandomNumberGenerator
    ) {
        // After our close frame no other frame may follow (RFC 6455 §5.5.1).
        guard let payload = ping, state == .open else { return }
        ping = nil
        actions.append(.write(frame(.pong, payload, &generator)))
    }

    /// The bytes of a message; `nil` if the connection is closing.
    public mutating func send(
        _ text: [UInt8], using generator: inout some RandomNumberGenerator
    ) -> [UInt8]? {
        state == .open ? frame(.text, text, &generator) : nil
    }

    /// Starts the closing handshake; `nil` if it has already started.
    public mutating func close(
        _ closure: WebSocketClosure = .normal, using generator: inout some RandomNumberGenerator
    ) -> [UInt8]? {
        guard state == .open else { return nil }
        state = .closing
        return frame(.close, WebSocketFrame.closePayload(closure), &generator)
    }

    private func frame(
        _ opcode: WebSocketOpcode, _ payload: [UInt8], _ generator: inout some RandomNumberGenerator
    ) -> [UInt8] {
        let mask = reader.role == .client ? UInt32.random(in: 0...UInt32.max, using: &generator) : nil
        return WebSocketFrame.encode(opcode, payload, mask: mask)
    }
}
