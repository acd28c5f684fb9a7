internal import ChatStore
public import XMPPAddress
public import XMPPClient
internal import XMPPStanzas

/// Passes the queued messages of the store to the session, in order, until the server has confirmed them.
///
/// A message is stored before it is queued, and leaves the queue only when the server has confirmed it: by the
/// acknowledgement of XEP-0198, which ``SessionRecorder`` records, or without stream management by the response to a
/// ping that was sent after it. A message to a room leaves the queue when the room reflects it. If a session is lost,
/// its unconfirmed messages are sent again with the same origin-id.
///
/// Each entry of the queue is read once per session, and again only if something held it back (`SendPlan`).
public final actor SendQueue {
    private let store: any LocalStore
    private let account: AccountID
    /// Builds the stanzas of messages of ours.
    nonisolated let stanzas: QueuedStanzas
    private let uploads: QueuedUploads
    /// The progress of the uploads of this account.
    public nonisolated var progress: UploadProgress { uploads.progress }
    private let direct: DirectFileSender?
    private let now: @Sendable () -> MessageTime
    /// Wakes the queue while it works.
    private var causes: SendCauses?
    private var timer: Task<Void, Never>?
    private var plan = SendPlan()
    private var given = GivenMessages(in: 0)
    /// Messages whose files are being uploaded.
    private var uploading: Set<MessageID> = []
    /// Messages whose file goes to the contact directly. They hold up no others.
    private var directly: [MessageID: Task<Void, Never>] = [:]
    private var rooms = OpenRooms()
    private var keys: [ConversationID: ConversationKey] = [:]
    /// The number of entries that were read, for tests of the cost.
    private(set) var placesRead = 0

    /// The time after which a message that a room has not reflected is checked again, in milliseconds.
    private static let probePause: Int64 = 2_000
    /// The number of entries that are read at once.
    private static let pageSize = 64

    /// - Parameters:
    ///   - tellsActivity: whether a message to a contact states that its author has stopped typing (XEP-0085 §5.1).
    ///   - occupancy: this account in a room.
    ///   - protector: encrypts messages.
    ///   - media: contains the encrypted files during their upload.
    ///   - direct: sends the files that the server does not take; `nil` if they fail.
    init(
        store: any LocalStore, account: AccountID, tellsActivity: @escaping @Sendable (JID) -> Bool = { _ in true },
        occupancy: @escaping @Sendable (JID) -> RoomOccupancy? = { _ in nil },
        uploader: (any AttachmentUploader)? = nil, protector: MessageProtector, media: MediaCache? = nil,
        progress: UploadProgress = UploadProgress(), direct: DirectFileSender? = nil,
        now: @escaping @Sendable () -> MessageTime
    ) {
        (self.store, self.account, self.now, self.direct) = (store, account, now, direct)
        stanzas = QueuedStanzas(
            store: store, account: account, tellsActivity: tellsActivity, occupancy: occupancy, protector: protector,
            now: now, media: media)
        uploads = QueuedUploads(
            store: store, uploader: uploader, protection: protector.protection, media: media, now: now,
            progress: progress, direct: direct)
    }

    /// Rooms to which messages can be sent.
    var openRooms: Set<JID> { rooms.open }

    /// A room was joined and its messages so far are stored: messages that it did not reflect are sent again.
    public func roomOpened(_ room: JID) {
        rooms.opened(room)
        causes?.roomReopened(room.bare)
    }

    /// No message can be sent to the room for now.
    public func roomClosed(_ room: JID) { rooms.closed(room) }

    /// Works until the session ends or the task is cancelled.
    public func run(in session: Session) async {
        let changes = store.changes()
        let events = session.events(.connection)
        let causes = SendCauses()
        self.causes = causes
        // A resumed session has the messages of the earlier one, and is asked for them.
        plan = SendPlan()
        given = GivenMessages(in: await session.serverSessionCount)
        rooms = OpenRooms()
        await withDiscardingTaskGroup { group in
            group.addTask { await causes.follow(changes) }
            group.addTask { await causes.follow(events) }
            causes.wake()
            while let cause = await causes.next() {
                await take(cause, in: session)
                while await session.isOnline, let page = await sendPage(in: session) {
                    for entry in page.uploads where uploading.insert(entry.message.id).inserted {
                        group.addTask { await self.upload(entry, in: session) }
                    }
                    if page.isLast { break }
                    if let more = causes.waiting() { await take(more, in: session) }
                }
                setTimer()
            }
            timer?.cancel()
            group.cancelAll()
        }
    }

    /// Sets the single timer to the earliest waiting time.
    private func setTimer() {
        timer?.cancel()
        let present = now()
        let probe = plan.awaited.isEmpty ? nil : present.advanced(by: Self.probePause)
        guard let time = [plan.nextTime, probe].compactMap({ $0 }).min() else { return }
        let pause = Duration.milliseconds(time.millisecondsSince1970 - present.millisecondsSince1970)
        timer = Task { [causes] in
            guard (try? await Task.sleep(for: pause)) != nil else { return }
            causes?.wake()
        }
    }

    // MARK: Causes

    private func take(_ cause: SendCauses.Joined, in session: Session) async {
        let isManaged = await session.agreement?.isManaged ?? true
        // The tokens of a session report its lost messages before the next session starts. Without stream management
        // the tokens cannot report this reliably.
        // What the connection before did not bring is no reason to wait over this one.
        if cause.isOnline {
            try? await store.write { [account] writer throws(StoreError) in try writer.endBackoffs(of: account) }
        }
        if cause.isOnline || isManaged && given.isLastLost {
            let refused = given.refused
            // If they cannot be stored, they stay here, and the next connection tries again.
            if await stanzas.fail(refused) { given.remove(Set(refused.keys)) }
            given.connectionBegan(isManaged: isManaged, in: await session.serverSessionCount)
            plan.restart()
        }
        // Rooms report their closing themselves; this event may be late, and some may be open again.
        if cause.isNew {
            given.sessionBegan()
            rooms.sessionBegan()
        }
        let reopened = Set(keys.lazy.filter { cause.reopened.contains($0.value.address.bare) }.map(\.key))
        given.remove(in: reopened)
        for conversation in reopened { plan.restart(conversation) }
        for message in cause.uploaded { plan.uploaded(message) }
        plan.timePassed(now: now())
        // A blocking message may have been removed together with its conversation, without an event.
        let left = cause.dequeued.union(plan.awaited)
        guard !left.isEmpty else { return }
        let queued = try? await store.read { reader throws(StoreError) in try reader.queued(among: left) }
        guard let queued else { return }
        let gone = left.subtracting(queued)
        for message in gone { directly[message]?.cancel() }
        given.remove(gone)
        for conversation in plan.dequeued(cause.dequeued.union(gone)) {
            if let key = keys[conversation], key.kind == .room { rooms.answered(key.address) }
        }
    }

    // MARK: Messages

    /// Sends the next entries of the queue that can be sent.
    ///
    /// - Returns: the files to upload, and whether the rest must wait for the next cause.
    private func sendPage(in session: Session) async -> (uploads: [QueuedMessage], isLast: Bool)? {
        let release = plan.nextRelease
        let page: SendQueuePage
        do throws(StoreError) {
            page = try await read(after: release?.position ?? plan.end, in: release?.conversation)
        } catch {
            // The store reports its own failures to its observers.
            return nil
        }
        var uploads: [QueuedMessage] = []
        var sent: [MessageID] = []
        var (isInterrupted, isHeld) = (false, false)
        for entry in page.messages {
            // Later entries are in the rest of the queue.
            if let release, entry.position > plan.end || !plan.isReleased(release.conversation) { break }
            switch plan.shown(
                entry, isInFlight: given.contains(entry) || directly[entry.message.id] != nil, now: now(),
                readiness: keys[entry.message.conversation].map { rooms.readiness(of: $0) } ?? .open)
            {
            case .wait: continue
            case .upload: uploads.append(entry)
            case .send:
                switch await send(entry, in: session) {
                case .taken: sent.append(entry.message.id)
                case .held:
                    plan.returned(entry)
                    // The entry is read again when its time has come, and the later ones of its conversation after it.
                    isHeld = true
                case .interrupted:
                    plan.returned(entry)
                    isInterrupted = true
                }
            }
            if isInterrupted || isHeld && release != nil { break }
        }
        await stanzas.confirmUnmanaged(sent, in: session)
        if isInterrupted { return (uploads, true) }
        if let release {
            if isHeld { return (uploads, false) }
            let isThrough = page.end == nil || page.messages.last.map { $0.position > plan.end } ?? true
            if isThrough { plan.caughtUp(release.conversation) }
            return (uploads, false)
        }
        if let end = page.end { plan.skipped(to: end) }
        return (uploads, page.end == nil && plan.nextRelease == nil)
    }

    private func read(
        after position: Int64, in conversation: ConversationID?
    ) async throws(StoreError) -> SendQueuePage {
        let (account, known) = (account, Set(keys.keys))
        let (page, learnt) = try await store.read { reader throws(StoreError) in
            let page = try reader.sendQueue(
                of: account, in: conversation, after: position, limit: Self.pageSize)
            var keys: [ConversationID: ConversationKey] = [:]
            for conversation in Set(page.messages.map(\.message.conversation)).subtracting(known) {
                keys[conversation] = try reader.conversation(conversation)?.key
            }
            return (page, keys)
        }
        keys.merge(learnt) { _, new in new }
        placesRead += page.messages.count
        return page
    }

    private enum Sending {
        /// The message was passed on; the next one may follow.
        case taken
        /// The message waits; those of other conversations may follow.
        case held
        /// Stop until the next cause.
        case interrupted
    }

    private func send(_ entry: QueuedMessage, in session: Session) async -> Sending {
        // An earlier process may have passed it to the resumed stream already.
        if let origin = entry.message.originID, let token = await session.token(stanzaID: origin), token.failure == nil,
            token.stage < .acknowledged
        {
            given.add(entry, token, isLast: false)
            return .taken
        }
        do throws(StoreError) {
            let stanza: Message
            switch try await stanzas.sealed(entry, to: keys[entry.message.conversation]) {
            case .stanza(let sealed): stanza = sealed
            case .waits: return .held
            case .failed: return .taken
            }
            // The connection was lost and restored without the sent messages: the queue starts again.
            if await session.agreement?.isManaged != false, given.isLastLost { return .interrupted }
            do throws(ClientError) {
                let token = try await session.send(stanza, onlyIn: given.serverSession)
                given.add(entry, token, isLast: true)
                return .taken
            } catch {
                // The connection was lost, and the queue continues when it is restored; or the message cannot be sent
                // at all.
                guard let reason = FailureReason(error) else { return .interrupted }
                try await stanzas.fail(entry, reason)
                return .taken
            }
        } catch {
            return .interrupted
        }
    }

    private func upload(_ entry: QueuedMessage, in session: Session) async {
        let id = entry.message.id
        guard let key = keys[entry.message.conversation],
            case .direct = await uploads.run(entry, to: key.conversation, in: session), let direct
        else {
            uploading.remove(id)
            causes?.uploadEnded(id)
            return
        }
        let work = Task { await direct.run(entry, to: key.conversation, in: session) }
        directly[id] = work
        uploading.remove(id)
        causes?.uploadEnded(id)
        await withTaskCancellationHandler {
            await work.value
        } onCancel: {
            work.cancel()
        }
        directly[id] = nil
        // If it was queued again meanwhile, it is shown again.
        plan.restart(entry.message.conversation)
        causes?.wake()
    }
}
