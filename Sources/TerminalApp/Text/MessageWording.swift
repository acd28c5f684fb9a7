internal import ChatModel
package import ChatStore
internal import Localization
package import XMPPStanzas

extension StoredMessage {
    /// What it says, as far as that can be written: files, each on a line of its own, then the text.
    package var plainText: String { plainText(files: { _ in nil }) }

    /// - Parameter path: where the content of a file is on this computer.
    package func plainText(files path: (Attachment) -> String?) -> String {
        if isRetracted { return localized("(retracted)") }
        if let sentence = Wording.notOpened(protection) { return sentence }
        var lines = text.attachments.map { attachment in
            attachment.label() + (path(attachment).map { "\n" + $0 } ?? "")
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
    /// The text without keys of files, and without the name of a file inside the message, which the old form repeats as
    /// the subject.
    var readableBody: String {
        let isPlaceholder = !attachments.isEmpty && subject == body && body.hasSuffix("Message")
        return isPlaceholder ? "" : body.withoutFileKeys
    }
}

extension MessageState {
    /// How far it came, as a mark.
    package var mark: String { delivery.mark }

    var delivery: TranscriptEntry.Delivery {
        switch self {
        case .queued: .sending
        case .sentToServer: .onServer
        case .delivered: .delivered
        case .displayed: .displayed
        case .failed(let reason): .failed(reason.message)
        }
    }
}

extension FailureReason {
    /// Why a message was not delivered; text of the other side is made safe for the terminal.
    var message: String { TerminalText.harmless(Wording.failure(self)) }
}

extension Attachment {
    /// The file in one line: `[file] plan.pdf, application/pdf, 12.3 kB`.
    ///
    /// - Parameter isNamed: whether its name is shown. Names of pictures and voice messages are those of cameras and
    ///   programs and say nothing in a conversation.
    package func label(isNamed: Bool = true) -> String {
        var parts: [String] = []
        if isNamed, let name, !name.isEmpty { parts.append(TerminalText.harmless(name)) }
        if let mediaType { parts.append(TerminalText.harmless(mediaType)) }
        if let size { parts.append(Wording.size(size)) }
        if let width, let height { parts.append("\(width) × \(height)") }
        if let duration { parts.append(Wording.length(.milliseconds(duration))) }
        return "[\(Wording.word(kind))]" + (parts.isEmpty ? "" : " " + parts.joined(separator: ", "))
    }
}

/// The availability of a person and the subscription to it, as terminals show them.
package enum PresenceText {
    /// The states by the words that people type; plain "online" has none on the wire (RFC 6121 §4.7.2.1).
    package static let shows: [String: Presence.Show?] = [
        "online": Optional.none, "chat": .chat, "away": .away, "xa": .extendedAway, "dnd": .doNotDisturb,
    ]

    /// A subscription as the protocol calls it, and whether a request waits.
    package static func subscription(_ subscription: String, isPending: Bool) -> String {
        isPending ? subscription + " (" + localized("asked") + ")" : subscription
    }
}

extension ContactRow {
    /// The subscription as the protocol calls it, and whether a request waits.
    var subscriptionText: String {
        PresenceText.subscription(subscription.rawValue, isPending: isPending)
    }
}
