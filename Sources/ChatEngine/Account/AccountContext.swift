internal import ChatStore
internal import Synchronization
internal import XMPPAddress
internal import XMPPClient

/// What the services of one account share: whose account it is, where its messages are stored, what it may tell others, and its session
/// while there is one.
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
    /// The messages that wait to be sent. Rooms open and close it, history tells it what the archive has.
    let queue: SendQueue
    /// Who may be told that something is being written.
    let stateSupport: ChatStateSupport
    let events = EventChannel<ChatAccountEvent>()
    /// Whom everything is told that is heard; `nil` for nobody.
    let hearing: Hearing?
    private let state: Mutex<State>

    init(
        _ id: AccountID, address: JID, store: any LocalStore, policy: ChatAccountPolicy, media: MediaCache?,
        uploader: (any AttachmentUploader)?, protection: any ContentProtection,
        now: @escaping @Sendable () -> MessageTime
    ) {
        self.id = id
        self.address = address.bare
        self.store = store
        self.now = now
        let stateSupport = ChatStateSupport(tellsTyping: policy.tellsTyping)
        self.stateSupport = stateSupport
        hearing = policy.hear.map { Hearing($0) }
        recorder = SessionRecorder(
            store: store, account: id, address: address, media: media, protection: protection, hearing: hearing,
            now: now)
        queue = SendQueue(
            store: store, account: id,
            tellsActivity: { stateSupport.allows($0) }, uploader: uploader,
            protector: recorder.protector, media: media, now: now)
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

    /// By what a room calls this account where no nickname was chosen.
    var nickname: String { address.local ?? address.domain }

    /// The rooms that the account knows, with its own occupancy of each.
    var places: [JID: RoomPlace] { recorder.places.all }

    /// What contacts learn from now on.
    func setDisclosure(receipts: Bool, typing: Bool) {
        state.withLock { state in
            state.policy.tellsReceipts = receipts
            state.policy.tellsTyping = typing
        }
        stateSupport.setTellsTyping(typing)
    }

    /// Writes what no caller waits for; an error is posted as a problem.
    func save(_ body: @escaping @Sendable (any StoreWriter) throws(StoreError) -> Void) async {
        do throws(StoreError) {
            try await store.write(body)
        } catch {
            events.post(.problem(.store(error)))
        }
    }
}
