internal import Localization

/// The beginning of a text that is too long to be shown whole.
///
/// A message may have a megabyte, all of it line breaks or marks on one letter; a terminal must not spend seconds on it.
enum TextFolding {
    /// Code points of a body that are shown: about two screens of 80 × 24.
    static let characterLimit = 4000
    /// Lines of a body that are shown: about one screen.
    static let lineLimit = 30

    /// `text`, or its beginning and how much more there is. Counted in code points, so that the cost is that of the bytes.
    static func folded(_ text: String) -> String {
        // A text of so few bytes and lines is shown whole; most are.
        if text.utf8.count <= characterLimit, !hasTooManyLines(text) { return text }
        let scalars = text.unicodeScalars
        var end = scalars.startIndex
        var count = 0
        var lines = 1
        while end < scalars.endIndex, count < characterLimit {
            if scalars[end] == "\n" {
                lines += 1
                if lines > lineLimit { break }
            }
            scalars.formIndex(after: &end)
            count += 1
        }
        guard end < scalars.endIndex else { return text }
        let more = scalars[end...].count
        return String(scalars[..<end]) + localized("… (%@ more characters)", more)
    }

    private static func hasTooManyLines(_ text: String) -> Bool {
        var lines = 1
        for byte in text.utf8 where byte == UInt8(ascii: "\n") {
            lines += 1
            if lines > lineLimit { return true }
        }
        return false
    }
}
