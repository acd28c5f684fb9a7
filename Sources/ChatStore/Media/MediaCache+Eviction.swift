extension MediaCache {
    /// A content is not evicted until it is unpinned as often as it was pinned, or this cache is closed.
    public func pin(_ hash: ContentHash) { pins[hash, default: 0] += 1 }

    public func unpin(_ hash: ContentHash) {
        guard let count = pins[hash] else { return }
        pins[hash] = count > 1 ? count - 1 : nil
        evict()
    }

    /// A content is not evicted until ``release(_:)``, also after the program was started again.
    ///
    /// - Throws: `invalidRequest` where it is not here.
    public func keep(_ hash: ContentHash) throws(StoreError) {
        guard isThere(hash) else { throw StoreError(.invalidRequest, "There is no content with that hash.") }
        try move(hash, to: .kept)
    }

    /// A content that was kept may be evicted from now on: a recording was sent.
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

    /// Everything that is kept: after a crash, recordings that a person was about to send.
    public var kept: [ContentHash] { entries.filter { $0.value.place == .kept }.map(\.key) }

    /// Removes a content, also one that is kept: a recording was thrown away.
    public func remove(_ hash: ContentHash) {
        guard lock != nil, let entry = entries[hash], folder.remove(hash, in: entry.place) else { return }
        forget(hash)
    }

    public func setBudget(_ bytes: Int64) {
        budget = bytes
        evict()
    }

    /// Removes what was used longest ago until the budget is met.
    ///
    /// - Parameter newest: what was just put in, which is wanted now however large it is.
    func evict(sparing newest: ContentHash? = nil) {
        guard lock != nil, size > budget else { return }
        let candidates = entries.filter { $0.value.place == .content && pins[$0.key] == nil && $0.key != newest }
        for (hash, entry) in candidates.sorted(by: { $0.value.lastUse < $1.value.lastUse }) {
            if size <= budget { return }
            if folder.remove(hash, in: entry.place) { forget(hash) }
        }
    }
}
