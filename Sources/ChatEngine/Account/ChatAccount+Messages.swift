public import ChatStore
internal import Foundation
internal import MessageFeatures
internal import XMPPAddress
internal import XMPPClient
internal import XMPPStanzas

extension ChatAccount {
    /// Keeps a message and sends it as soon as that is possible, now or after the next start of the program.
    ///
    /// - Returns: when the message is on the disk.
    public func send(_ content: MessageContent, in key: ConversationKey) async throws(StoreError) -> MessageID {
        var sender = address
        var occupantID: String?
        if key.kind != .direct, let place = recorder.places.all[key.address.bare] {
            sender =
                (try? JID(local: key.address.local, domain: key.address.domain, resource: place.nickname)) ?? address
            occupantID = place.believedOccupantID
        }
        toldComposing.remove(key)
        recorder.people.wrote()
        let message = OutgoingMessage(
            sender: sender, occupantID: occupantID, originID: UUID().uuidString.lowercased(), time: now(),
            content: content)
        let attachments = content.attachments
        let (store, ended) = (store, endedThreads[key])
        let write = { @Sendable [message] () async throws(StoreError) -> (id: MessageID, thread: String?) in
            try await store.write { writer throws(StoreError) -> (id: MessageID, thread: String?) in
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
        if let thread = sent.thread { threads[key] = thread }
        return sent.id
    }

    /// Tries once more to send a message that failed.
    public func retry(_ message: MessageID) async throws(StoreError) {
        try await store.write { writer throws(StoreError) in try writer.sendAgain(message) }
    }

    /// Takes a message back that did not leave yet.
    public func cancel(_ message: MessageID) async throws(StoreError) {
        try await store.write { writer throws(StoreError) in try writer.cancel(message) }
        await contents?.update()
    }

    /// Notes that a person has seen a message and all before it, and tells who wrote it and the other devices.
    public func markRead(upTo message: MessageID, in key: ConversationKey) async throws(StoreError) {
        let (known, isNew) = try await store.write { writer throws(StoreError) -> (StoredMessage?, Bool) in
            guard let known = try writer.message(message) else { return (nil, false) }
            let before = try writer.readPosition(in: known.conversation)
            try writer.markRead(upTo: message)
            return (known, try writer.readPosition(in: known.conversation) != before)
        }
        guard isNew, let known, let session else { return }
        await tellReading(known, in: key, session: session)
        guard !known.isOutgoing, policy.tellsReceipts else { return }
        // A stranger does not learn when a person looks (XEP-0333 §7).
        guard key.kind == .direct, await session.mayLearnPresence(key.address),
            let id = known.wireID ?? known.originID, id.utf8.count <= Message.repeatedIDBytes
        else { return }
        var marker = Message(to: key.address, type: .chat)
        marker.append(DisplayedMarker(messageID: id))
        marker.payloads.append(ProcessingHint.store)
        // Without a connection it waits for the next thing that is read.
        _ = try? await session.send(marker)
    }

    // MARK: Writing

    /// Tells the other side that something is being written, or not any more (XEP-0085); the same twice is told once.
    public func setComposing(_ isComposing: Bool, in key: ConversationKey) async {
        guard key.kind == .direct, isComposing != toldComposing.contains(key), let session,
            await session.isOnline, presences[key.address] != nil, stateSupport.allows(key.address),
            await session.mayLearnPresence(key.address)
        else { return }
        if isComposing { toldComposing.insert(key) } else { toldComposing.remove(key) }
        await tell(isComposing ? .composing : .paused, in: key, thread: threads[key], session)
    }

    /// Nothing else may stand in it but the thread, where threads are used (XEP-0085 §5.5).
    private func tell(_ state: ChatState, in key: ConversationKey, thread: String?, _ session: Session) async {
        var message = Message(to: key.address, type: .chat)
        message.payloads.append(state)
        if let thread { message.thread = Message.Thread(id: thread) }
        _ = try? await session.send(message)
    }

    // MARK: Threads

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

    /// Says in each thread of this session that the conversation is over.
    func leaveThreads(_ session: Session) async {
        let left = threads
        threads = [:]
        for (key, thread) in left where presences[key.address] != nil {
            guard stateSupport.allows(key.address) else { continue }
            await tell(.gone, in: key, thread: thread, session)
        }
    }

    /// In how many conversations, and of how many devices in each, typing is shown: anybody can send it.
    private static let typingLimit = 256
    private static let writerLimit = 64

    func writingChanged(_ message: Message) {
        guard let sender = message.from, !message.isError, sender.bare != address else { return }
        var kind = message.type == .groupchat ? ConversationKey.Kind.room : .direct
        if kind == .direct, !sender.isBare, recorder.places.all[sender.bare] != nil { kind = .occupant }
        let key = ConversationKey(account: id, address: sender, kind: kind)
        if kind == .direct {
            stateSupport.received(message)
            if message.chatState == .gone, let thread = message.thread?.id, threads[key] == thread {
                endedThreads[key] = thread
                threads[key] = nil
            }
        }
        var writers = typing[key] ?? [:]
        switch message.chatState {
        case .composing?: writers[sender] = .composing
        case .paused?: writers[sender] = .paused
        case .active?, .inactive?, .gone?: writers[sender] = nil
        // Who has sent something has stopped writing it.
        case nil: if message.body != nil { writers[sender] = nil }
        }
        guard writers != typing[key] ?? [:], writers.count <= Self.writerLimit,
            typing[key] != nil || typing.count < Self.typingLimit
        else { return }
        typing[key] = writers.isEmpty ? nil : writers
        channel.post(.typing(key))
    }
}

extension OutgoingMessage {
    /// The same text in a thread, unless it has one.
    fileprivate func `in`(_ thread: String?) -> OutgoingMessage {
        guard let thread, case .text(var text) = content, text.thread == nil else { return self }
        var message = self
        text.thread = thread
        message.content = .text(text)
        return message
    }
}

extension ChatStore.Contact.Subscription {
    /// The contact sees this account's presence.
    var isMutualOrFrom: Bool { self == .both || self == .from }
}
