public import ChatStore
internal import Localization
internal import XMPPStream

/// How long a text may be that is sent as one message.
public enum MessageLength {
    /// The longest text, in bytes as it stands in a stanza. The rest of what servers accept is for what surrounds the text:
    /// two addresses of up to 3 KB (RFC 7622 §3.1), identifiers, a quotation.
    public static let maximumBytes = StreamLimits.usualBytes - 16_384

    /// What a person reads who has written a longer one.
    public static var explanation: String {
        localized("This text is too long for one message. It can be sent as a file.")
    }

    /// Whether a text is longer.
    public static func isExceeded(by text: String) -> Bool {
        // No character of ASCII takes more than five bytes, and no other one more than it has.
        guard text.utf8.count > maximumBytes / 5 else { return false }
        var bytes = 0
        for byte in text.utf8 {
            bytes += writtenBytes(byte)
            if bytes > maximumBytes { return true }
        }
        return false
    }

    /// How many bytes are written for one byte of a text (XML 1.0 §2.4).
    private static func writtenBytes(_ byte: UInt8) -> Int {
        switch byte {
        case UInt8(ascii: "&"), UInt8(ascii: "\r"): 5
        case UInt8(ascii: "<"), UInt8(ascii: ">"): 4
        case UInt8(ascii: "\t"), UInt8(ascii: "\n"): 1
        // What XML does not allow is replaced by U+FFFD.
        case 0..<0x20: 3
        default: 1
        }
    }
}

extension MessageContent {
    /// Whether its text is too long for one message.
    public var isTooLong: Bool {
        switch self {
        case .text(let text), .correction(_, let text): MessageLength.isExceeded(by: text.body)
        case .retraction, .reactions: false
        }
    }
}
