internal import ChatModel
package import ChatStore
internal import Localization

extension StoredMessage {
    /// What it says, as far as that can be written: files, each on a line of its own, then the text.
    package var words: String { words(files: { _ in nil }) }

    /// - Parameter path: where the content of a file is on this computer.
    package func words(files path: (Attachment) -> String?) -> String {
        if isRetracted { return localized("(retracted)") }
        var lines = text.attachments.map { attachment in
            attachment.words() + (path(attachment).map { "\n" + $0 } ?? "")
        }
        if !text.readableBody.isEmpty || lines.isEmpty { lines.append(text.readableBody) }
        return lines.joined(separator: "\n")
    }

    /// What was done to it: `(edited) 👍 2 🎉`; `nil` for nothing.
    package var remarks: String? {
        var parts: [String] = []
        if editTime != nil, !isRetracted { parts.append(localized("(edited)")) }
        var counts: [(emoji: String, count: Int)] = []
        for reaction in reactions {
            if counts.last?.emoji == reaction.emoji {
                counts[counts.count - 1].count += 1
            } else {
                counts.append((reaction.emoji, 1))
            }
        }
        parts += counts.map { $0.count == 1 ? $0.emoji : "\($0.emoji) \($0.count)" }
        return parts.isEmpty ? nil : parts.joined(separator: " ")
    }
}

extension MessageText {
    /// The text without what only stands for a file inside the message: the old form repeats its name as subject.
    var readableBody: String {
        let isPlaceholder = !attachments.isEmpty && subject == body && body.hasSuffix("Message")
        return isPlaceholder ? "" : body
    }
}

extension MessageState {
    /// The state for a person.
    package var label: String {
        switch self {
        case .queued: localized("waiting to be sent")
        case .uploading(let percent): localized("uploading, %@ %", percent)
        case .sentToServer: localized("on the server")
        case .delivered: localized("delivered")
        case .displayed: localized("seen")
        case .failed(let reason): localized("failed: %@", reason.sentence)
        }
    }

    /// The same as a mark.
    package var mark: String { delivery.mark }

    var delivery: TranscriptEntry.Delivery {
        switch self {
        case .queued: .sending
        case .uploading(let percent): .transferring(percent)
        case .sentToServer: .onServer
        case .delivered: .delivered
        case .displayed: .displayed
        case .failed(let reason): .failed(reason.sentence)
        }
    }
}

extension FailureReason {
    /// Why a message did not get there, for a person; what the other side has said is kept as it is.
    var sentence: String {
        if let text, !text.isEmpty { return TerminalText.harmless(text) }
        switch condition {
        case "imported": return localized("it was imported and not sent from here")
        case "service-unavailable": return localized("this address cannot be reached")
        case "item-not-found": return localized("this address does not exist")
        case "remote-server-not-found", "remote-server-timeout":
            return localized("the receiver's server cannot be reached")
        case "forbidden", "not-allowed", "not-authorized": return localized("that is not allowed")
        case "not-acceptable", "policy-violation": return localized("it is not accepted there")
        case Self.tooLong: return localized("it is too long for one message; send it as a file")
        case Self.connectionEnded: return localized("the server ended the connection because of it")
        case "no-upload": return localized("the file cannot be sent there")
        case "file-gone": return localized("the file is not on this computer any more")
        default: return TerminalText.harmless(condition)
        }
    }
}

extension Attachment {
    /// The file in one line: `[file] plan.pdf, application/pdf, 12.3 kB`.
    ///
    /// - Parameter isNamed: whether its name is shown. Names of pictures and voice messages are those of cameras and
    ///   programs and say nothing in a conversation.
    package func words(isNamed: Bool = true) -> String {
        var parts: [String] = []
        if isNamed, let name, !name.isEmpty { parts.append(TerminalText.harmless(name)) }
        if let mediaType { parts.append(TerminalText.harmless(mediaType)) }
        if let size { parts.append(ByteCount(size).description) }
        if let width, let height { parts.append("\(width) × \(height)") }
        if let duration { parts.append(PlayingTime(milliseconds: Int(clamping: duration)).description) }
        return "[\(kind.label)]" + (parts.isEmpty ? "" : " " + parts.joined(separator: ", "))
    }
}

extension Attachment.Kind {
    /// The word for a person.
    var label: String {
        switch self {
        case .picture: localized("picture")
        case .voice: localized("voice")
        case .video: localized("video")
        case .file: localized("file")
        }
    }
}
