internal import ChatStore
internal import MessageFeatures
internal import Synchronization
internal import XMPPAddress
internal import XMPPClient
internal import XMPPStanzas

/// Typing notifications in both directions, and their threads (XEP-0085).
actor TypingService {
    private let context: AccountContext
    private let contacts: ContactService
    private var table = TypingTable()
    /// The conversations in which "composing" was last announced.
    private var announced: Set<ConversationKey> = []
    /// The threads of one-to-one conversations with messages since the session started (§5.6).
    private var threads: [ConversationKey: String] = [:]
    /// Threads that the other side has left, which are not used again.
    private var endedThreads: [ConversationKey: String] = [:]

    init(_ context: AccountContext, contacts: ContactService) {
        self.context = context
        self.contacts = contacts
    }

    // MARK: Outgoing

    func setComposing(_ isComposing: Bool, in key: ConversationKey) async {
        guard key.kind == .direct, isComposing != announced.contains(key),
            let session = await context.onlineSession, await mayAnnounce(to: key),
            await session.mayLearnPresence(key.address)
        else { return }
        if isComposing { announced.insert(key) } else { announced.remove(key) }
        await send(isComposing ? .composing : .paused, in: key, thread: threads[key], session)
    }

    private func mayAnnounce(to key: ConversationKey) async -> Bool {
        await contacts.presences[key.address] != nil && context.stateSupport.allows(key.address)
    }

    /// A sent message implies the end of typing.
    func wrote(in key: ConversationKey) { announced.remove(key) }

    /// The stanza may contain nothing else but the thread, if threads are used (§5.5).
    private func send(_ state: ChatState, in key: ConversationKey, thread: String?, _ session: Session) async {
        var message = Message(to: key.address, type: .chat)
        message.payloads.append(state)
        if let thread { message.thread = Message.Thread(id: thread) }
        _ = try? await session.send(message)
    }

    // MARK: Threads

    /// The thread that the other side has left; `nil` if there is none.
    func endedThread(in key: ConversationKey) -> String? { endedThreads[key] }

    func use(_ thread: String, in key: ConversationKey) { threads[key] = thread }

    /// Sends "gone" in each thread of this session.
    func leaveThreads(_ session: Session) async {
        let left = threads
        threads = [:]
        for (key, thread) in left where await mayAnnounce(to: key) {
            await send(.gone, in: key, thread: thread, session)
        }
    }

    // MARK: Incoming

    /// Who is typing or has just stopped, by full address.
    var writers: [ConversationKey: [JID: ChatState]] { table.states }

    func received(_ message: Message) async {
        guard let sender = message.from, !message.isError, sender.bare != context.address else { return }
        guard let conversation = context.recorder.reader.conversation(of: message) else { return }
        let (key, kind) = (ConversationKey(account: context.id, conversation), conversation.kind)
        if message.body?.isEmpty != false, let state = message.chatState {
            await context.hearing?.report(.typing(sender, state))
        }
        if kind == .direct {
            context.stateSupport.received(message)
            if message.chatState == .gone, let thread = message.thread?.id, threads[key] == thread {
                endedThreads[key] = thread
                threads[key] = nil
            }
        }
        let state: ChatState?
        switch message.chatState {
        case .composing?: state = .composing
        case .paused?: state = .paused
        case .active?, .inactive?, .gone?: state = nil
        // A device that has sent a message has stopped typing.
        case nil:
            guard message.body != nil else { return }
            state = nil
        }
        var isKnown = kind == .room || kind == .direct && context.recorder.people.subscription(of: sender) != nil
        if !isKnown, kind == .direct, state != nil {
            isKnown = await context.session?.mayLearnPresence(sender) ?? false
        }
        for changed in table.set(state, of: sender, in: key, isKnown: isKnown) { context.events.post(.typing(changed)) }
    }

    // MARK: The session

    func sessionBegan() { announced = [] }

    func sessionEnded() { threads = [:] }

    func wentOffline() {
        let writing = table.keys
        table.removeAll()
        for key in writing { context.events.post(.typing(key)) }
    }
}

/// Decides which contacts get typing notifications (XEP-0085 §5.1): none if the user disabled them; and a contact who
/// replied without a chat state gets none until one arrives.
final class ChatStateSupport: Sendable {
    private let silent = Mutex<Set<JID>>([])
    private let isAllowed: Mutex<Bool>

    /// - Parameter tellsTyping: the user's setting.
    init(tellsTyping: Bool = true) { isAllowed = Mutex(tellsTyping) }

    /// Changes the user's setting.
    func setTellsTyping(_ tellsTyping: Bool) { isAllowed.withLock { $0 = tellsTyping } }

    /// Evaluates a received message.
    func received(_ message: Message) {
        guard message.type == .chat || message.type == .normal, let sender = message.from?.bare else { return }
        silent.withLock { silent in
            if message.chatState != nil {
                silent.remove(sender)
            } else if message.isMessageWithBody {
                // Bounds the memory; a forgotten contact gets one more notification.
                if silent.count >= Self.limit { silent = [] }
                silent.insert(sender)
            }
        }
    }

    func allows(_ peer: JID) -> Bool {
        isAllowed.withLock(\.self) && silent.withLock { !$0.contains(peer.bare) }
    }

    /// The number of contacts remembered.
    private static let limit = 1024
}

/// Who is typing, or has just stopped (XEP-0085), by conversation.
///
/// Any sender can use any number of names, so the table is bounded. Strangers have a small separate part: when it is
/// full, the oldest entry is dropped.
struct TypingTable: Sendable {
    /// Conversations with known people, and rooms.
    static let conversations = 256
    /// Devices or occupants per conversation: more names than a line shows.
    static let writers = 64
    /// Conversations with strangers, with one device each.
    static let strangers = 16

    private struct Entry: Sendable {
        let key: ConversationKey
        let isKnown: Bool
        var writers: [(address: JID, state: ChatState)]
    }

    /// Oldest first.
    private var entries: [Entry] = []

    var keys: [ConversationKey] { entries.map(\.key) }

    var states: [ConversationKey: [JID: ChatState]] {
        var states: [ConversationKey: [JID: ChatState]] = [:]
        for entry in entries {
            states[entry.key] = Dictionary(entry.writers.map { ($0.address, $0.state) }, uniquingKeysWith: { $1 })
        }
        return states
    }

    /// - Parameters:
    ///   - state: `nil` when the person has stopped.
    ///   - isKnown: the user takes part in the conversation, or knows the other side.
    /// - Returns: the conversations whose display changes.
    mutating func set(
        _ state: ChatState?, of writer: JID, in key: ConversationKey, isKnown: Bool
    ) -> [ConversationKey] {
        let old = entries.firstIndex { $0.key == key }
        // Known at the start means known at the end.
        let isKnown = isKnown || old.map { entries[$0].isKnown } ?? false
        var entry = Entry(key: key, isKnown: isKnown, writers: old.map { entries[$0].writers } ?? [])
        let place = entry.writers.firstIndex { $0.address == writer }
        guard state != place.map({ entry.writers[$0].state }) else { return [] }
        if let place { entry.writers.remove(at: place) }
        if let state { entry.writers.append((writer, state)) }
        let limit = isKnown ? Self.writers : 1
        if entry.writers.count > limit { entry.writers.removeFirst(entry.writers.count - limit) }
        var changed = [key]
        if let old { entries.remove(at: old) }
        if !entry.writers.isEmpty { entries.append(entry) }
        if entries.count(where: { $0.isKnown == isKnown }) > (isKnown ? Self.conversations : Self.strangers),
            let first = entries.firstIndex(where: { $0.isKnown == isKnown })
        {
            changed.append(entries.remove(at: first).key)
        }
        return changed
    }

    mutating func removeAll() { entries = [] }
}
