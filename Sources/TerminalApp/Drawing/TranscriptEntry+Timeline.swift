internal import ChatModel
internal import ChatStore
internal import Localization

extension TranscriptEntry {
    /// A row of the timeline as a line of the terminal; `nil` for what only a scrolled view shows.
    ///
    /// - Parameter files: the lines for the attachments of a message.
    init?(_ item: TimelineItem, files: (TimelineMessage) -> [String]) {
        switch item {
        case .history: return nil
        case .day(let day):
            self.init(divider: Wording.day(day), id: item.id, time: day.start)
        case .gap:
            self.init(
                divider: localized("Messages may be missing here"), id: item.id,
                time: MessageTime(millisecondsSince1970: 0))
        case .unread(let count):
            self.init(
                divider: localized("%@ unread", plural: "%@ unread", count: count), id: item.id,
                time: MessageTime(millisecondsSince1970: 0))
        case .message(let message): self.init(message, files: files(message))
        case .notice(let notice):
            // Its sentence is too long for a divider.
            self.init(id: .item(item.id), author: .notice, time: notice.time, text: Wording.notice(notice))
        }
    }

    private init(divider text: String, id: TimelineItem.ID, time: MessageTime) {
        self.init(id: .item(id), author: .divider, time: time, text: text)
    }

    private init(_ message: TimelineMessage, files: [String]) {
        var lines: [String] = []
        var actor: String?
        if let quoted = message.quotation?.preview {
            lines.append("↪ " + DisplayWidth.truncate(TerminalText.harmless(quoted.line), to: Self.quotedColumns))
        }
        if message.isRetracted {
            lines.append(localized("(retracted)"))
        } else if let sentence = message.notOpened {
            lines.append(sentence)
        } else {
            lines += files
            let body = message.text.readableBody
            if MessageBody(body).isAction {
                let action = TextFolding.folded(String(body.unicodeScalars.dropFirst("/me ".count)))
                if lines.isEmpty { actor = message.senderName }
                lines.append(lines.isEmpty ? action : "\(TerminalText.harmless(message.senderName)) \(action)")
            } else if !body.isEmpty || files.isEmpty {
                lines.append(TextFolding.folded(body))
            }
        }
        var text = lines.joined(separator: "\n")
        if let remarks = message.remarks { text += "  " + remarks }
        self.init(
            id: .item(.message(message.id)), author: message.isOutgoing ? .me : .contact(message.senderName),
            time: message.time, text: text, actor: actor,
            delivery: message.isOutgoing && !message.isRetracted ? message.state.delivery : nil,
            lock: message.mark?.sign, position: message.position)
    }

    /// Columns of a quoted message: enough to recognise it.
    private static let quotedColumns = 40
}

extension TimelineMessage {
    /// The changes of the message: `(edited) 👍 2 🎉`; `nil` for none.
    var remarks: String? {
        var parts: [String] = []
        if isEdited, !isRetracted { parts.append(localized("(edited)")) }
        parts += reactions.map { $0.count == 1 ? $0.emoji : "\($0.emoji) \($0.count)" }
        return parts.isEmpty ? nil : parts.joined(separator: " ")
    }

    /// The content in one line.
    var summary: String {
        if isRetracted { return localized("(retracted)") }
        if let notOpened { return notOpened }
        let files = text.attachments.map { $0.label(isNamed: $0.isNamed) }
        let words = (files + [TextFolding.folded(text.readableBody)]).filter { !$0.isEmpty }
        return words.joined(separator: " ")
    }
}

extension MessagePreview {
    /// The content in one line, without its author.
    var plainText: String {
        switch kind {
        case .text, .action: return text
        case .retracted: return localized("(retracted)")
        case .notOpened: return Wording.preview(self)
        case .file(let kind):
            let label = "[\(Wording.word(kind))]"
            return text.isEmpty ? label : label + " " + text
        }
    }

    /// The author and the content in one line.
    var line: String {
        if kind == .action { return senderName + " " + plainText }
        return (isOutgoing ? localized("me") : senderName) + ": " + plainText
    }
}

extension Attachment {
    /// Whether a conversation shows its name.
    var isNamed: Bool { kind == .file || kind == .video }
}
