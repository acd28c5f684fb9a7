internal import ChatStore
internal import MessageFeatures
internal import MessageHistory
internal import XMPPAddress
internal import XMPPClient

extension ChatAccount {
    /// Takes over what other devices of this account have shown (XEP-0490).
    func followReading(in session: Session) async {
        guard let positions = session[DisplayedPositions.self] else { return }
        for await event in positions.events() {
            switch event {
            case .populated:
                for (conversation, message) in await positions.all { await readElsewhere(message, in: conversation) }
            case .moved(let conversation, let message): await readElsewhere(message, in: conversation)
            case .removed: break
            }
        }
    }

    private func readElsewhere(_ message: StanzaIdentifier, in conversation: JID) async {
        let isRoom = recorder.places.all[conversation.bare] != nil
        let kind: ConversationKey.Kind = isRoom ? (conversation.isBare ? .room : .occupant) : .direct
        let meaning = ReceivedMeaning.read(
            .archived(ArchiveReference(archive: message.by, id: message.id)),
            in: ConversationKey(account: id, address: conversation, kind: kind))
        await keep { writer throws(StoreError) in try meaning.keep(in: writer) }
    }

    /// Tells the other devices of this account.
    func tellReading(_ message: StoredMessage, in key: ConversationKey, session: Session) async {
        guard let reference = message.archiveReference else { return }
        try? await session[DisplayedPositions.self]?.displayed(
            StanzaIdentifier(reference.id, by: reference.archive), in: key.address)
    }
}
