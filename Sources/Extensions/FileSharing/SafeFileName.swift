/// A file name made from one that came over the network, harmless to every file system.
///
/// Nothing of it can name a directory: path separators, control characters, characters that turn the writing
/// direction round (they hide the real extension) and characters that Windows forbids become `_`; leading dots and
/// trailing dots and spaces go; the device names of Windows get a `_` in front; what is longer than
/// ``maximumUTF8Length`` is cut before the extension (XEP-0446 §3).
public struct SafeFileName: Sendable, Hashable, CustomStringConvertible {
    /// Leaves room for a suffix such as ` (2)` below the 255 bytes that ext4 allows a name.
    public static let maximumUTF8Length = 200

    public let description: String

    /// - Parameters:
    ///   - untrusted: the name as received; `nil` or blank gives `fallback`.
    ///   - fallback: a name of the program's own.
    ///   - fileExtension: replaces the received extension; made from the content's type, never from the name.
    public init(_ untrusted: String?, fallback: String, fileExtension: String? = nil) {
        // Only the last part can be a name; what is in front is somebody's directory.
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

    private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
        default: !"/\\:*?\"<>|".unicodeScalars.contains(scalar)
        }
    }

    /// Splits at the last dot when what follows looks like an extension (up to 8 ASCII letters and digits).
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
