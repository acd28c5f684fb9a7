/// The kinds of frames (RFC 6455 §5.2).
public enum WebSocketOpcode: UInt8, Sendable, Hashable {
    case continuation = 0x0
    case text = 0x1
    case binary = 0x2
    case close = 0x8
    case ping = 0x9
    case pong = 0xA

    /// Whether it may occur between the fragments of a message (RFC 6455 §5.5).
    public var isControl: Bool { rawValue & 0x8 != 0 }
}

/// Which end of the connection this is; it decides which side masks (RFC 6455 §5.1).
public enum WebSocketRole: Sendable, Hashable {
    /// Masks what it sends, and refuses masked frames.
    case client
    /// Masks nothing, and refuses unmasked frames.
    case server
}

/// Why a peer closes the connection (RFC 6455 §7.4).
public struct WebSocketClosure: Sendable, Hashable, CustomStringConvertible {
    public var code: UInt16
    /// For display; often empty.
    public var reason: String

    public init(_ code: UInt16, _ reason: String = "") {
        self.code = code
        self.reason = reason
    }

    /// The purpose of the connection is fulfilled.
    public static let normal = WebSocketClosure(1000)
    /// The server is shutting down, or the page was left.
    public static let goingAway = WebSocketClosure(1001)

    /// Whether this is an orderly end of the connection.
    public var isOrderly: Bool { code == Self.normal.code || code == Self.goingAway.code }

    public var description: String { reason.isEmpty ? "status \(code)" : "status \(code), \(reason)" }

    /// The codes that a frame may contain: those of RFC 6455 and its registry, and the ranges for libraries and
    /// applications.
    static func isAllowed(_ code: UInt16) -> Bool {
        switch code {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }
}

/// Writes frames.
///
/// ```
/// 0x81 0x05 0x48 0x65 0x6c 0x6c 0x6f                       "Hello" in clear
/// 0x81 0x85 0x37 0xfa 0x21 0x3d 0x7f 0x9f 0x4d 0x51 0x58   "Hello", masked
/// ```
public enum WebSocketFrame {
    /// The maximum length of a control frame, in bytes (RFC 6455 §5.5).
    public static let controlBytes = 125

    /// One frame (RFC 6455 §5.2).
    ///
    /// - Parameter mask: a new random number for each frame of a client (RFC 6455 §5.3); `nil` for a server.
    public static func encode(
        _ opcode: WebSocketOpcode, _ payload: some Collection<UInt8>, isFinal: Bool = true, mask: UInt32?
    ) -> [UInt8] {
        let count = payload.count
        precondition(!opcode.isControl || count <= controlBytes && isFinal, "a control frame is short and unfragmented")
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + 14)
        bytes.append((isFinal ? 0x80 : 0) | opcode.rawValue)
        let maskBit: UInt8 = mask == nil ? 0 : 0x80
        switch count {
        case ...125: bytes.append(maskBit | UInt8(count))
        case ...0xFFFF:
            bytes.append(maskBit | 126)
            append(UInt64(count), 2, to: &bytes)
        default:
            bytes.append(maskBit | 127)
            append(UInt64(count), 8, to: &bytes)
        }
        guard let mask else { return bytes + payload }
        append(UInt64(mask), 4, to: &bytes)
        let start = bytes.count
        bytes += payload
        WebSocketFrame.mask(&bytes, from: start, with: mask, offset: 0)
        return bytes
    }

    /// The payload of a close frame (RFC 6455 §5.5.1); the reason is truncated between characters.
    public static func closePayload(_ closure: WebSocketClosure) -> [UInt8] {
        var payload = [UInt8(closure.code >> 8), UInt8(closure.code & 0xFF)]
        for character in closure.reason {
            guard payload.count + character.utf8.count <= controlBytes else { break }
            payload += character.utf8
        }
        return payload
    }

    private static func append(_ number: UInt64, _ count: Int, to bytes: inout [UInt8]) {
        for shift in (0..<count).reversed() { bytes.append(UInt8(truncatingIfNeeded: number >> UInt64(8 * shift))) }
    }

    /// Applies or removes the mask (RFC 6455 §5.3). `offset` is the position of the first byte in its frame.
    static func mask(_ bytes: inout [UInt8], from start: Int, with mask: UInt32, offset: Int) {
        let turned = offset & 3 == 0 ? mask : mask << UInt32(8 * (offset & 3)) | mask >> UInt32(32 - 8 * (offset & 3))
        bytes.withUnsafeMutableBufferPointer { buffer in
            for index in start..<buffer.count {
                buffer[index] ^= UInt8(truncatingIfNeeded: turned >> UInt32(24 - 8 * ((index - start) & 3)))
            }
        }
    }
}

/// Why a WebSocket connection was closed: the peer violated RFC 6455.
public struct WebSocketError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of violation, by the status code that is sent to the peer (RFC 6455 §7.4.1).
    public enum Code: UInt16, Sendable, Hashable, CaseIterable {
        /// An invalid frame.
        case protocolViolation = 1002
        /// Binary data; XMPP uses only text (RFC 7395 §3.3).
        case unsupportedData = 1003
        /// Text that is not UTF-8.
        case invalidText = 1007
    }

    public var code: Code

    /// What was wrong, in English.
    public var description: String

    public init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}

/// The memory limits of a WebSocket connection.
public struct WebSocketLimits: Sendable, Hashable {
    /// The maximum number of buffered bytes of one message, all its fragments together; a longer message is passed on
    /// in parts. The same as for one element of an XMPP stream: a stanza is one message (RFC 7395 §3.3).
    public var messageBytes = 10 << 20

    /// The maximum length of the server's response to the upgrade, including its status line, in bytes. Servers and
    /// proxies send a few hundred.
    public var headerBytes = 16 * 1024

    public init() {}
}
