internal import Foundation
internal import Localization

/// What the other side says that it received and sent: the file that `goose --report` writes.
struct PeerReport {
    struct Line: Decodable, Equatable {
        var event: String
        var kind: String?
        var bytes: Int?
        var sha256: String?
    }

    let path: String
    /// What stood in the file before this conversation is not about it.
    private let start: UInt64

    init(_ path: String) {
        self.path = path
        let handle = FileHandle(forReadingAtPath: path)
        start = (try? handle?.seekToEnd()) ?? 0
    }

    /// The lines since the beginning of this conversation.
    var lines: [Line] {
        guard let handle = FileHandle(forReadingAtPath: path) else { return [] }
        try? handle.seek(toOffset: start)
        let data = (try? handle.readToEnd()) ?? Data()
        return data.split(separator: UInt8(ascii: "\n")).compactMap { try? JSONDecoder().decode(Line.self, from: $0) }
    }

    /// The first difference between what one side sent and the other received, as a sentence; `nil` when there is none.
    ///
    /// The order does not count: files may overtake texts.
    static func difference(
        mine: (sent: [Correspondence.Item], received: [Correspondence.Item]), theirs: [Line]
    ) -> String? {
        var theirReceived = theirs.filter { $0.event == "received" }
        var theirSent = theirs.filter { $0.event == "sent" }
        for item in mine.sent {
            guard let index = theirReceived.firstIndex(where: { $0.sha256 == item.sha256 && $0.bytes == item.bytes })
            else {
                return localized("The other side did not receive the %@ of %@ B as it was sent.", item.kind, item.bytes)
            }
            theirReceived.remove(at: index)
        }
        for item in mine.received {
            guard let index = theirSent.firstIndex(where: { $0.sha256 == item.sha256 && $0.bytes == item.bytes }) else {
                return localized("The %@ of %@ B is not what the other side sent.", item.kind, item.bytes)
            }
            theirSent.remove(at: index)
        }
        if let missing = theirSent.first {
            return localized(
                "The %@ of %@ B that the other side sent did not arrive.", missing.kind ?? "", missing.bytes ?? 0)
        }
        return nil
    }
}
