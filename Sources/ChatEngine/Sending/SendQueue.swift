public import ChatStore
internal import EntityInformation
public import XMPPAddress
public import XMPPClient
internal import XMPPStanzas

/// Gives what waits in the store to the session, in its order, until the server has it.
///
/// A message is in the store before it is here and leaves the queue only by the server's word: the acknowledgement of
/// XEP-0198, which ``SessionRecorder`` notes, or, where the server has none, the answer to a ping that was sent after it.
/// What is said in a room leaves it when the room sends it back. When a session is lost, what it left unconfirmed is sent
/// again with the same origin-id.
public actor SendQueue {
    /// What wakes the queue.
    private enum Cause: Sendable {
        case changed
        case online(isResumed: Bool)
    }

    let store: any LocalStore
    private let account: AccountID
    private let composer: MessageComposer
    private let uploader: (any AttachmentUploader)?
    private let now: @Sendable () -> MessageTime
    /// Rings while the queue works.
    private var bell: AsyncStream<Cause>.Continuation?
    /// Given to the present session and not confirmed.
    private var inFlight: [MessageID: SendToken] = [:]
    /// What was given to the session last. When that is lost, so may be all before it, and nothing must overtake them.
    private var last: SendToken?
    /// Messages whose files are on their way.
    private var uploading: Set<MessageID> = []
    /// Rooms in which something can be said.
    private(set) var openRooms: Set<JID> = []
    /// Open rooms that have sent a message back since they were opened. In the others one message goes at a time: a room that
    /// has just been entered, on a server that has just come back, may refuse one and take the next.
    private var provenRooms: Set<JID> = []
    /// The message that a room is to send back before the next one goes.
    private var probes: [JID: MessageID] = [:]
    private var isLookingAgain = false
    /// Rooms whose messages in flight are to be looked at anew.
    private var roomsAnew: Set<JID> = []
    private var keys: [ConversationID: ConversationKey] = [:]

    /// The first pause after an upload that may work later, and the longest.
    private static let uploadPauses: ClosedRange<Int64> = 5_000...300_000
    /// How soon a message is looked at again that a room has refused or not sent back.
    private static let probePause = Duration.seconds(2)

    public init(
        store: any LocalStore, account: AccountID, composer: MessageComposer = MessageComposer(),
        uploader: (any AttachmentUploader)? = nil, now: @escaping @Sendable () -> MessageTime
    ) {
        self.store = store
        self.account = account
        self.composer = composer
        self.uploader = uploader
        self.now = now
    }

    /// A room was entered, and what it has said until now is in the store: what it did not send back is sent again.
    public func roomOpened(_ room: JID) {
        openRooms.insert(room.bare)
        roomsAnew.insert(room.bare)
        provenRooms.remove(room.bare)
        bell?.yield(.changed)
    }

    /// Nothing can be said in the room for now.
    public func roomClosed(_ room: JID) {
        openRooms.remove(room.bare)
    }

    /// Works until the session ends or the task is cancelled.
    public func run(in session: Session) async {
        let changes = store.changes()
        let events = session.events(.connection)
        let (causes, bell) = AsyncStream.makeStream(of: Cause.self)
        self.bell = bell
        // What a session before was given, this one has if it goes on with it, and is asked.
        inFlight = [:]
        last = nil
        openRooms = []
        provenRooms = []
        isLookingAgain = false
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for await change in changes where change.sendQueue { bell.yield(.changed) }
            }
            group.addTask {
                for await batch in events {
                    for case .connection(.online(_, let isResumed)) in batch {
                        bell.yield(.online(isResumed: isResumed))
                    }
                }
                bell.finish()
            }
            bell.yield(.changed)
            for await cause in causes {
                await noteRefusals()
                // The rooms close by themselves; this may be late news, and some be open again.
                if case .online(isResumed: false) = cause {
                    inFlight = [:]
                    provenRooms = []
                }
                guard let plan = await sendWhatIsReady(in: session) else { continue }
                for entry in plan.uploads where uploading.insert(entry.message.id).inserted {
                    group.addTask { await self.upload(entry, in: session) }
                }
                if !probes.isEmpty, !isLookingAgain {
                    isLookingAgain = true
                    group.addTask {
                        try? await Task.sleep(for: Self.probePause)
                        await self.lookAgain()
                    }
                }
                guard let time = plan.nextTime else { continue }
                let pause = Duration.milliseconds(time.millisecondsSince1970 - now().millisecondsSince1970)
                group.addTask {
                    try? await Task.sleep(for: pause)
                    bell.yield(.changed)
                }
            }
            group.cancelAll()
        }
    }

    /// Messages that the server would refuse again have failed: offered in each session, they would end each session.
    private func noteRefusals() async {
        let refused = inFlight.compactMapValues { token in token.failure.flatMap { FailureReason($0) } }
        guard !refused.isEmpty else { return }
        do throws(StoreError) {
            try await store.write { writer throws(StoreError) in
                for (id, reason) in refused { try writer.advance(id, to: .failed(reason)) }
            }
            for id in refused.keys { inFlight[id] = nil }
        } catch {
            // They stay here, and the next cause tries again.
        }
    }

    private func lookAgain() {
        isLookingAgain = false
        bell?.yield(.changed)
    }

    // MARK: Messages

    /// Sends what can be sent; returns what has to wait.
    private func sendWhatIsReady(in session: Session) async -> SendPlan? {
        guard await session.isOnline else { return nil }
        let account = account
        let queue: [QueuedMessage]
        do throws(StoreError) {
            queue = try await store.read { reader throws(StoreError) in try reader.sendQueue(of: account) }
            try await learnKeys(of: queue)
        } catch {
            // The store says itself what is wrong, to whoever shows it.
            return nil
        }
        let waiting = Set(queue.map(\.message.id))
        // What a session lost is known here before the news of the next session comes. Without stream management no token
        // says so for certain.
        let isManaged = await session.agreement?.isManaged ?? true
        inFlight = inFlight.filter { waiting.contains($0.key) && !(isManaged && $0.value.failure != nil) }
        last = nil
        if !roomsAnew.isEmpty {
            let anew = queue.filter { keys[$0.message.conversation].map { roomsAnew.contains($0.address) } ?? false }
            for entry in anew { inFlight[entry.message.id] = nil }
            roomsAnew = []
        }
        for (room, message) in probes where !waiting.contains(message) {
            probes[room] = nil
            if openRooms.contains(room) { provenRooms.insert(room) }
        }
        let plan = SendPlan(queue, inFlight: Set(inFlight.keys), now: now()) { conversation in
            guard let key = keys[conversation], key.kind != .direct else { return .open }
            guard openRooms.contains(key.address.bare) else { return .closed }
            return provenRooms.contains(key.address.bare) ? .open : .oneByOne
        }
        var sent: [MessageID] = []
        for entry in plan.messages {
            guard await send(entry, in: session) else { break }
            sent.append(entry.message.id)
            if let key = keys[entry.message.conversation], key.kind == .room, !provenRooms.contains(key.address.bare) {
                probes[key.address.bare] = entry.message.id
            }
        }
        await confirmUnmanaged(sent, in: session)
        return plan
    }

    private func learnKeys(of queue: [QueuedMessage]) async throws(StoreError) {
        let unknown = Set(queue.map(\.message.conversation)).subtracting(keys.keys)
        guard !unknown.isEmpty else { return }
        let learnt = try await store.read { reader throws(StoreError) in
            var keys: [ConversationID: ConversationKey] = [:]
            for conversation in unknown { keys[conversation] = try reader.conversation(conversation)?.key }
            return keys
        }
        keys.merge(learnt) { _, new in new }
    }

    /// Returns whether the next message may follow.
    private func send(_ entry: QueuedMessage, in session: Session) async -> Bool {
        let id = entry.message.id
        // The stream of a process before may have it already.
        if let origin = entry.message.originID, let token = await session.token(stanzaID: origin), token.failure == nil,
            token.stage < .acknowledged
        {
            inFlight[id] = token
            return true
        }
        do throws(StoreError) {
            guard let key = keys[entry.message.conversation],
                let stanza = composer.stanza(
                    for: entry, to: key, answering: try await answered(by: entry),
                    firstSent: try await timeOfFirstSending(of: entry))
            else {
                try await store.write { writer throws(StoreError) in
                    try writer.advance(id, to: .failed(FailureReason(.notSent, condition: "feature-not-implemented")))
                }
                return true
            }
            try await store.write { writer throws(StoreError) in try writer.noteAttempt(id, notBefore: nil) }
            // The connection was lost and is there again, without what was sent: the queue begins anew.
            if await session.agreement?.isManaged != false, last?.failure != nil { return false }
            do throws(ClientError) {
                let token = try await session.send(stanza)
                inFlight[id] = token
                last = token
                return true
            } catch {
                // The connection is gone, and the queue goes on when it is back; or the message cannot be sent at all.
                guard let reason = FailureReason(error) else { return false }
                try await store.write { writer throws(StoreError) in try writer.advance(id, to: .failed(reason)) }
                return true
            }
        } catch {
            return false
        }
    }

    private func answered(by entry: QueuedMessage) async throws(StoreError) -> StoredMessage? {
        guard case .text(let text) = entry.content, let reply = text.reply else { return nil }
        let conversation = entry.message.conversation
        return try await store.read { reader throws(StoreError) in try reader.message(reply, in: conversation) }
    }

    /// Where the server acknowledges nothing, it has handled what came before a request that it answers (RFC 6120 §10.1).
    private func confirmUnmanaged(_ sent: [MessageID], in session: Session) async {
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

    // MARK: Files

    private func upload(_ entry: QueuedMessage, in session: Session) async {
        let id = entry.message.id
        for (index, attachment) in entry.content.attachments.enumerated() where attachment.url == nil {
            guard let uploader else {
                await fail(entry, AttachmentFailure(isTemporary: false, condition: "no-upload", text: ""))
                break
            }
            let store = store
            let (percents, progress) = AsyncStream.makeStream(of: Int.self, bufferingPolicy: .bufferingNewest(1))
            let reporting = Task {
                for await percent in percents {
                    try? await store.write { writer throws(StoreError) in
                        try writer.advance(id, to: .uploading(percent: percent))
                    }
                }
            }
            progress.yield(0)
            let result: Result<String, AttachmentFailure>
            do throws(AttachmentFailure) {
                result = .success(try await uploader.upload(attachment, in: session) { progress.yield($0) })
            } catch {
                result = .failure(error)
            }
            progress.finish()
            await reporting.value
            switch result {
            case .success(let url):
                var known = attachment
                known.url = url
                let uploaded = known
                try? await store.write { writer throws(StoreError) in
                    try writer.update(uploaded, at: index, of: id)
                }
            case .failure(let failure):
                await fail(entry, failure)
            }
        }
        uploading.remove(id)
        bell?.yield(.changed)
    }

    private func fail(_ entry: QueuedMessage, _ failure: AttachmentFailure) async {
        let id = entry.message.id
        let pause = min(Self.uploadPauses.lowerBound << min(entry.attempts, 6), Self.uploadPauses.upperBound)
        let time = now().advanced(by: pause)
        try? await store.write { writer throws(StoreError) in
            if failure.isTemporary {
                try writer.noteAttempt(id, notBefore: time)
            } else {
                let reason = FailureReason(.notSent, condition: failure.condition, text: failure.text)
                try writer.advance(id, to: .failed(reason))
            }
        }
    }
}
