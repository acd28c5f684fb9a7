/// What a widget shows of a text that anybody may have written: a name, a status, a subject, a reason.
///
/// Pango needs time for the square of what stands between two places where a line may end, and a text may be a megabyte. Whoever shows
/// long texts, as messages are, divides them first and uses markup or a ``TextView``.
enum ShownText {
    /// In octets of UTF-8; the longest sentences of the program have some 500.
    nonisolated static let limit = 4_096

    /// The beginning of a longer text; what overrides the order of letters is a visible mark.
    nonisolated static func bounded(_ text: String) -> String {
        let isLong = text.utf8.count > limit
        guard isLong || text.utf8.contains(0xE2) else { return text }
        var shown = String.UnicodeScalarView()
        var length = 0
        for scalar in text.unicodeScalars {
            length += UTF8.width(scalar)
            guard length <= limit else {
                shown.append("…")
                break
            }
            shown.append(scalar.overridesDirection ? "\u{FFFD}" : scalar)
        }
        return String(shown)
    }
}

extension Unicode.Scalar {
    /// It shows letters in another order than that of their script (Unicode Standard Annex 9 §2.2): no language needs it, and
    /// `gpj.exe` can look like `exe.jpg` with it.
    nonisolated var overridesDirection: Bool { value == 0x202D || value == 0x202E }
}
