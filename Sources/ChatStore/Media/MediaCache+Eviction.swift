extension MediaCache {
    /// Protects a content from eviction until it was unpinned as often as it was pinned, or this cache is closed.
    public func pin(_ hash: ContentHash) { pins[hash, default: 0] += 1 }

    public func unpin(_ hash: ContentHash) {
        guard let count = pins[hash] else { return }
        pins[hash] = count > 1 ? count - 1 : nil
        evict()
    }

    /// Protects a content from eviction until ``release(_:)``, also after a restart of the program.
    ///
    /// - Throws: `invalidRequest` if it is not stored.
    public func keep(_ hash: ContentHash) throws(StoreError) {
        guard isThere(hash) else { throw StoreError(.invalidRequest, "There is no content with that hash.") }
        try move(hash, to: .kept)
    }

    /// Ends the protection of ``keep(_:)``, for example because a recording was sent.
    public func release(_ hash: ContentHash) throws(StoreError) {
        guard isThere(hash) else { return }
        try move(hash, to: .content)
        evict()
    }

    func move(_ hash: ContentHash, to place: MediaFolder.Place) throws(StoreError) {
        try requireOpen()
        guard let old = entries[hash]?.place, old != place else { return }
        try folder.move(hash, from: old, to: place)
        entries[hash]?.place = place
    }

    /// All contents protected by ``keep(_:)``: after a crash, recordings that were not sent yet.
    public var kept: [ContentHash] { entries.filter { $0.value.place == .kept }.map(\.key) }

    /// Removes a content, even one protected by ``keep(_:)``: a recording was discarded.
    public func remove(_ hash: ContentHash) {
        guard lock != nil, let entry = entries[hash], folder.remove(hash, in: entry.place) else { return }
        forget(hash)
    }

    package func setBudget(_ bytes: Int64) {
        budget = bytes
        evict()
    }

    /// Removes the least recently used contents until the budget is met.
    ///
    /// - Parameter newest: the content that was just inserted; it is needed now and not evicted, however large it is.
    func evict(sparing newest: ContentHash? = nil) {
        guard lock != nil, size > budget else { return }
        let candidates = entries.filter { $0.value.place == .content && pins[$0.key] == nil && $0.key != newest }
        for (hash, entry) in candidates.sorted(by: { $0.value.lastUse < $1.value.lastUse }) {
            if size <= budget { return }
            if folder.remove(hash, in: entry.place) { forget(hash) }
        }
    }
}
