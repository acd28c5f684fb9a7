/// The kinds of frames (RFC 6455 §5.2).
public enum WebSocketOpcode: UInt8, Sendable, Hashable {
    case continuation = 0x0
    case text = 0x1
    case binary = 0x2
    case close = 0x8
    case ping = 0x9
    case pong = 0xA

    /// Whether it may stand between the fragments of a message (RFC 6455 §5.5).
    public var isControl: Bool { rawValue & 0x8 != 0 }
}

/// Which end of the connection this is; it decides who masks (RFC 6455 §5.1).
public enum WebSocketRole: Sendable, Hashable {
    /// Masks what it sends, and refuses what is masked.
    case client
    /// Masks nothing, and refuses what is not masked.
    case server
}

/// Why a peer ends the connection (RFC 6455 §7.4).
public struct WebSocketClosure: Sendable, Hashable, CustomStringConvertible {
    public var code: UInt16
    /// For people; often empty.
    public var reason: String

    public init(_ code: UInt16, _ reason: String = "") {
        self.code = code
        self.reason = reason
    }

    /// Everything is done.
    public static let normal = WebSocketClosure(1000)
    /// The server goes down, or the page is left.
    public static let goingAway = WebSocketClosure(1001)

    /// Whether the connection ends because nothing is left to say.
    public var isOrderly: Bool { code == 1000 || code == 1001 }

    public var description: String { reason.isEmpty ? "status \(code)" : "status \(code), \(reason)" }

    /// The codes that may stand in a frame: those of RFC 6455 and its registry, and the ranges for libraries and programs.
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
    /// The most bytes in a control frame (RFC 6455 §5.5).
    public static let controlBytes = 125

    /// One frame (RFC 6455 §5.2).
    ///
    /// - Parameter mask: a fresh random number for each frame of a client (RFC 6455 §5.3); `nil` for a server.
    public static func encode(
        _ opcode: WebSocketOpcode, _ payload: some Collection<UInt8>, isFinal: Bool = true, mask: UInt32?
    ) -> [UInt8] {
        let count = payload.count
        precondition(!opcode.isControl || count <= controlBytes && isFinal, "a control frame is short and whole")
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

    /// The payload of a close frame (RFC 6455 §5.5.1); the reason is cut between characters to what fits.
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

    /// Puts the mask on, or takes it off (RFC 6455 §5.3). `offset` is the place of the first byte in its frame.
    static func mask(_ bytes: inout [UInt8], from start: Int, with mask: UInt32, offset: Int) {
        let turned = offset & 3 == 0 ? mask : mask << UInt32(8 * (offset & 3)) | mask >> UInt32(32 - 8 * (offset & 3))
        bytes.withUnsafeMutableBufferPointer { buffer in
            for index in start..<buffer.count {
                buffer[index] ^= UInt8(truncatingIfNeeded: turned >> UInt32(24 - 8 * ((index - start) & 3)))
            }
        }
    }
}
