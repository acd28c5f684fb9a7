internal import ChatStore
internal import Synchronization
internal import XMPPAddress
internal import XMPPClient

/// The data that the services of one account share: identity, store, disclosure policy, and the current session.
final class AccountContext: Sendable {
    private struct State {
        var policy: ChatAccountPolicy
        var session: Session?
    }

    let id: AccountID
    /// The bare address.
    let address: JID
    let store: any LocalStore
    let now: @Sendable () -> MessageTime
    let recorder: SessionRecorder
    /// The encryption of the account, if it has one of its own.
    let encryption: OMEMOProtection?
    /// The send queue. Rooms open and close it; history reports what the archive has.
    let queue: SendQueue
    /// Decides who gets typing notifications.
    let stateSupport: ChatStateSupport
    /// The files that contacts offer to this device.
    let directOffers = DirectOffers()
    let events: EventChannel<ChatAccountEvent>
    /// The observer of all received events; `nil` if there is none.
    let hearing: Hearing?
    private let state: Mutex<State>

    init(
        _ id: AccountID, address: JID, store: any LocalStore, policy: ChatAccountPolicy, media: MediaCache?,
        uploader: (any AttachmentUploader)?, protection: (any ContentProtection)?,
        now: @escaping @Sendable () -> MessageTime
    ) {
        self.id = id
        self.address = address.bare
        self.store = store
        self.now = now
        let stateSupport = ChatStateSupport(tellsTyping: policy.tellsTyping)
        self.stateSupport = stateSupport
        hearing = policy.hear.map { Hearing($0) }
        let events = EventChannel<ChatAccountEvent>()
        self.events = events
        let settings = protection == nil ? policy.encryption : nil
        let encryption = settings.map {
            OMEMOProtection($0, store: store, account: id, address: address, events: events, now: now)
        }
        self.encryption = encryption
        recorder = SessionRecorder(
            store: store, account: id, address: address, media: media,
            protection: protection ?? encryption ?? PlainContent(), hearing: hearing, now: now)
        let progress = UploadProgress()
        let direct = DirectFileSender(
            store: store, media: media, people: recorder.people, protection: recorder.protector.protection,
            events: events, progress: progress)
        queue = SendQueue(
            store: store, account: id,
            tellsActivity: { stateSupport.allows($0) },
            occupancy: { [occupancies = recorder.occupancies] in occupancies.all[$0] }, uploader: uploader,
            protector: recorder.protector, media: media, progress: progress, direct: direct, now: now)
        state = Mutex(State(policy: policy))
    }

    var policy: ChatAccountPolicy { state.withLock { $0.policy } }

    /// The session, while there is one; ``AccountConnection`` sets it.
    var session: Session? {
        get { state.withLock { $0.session } }
        set { state.withLock { $0.session = newValue } }
    }

    /// The session, while it is online.
    var onlineSession: Session? {
        get async {
            guard let session, await session.isOnline else { return nil }
            return session
        }
    }

    /// The default nickname in rooms.
    var nickname: String { address.local ?? address.domain }

    /// The account's own occupancy of each known room.
    var occupancies: [JID: RoomOccupancy] { recorder.occupancies.all }

    /// Changes what contacts learn from now on.
    func setDisclosure(receipts: Bool, typing: Bool) {
        state.withLock { state in
            state.policy.tellsReceipts = receipts
            state.policy.tellsTyping = typing
        }
        stateSupport.setTellsTyping(typing)
    }

    /// Performs a write that no caller waits for; an error is posted as a problem.
    func save(_ body: @escaping @Sendable (any StoreWriter) throws(StoreError) -> Void) async {
        do throws(StoreError) {
            try await store.write(body)
        } catch {
            events.post(.problem(.store(error)))
        }
    }
}
