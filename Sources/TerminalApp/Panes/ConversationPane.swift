internal import ChatEngine
internal import ChatModel
internal import ChatStore
internal import Localization
internal import XMPPAddress

/// The open conversation: its models, and the scroll position.
@MainActor
final class ConversationPane {
    let key: ConversationKey
    let timeline: Timeline
    let composer: Composer
    /// Whether the next message will be encrypted.
    let encryption: EncryptionModel
    let files: FileShelf
    /// Records voice messages; `nil` if files cannot be stored.
    let voice: VoiceComposer?
    /// `nil` for a one-to-one conversation.
    let room: RoomModel?
    /// Which failures have been shown.
    var failures = FailureNews()
    /// The last visible row; `nil` at the end of the conversation.
    var place: Transcript.Place?
    /// What was last said about encryption.
    var shownForecast: String?

    private let account: ChatAccount
    private let environment: ModelEnvironment
    private var tasks: [Task<Void, Never>] = []
    private var drawn: [MessageID: (message: TimelineMessage, files: [String], entry: TranscriptEntry)] = [:]

    /// The number of messages per page: more than a screen shows.
    private static let pageSize = 50
    /// The number of pages in memory: enough for typical scrolling.
    private static let pages = 5

    init(
        _ key: ConversationKey, account: ChatAccount, downloads: AttachmentDownloads?, environment: ModelEnvironment
    ) {
        self.key = key
        self.account = account
        self.environment = environment
        timeline = Timeline(
            key, store: account.store, actions: account, environment: environment, pageSize: Self.pageSize,
            pages: Self.pages)
        let composer = Composer(
            key, store: account.store, actions: account, media: account.media, environment: environment)
        self.composer = composer
        encryption = EncryptionModel(key, account: account, environment: environment)
        files = FileShelf(downloads)
        room = key.kind == .room ? RoomModel(key, store: account.store, environment: environment) : nil
        voice = account.media.map { media in
            VoiceComposer(
                folder: VoiceComposer.folder(of: key, in: media), environment: environment,
                deliver: { message in try await composer.send(files: [message.attachment(in: media)]) })
        }
    }

    /// Loads the newest messages and the draft, and observes both.
    func open() async {
        await composer.open()
        await timeline.open()
        // The screen starts at the end; unread messages are above it.
        if !timeline.reachesNewest { await timeline.showNewest() }
        timeline.viewMoved(isAtNewest: true)
        failures = FailureNews(after: messages.lazy.map(\.id).max())
        room?.show(await account.rooms.state(of: key.address))
        tasks = [
            Task { [timeline] in await timeline.run() },
            Task { [timeline, account] in await timeline.follow(account) },
            Task { [encryption] in await encryption.run() },
        ]
        if let room { tasks.append(Task { [account] in await room.follow(account) }) }
        if let voice { tasks.append(Task { await voice.offerInterrupted() }) }
    }

    /// Keeps the draft and what is being recorded.
    func close() async {
        for task in tasks { task.cancel() }
        tasks = []
        await voice?.close()
        await composer.close()
        await timeline.close()
    }

    /// Reads everything that is drawn, so that its changes are observed; also of files in messages that are drawn next.
    func readDrawn(fetches: Bool) {
        files.show(messages, fetches: fetches)
        _ = (timeline.items.elements, timeline.writing, timeline.olderMessages, timeline.problem)
        _ = messages.map { files.lines(of: $0) }
        _ = encryption.forecast
        if let room { _ = (room.isInside, room.absence, room.count, room.subject) }
        if let voice { _ = (voice.phase, voice.duration, voice.problem) }
    }

    // MARK: Messages

    /// The messages in memory, oldest first.
    var messages: [TimelineMessage] { timeline.items.elements.compactMap(\.message) }

    /// The newest matching message here that was not retracted.
    func last(_ isWanted: (TimelineMessage) -> Bool) -> TimelineMessage? {
        timeline.items.elements.lazy.reversed().compactMap(\.message).first { !$0.isRetracted && isWanted($0) }
    }

    /// A received message by its number from the end.
    func received(_ number: Int) -> TimelineMessage? {
        let received = messages.reversed().filter { !$0.isRetracted && !$0.isOutgoing }
        return received.indices.contains(number - 1) ? received[number - 1] : nil
    }

    /// The lines of the timeline.
    ///
    /// - Parameters:
    ///   - name: the title of the conversation.
    ///   - fetches: whether to download small pictures and voice messages automatically.
    func entries(name: String, fetches: Bool) -> [TranscriptEntry] {
        files.show(messages, fetches: fetches)
        let items = timeline.items.elements
        var known: [MessageID: (message: TimelineMessage, files: [String], entry: TranscriptEntry)] = [:]
        var entries: [TranscriptEntry] = []
        entries.reserveCapacity(items.count + 1)
        for item in items {
            guard let message = item.message else {
                if let entry = TranscriptEntry(item, files: { _ in [] }) { entries.append(entry) }
                continue
            }
            let lines = files.lines(of: message)
            var entry: TranscriptEntry
            if let before = drawn[message.id], before.files == lines, before.message == message {
                entry = before.entry
            } else if var made = TranscriptEntry(item, files: { _ in lines }) {
                if key.kind == .room, case .contact(let name) = made.author { made.author = .occupant(name) }
                entry = made
            } else {
                continue
            }
            known[message.id] = (message, lines, entry)
            entry.isChanging = files.isChanging(message)
            entries.append(entry)
        }
        drawn = known
        let begin = entries.first { $0.position != nil }?.time ?? environment.now()
        entries.insert(
            TranscriptEntry(
                id: .header, author: .divider, time: begin, text: localized("Conversation with %@", name)), at: 0)
        return entries
    }

    /// Marks everything up to the end as read.
    func markRead() {
        guard place == nil, let last = last({ _ in true })?.id else { return }
        Task { [timeline] in try? await timeline.seen(last) }
    }
}

/// Finds each failure of an own message once, so that its reason is shown even if the message is first drawn when it has
/// failed already.
struct FailureNews {
    /// The newest message when the conversation was opened. It and earlier ones are news only if they fail while they are
    /// shown. (The time of a message does not tell: the server's archive rounds it to seconds.)
    private let last: MessageID?
    private var shown: [MessageID: FailureReason] = [:]

    init(after last: MessageID? = nil) { self.last = last }

    /// The reason to tell now; `nil` if the message has not failed, or its failure is old.
    ///
    /// - Parameter old: the state as last shown; `nil` if the message was not shown before.
    mutating func reason(of id: MessageID, _ state: MessageState, from old: MessageState?) -> FailureReason? {
        guard case .failed(let reason) = state else {
            shown[id] = nil
            return nil
        }
        let isNew = old.map { $0 != state } ?? last.map { id > $0 } ?? true
        return isNew && shown.updateValue(reason, forKey: id) != reason ? reason : nil
    }
}
