internal import Foundation

/// A compiled catalogue of translations, as `msgfmt` writes it (GNU gettext manual, "The Format of GNU MO Files").
struct MessageCatalogue {
    private let texts: [String: String]

    private static let magic: UInt32 = 0x9504_12DE
    /// No catalogue of this program comes near it; what is larger is some other file.
    private static let maximumByteCount = 4 << 20

    /// - Returns: `nil` when there is no readable catalogue at `path`.
    init?(file path: String) {
        guard let data = FileManager.default.contents(atPath: path), data.count <= Self.maximumByteCount else {
            return nil
        }
        self.init(Array(data))
    }

    init?(_ bytes: [UInt8]) {
        func number(at offset: Int) -> Int? {
            guard offset >= 0, offset + 4 <= bytes.count else { return nil }
            return (0..<4).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) }
        }
        func text(at entry: Int) -> String? {
            guard let length = number(at: entry), let offset = number(at: entry + 4), offset + length <= bytes.count
            else { return nil }
            return String(decoding: bytes[offset..<offset + length], as: UTF8.self)
        }
        guard number(at: 0) == Int(Self.magic), let count = number(at: 8), let originals = number(at: 12),
            let translations = number(at: 16), count <= bytes.count / 16
        else { return nil }
        var texts: [String: String] = [:]
        for index in 0..<count {
            guard let original = text(at: originals + 8 * index), let translated = text(at: translations + 8 * index)
            else { return nil }
            // The entry with the empty key describes the catalogue itself.
            if !original.isEmpty, !translated.isEmpty { texts[original] = translated }
        }
        self.texts = texts
    }

    subscript(text: String) -> String? { texts[text] }
}
