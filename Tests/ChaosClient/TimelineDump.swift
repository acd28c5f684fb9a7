import ChatStore
import Foundation
import Glibc

/// A message as a device would show it.
struct TimelineDump: Sendable, Equatable {
    struct Line: Sendable, Equatable {
        var body: String
        /// `queued`, `sent`, `delivered`, `displayed`, `failed`.
        var state: String
        var isOutgoing: Bool
        /// Its changes: `corrected`, `retracted` and `reacted`, joined by commas; `-` for none.
        var changes: String
        /// `clear`, `encrypted`, or why it could not be decrypted.
        var protection: String
        /// The stanza's `id`, which every device knows, also of a message that it cannot decrypt.
        var id: String
        /// The full address of the sender.
        var sender: String

        var isUnreadable: Bool { protection != "clear" && protection != "encrypted" }
    }

    var conversation: String
    var lines: [Line]

    private static let page = 200

    /// Dumps the contents of a store, a page at a time, because a store can be larger than the memory of a device.
    static func write(_ store: any LocalStore, in folder: String) async throws {
        let path = "\(folder)/\(ChaosFiles.dump)"
        try Data().write(to: URL(filePath: path + ".part"))
        let file = try FileHandle(forWritingTo: URL(filePath: path + ".part"))
        defer { try? file.close() }
        let conversations = try await store.read { reader throws(StoreError) in
            try reader.conversations().map { ($0.id, $0.key.address.description) }
        }
        for (id, name) in conversations.sorted(by: { $0.1 < $1.1 }) {
            try file.write(contentsOf: Data("= \(name)\n".utf8))
            var position = TimelinePosition.start(of: MessageTime(millisecondsSince1970: .min))
            while true {
                let messages = try await store.read { [position] reader throws(StoreError) in
                    try reader.timeline(of: id, .after(position), limit: page)
                }
                guard let last = messages.last else { break }
                position = last.position
                try file.write(contentsOf: Data(messages.map { Line($0).text }.joined().utf8))
            }
        }
        guard rename(path + ".part", path) == 0 else { throw LineFile.Failure(errno: errno) }
    }

    static func read(in folder: String) -> [TimelineDump] {
        var dumps: [TimelineDump] = []
        let text = (try? String(contentsOfFile: "\(folder)/\(ChaosFiles.dump)", encoding: .utf8)) ?? ""
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: false)
            if words.count == 2, words[0] == "=" {
                dumps.append(TimelineDump(conversation: String(words[1]), lines: []))
            } else if words.count == 6, !dumps.isEmpty {
                // The sender is after the body, because a nickname may contain spaces.
                let parts = words[5].split(separator: "\t", maxSplits: 1, omittingEmptySubsequences: false)
                dumps[dumps.count - 1].lines.append(
                    Line(
                        body: String(parts[0]), state: String(words[0]), isOutgoing: words[1] == ">",
                        changes: String(words[2]), protection: String(words[3]), id: String(words[4]),
                        sender: parts.count > 1 ? String(parts[1]) : ""))
            }
        }
        return dumps
    }
}

extension TimelineDump.Line {
    /// The maximum number of written characters of a body; the typed texts are shorter.
    private static let shown = 100

    init(_ message: StoredMessage) {
        let state =
            switch message.state {
            case .queued: "queued"
            case .sentToServer: "sent"
            case .delivered: "delivered"
            case .displayed: "displayed"
            case .failed(let reason): "failed(\(reason.condition))"
            }
        let changes = [
            message.editTime == nil ? nil : "corrected", message.isRetracted ? "retracted" : nil,
            message.reactions.isEmpty ? nil : "reacted",
        ].compactMap(\.self)
        let protection =
            switch message.protection {
            case .none, .clear: "clear"
            case .encrypted: "encrypted"
            case .notOpened(_, let reason): reason
            }
        let id = (message.wireID ?? message.originID ?? "-").filter { !$0.isWhitespace }
        let body = String(message.text.body.prefix(Self.shown).map { $0.isNewline || $0 == "\t" ? " " : $0 })
        self.init(
            body: body, state: state, isOutgoing: message.isOutgoing,
            changes: changes.isEmpty ? "-" : changes.joined(separator: ","), protection: protection, id: id,
            sender: message.sender.description)
    }

    /// The line in the file.
    var text: String {
        "\(state) \(isOutgoing ? ">" : "<") \(changes) \(protection) \(id) \(body)\t\(sender)\n"
    }
}
