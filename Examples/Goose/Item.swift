import Hongyan

/// One text, picture, voice message or file that was sent or received: what both ends compare.
struct Item: Hashable, Sendable {
    enum Direction: String {
        case sent, received

        var opposite: Direction { self == .sent ? .received : .sent }
    }

    var direction: Direction
    var kind: String
    /// Bytes.
    var size: UInt64
    /// In hexadecimal digits.
    var sha256: String

    init(_ direction: Direction, text: String) {
        self.init(direction, kind: "text", content: Array(text.utf8))
    }

    init(_ direction: Direction, _ file: OutgoingFile) {
        self.init(direction, kind: "\(file.kind)", content: file.content)
    }

    init(_ direction: Direction, _ file: ReceivedFile, kind: FileKind) {
        self.direction = direction
        self.kind = "\(kind)"
        size = file.byteCount
        sha256 = Self.hexadecimal(file.sha256)
    }

    private init(_ direction: Direction, kind: String, content: [UInt8]) {
        self.direction = direction
        self.kind = kind
        size = UInt64(content.count)
        sha256 = Self.hexadecimal(FileHash.sha256(of: content).value)
    }

    /// Reads what ``line`` writes.
    init?(line: some StringProtocol) {
        let words = line.split(separator: " ")
        guard words.count == 4, let direction = Direction(rawValue: String(words[0])), let size = UInt64(words[2])
        else {
            return nil
        }
        self.direction = direction
        kind = String(words[1])
        self.size = size
        sha256 = String(words[3])
    }

    /// `sent picture 12345 a1b2c3…`.
    var line: String { "\(direction.rawValue) \(kind) \(size) \(sha256)" }

    /// The same as the other side sees it.
    var mirrored: Item {
        var item = self
        item.direction = direction.opposite
        return item
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
