internal import ChatStore

/// Holds on to the files of messages that have not left, and to no others.
///
/// What is needed is what the store says, each time that it says something else. So whenever the program dies, nothing stays
/// pinned for ever, and nothing goes that a message in the queue needs.
actor QueuedContents {
    private let store: any LocalStore
    private let account: AccountID
    private let media: MediaCache
    private var pinned: Set<ContentHash> = []
    private var last: Task<Void, Never>?

    init(store: any LocalStore, account: AccountID, media: MediaCache) {
        self.store = store
        self.account = account
        self.media = media
    }

    /// Follows the store until the task is cancelled or the store is closed.
    func run() async {
        let changes = store.changes()
        await update()
        await media.releaseOpeningPins()
        await releaseForgotten()
        // What is put into the queue is held by `holding` before; here it is let go.
        for await change in changes where change.sendQueue && !pinned.isEmpty { await update() }
    }

    /// Does something that puts files into the queue, or takes them out; they are held all the while.
    func holding<Result: Sendable>(
        _ attachments: [Attachment], _ body: @Sendable () async throws(StoreError) -> Result
    ) async throws(StoreError) -> Result {
        let hashes = attachments.compactMap { $0.contentHash.flatMap(ContentHash.init) }
        for hash in hashes { await media.pin(hash) }
        do throws(StoreError) {
            let result = try await body()
            await update()
            for hash in hashes { await media.unpin(hash) }
            return result
        } catch {
            for hash in hashes { await media.unpin(hash) }
            throw error
        }
    }

    /// Pins what the store says now. One after another, so that an earlier answer is never taken for a later one.
    func update() async {
        let before = last
        let task = Task {
            await before?.value
            await self.reconcile()
        }
        last = task
        await task.value
    }

    private func reconcile() async {
        guard let wanted = await wanted() else { return }
        for hash in wanted.subtracting(pinned) { await media.pin(hash) }
        let idle = pinned.subtracting(wanted)
        pinned = wanted
        for hash in idle { await media.unpin(hash) }
    }

    /// A program that died between putting a file aside and writing its message has left a file that nobody will send.
    private func releaseForgotten() async {
        guard let wanted = await wanted() else { return }
        for hash in await media.kept where !wanted.contains(hash) { try? await media.release(hash) }
    }

    private func wanted() async -> Set<ContentHash>? {
        let account = account
        let texts = try? await store.read { reader throws(StoreError) in try reader.contentsToSend(of: account) }
        return texts.map { Set($0.compactMap(ContentHash.init)) }
    }
}
