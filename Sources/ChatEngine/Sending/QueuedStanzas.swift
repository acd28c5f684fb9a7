internal import ChatStore
internal import EntityInformation
internal import FileSharing
internal import XMPPAddress
internal import XMPPClient
internal import XMPPStanzas

/// Builds the stanza of a queued message, with data of the store: the message that it replies to, and when it was sent
/// first.
struct QueuedStanzas: Sendable {
    let store: any LocalStore
    let account: AccountID
    /// Whether a message to a contact states that its author has stopped typing (XEP-0085 §5.1); evaluated for each
    /// message.
    let tellsActivity: @Sendable (JID) -> Bool
    /// This account in a room.
    var occupancy: @Sendable (JID) -> RoomOccupancy? = { _ in nil }
    let protector: MessageProtector
    let now: @Sendable () -> MessageTime
    /// Contains the files that are sent inside messages.
    var media: MediaCache?

    /// The result of building and sealing the stanza of a queued message.
    enum Sealing: Sendable {
        /// It can be written.
        case stanza(Message)
        /// It cannot be encrypted at present and is tried again later.
        case waits
        case failed
    }

    /// Builds and encrypts the stanza; the attempt and the state of the protection are stored then.
    ///
    /// - Parameter key: `nil` if its conversation is gone.
    func sealed(_ entry: QueuedMessage, to key: ConversationKey?) async throws(StoreError) -> Sealing {
        guard let key, let stanza = try await stanza(for: entry, to: key) else {
            try await fail(entry, FailureReason(.notSent, condition: "feature-not-implemented"))
            return .failed
        }
        let id = entry.message.id
        var step = ProtectionStep(protector)
        let sealed: SealedMessage
        do throws(ProtectionError) {
            sealed = try await step.seal(stanza, in: key.conversation)
        } catch {
            // A message that no receiver could open is not sent.
            let time = SendBackoff.end(after: entry.attempts, now: now())
            // The keys of a recipient whose server does not answer are not requested for ever.
            let isTried = error.code == .unreachable && !error.recipients.isEmpty
            let waits = error.isTemporary && !(isTried && entry.attempts + 1 >= SendBackoff.keyRequests)
            try await step.store(of: account, in: store) { writer throws(StoreError) in
                if waits {
                    try writer.noteAttempt(id, notBefore: time)
                } else {
                    try writer.advance(id, to: .failed(FailureReason(error)))
                }
            }
            return waits ? .waits : .failed
        }
        if case .encrypted = sealed.protection {
            let clear = entry.content.attachments.enumerated().filter { isUploadedInClear($0.element) }
            guard clear.isEmpty else {
                await step.discard()
                // It was uploaded while the conversation was in clear, and is encrypted and uploaded again.
                let time = now()
                try await store.write { writer throws(StoreError) in
                    for (index, attachment) in clear {
                        var file = attachment
                        file.url = nil
                        try writer.update(file, at: index, of: id)
                    }
                    try writer.noteAttempt(id, notBefore: time)
                }
                return .waits
            }
        }
        try await step.store(of: account, in: store) { writer throws(StoreError) in
            try writer.noteAttempt(id, notBefore: nil)
            try writer.noteProtection(sealed.protection, unreadable: sealed.omitted, of: id)
        }
        return .stanza(sealed.message)
    }

    /// Whether a server has a file of this computer unencrypted.
    private func isUploadedInClear(_ attachment: Attachment) -> Bool {
        guard attachment.isLocal, !attachment.isInline, attachment.url != nil else { return false }
        // A damaged link is that of an encrypted file, too.
        do throws(ProtectionError) {
            return try protector.protection.opening(attachment) == nil
        } catch { return false }
    }

    /// Records that a message cannot be sent.
    func fail(_ entry: QueuedMessage, _ reason: FailureReason) async throws(StoreError) {
        let id = entry.message.id
        try await store.write { writer throws(StoreError) in try writer.advance(id, to: .failed(reason)) }
    }

    /// Fails messages that the server would reject again, because they would end each session.
    ///
    /// - Returns: `false` if this could not be stored.
    func fail(_ refused: [MessageID: FailureReason]) async -> Bool {
        guard !refused.isEmpty else { return true }
        do throws(StoreError) {
            try await store.write { writer throws(StoreError) in
                for (id, reason) in refused { try writer.advance(id, to: .failed(reason)) }
            }
            return true
        } catch { return false }
    }

    /// A server without stream management has handled all stanzas that precede a request that it answers (RFC 6120
    /// §10.1).
    func confirmUnmanaged(_ sent: [MessageID], in session: Session) async {
        guard !sent.isEmpty, await session.agreement?.isManaged == false else { return }
        do {
            try await session.ping()
            try await store.write { writer throws(StoreError) in
                for id in sent { try writer.advance(id, to: .sentToServer) }
            }
        } catch {
            // Not confirmed: they stay in the queue and are sent again with the next session.
        }
    }

    /// - Returns: `nil` if the message cannot be represented as a stanza.
    func stanza(for entry: QueuedMessage, to key: ConversationKey) async throws(StoreError) -> Message? {
        guard let id = entry.message.originID else { return nil }
        var (content, inline) = (entry.content, InlineMedia?.none)
        if case .text(var text) = content, let attachment = text.attachments.first, attachment.isInline {
            guard let medium = await self.inline(attachment) else { return nil }
            inline = medium
            text.body = medium.kind.rawValue
            text.attachments = []
            content = .text(text)
        }
        let builder = MessageBuilder(
            tellsActivity: tellsActivity(key.address), occupancy: key.kind == .room ? occupancy(key.address) : nil)
        var message = builder.message(
            content, id: id, in: key.conversation, replyingTo: try await repliedMessage(of: entry),
            firstSent: try await firstSending(of: entry))
        if let inline, var whole = message {
            inline.write(into: &whole)
            message = whole
        }
        return message
    }

    /// The content of an attachment in the form for sending it inside a message.
    private func inline(_ attachment: Attachment) async -> InlineMedia? {
        guard let kind = attachment.kind.inline, let media, let hash = attachment.contentHash.flatMap(ContentHash.init),
            let content = (try? await media.content(of: hash)) ?? nil
        else { return nil }
        return try? InlineMedia(kind: kind, fileName: attachment.name, content: content)
    }

    private func repliedMessage(of entry: QueuedMessage) async throws(StoreError) -> MessageBuilder.RepliedMessage? {
        guard case .text(let text) = entry.content, let reply = text.reply else { return nil }
        let conversation = entry.message.conversation
        let replied = try await store.read { reader throws(StoreError) in try reader.message(reply, in: conversation) }
        return replied.map { MessageBuilder.RepliedMessage(body: $0.text.body, sender: $0.sender) }
    }

    /// The time at which a message was archived, if it is sent again and precedes other messages of ours; `nil` for any
    /// other message.
    private func firstSending(of entry: QueuedMessage) async throws(StoreError) -> MessageBuilder.FirstSending? {
        let message = entry.message
        // A time of the clock of this device cannot be compared with the times of the receiver.
        guard message.timeSource == .archive else { return nil }
        let later = try await store.read { reader throws(StoreError) in
            try reader.timeline(of: message.conversation, .after(message.position), limit: Self.nextSearched)
        }
        guard let next = later.first(where: \.isOutgoing) else { return nil }
        // The archive of the receiver assigns slightly later times, also to the previous message. A time halfway to the
        // next message places this one between the two there.
        let distance = next.time.millisecondsSince1970 - message.time.millisecondsSince1970
        let time = message.time.advanced(by: min(max(distance, 0) / 2, Self.longestWay))
        return MessageBuilder.FirstSending(time: time, sender: message.sender)
    }

    /// The number of later messages to search for the next one of ours. If there are more of other senders in between,
    /// the order of ours is obvious.
    private static let nextSearched = 50
    /// The maximum delay of a message from one archive to the other, in milliseconds.
    private static let longestWay: Int64 = 500
}
