internal import CQREncode

/// A text as a QR code: a square of dark and light modules (ISO/IEC 18004).
///
///     if let code = QRCode(link.uri) { draw(code) }
///
/// Code that draws it leaves a light margin of ``quietZone`` modules on each side and draws dark modules on light ones,
/// also in a dark window: many scanners cannot read inverted codes.
public struct QRCode: Sendable, Hashable {
    /// The number of modules of a side.
    public let size: Int
    /// Row by row, `true` for dark.
    private let modules: [Bool]

    /// The light margin that scanners need, in modules (ISO/IEC 18004 §6.3.8).
    public static let quietZone = 4

    /// The maximum length of a text in bytes of UTF-8, in the largest code with medium error correction.
    public static let maximumLength = 2331

    /// - Returns: `nil` if the text is empty or longer than ``maximumLength``.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard !bytes.isEmpty, bytes.count <= Self.maximumLength,
            let code = QRcode_encodeData(Int32(bytes.count), bytes, 0, QR_ECLEVEL_M)
        else { return nil }
        defer { QRcode_free(code) }
        let size = Int(code.pointee.width)
        guard size > 0, let data = code.pointee.data else { return nil }
        self.size = size
        // The lowest bit of each byte is the module; the others say what it belongs to.
        modules = UnsafeBufferPointer(start: data, count: size * size).map { $0 & 1 == 1 }
    }

    /// Whether a module is dark; those outside are light.
    public func isDark(x: Int, y: Int) -> Bool {
        guard (0..<size).contains(x), (0..<size).contains(y) else { return false }
        return modules[y * size + x]
    }
}
