internal import ChatStore
internal import MessageFeatures
internal import MessageHistory
internal import MessageSemantics
internal import XMPPAddress
internal import XMPPClient
internal import XMPPStanzas

/// Read positions, synchronised with other devices (XEP-0490), and the markers sent to others (XEP-0333).
struct ReadingService: Sendable {
    private let context: AccountContext

    init(_ context: AccountContext) { self.context = context }

    func markRead(upTo message: MessageID, in key: ConversationKey) async throws(StoreError) {
        let (known, isNew) = try await context.store.write { writer throws(StoreError) -> (StoredMessage?, Bool) in
            guard let known = try writer.message(message) else { return (nil, false) }
            let before = try writer.readPosition(in: known.conversation)
            try writer.markRead(upTo: message)
            return (known, try writer.readPosition(in: known.conversation) != before)
        }
        guard isNew, let known, let session = context.session else { return }
        await informDevices(of: known, in: key, session: session)
        guard !known.isOutgoing, context.policy.tellsReceipts else { return }
        // Of a file that a device only offers, nothing was received.
        if known.text.attachments.contains(where: { $0.url == nil && !$0.isLocal }) { return }
        if key.kind == .room { return await informRoom(of: known, in: key, session: session) }
        // A stranger does not learn when the user reads (XEP-0333 §7).
        guard key.kind == .direct, await session.mayLearnPresence(key.address),
            let id = known.wireID ?? known.originID, id.utf8.count <= Message.repeatedIDBytes
        else { return }
        // Without a connection, the next marker includes it.
        _ = try? await session.send(Message.displayedMarker(for: id, to: key.address, type: .chat))
    }

    /// Tells the members of a private room; in any other, strangers would learn when the user reads (XEP-0333 §7).
    private func informRoom(of message: StoredMessage, in key: ConversationKey, session: Session) async {
        guard let occupancy = context.occupancies[key.address], occupancy.isPrivate, occupancy.hasStanzaIDs,
            let id = message.archiveReference?.id, id.utf8.count <= Message.repeatedIDBytes
        else { return }
        _ = try? await session.send(Message.displayedMarker(for: id, to: key.address, type: .groupchat))
    }

    /// Applies the read positions of this account's other devices.
    func run(in session: Session) async {
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
        let isRoom = context.occupancies[conversation.bare] != nil
        let kind: ConversationKey.Kind = isRoom ? (conversation.isBare ? .room : .occupant) : .direct
        let meaning = MessageMeaning.read(
            .archived(ArchiveReference(archive: message.by, id: message.id)),
            in: ConversationAddress(conversation, kind: kind))
        let id = context.id
        await context.save { writer throws(StoreError) in try meaning.keep(of: id, in: writer) }
    }

    private func informDevices(of message: StoredMessage, in key: ConversationKey, session: Session) async {
        guard let reference = message.archiveReference else { return }
        try? await session[DisplayedPositions.self]?.displayed(
            StanzaIdentifier(reference.id, by: reference.archive), in: key.address)
    }
}
