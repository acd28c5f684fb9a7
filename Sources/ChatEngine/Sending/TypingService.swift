internal import ChatStore
internal import MessageFeatures
internal import XMPPAddress
internal import XMPPClient
internal import XMPPStanzas

/// Who is writing to an account, what others are told of its own writing, and in which threads it writes (XEP-0085).
actor TypingService {
    private let context: AccountContext
    private let contacts: ContactService
    private var table = TypingTable()
    /// What was last announced about our writing.
    private var announced: Set<ConversationKey> = []
    /// Threads of one-to-one conversations in which something was said since the session began (§5.6).
    private var threads: [ConversationKey: String] = [:]
    /// Threads that the other side has left, and that are not used again.
    private var endedThreads: [ConversationKey: String] = [:]

    init(_ context: AccountContext, contacts: ContactService) {
        self.context = context
        self.contacts = contacts
    }

    // MARK: Our writing

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

    /// A message was written: it tells that its writing is over.
    func wrote(in key: ConversationKey) { announced.remove(key) }

    /// Nothing else may stand in it but the thread, where threads are used (§5.5).
    private func send(_ state: ChatState, in key: ConversationKey, thread: String?, _ session: Session) async {
        var message = Message(to: key.address, type: .chat)
        message.payloads.append(state)
        if let thread { message.thread = Message.Thread(id: thread) }
        _ = try? await session.send(message)
    }

    // MARK: Threads

    /// The thread of a conversation that the other side has left; `nil` where it has left none.
    func endedThread(in key: ConversationKey) -> String? { endedThreads[key] }

    func use(_ thread: String, in key: ConversationKey) { threads[key] = thread }

    /// Says in each thread of this session that the conversation is over.
    func leaveThreads(_ session: Session) async {
        let left = threads
        threads = [:]
        for (key, thread) in left where await mayAnnounce(to: key) {
            await send(.gone, in: key, thread: thread, session)
        }
    }

    // MARK: The writing of others

    /// The users that are writing or have just stopped, by full address.
    var writers: [ConversationKey: [JID: ChatState]] { table.states }

    func received(_ message: Message) async {
        guard let sender = message.from, !message.isError, sender.bare != context.address else { return }
        guard let conversation = context.recorder.reader.conversation(of: message) else { return }
        let (key, kind) = (ConversationKey(account: context.id, conversation), conversation.kind)
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
        // A device that has sent a message has stopped writing it.
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
