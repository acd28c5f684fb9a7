internal import ChatStore

/// Pins the files of unsent messages in the cache, and no others.
///
/// The required files are determined by the store at each of its changes. So if the program ends unexpectedly, no file
/// stays pinned permanently, and no file of a queued message is evicted.
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
        // Files are pinned by `holding` before they are queued; here they are unpinned.
        for await change in changes where change.contentsToSend && !pinned.isEmpty { await update() }
    }

    /// Runs an operation that changes the queued files, with all of them pinned.
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

    /// Pins the files that the store needs now. Serialised, so that an earlier result is never applied after a later
    /// one.
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

    /// Releases files left by a program that died between storing a file and its message.
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
