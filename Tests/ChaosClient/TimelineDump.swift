import ChatStore
import Foundation

/// What a device would show of a conversation.
struct TimelineDump: Sendable, Equatable {
    struct Line: Sendable, Equatable {
        var body: String
        /// `queued`, `sent`, `delivered`, `displayed`, `failed`.
        var state: String
        var isOutgoing: Bool
    }

    var conversation: String
    var lines: [Line]

    private static let page = 1000

    /// Everything that the store has, conversation by conversation.
    static func all(in store: any LocalStore, of account: AccountID) async throws -> [TimelineDump] {
        try await store.read { reader throws(StoreError) in
            var dumps: [TimelineDump] = []
            for conversation in try reader.conversations() {
                var dump = TimelineDump(conversation: conversation.key.address.description, lines: [])
                var position = TimelinePosition.start(of: MessageTime(millisecondsSince1970: .min))
                while true {
                    let messages = try reader.timeline(of: conversation.id, .after(position), limit: page)
                    guard let last = messages.last else { break }
                    position = last.position
                    dump.lines += messages.map { Line($0) }
                }
                dumps.append(dump)
            }
            return dumps.sorted { $0.conversation < $1.conversation }
        }
    }

    static func write(_ dumps: [TimelineDump], in folder: String) throws {
        var text = ""
        for dump in dumps {
            text += "= \(dump.conversation)\n"
            for line in dump.lines { text += "\(line.state) \(line.isOutgoing ? ">" : "<") \(line.body)\n" }
        }
        try Data(text.utf8).write(to: URL(filePath: "\(folder)/\(ChaosFiles.dump)"), options: .atomic)
    }

    static func read(in folder: String) -> [TimelineDump] {
        var dumps: [TimelineDump] = []
        let text = (try? String(contentsOfFile: "\(folder)/\(ChaosFiles.dump)", encoding: .utf8)) ?? ""
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
            if words.count == 2, words[0] == "=" {
                dumps.append(TimelineDump(conversation: String(words[1]), lines: []))
            } else if words.count == 3, !dumps.isEmpty {
                dumps[dumps.count - 1].lines.append(
                    Line(body: String(words[2]), state: String(words[0]), isOutgoing: words[1] == ">"))
            }
        }
        return dumps
    }
}

extension TimelineDump.Line {
    init(_ message: StoredMessage) {
        let state =
            switch message.state {
            case .queued: "queued"
            case .sentToServer: "sent"
            case .delivered: "delivered"
            case .displayed: "displayed"
            case .failed(let reason): "failed(\(reason.condition))"
            }
        self.init(body: message.text.body, state: state, isOutgoing: message.isOutgoing)
    }
}
