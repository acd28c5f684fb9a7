package import ChatStore
internal import Foundation
internal import GroupChat
internal import MessageFeatures
internal import ServiceDiscovery
internal import XMPPAddress
internal import XMPPClient

/// Stores the messages that the user writes, which ``SendQueue`` sends.
struct MessageService: Sendable {
    let context: AccountContext
    let contacts: ContactService
    let typing: TypingService
    let contents: QueuedContents?

    init(_ context: AccountContext, contacts: ContactService, typing: TypingService, contents: QueuedContents?) {
        self.context = context
        self.contacts = contacts
        self.typing = typing
        self.contents = contents
    }

    /// - Throws: ``ChatStore/StoreError/reactionsNotAccepted``, or a failure of the store.
    func send(_ content: MessageContent, in key: ConversationKey, id: String?) async throws(StoreError) -> MessageID {
        if case .reactions(_, let emojis) = content, !emojis.isEmpty {
            let emojis = emojis.map(MessageReactions.qualified)
            if let restrictions = await knownRestrictions(in: key), restrictions.accepted(of: emojis) != emojis {
                throw .reactionsNotAccepted
            }
        }
        var sender = context.address
        var occupantID: String?
        if key.kind != .direct, let occupancy = context.occupancies[key.address.bare] {
            sender =
                (try? JID(local: key.address.local, domain: key.address.domain, resource: occupancy.nickname)) ?? sender
            occupantID = occupancy.believedOccupantID
        }
        await typing.wrote(in: key)
        let message = OutgoingMessage(
            sender: sender, occupantID: occupantID, originID: id ?? UUID().uuidString.lowercased(),
            time: context.now(),
            content: content)
        let attachments = content.attachments
        let (store, ended) = (context.store, await typing.endedThread(in: key))
        let write = { @Sendable [message] () async throws(StoreError) -> (id: MessageID, thread: String?) in
            try await store.write { writer throws(StoreError) -> (id: MessageID, thread: String?) in
                if let id, let conversation = try writer.conversation(key),
                    let known = try writer.message(.sent(id: id), in: conversation), known.isOutgoing
                {
                    return (known.id, nil)
                }
                let thread = try Self.thread(of: key, after: ended, in: writer)
                return (try writer.send(message.in(thread), in: key), thread)
            }
        }
        let sent: (id: MessageID, thread: String?)
        if let contents, !attachments.isEmpty {
            sent = try await contents.holding(attachments, write)
        } else {
            sent = try await write()
        }
        context.recorder.people.wrote()
        if let thread = sent.thread { await typing.use(thread, in: key) }
        return sent.id
    }

    func retry(_ message: MessageID) async throws(StoreError) {
        try await context.store.write { writer throws(StoreError) in try writer.sendAgain(message) }
    }

    func cancel(_ message: MessageID) async throws(StoreError) {
        try await context.store.write { writer throws(StoreError) in try writer.cancel(message) }
        await contents?.update()
    }

    // MARK: Reactions

    /// Devices of a contact that are asked: a gateway has one.
    private static let maximumDevices = 4
    /// How long a reaction waits for a device that does not say what it accepts.
    private static let restrictionsTimeout = Duration.seconds(2)

    private func knownRestrictions(in key: ConversationKey) async -> ReactionRestrictions? {
        await withTaskGroup(of: ReactionRestrictions?.self) { group in
            group.addTask { await reactionRestrictions(in: key) }
            group.addTask {
                try? await Task.sleep(for: Self.restrictionsTimeout)
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
    }

    func reactionRestrictions(in key: ConversationKey) async -> ReactionRestrictions? {
        guard let session = await context.onlineSession else { return nil }
        switch key.kind {
        case .room, .occupant: return await session[GroupChat.self]?.room(key.address)?.information?.reactions
        case .direct:
            guard let discovery = session[ServiceDiscovery.self] else { return nil }
            let devices = await contacts.presences[key.address]?.devices ?? []
            for device in devices.prefix(Self.maximumDevices) {
                guard let address = try? key.address.with(resource: device),
                    let information = try? await discovery.information(of: address)
                else { continue }
                if let restrictions = ReactionRestrictions(information.forms) { return restrictions }
            }
            return nil
        }
    }

    /// The thread that the last message of a conversation belongs to: a reply copies it, and one that the other side has left
    /// is followed by another (XEP-0085 §5.6).
    private static func thread(
        of key: ConversationKey, after ended: String?, in reader: any StoreReader
    ) throws(StoreError) -> String? {
        guard key.kind == .direct, let conversation = try reader.conversation(key),
            let thread = try reader.timeline(of: conversation, .newest, limit: 1).last?.text.thread
        else { return nil }
        return ended == thread ? UUID().uuidString.lowercased() : thread
    }
}

extension StoreError {
    /// The room or the contact does not accept these reactions (XEP-0444 §2.2).
    package static let reactionsNotAccepted = StoreError(.invalidRequest, "These reactions are not accepted there.")
}

extension OutgoingMessage {
    /// The text with this thread, unless it has one.
    fileprivate func `in`(_ thread: String?) -> OutgoingMessage {
        guard let thread, case .text(var text) = content, text.thread == nil else { return self }
        var message = self
        text.thread = thread
        message.content = .text(text)
        return message
    }
}
