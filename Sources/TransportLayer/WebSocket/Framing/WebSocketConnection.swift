/// What the owner of a ``WebSocketConnection`` has to do.
public enum WebSocketAction: Sendable, Hashable {
    /// Bytes for the peer.
    case write([UInt8])
    /// A message has come.
    case message([UInt8])
    /// The closing handshake is done; nothing more comes or goes. The closure is the peer's, `nil` when it gave no reason.
    case ended(WebSocketClosure?)
    /// The peer broke the rules; it has been told by the bytes before.
    case failed(WebSocketError)
}

/// The conversation after the upgrade, without I/O: messages, answers to pings, and the closing handshake (RFC 6455 §5.5, §7).
///
/// The random numbers for the masks come in as arguments.
public struct WebSocketConnection: ~Copyable, Sendable {
    enum State: Sendable {
        /// Both ends may speak. → closing, ended.
        case open
        /// Our close frame is out and the peer's is not here yet: we only listen. → ended.
        case closing
        /// Nothing more comes or goes.
        case ended
    }

    private(set) var state = State.open
    private var reader: WebSocketFrameReader

    public init(role: WebSocketRole, limits: WebSocketLimits = WebSocketLimits()) {
        reader = WebSocketFrameReader(role: role, limits: limits)
    }

    /// Whether messages may be sent.
    public var isOpen: Bool { state == .open }

    /// Whether the bytes so far end inside of a message.
    public var isIncomplete: Bool { reader.isIncomplete }

    /// Bytes have come from the peer.
    ///
    /// Several pings at once get one answer, to the last of them (RFC 6455 §5.5.3), so a peer cannot make us send more than it sends.
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
        // After our close frame there must be no other (RFC 6455 §5.5.1).
        guard let payload = ping, state == .open else { return }
        ping = nil
        actions.append(.write(frame(.pong, payload, &generator)))
    }

    /// The bytes of a message; `nil` when nothing may be sent any more.
    public mutating func send(
        _ text: [UInt8], using generator: inout some RandomNumberGenerator
    ) -> [UInt8]? {
        state == .open ? frame(.text, text, &generator) : nil
    }

    /// Begins the closing handshake; `nil` when it has begun already.
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
