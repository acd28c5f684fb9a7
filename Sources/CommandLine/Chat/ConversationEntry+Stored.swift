internal import ChatStore
internal import XMPPAddress

extension ConversationEntry {
    /// A message of the store as a line of the conversation.
    ///
    /// - Parameters:
    ///   - answered: the message that it answers, if that is here.
    ///   - note: what stands in the place of its files: where they are on this computer.
    init(
        _ message: StoredMessage, in kind: ConversationKey.Kind, names: [JID: String],
        answered: StoredMessage? = nil, note: String? = nil
    ) {
        let author = message.author(in: kind, names: names)
        var lines: [String] = []
        if let answered {
            let quoted = answered.author(in: kind, names: names) + ": " + answered.words
            lines.append("↪ " + DisplayWidth.truncate(TerminalText.harmless(quoted), to: Self.quotedColumns))
        }
        if let note, !message.isRetracted {
            lines.append(note)
            if !message.readableBody.isEmpty { lines.append(message.readableBody) }
        } else {
            lines.append(message.words)
        }
        var text = lines.joined(separator: "\n")
        if let remarks = message.remarks { text += "  " + remarks }
        self.init(
            id: Self.id(of: message.id), author: message.isOutgoing ? .me : .contact(author),
            time: message.time.timestamp, text: text,
            delivery: message.isOutgoing && !message.isRetracted ? message.state.delivery : nil,
            position: message.position)
    }

    /// The entry of a message; no line of the program's own is called like that.
    static func id(of message: MessageID) -> String { "m\(message.rawValue)" }

    /// So much of an answered message reminds of it.
    private static let quotedColumns = 40
}

extension StoredMessage {
    /// By which name a correction means this message (XEP-0308 §3).
    var correctionTarget: TargetReference? { (wireID ?? originID).map { .sent(id: $0) } }

    /// By which name a reaction or a retraction means this message: in rooms by the archive's (XEP-0424 §3, XEP-0444 §4).
    func target(in kind: ConversationKey.Kind) -> TargetReference? {
        guard kind == .room else { return correctionTarget }
        return archiveReference.map { .archived($0) }
    }
}
