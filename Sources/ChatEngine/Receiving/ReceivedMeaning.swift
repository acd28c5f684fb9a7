public import ChatStore

/// What a received message stanza means to the store.
public enum ReceivedMeaning: Hashable, Sendable {
    /// Something that is said, or done to what was said.
    case message(MessageCopy, in: ConversationKey)
    /// Something that is said about a message of ours.
    case report(StateReport, in: ConversationKey)
    /// Another device of ours has shown this message and those before it (XEP-0333 §5, XEP-0490).
    case read(TargetReference, in: ConversationKey)
}

extension ReceivedMeaning {
    func keep(in writer: any StoreWriter) throws(StoreError) {
        switch self {
        case .message(let copy, let key): _ = try writer.receive(copy, in: key)
        case .report(let report, let key): try writer.receive(report, in: key)
        case .read(let target, let key):
            // What was read elsewhere opens no conversation here.
            guard let conversation = try writer.conversation(key) else { return }
            try writer.markRead(upTo: target, in: conversation)
        }
    }

    /// Whether it is something that this account has said.
    var isOutgoing: Bool { if case .message(let copy, _) = self { copy.isOutgoing } else { false } }

    /// The same, as an item of an archive; a read position is none.
    var archived: ArchiveItem.Content? {
        switch self {
        case .message(let copy, let key): .message(copy, in: key)
        case .report(let report, let key): .report(report, in: key)
        case .read: nil
        }
    }
}
