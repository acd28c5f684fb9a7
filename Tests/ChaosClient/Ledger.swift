import Foundation
import Synchronization

/// The messages that a device has typed: the reference for the stores.
///
///     T 17 juliet@xmpp.test    before `send`
///     C 17                     `send` returned: it is typed
///     F 17 disk full           `send` failed: it is not typed
///     R 17                     the store is again as it was after 17
///
/// A message with neither of the last two was being sent when the process ended: it may have been typed or not, but not
/// twice.
final class Ledger: Sendable {
    enum Fate: Sendable {
        case unknown, typed, notTyped
    }

    struct Entry: Sendable {
        var number: Int
        /// The peer's or the room's address.
        var conversation: String
        var fate: Fate
    }

    private let file: LineFile
    private let last: Atomic<Int>
    /// The highest number that was typed or attempted.
    var lastNumber: Int { last.load(ordering: .relaxed) }

    init(folder: String) throws {
        file = try LineFile(path: "\(folder)/\(ChaosFiles.ledger)", isDurable: true)
        last = Atomic(Self.entries(in: folder).last?.number ?? 0)
    }

    func willType(_ number: Int, in conversation: String) throws {
        try file.append("T \(number) \(conversation)")
        last.store(number, ordering: .relaxed)
    }
    func typed(_ number: Int) throws { try file.append("C \(number)") }
    func notTyped(_ number: Int, because reason: String) throws { try file.append("F \(number) \(reason)") }

    /// By number.
    static func entries(in folder: String) -> [Entry] {
        let text = (try? String(contentsOfFile: "\(folder)/\(ChaosFiles.ledger)", encoding: .utf8)) ?? ""
        var entries: [Int: Entry] = [:]
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ", maxSplits: 2)
            guard words.count > 1, let number = Int(words[1]) else { continue }
            switch words[0] {
            case "T" where words.count == 3:
                entries[number] = Entry(number: number, conversation: String(words[2]), fate: .unknown)
            case "C": entries[number]?.fate = .typed
            case "F": entries[number]?.fate = .notTyped
            case "R":
                for later in entries.keys where later > number && entries[later]?.fate == .typed {
                    entries[later]?.fate = .unknown
                }
            default: break
            }
        }
        return entries.values.sorted { $0.number < $1.number }
    }

    static func body(_ device: String, _ number: Int) -> String { "\(device) \(number)" }

    /// Whether a text is such a body.
    static func isBody(_ text: Substring) -> Bool {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        return words.count == 2 && words[0].count == 2 && words[0].last?.isNumber == true && Int(words[1]) != nil
    }

    /// Notes that an old copy of the store takes its place: later messages may have been sent or not.
    static func noteRestored(to number: Int, in folder: String) throws {
        try LineFile(path: "\(folder)/\(ChaosFiles.ledger)", isDurable: true).append("R \(number)")
    }
}
