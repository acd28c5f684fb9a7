import Foundation
import StanzaCorpus

/// A message of the corpus, as every store gets it.
struct CorpusMessage: Sendable {
    let peer: Int
    let isOutgoing: Bool
    /// The stanza's id and origin-id.
    let id: String
    /// The archive id.
    let archiveID: String
    /// In milliseconds since 1970.
    let time: Int64
    let body: String
}

/// Messages like those of users, as far as it matters for a database: 40 characters, two of five in Chinese, with few
/// common and many rare words and conversations, one and a half minutes apart, with numbers or UUIDs as archive ids.
/// They are the same on every machine.
struct MessageCorpus {
    static let peerCount = 1000
    static let me = "juliet@capulet.example"

    static func peer(_ number: Int) -> String { "friend\(number)@montague.example" }

    private var random = SeededGenerator(seed: 11)
    private let words: [String]
    private let characters: [String]
    private var time: Int64 = 1_600_000_000_000

    init() {
        var random = SeededGenerator(seed: 3)
        let letters = Array("etaoinshrdlucmfwyp")
        words = (0..<8000).map { _ in String((0..<random.inRange(2...9)).map { _ in random.pick(letters) }) }
        characters = (0..<2500).compactMap { _ in
            Unicode.Scalar(UInt32(0x4E00 + random.below(3000))).map { String(Character($0)) }
        }
    }

    /// A number below the bound, with a Zipf distribution.
    private mutating func rare(_ bound: Int) -> Int {
        let share = Double(random.next() >> 11) / Double(1 << 53)
        return min(bound, Int(pow(Double(bound + 1), share))) - 1
    }

    private mutating func uuid() -> String {
        let hex = random.hex(32)
        return [(0, 8), (8, 4), (12, 4), (16, 4), (20, 12)].map { start, count in
            String(hex.dropFirst(start).prefix(count))
        }.joined(separator: "-")
    }

    mutating func next() -> CorpusMessage {
        time += Int64(random.inRange(1000...180_000))
        var body = ""
        if random.below(5) < 3 {
            body = (0..<random.inRange(2...14)).map { _ in words[rare(words.count)] }.joined(separator: " ")
        } else {
            for _ in 0..<random.inRange(4...36) { body += characters[rare(characters.count)] }
        }
        let isOutgoing = random.percent(40)
        let peer = rare(Self.peerCount)
        let id = uuid()
        let archiveID = random.percent(50) ? String(time * 1000 + Int64(random.below(1000))) : uuid()
        return CorpusMessage(
            peer: peer, isOutgoing: isOutgoing, id: id, archiveID: archiveID, time: time, body: body)
    }

    /// The search terms, by kind.
    var queries: [(kind: String, words: [String])] {
        [
            ("a common word", (0..<20).map { words[$0] }), ("a rare word", (4000..<4020).map { words[$0] }),
            ("two words", (0..<20).map { words[$0] + " " + words[100 + $0] }),
            ("one Chinese character", (0..<20).map { characters[$0 * 50] }),
            ("two common Chinese characters", (0..<20).map { characters[$0] + characters[$0 + 3] }),
            ("two rare Chinese characters", (0..<20).map { characters[300 + $0] + characters[$0] }),
            (
                "four Chinese characters",
                (0..<20).map { characters[$0] + characters[3] + characters[$0 / 2] + characters[1] }
            ),
            ("what nobody wrote", ["qqzzqq", "華麗", "xyzzy plugh"]),
        ]
    }
}
