internal import ChatStore
internal import MessageFeatures

extension StoredMessage {
    /// By which name another message refers to this one: in rooms by the archive's, else by the sender's; a correction
    /// always by the stanza's `id` (XEP-0308 §3, XEP-0424 §3, XEP-0444 §4, XEP-0461 §3).
    func reference(in key: ConversationKey, for purpose: MessageIdentity.Purpose) -> TargetReference? {
        let identity = MessageIdentity(
            isInRoom: key.kind == .room, stanzaID: wireID, originID: originID, archiveID: archiveReference?.id)
        guard let id = identity.identifier(for: purpose) else { return nil }
        switch purpose {
        case .correction, .receipt: return .sent(id: id)
        case .displayedMarker, .retraction, .reaction, .reply:
            if key.kind == .room, let archiveReference { return .archived(archiveReference) }
            return .sent(id: id)
        }
    }
}
