internal import ChatModel
internal import ChatStore
internal import Localization

extension TimelineMessage {
    /// The whole content, for screen readers.
    func spoken(isDeleted: Bool) -> String {
        var parts = [isOutgoing ? localized("You") : senderName]
        if isDeleted {
            parts.append(localized("This message was deleted"))
        } else if let notOpened {
            parts.append(notOpened)
        } else {
            parts += shown.flatMap(\.text.attachments).map(\.spokenName)
            let body = captioned.text.body
            if !body.isEmpty { parts.append(TextFold(body).text) }
            if isEdited { parts.append(localized("edited")) }
        }
        // What could not be decrypted has its sentence already.
        if let mark, mark != .notOpened { parts.append(Wording.protection(of: self) ?? Wording.protection(mark)) }
        parts.append(Wording.clock(time))
        if isOutgoing { parts.append(Wording.state(commonState)) }
        return parts.joined(separator: ", ")
    }
}

extension Attachment {
    /// What a screen reader says: the name of a file, and of everything else only what it is.
    fileprivate var spokenName: String {
        guard kind == .file, let name else { return Wording.kind(kind) }
        return localized("File: %@", name)
    }
}
