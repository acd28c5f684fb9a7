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
    @ObservationIgnored let typing: TypingAnnouncer
    @ObservationIgnored var isRestoring = false
    @ObservationIgnored var isUnsaved = false
    @ObservationIgnored var saving: Task<Void, Never>?
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
        typing = TypingAnnouncer(key, actions, environment)
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
        await typing.close()
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
        typing.textChanged(isEmpty: text.isEmpty)
    }
}
