public import ChatStore
internal import Localization
internal import XMPPStream

/// The maximum length of a text that is sent as one message.
public enum MessageLength {
    /// In bytes as encoded in the stanza. The rest of what servers accept is left for two addresses of up to 3 KB (RFC
    /// 7622 §3.1), identifiers and a quotation.
    public static let maximumBytes = StreamLimits.usualBytes - 16_384

    /// The explanation to show with a longer text.
    public static var explanation: String {
        localized("This text is too long for one message. It can be sent as a file.")
    }

    /// Whether a text is longer than ``maximumBytes``.
    public static func isExceeded(by text: String) -> Bool {
        // An ASCII character is encoded in at most five bytes; other characters are not escaped.
        guard text.utf8.count > maximumBytes / 5 else { return false }
        var bytes = 0
        for byte in text.utf8 {
            bytes += writtenBytes(byte)
            if bytes > maximumBytes { return true }
        }
        return false
    }

    /// The encoded length of one byte of text (XML 1.0 §2.4).
    private static func writtenBytes(_ byte: UInt8) -> Int {
        switch byte {
        case UInt8(ascii: "&"), UInt8(ascii: "\r"): 5
        case UInt8(ascii: "<"), UInt8(ascii: ">"): 4
        case UInt8(ascii: "\t"), UInt8(ascii: "\n"): 1
        // Characters that XML does not allow are replaced by U+FFFD.
        case 0..<0x20: 3
        default: 1
        }
    }
}

extension MessageContent {
    /// Whether the text is too long for one message.
    public var isTooLong: Bool {
        switch self {
        case .text(let text), .correction(_, let text): MessageLength.isExceeded(by: text.body)
        case .retraction, .reactions: false
        }
    }
}
