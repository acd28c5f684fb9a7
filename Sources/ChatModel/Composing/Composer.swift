public import ChatStore
internal import MessageFeatures
public import Observation
internal import Waiting

/// The message being written in one conversation: its text and files, and the message it replies to or corrects.
///
/// The text is saved as a draft a moment after each change and by ``close()``. ``send()`` returns after the message is
/// in the store; if storing fails, the text is back in the composer.
@MainActor
@Observable
public final class Composer {
    /// The message that is replied to or corrected.
    public struct Target: Hashable, Sendable {
        public let id: MessageID
        public let preview: MessagePreview
        let reference: TargetReference
    }

    public let key: ConversationKey
    /// The text. The view sets it at each change.
    public var text = "" {
        didSet { if text != oldValue, !isRestoring { textChanged() } }
    }
    /// The message that this replies to.
    public internal(set) var reply: Target?
    /// The message that this corrects.
    public internal(set) var edit: Target?
    /// Why saving the draft last failed, if it did.
    public internal(set) var problem: StoreError?

    /// What is behind the link of the text; `nil` if links are not described.
    @ObservationIgnored public var links: LinkCards?

    /// The draft is saved this long after the last change: not too often for the disk, soon enough for an empty
    /// battery.
    public static let draftDelay = Duration.seconds(1)

    @ObservationIgnored let store: any LocalStore
    @ObservationIgnored let actions: any ConversationActions
    @ObservationIgnored let media: MediaCache?
    @ObservationIgnored let environment: ModelEnvironment
    @ObservationIgnored var notice = TypingNotification()
    @ObservationIgnored var isRestoring = false
    @ObservationIgnored var isUnsaved = false
    @ObservationIgnored var saving: Task<Void, Never>?
    @ObservationIgnored var sending: Task<Void, Never>?
    /// The text before a correction was started.
    @ObservationIgnored var textBeforeCorrection: String?
    @ObservationIgnored private let turns = AsyncLock()

    /// - Parameter media: stores the content of files. Files pinned for this composer are unpinned after they were
    ///   sent.
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

    /// Whether the text is too long for one message. ``send()`` does not send it; it can be sent as a file.
    public var isTooLong: Bool { MessageLength.isExceeded(by: text) }

    // MARK: Draft

    /// Restores the draft.
    public func open() async {
        await turns.withLock { [store, key] in
            do throws(StoreError) {
                let found = try await store.read { store throws(StoreError) in
                    guard let conversation = try store.conversation(key),
                        let draft = try store.draft(in: conversation)
                    else { return nil as (Draft, Target?, Target?)? }
                    let book = try AddressBook(store, of: key.account)
                    let reply = try Self.target(draft.reply, key, book, store, for: .reply)
                    let edit = try Self.target(draft.edits, key, book, store, for: .correction)
                    return (draft, reply, edit)
                }
                // Text typed meanwhile is newer than the draft.
                guard let (draft, reply, edit) = found, text.isEmpty else { return }
                restore(draft.body)
                self.reply = reply
                self.edit = edit
            } catch {
                problem = error
            }
        }
    }

    /// Saves the draft and ends the typing notification.
    public func close() async {
        await flush()
        sendState(notice.stop())
        await sending?.value
    }

    /// Saves the draft now.
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
                    // An empty draft does not create a conversation.
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

    /// Sets the text without treating it as typing.
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
        links?.textChanged(text)
        let now = environment.now().millisecondsSince1970
        let isFirst = notice.deadline == nil
        sendState(notice.textChanged(isEmpty: text.isEmpty, now: now))
        guard isFirst, notice.deadline != nil else { return }
        watchTyping()
    }

    /// Sleeps until the typing deadline, which every keystroke moves.
    private func watchTyping() {
        Task { [weak self, clock = environment.clock] in
            while !Task.isCancelled, let wait = self?.pauseLeft {
                do { try await clock.sleep(for: .milliseconds(max(1, wait))) } catch { return }
                self?.checkTyping()
            }
        }
    }

    private var pauseLeft: Int64? { notice.deadline.map { $0 - environment.now().millisecondsSince1970 } }

    private func checkTyping() { sendState(notice.timePassed(now: environment.now().millisecondsSince1970)) }

    /// Sent in order, so that "paused" never arrives before "composing".
    func sendState(_ isComposing: Bool?) {
        guard let isComposing else { return }
        let before = sending
        sending = Task { [actions, key] in
            await before?.value
            await actions.setComposing(isComposing, in: key)
        }
    }
}

/// Decides when to send typing notifications (XEP-0085 §4.3): "composing" at the first keystroke, "paused" after
/// ``timeout`` without one, or when the text is deleted or sent.
///
/// A machine without a clock: the owner passes the time, and calls ``timePassed(now:)`` at ``deadline``.
struct TypingNotification: Sendable, Equatable {
    /// In milliseconds: a user who has not typed for this long is not writing.
    static let timeout: Int64 = 30_000

    /// The time in milliseconds at which to call ``timePassed(now:)``.
    private(set) var deadline: Int64?

    private var isComposing: Bool { deadline != nil }

    /// The text has changed. Returns the state to send, if any.
    mutating func textChanged(isEmpty: Bool, now: Int64) -> Bool? {
        if isEmpty { return stop() }
        defer { deadline = now + Self.timeout }
        return isComposing ? nil : true
    }

    /// The deadline may have passed. Returns the state to send, if any.
    mutating func timePassed(now: Int64) -> Bool? {
        guard let deadline, deadline <= now else { return nil }
        return stop()
    }

    /// The text was sent or closed.
    mutating func stop() -> Bool? {
        guard isComposing else { return nil }
        deadline = nil
        return false
    }
}
