import Foundation

/// The settings of one of the two, in the file `settings.json` of its folder; written by the test that starts it.
struct Settings: Codable {
    var address: String
    var password: String
    /// The bare address of the other client.
    var peer: String
    var host: String
    var port: UInt16
    var usesDirectTLS: Bool
    var authorityFile: String
    /// Milliseconds between two messages.
    var pace: Int
}

/// The files of a folder that survives the process.
enum Ledger {
    static let settings = "settings.json"
    /// The session's journal.
    static let session = "session"
    /// One line for each received message: its number in the session's journal, then its body.
    static let received = "received"
    /// One line for each sent message that the server has acknowledged.
    static let confirmed = "confirmed"
    /// The last number of both sides; while the file does not exist, both continue.
    static let end = "end"

    static func end(in folder: String) -> Int? { numbers(in: folder, end).first }

    static func numbers(in folder: String, _ file: String) -> [Int] { lines(in: folder, file).compactMap { Int($0) } }

    /// The number of lines.
    static func count(in folder: String, _ file: String) -> Int {
        let bytes = (try? Data(contentsOf: URL(filePath: "\(folder)/\(file)"))) ?? Data()
        return bytes.count { $0 == UInt8(ascii: "\n") }
    }

    static func received(in folder: String) -> [(position: UInt64, body: String)] {
        lines(in: folder, received).compactMap { line in
            let words = line.split(separator: " ", maxSplits: 1)
            guard words.count == 2, let position = UInt64(words[0]) else { return nil }
            return (position, String(words[1]))
        }
    }

    private static func lines(in folder: String, _ file: String) -> [Substring] {
        ((try? String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8)) ?? "").split(separator: "\n")
    }
}
