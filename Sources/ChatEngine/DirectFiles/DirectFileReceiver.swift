internal import ChatStore
internal import DirectTransfer
internal import Foundation
internal import Roster
internal import XMPPAddress
internal import XMPPClient

/// Shows the files that devices of contacts offer as messages of their conversations.
///
/// Offers of strangers, of occupants of rooms and of files without a size are declined. The number of offers that wait is
/// limited by `DirectTransfer`, the number of messages by the rules of the store.
struct DirectFileReceiver: Sendable {
    let context: AccountContext
    let offers: DirectOffers

    init(_ context: AccountContext) {
        self.context = context
        offers = context.directOffers
    }

    /// - Parameter arriving: the offers of the session, from its beginning on.
    func run(_ arriving: AsyncStream<Transfer>, in session: Session) async {
        let events = context.events.stream()
        await withDiscardingTaskGroup { group in
            group.addTask {
                for await case .presence(let address) in events { await endTransfers(with: address, in: session) }
            }
            for await transfer in arriving {
                guard let message = await store(transfer) else {
                    transfer.decline()
                    continue
                }
                group.addTask { [offers] in await offers.follow(transfer, of: message) }
            }
            group.cancelAll()
        }
    }

    /// A device that went offline takes its sessions with it (XEP-0166 §6.7).
    private func endTransfers(with contact: JID, in session: Session) async {
        // Without a connection of our own, nothing is known about others.
        guard await session.isOnline, let known = await session[Roster.self]?.contact(contact) else { return }
        session[DirectTransfer.self]?.endTransfers(with: contact, exceptOn: Set(known.resources.keys))
    }

    /// - Returns: `nil` if the offer is not shown.
    private func store(_ transfer: Transfer) async -> MessageID? {
        let (file, sender) = (transfer.file, transfer.peer.bare)
        guard let size = file.size.flatMap({ Int64(exactly: $0) }), await isKnown(transfer.peer) else { return nil }
        let kind = file.mediaType.map { Attachment.Kind(mediaType: $0) } ?? Attachment.Kind(fileName: file.name)
        let attachment = Attachment(kind: kind, mediaType: file.mediaType, name: file.name, size: size)
        var copy = MessageCopy(
            route: .live, sender: sender, originID: DirectFileIdentifier.origin(transfer.id) ?? Self.newID(),
            time: context.now(), content: .text(MessageText(file.description ?? "", attachments: [attachment])))
        let key = ConversationKey(account: context.id, address: sender, kind: .direct)
        let (first, other) = (copy, Self.newID())
        copy.originID = other
        let (second, offers) = (copy, offers)
        let stored = try? await context.store.write { writer throws(StoreError) in
            var (reception, copy) = (try writer.receive(first, in: key), first)
            if reception != .stored(reception.id), try !writer.shows(attachment, reception.id, in: key) {
                (reception, copy) = (try writer.receive(second, in: key), second)
            }
            // Before anybody can see the message.
            offers.add(transfer, of: reception.id)
            return (reception, copy)
        }
        guard let (reception, copy) = stored else { return nil }
        let meaning = MessageMeaning.message(copy, in: key.conversation)
        if let hearing = context.hearing, let event = meaning.heard(reception, in: key) { await hearing.report(event) }
        return reception.id
    }

    private static func newID() -> String { UUID().uuidString.lowercased() }

    /// A contact, or somebody to whom the user has written.
    private func isKnown(_ peer: JID) async -> Bool {
        guard peer.bare != context.address, context.occupancies[peer.bare] == nil else { return false }
        let people = PeopleDirectory(people: context.recorder.people, store: context.store, account: context.id)
        if await people.follows(peer) { return true }
        return await people.maySeePresence(peer)
    }
}

extension StoreReader {
    /// Whether a message is the latest of its conversation and shows this file, which has not come yet: it is offered once
    /// more. Further up nobody would see the offer.
    fileprivate func shows(
        _ file: Attachment, _ id: MessageID, in key: ConversationKey
    ) throws(StoreError) -> Bool {
        guard let message = try message(id), !message.isOutgoing, !message.isRetracted,
            message.text.attachments.count == 1, let known = message.text.attachments.first, !known.isLocal,
            known.name == file.name, known.size == file.size, known.mediaType == file.mediaType, known.url == nil
        else { return false }
        return try timeline(of: message.conversation, .newest, limit: 1).last?.id == id
    }
}
