/// An event from the peer.
public enum WebSocketEvent: Sendable, Hashable {
    /// A whole message, UTF-8; one longer than ``WebSocketLimits/messageBytes`` arrives in parts.
    case text([UInt8])
    case ping([UInt8])
    case pong([UInt8])
    /// The peer sends no more; `nil` if it gave no reason.
    case close(WebSocketClosure?)
}

/// Assembles messages from bytes (RFC 6455 §5) in pieces of any size: a pure function of the appended bytes.
///
/// Only text messages, because XMPP has no others (RFC 7395 §3.3), assembled from their fragments; control frames
/// between the fragments are reported when they arrive. Any violation is a permanent error: reserved bits (no extension
/// is negotiated), reserved opcodes, control frames that are long or fragmented, a length that is not in its shortest
/// form, an unexpected or missing mask, bytes that are not UTF-8. Data after a close frame is ignored (RFC 6455
/// §5.5.1).
///
/// No memory is allocated for a length that is only announced. A message that exceeds the limit is reported in parts,
/// cut between characters: a server passes on what others wrote, and that must not end the connection.
public struct WebSocketFrameReader: ~Copyable, Sendable {
    /// The frame whose payload is being read.
    private struct Frame {
        var opcode: WebSocketOpcode
        var isFinal: Bool
        var length: Int
        var taken = 0
        var mask: UInt32?
    }

    private enum State {
        /// Between frames.
        case header
        case payload(Frame)
        /// The peer has sent its close frame.
        case closed
        case failed(WebSocketError)
    }

    public let role: WebSocketRole
    public let limits: WebSocketLimits
    private var state = State.header
    private var buffer: [UInt8] = []
    private var position = 0
    /// The fragments so far.
    private var message: [UInt8] = []
    private var isInMessage = false
    private var control: [UInt8] = []

    public init(role: WebSocketRole, limits: WebSocketLimits = WebSocketLimits()) {
        self.role = role
        self.limits = limits
    }

    /// Whether the bytes so far end inside a frame or between the fragments of a message.
    public var isIncomplete: Bool {
        if case .payload = state { return true }
        return isInMessage || position < buffer.count
    }

    /// The number of buffered bytes.
    public var heldByteCount: Int { buffer.count - position + message.count + control.count }

    /// Buffers bytes for ``next()``.
    public mutating func append(_ bytes: [UInt8]) {
        switch state {
        case .closed, .failed: return
        case .header, .payload: if buffer.isEmpty { buffer = bytes } else { buffer += bytes }
        }
    }

    /// The next event; `nil` if more bytes are needed or the peer has closed.
    public mutating func next() throws(WebSocketError) -> WebSocketEvent? {
        do throws(WebSocketError) {
            while true {
                switch state {
                case .failed(let error): throw error
                case .closed: return nil
                case .header:
                    guard let frame = try readHeader() else {
                        discardRead()
                        return nil
                    }
                    state = .payload(frame)
                case .payload(var frame):
                    take(&frame)
                    guard frame.taken == frame.length else {
                        state = .payload(frame)
                        if room == 0, !frame.opcode.isControl { return .text(try takePart()) }
                        discardRead()
                        return nil
                    }
                    state = .header
                    if let event = try frameEnded(frame) { return event }
                }
            }
        } catch {
            state = .failed(error)
            (buffer, position, message, control) = ([], 0, [], [])
            throw error
        }
    }

    /// Removes the bytes that were read from the buffer.
    private mutating func discardRead() {
        if position == buffer.count { buffer = [] } else { buffer.removeFirst(position) }
        position = 0
    }

    // MARK: Header

    /// Reads a header when all of it is available.
    private mutating func readHeader() throws(WebSocketError) -> Frame? {
        guard buffer.count - position >= 2 else { return nil }
        let (first, second) = (buffer[position], buffer[position + 1])
        guard first & 0x70 == 0 else { throw Self.violation("A frame uses an extension that was not negotiated.") }
        guard let opcode = WebSocketOpcode(rawValue: first & 0x0F) else {
            throw Self.violation("A frame has the unknown opcode \(first & 0x0F).")
        }
        let isFinal = first & 0x80 != 0
        let isMasked = second & 0x80 != 0
        guard isMasked == (role == .server) else {
            throw Self.violation(isMasked ? "The server masks its frames." : "The client does not mask its frames.")
        }
        let short = Int(second & 0x7F)
        if opcode.isControl {
            guard isFinal, short <= WebSocketFrame.controlBytes else {
                throw Self.violation("A control frame is too long or fragmented.")
            }
        } else {
            try check(opcode)
        }
        let lengthBytes = short == 126 ? 2 : short == 127 ? 8 : 0
        let headerBytes = 2 + lengthBytes + (isMasked ? 4 : 0)
        guard buffer.count - position >= headerBytes else { return nil }
        var length = UInt64(short)
        if lengthBytes > 0 {
            length = number(at: position + 2, lengthBytes)
            guard length > (lengthBytes == 2 ? 125 : 0xFFFF), length >> 63 == 0 else {
                throw Self.violation("The length of a frame is not in its shortest form.")
            }
        }
        let mask = isMasked ? UInt32(truncatingIfNeeded: number(at: position + 2 + lengthBytes, 4)) : nil
        position += headerBytes
        return Frame(opcode: opcode, isFinal: isFinal, length: Int(length), mask: mask)
    }

    private func check(_ opcode: WebSocketOpcode) throws(WebSocketError) {
        switch opcode {
        case .continuation:
            guard isInMessage else { throw Self.violation("A fragment belongs to no message.") }
        case .text:
            guard !isInMessage else { throw Self.violation("A message begins inside another.") }
        case .binary: throw WebSocketError(.unsupportedData, "A message is binary; XMPP uses only text.")
        case .close, .ping, .pong: break
        }
    }

    private func number(at index: Int, _ count: Int) -> UInt64 {
        buffer[index..<index + count].reduce(0) { $0 << 8 | UInt64($1) }
    }

    private static func violation(_ words: String) -> WebSocketError {
        WebSocketError(.protocolViolation, words)
    }

    // MARK: Payload

    /// How many more bytes of a message may be buffered.
    private var room: Int { max(0, max(limits.messageBytes, Self.smallestPart) - message.count) }

    /// A part has at least one whole character.
    private static let smallestPart = 4

    /// The buffered part of a message that exceeds the limit, up to its last whole character.
    private mutating func takePart() throws(WebSocketError) -> [UInt8] {
        let end = message.lastIndex { $0 & 0xC0 != 0x80 } ?? 0
        let width = message[end] < 0xC0 ? 1 : message[end] < 0xE0 ? 2 : message[end] < 0xF0 ? 3 : 4
        let cut = end + width <= message.count ? message.count : end
        let part = Array(message[..<cut])
        message.removeFirst(cut)
        guard !part.isEmpty, Self.isUTF8(part) else { throw Self.notText }
        return part
    }

    private static let notText = WebSocketError(.invalidText, "A message is not UTF-8.")

    private mutating func take(_ frame: inout Frame) {
        var count = min(frame.length - frame.taken, buffer.count - position)
        if !frame.opcode.isControl { count = min(count, room) }
        let part = buffer[position..<position + count]
        position += count
        if frame.opcode.isControl {
            control += part
            if let mask = frame.mask {
                WebSocketFrame.mask(&control, from: control.count - count, with: mask, offset: frame.taken)
            }
        } else {
            message += part
            if let mask = frame.mask {
                WebSocketFrame.mask(&message, from: message.count - count, with: mask, offset: frame.taken)
            }
        }
        frame.taken += count
    }

    private mutating func frameEnded(_ frame: Frame) throws(WebSocketError) -> WebSocketEvent? {
        if frame.opcode.isControl {
            let payload = control
            control = []
            switch frame.opcode {
            case .ping: return .ping(payload)
            case .pong: return .pong(payload)
            default:
                let closure = try Self.closure(payload)
                state = .closed
                (buffer, position, message, isInMessage) = ([], 0, [], false)
                return .close(closure)
            }
        }
        isInMessage = !frame.isFinal
        guard frame.isFinal else { return nil }
        let text = message
        message = []
        guard Self.isUTF8(text) else { throw Self.notText }
        return .text(text)
    }

    private static func isUTF8(_ bytes: [UInt8]) -> Bool { String(validating: bytes, as: UTF8.self) != nil }

    private static func closure(_ payload: [UInt8]) throws(WebSocketError) -> WebSocketClosure? {
        if payload.isEmpty { return nil }
        guard payload.count >= 2 else { throw violation("A close frame has an incomplete status.") }
        let code = UInt16(payload[0]) << 8 | UInt16(payload[1])
        guard WebSocketClosure.isAllowed(code) else { throw violation("A close frame has the status \(code).") }
        guard let reason = String(validating: payload[2...], as: UTF8.self) else {
            throw WebSocketError(.invalidText, "The reason in a close frame is not UTF-8.")
        }
        return WebSocketClosure(code, reason)
    }
}
