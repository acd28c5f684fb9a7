public import ChatStore
internal import MessageFeatures
public import Observation
internal import Waiting

/// What a person writes in one conversation: text, files, an answer to a message or a correction of one.
///
/// The text is kept as a draft in the store a moment after each change, and at ``close()``. What is sent is in the store before
/// ``send()`` returns; if that fails, it is back in the composer.
@MainActor
@Observable
public final class Composer {
    /// A message that is answered or corrected.
    public struct Target: Hashable, Sendable {
        public let id: MessageID
        public let preview: MessagePreview
        let reference: TargetReference
    }

    public let key: ConversationKey
    /// What is written. Set by the view at each change.
    public var text = "" {
        didSet { if text != oldValue, !isRestoring { textChanged() } }
    }
    /// The message that this will answer.
    public internal(set) var reply: Target?
    /// The message that this will correct.
    public internal(set) var edit: Target?
    /// Why the draft could not be kept the last time, if so.
    public internal(set) var problem: StoreError?

    /// After so long without a change the draft is kept: rarely enough for the disk, soon enough for a dying battery.
    public static let draftDelay = Duration.seconds(1)

    @ObservationIgnored let store: any LocalStore
    @ObservationIgnored let actions: any ConversationActions
    @ObservationIgnored let media: MediaCache?
    @ObservationIgnored let environment: ModelEnvironment
    @ObservationIgnored var notice = TypingNotice()
    @ObservationIgnored var isRestoring = false
    @ObservationIgnored var isUnsaved = false
    @ObservationIgnored var saving: Task<Void, Never>?
    @ObservationIgnored var telling: Task<Void, Never>?
    /// What was written before a correction began.
    @ObservationIgnored var putAside: String?
    @ObservationIgnored private let turns = AsyncLock()

    /// - Parameter media: where the content of files is; what was pinned there for this composer is let go of when it was sent.
    public init(
        _ key: ConversationKey, store: any LocalStore, actions: any ConversationActions, media: MediaCache? = nil,
        environment: ModelEnvironment = ModelEnvironment()
    ) {
        self.key = key
        self.store = store
        self.actions = actions
        self.media = media
        self.environment = environment
    }

    public var isEmpty: Bool { !text.contains { !$0.isWhitespace } }

    /// Whether the text is too long for one message: ``send()`` leaves it where it is, and it can be sent as a file.
    public var isTooLong: Bool { MessageLength.isExceeded(by: text) }

    // MARK: Draft

    /// Brings back what was written and not sent.
    public func open() async {
        await turns.withLock { [store, key] in
            do throws(StoreError) {
                let found = try await store.read { store throws(StoreError) in
                    guard let conversation = try store.conversation(key),
                        let draft = try store.draft(in: conversation)
                    else { return nil as (Draft, Target?, Target?)? }
                    let book = try AddressBook(store)
                    let reply = try Self.target(draft.reply, key, book, store, for: .reply)
                    let edit = try Self.target(draft.edits, key, book, store, for: .correction)
                    return (draft, reply, edit)
                }
                // What was written meanwhile is newer than the draft.
                guard let (draft, reply, edit) = found, text.isEmpty else { return }
                restore(draft.body)
                self.reply = reply
                self.edit = edit
            } catch {
                problem = error
            }
        }
    }

    /// Keeps the draft and stops telling the other side that something is written.
    public func close() async {
        await flush()
        tell(notice.stop())
        await telling?.value
    }

    /// Keeps the draft now.
    public func flush() async { await flush(evenIfSaved: false) }

    func flush(evenIfSaved: Bool) async {
        saving?.cancel()
        saving = nil
        guard isUnsaved || evenIfSaved else { return }
        isUnsaved = false
        let draft = draft
        await turns.withLock { [store, key] in
            do throws(StoreError) {
                try await store.write { store throws(StoreError) in
                    // An empty draft is no reason for a new conversation.
                    if draft == nil, try store.conversation(key) == nil { return }
                    try store.saveDraft(draft, in: store.openConversation(key))
                }
                problem = nil
            } catch {
                isUnsaved = true
                problem = error
            }
        }
    }

    private var draft: Draft? {
        guard !text.isEmpty || reply != nil || edit != nil else { return nil }
        return Draft(body: text, reply: reply?.id, edits: edit?.id, time: environment.now())
    }

    /// Writes a text that no person wrote just now.
    func restore(_ text: String) {
        isRestoring = true
        self.text = text
        isRestoring = false
    }

    func changed() {
        isUnsaved = true
        saving?.cancel()
        saving = Task { [weak self, clock = environment.clock] in
            try? await clock.sleep(for: Self.draftDelay)
            if !Task.isCancelled { await self?.flush() }
        }
    }

    private func textChanged() {
        changed()
        let now = environment.now().millisecondsSince1970
        let isFirst = notice.deadline == nil
        tell(notice.textChanged(isEmpty: text.isEmpty, now: now))
        guard isFirst, notice.deadline != nil else { return }
        watchPause()
    }

    /// Looks again when the pause may be over; each letter moves it on.
    private func watchPause() {
        Task { [weak self, clock = environment.clock] in
            while !Task.isCancelled, let wait = self?.pauseLeft {
                do { try await clock.sleep(for: .milliseconds(max(1, wait))) } catch { return }
                self?.pauseMayBeOver()
            }
        }
    }

    private var pauseLeft: Int64? { notice.deadline.map { $0 - environment.now().millisecondsSince1970 } }

    private func pauseMayBeOver() { tell(notice.timePassed(now: environment.now().millisecondsSince1970)) }

    /// One after another, so that "is writing" never overtakes "is not".
    func tell(_ isComposing: Bool?) {
        guard let isComposing else { return }
        let before = telling
        telling = Task { [actions, key] in
            await before?.value
            await actions.setComposing(isComposing, in: key)
        }
    }
}

/// When the other side is told that this person is writing (XEP-0085 §4.3): at the first letter, and that it is not any more after
/// ``pause`` without a letter, when the text is gone, or when it is sent.
///
/// A machine without a clock: the owner says what time it is, and comes back at ``deadline``.
struct TypingNotice: Sendable, Equatable {
    /// After so long without a letter a person is not writing.
    static let pause: Int64 = 30_000

    /// Milliseconds at which ``timePassed(now:)`` has something to say.
    private(set) var deadline: Int64?

    private var isComposing: Bool { deadline != nil }

    /// The text is different; gives what to tell, if anything.
    mutating func textChanged(isEmpty: Bool, now: Int64) -> Bool? {
        if isEmpty { return stop() }
        defer { deadline = now + Self.pause }
        return isComposing ? nil : true
    }

    /// Time went by.
    mutating func timePassed(now: Int64) -> Bool? {
        guard let deadline, deadline <= now else { return nil }
        return stop()
    }

    /// The text was sent or put away.
    mutating func stop() -> Bool? {
        guard isComposing else { return nil }
        deadline = nil
        return false
    }
}
