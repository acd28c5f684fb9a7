internal import ChatStore
internal import Localization
internal import MessageFeatures

extension StoredMessage {
    /// What it says, as far as that can be written: files, each on a line of its own, then the text.
    var words: String { words(files: { _ in nil }) }

    /// - Parameter path: where the content of a file is on this computer.
    func words(files path: (Attachment) -> String?) -> String {
        if isRetracted { return localized("(taken back)") }
        var lines = text.attachments.map { attachment in
            attachment.words + (path(attachment).map { "\n" + $0 } ?? "")
        }
        if !readableBody.isEmpty || lines.isEmpty { lines.append(readableBody) }
        return lines.joined(separator: "\n")
    }

    /// The text without what only stands for a file inside the message: the old form repeats its name as subject.
    var readableBody: String {
        let isPlaceholder = !text.attachments.isEmpty && text.subject == text.body && text.body.hasSuffix("Message")
        return isPlaceholder ? "" : text.body
    }

    /// What was done to it: `(edited) 👍 2 🎉`; `nil` for nothing.
    var remarks: String? {
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

    /// One object, the same whatever the person's language is.
    ///
    /// - Parameters:
    ///   - key: the conversation it stands in.
    ///   - path: where the content of a file is on this computer.
    func json(in key: ConversationKey, files path: (Attachment) -> String? = { _ in nil }) -> JSONValue {
        let members: [(String, JSONValue)] = [
            ("event", "message"), ("id", .integer(Int(id.rawValue))), ("with", .text(key.address)),
            ("kind", .string(key.kind.word)), ("from", .text(sender)), ("mine", .bool(isOutgoing)),
            ("time", .text(time.timestamp)), ("body", isRetracted ? .null : .string(text.body)),
            ("state", isOutgoing ? .string(state.word) : .null), ("percent", .count(state.percent)),
            ("reason", .text(state.reason)),
        ]
        let deeds: [(String, JSONValue)] = [
            ("edited", .text(editTime?.timestamp)), ("retracted", isRetracted ? true : .null),
            (
                "reactions",
                reactions.isEmpty
                    ? .null : .array(reactions.map { ["emoji": .string($0.emoji), "from": .text($0.sender)] })
            ),
            ("files", text.attachments.isEmpty ? .null : .array(text.attachments.map { $0.json(at: path($0)) })),
            ("originId", .text(originID)), ("archiveId", .text(archiveReference?.id)),
        ]
        return JSONValue(members + deeds)
    }
}

extension ConversationKey.Kind {
    /// The word for programs.
    var word: String {
        switch self {
        case .direct: "chat"
        case .room: "room"
        case .occupant: "private"
        }
    }
}

extension MessageState {
    /// The word for programs.
    var word: String {
        switch self {
        case .queued: "queued"
        case .uploading: "uploading"
        case .sentToServer: "sent"
        case .delivered: "delivered"
        case .displayed: "displayed"
        case .failed: "failed"
        }
    }

    var percent: Int? { if case .uploading(let percent) = self { percent } else { nil } }

    /// Why it failed, in the words that were given for it.
    var reason: String? {
        guard case .failed(let reason) = self else { return nil }
        return reason.text ?? reason.condition
    }

    /// The state for a person.
    var label: String {
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
    var mark: String { delivery.mark }

    var delivery: ConversationEntry.Delivery {
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
        if let text, !text.isEmpty { return CommandError.oneLine(text) }
        switch condition {
        case "imported": return localized("it came with an import and was not sent from here")
        case "service-unavailable": return localized("nobody of this address can be reached")
        case "item-not-found": return localized("there is nobody with this address")
        case "remote-server-not-found", "remote-server-timeout":
            return localized("the other side's server cannot be reached")
        case "forbidden", "not-allowed", "not-authorized": return localized("that is not allowed")
        case "not-acceptable", "policy-violation": return localized("it is not accepted there")
        case Self.tooLong: return localized("it is too long for one message; send it as a file")
        case Self.connectionEnded: return localized("the server ended the connection because of it")
        case "no-upload": return localized("there is no way to bring the file there")
        case "file-gone": return localized("the file is not on this computer any more")
        default: return CommandError.oneLine(condition)
        }
    }
}

extension Attachment {
    /// `[picture] garden.jpg, image/jpeg, 12.3 kB, 320 × 200`.
    var words: String {
        var parts: [String] = []
        if let name, !name.isEmpty { parts.append(TerminalText.harmless(name)) }
        if let mediaType { parts.append(TerminalText.harmless(mediaType)) }
        if let size { parts.append(ByteCount(size).description) }
        if let width, let height { parts.append("\(width) × \(height)") }
        if let duration { parts.append(PlayingTime(milliseconds: Int(clamping: duration)).description) }
        return "[\(label)]" + (parts.isEmpty ? "" : " " + parts.joined(separator: ", "))
    }

    private var label: String {
        switch kind {
        case .picture: localized("picture")
        case .voice: localized("voice")
        case .video: localized("film")
        case .file: localized("file")
        }
    }

    fileprivate func json(at path: String?) -> JSONValue {
        [
            "kind": .string(kind.word), "name": .text(name), "type": .text(mediaType), "bytes": .count(size),
            "width": .count(width), "height": .count(height), "milliseconds": .count(duration), "url": .text(url),
            "sha256": .text(contentHash), "path": .text(path),
        ]
    }
}

extension Attachment.Kind {
    /// The word for programs.
    var word: String {
        switch self {
        case .picture: "picture"
        case .voice: "voice"
        case .video: "film"
        case .file: "file"
        }
    }
}
