/// A file name from the network, made safe for every file system.
///
/// It cannot name a directory: path separators, control characters, characters that change the writing direction (which
/// can hide the real extension) and characters that Windows forbids become `_`; leading dots and trailing dots and
/// spaces are removed; the device names of Windows get a leading `_`; a name longer than ``maximumUTF8Length`` is
/// truncated before the extension (XEP-0446 §3).
public struct SafeFileName: Sendable, Hashable, CustomStringConvertible {
    /// Leaves room for a suffix such as ` (2)` within the 255 bytes that ext4 allows for a name.
    public static let maximumUTF8Length = 200

    public let description: String

    /// - Parameters:
    ///   - untrusted: the received name; `nil` or blank gives `fallback`.
    ///   - fallback: a safe default name.
    ///   - fileExtension: replaces the received extension; derived from the type of the content, never from the name.
    public init(_ untrusted: String?, fallback: String, fileExtension: String? = nil) {
        // Only the last component is a name; the others are directories of the sender.
        let last = (untrusted ?? "").split(whereSeparator: { $0 == "/" || $0 == "\\" }).last.map(String.init) ?? ""
        var name = String(String.UnicodeScalarView(last.unicodeScalars.map { Self.isHarmless($0) ? $0 : "_" }))
        while let first = name.first, first == "." || first.isWhitespace { name.removeFirst() }
        while let end = name.last, end == "." || end.isWhitespace { name.removeLast() }
        if name.isEmpty { name = fallback }

        var (stem, suffix) = Self.split(name)
        if let fileExtension { suffix = fileExtension }
        if Self.deviceNames.contains(stem.uppercased()) { stem = "_" + stem }
        let room = Self.maximumUTF8Length - suffix.utf8.count - 1
        while stem.utf8.count > room, !stem.isEmpty { stem.removeLast() }
        description = suffix.isEmpty ? stem : "\(stem).\(suffix)"
    }

    /// What stands before and after a number that is added to the name; the second part begins with the dot.
    var parts: (stem: String, suffix: String) {
        let (stem, suffix) = Self.split(description)
        return (stem, suffix.isEmpty ? "" : "." + suffix)
    }

    private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
        default: !"/\\:*?\"<>|".unicodeScalars.contains(scalar)
        }
    }

    /// Splits at the last dot if a plausible extension follows (up to 8 ASCII letters and digits).
    private static func split(_ name: String) -> (stem: String, fileExtension: String) {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return (name, "") }
        let suffix = name[name.index(after: dot)...]
        guard (1...8).contains(suffix.count), suffix.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) })
        else { return (name, "") }
        return (String(name[..<dot]), String(suffix))
    }

    private static let deviceNames: Set<String> = Set(
        ["CON", "PRN", "AUX", "NUL"] + (1...9).flatMap { ["COM\($0)", "LPT\($0)"] })
}
