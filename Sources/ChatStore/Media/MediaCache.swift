internal import Cryptography
internal import Foundation

/// Pictures, voice messages and other files of one account, each once and under the SHA-256 of its content, within a budget.
///
/// What was used longest ago goes first when the budget is exceeded, but never what is pinned, because the send queue needs
/// it, nor what is kept, because it exists nowhere else: a recording that was not sent yet. Pins last as long as this object,
/// because the send queue knows them; what is kept stays kept when the program is killed.
///
///     let media = try await MediaCache.open(at: folder, budget: 500_000_000, pinned: queue.compactMap(ContentHash.init))
///     let hash = try await media.insert(recording, isKept: true)
///     …
///     try await media.release(hash)
///
/// The program can be killed at any moment: a content is there whole or not at all. The folder belongs to one cache at a time.
public actor MediaCache {
    struct Entry {
        var place: MediaFolder.Place
        let size: Int64
        var lastUse: Int64
    }

    public nonisolated let path: String

    let folder: MediaFolder
    private let executor = QueueExecutor(label: "hongyan.store.media")
    private(set) var lock: StoreLock?
    var entries: [ContentHash: Entry] = [:]
    var pins: [ContentHash: Int] = [:]
    /// What was pinned when it was opened, until somebody knows better.
    private var openingPins: [ContentHash] = []
    private var lastUse: Int64 = 0
    private var incomingNumber = 0

    /// How many bytes all contents may have together.
    public internal(set) var budget: Int64
    /// How many bytes all contents have together. It exceeds the budget where nothing more may be evicted.
    public private(set) var size: Int64 = 0

    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(folder: MediaFolder, budget: Int64) {
        self.folder = folder
        self.budget = budget
        path = folder.path
    }

    /// Opens a cache, and makes it if it is not there.
    ///
    /// - Parameters:
    ///   - folder: a folder of its own; whoever calls chooses it, never the network.
    ///   - budget: how many bytes all contents may have together.
    ///   - pinned: what the send queue needs, so that it is not evicted at once.
    /// - Throws: `inUse` where another program has it open, `cannotOpen`, `readOnly` and `diskFull` as the disk makes it.
    public static func open(
        at folder: String, budget: Int64, pinned: [ContentHash] = []
    ) async throws(StoreError) -> MediaCache {
        let cache = MediaCache(folder: MediaFolder(path: folder), budget: budget)
        try await cache.load(pinned: pinned)
        return cache
    }

    /// Where a content stands in the folder of a cache that this program may not have open; for showing only, because whoever
    /// has it open can remove it.
    public static func file(of hash: ContentHash, in folder: String) -> String? {
        MediaFolder(path: folder).file(of: hash)
    }

    func load(pinned: [ContentHash]) throws(StoreError) {
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw StoreError(.cannotOpen, "\(path) cannot be made: \(error.localizedDescription).")
        }
        lock = try StoreLock(for: path + "/media")
        try folder.prepare()
        for found in folder.contents() {
            entries[found.hash] = Entry(place: found.place, size: found.size, lastUse: found.lastUse)
            lastUse = max(lastUse, found.lastUse)
        }
        size = entries.values.reduce(0) { $0 + $1.size }
        for hash in pinned { pins[hash, default: 0] += 1 }
        openingPins = pinned
        evict()
    }

    /// What was pinned by ``open(at:budget:pinned:)`` is not any more: who looks after the send queue has pinned what it needs.
    public func releaseOpeningPins() {
        let hashes = openingPins
        openingPins = []
        for hash in hashes { unpin(hash) }
    }

    func requireOpen() throws(StoreError) {
        guard lock != nil else { throw StoreError(.closed, "The cache was closed.") }
    }

    /// Lets go of the folder; later calls fail.
    public func close() {
        lock?.release()
        lock = nil
    }

    // MARK: Putting in

    /// A path of the cache's own for something that is being fetched, to be given to ``insert(contentsOf:expecting:isKept:)``
    /// and removed then. What a program that was killed has left there is removed when the cache is opened.
    public nonisolated func pathForIncoming() -> String { "\(path)/incoming/\(UUID().uuidString)" }

    /// Keeps a content; on the disk when this returns. One that is there already is used again.
    ///
    /// - Parameters:
    ///   - expected: what the content must be, as somebody has said.
    ///   - isKept: it is not evicted before ``release(_:)``.
    /// - Throws: `invalidRequest` where it is not what was expected, `diskFull`.
    @discardableResult
    public func insert(
        _ content: [UInt8], expecting expected: ContentHash? = nil, isKept: Bool = false
    ) throws(StoreError) -> ContentHash {
        try insert(expecting: expected, isKept: isKept) { append throws(StoreError) in
            try content.withUnsafeBufferPointer { bytes throws(StoreError) in try append(UnsafeRawBufferPointer(bytes))
            }
        }
    }

    /// Keeps a copy of a file that stands elsewhere, for example where a download has put it.
    ///
    /// - Throws: `invalidRequest` where there is no file, or it is not what was expected; `diskFull`.
    @discardableResult
    public func insert(
        contentsOf file: String, expecting expected: ContentHash? = nil, isKept: Bool = false
    ) throws(StoreError) -> ContentHash {
        try insert(expecting: expected, isKept: isKept) { append throws(StoreError) in
            guard try folder.read(file, append) else { throw StoreError(.invalidRequest, "There is no file \(file).") }
        }
    }

    private func insert(
        expecting expected: ContentHash?, isKept: Bool,
        _ fill: ((UnsafeRawBufferPointer) throws(StoreError) -> Void) throws(StoreError) -> Void
    ) throws(StoreError) -> ContentHash {
        try requireOpen()
        incomingNumber += 1
        let incoming = try folder.begin(incomingNumber)
        let hash: ContentHash
        let place: MediaFolder.Place = isKept ? .kept : .content
        var count: Int64 = 0
        do throws(StoreError) {
            var digest = Digest(.sha256)
            try fill { piece throws(StoreError) in
                digest.update(piece)
                count += Int64(piece.count)
                try folder.append(piece, to: incoming)
            }
            hash = ContentHash(bytes: digest.finish())
            guard expected == nil || expected == hash else {
                throw StoreError(.invalidRequest, "The content is not the one that its hash names.")
            }
            if entries[hash] == nil || !isThere(hash) {
                try folder.finish(incoming, as: hash, in: place)
            } else {
                folder.discard(incoming)
            }
        } catch {
            folder.discard(incoming)
            throw error
        }
        if let old = entries[hash] {
            if isKept, old.place == .content { try move(hash, to: .kept) }
        } else {
            entries[hash] = Entry(place: place, size: count, lastUse: 0)
            size += count
        }
        use(hash)
        evict(sparing: hash)
        return hash
    }

    /// Somebody who cleans up can have removed a file; then there is no entry, either.
    func isThere(_ hash: ContentHash) -> Bool {
        guard let entry = entries[hash] else { return false }
        if FileManager.default.fileExists(atPath: folder.path(of: hash, in: entry.place)) { return true }
        forget(hash)
        return false
    }

    func forget(_ hash: ContentHash) {
        if let entry = entries.removeValue(forKey: hash) { size -= entry.size }
    }

    // MARK: Reading

    public func contains(_ hash: ContentHash) -> Bool { isThere(hash) }

    /// A content, or `nil` where it is not here. One that is damaged is forgotten, so that it can be fetched again.
    ///
    /// - Throws: `corrupt` where it is damaged and kept, because it can be fetched from nowhere.
    public func content(of hash: ContentHash) throws(StoreError) -> [UInt8]? {
        try requireOpen()
        guard let entry = entries[hash] else { return nil }
        var content: [UInt8] = []
        content.reserveCapacity(Int(entry.size))
        let isThere = try folder.read(folder.path(of: hash, in: entry.place)) { content.append(contentsOf: $0) }
        guard isThere else {
            forget(hash)
            return nil
        }
        guard ContentHash(of: content) == hash else {
            let file = folder.path(of: hash, in: entry.place)
            if entry.place == .kept { throw StoreError(.corrupt, "\(file) is damaged.") }
            if folder.remove(hash, in: entry.place) { forget(hash) }
            return nil
        }
        use(hash)
        return content
    }

    /// Where a content stands, for what can only read files; `nil` where it is not here. It must be pinned as long as the
    /// file is needed, and not be written to.
    public func file(of hash: ContentHash) -> String? {
        guard isThere(hash), let entry = entries[hash] else { return nil }
        use(hash)
        return folder.path(of: hash, in: entry.place)
    }

    private func use(_ hash: ContentHash) {
        guard let place = entries[hash]?.place else { return }
        // Also where the clock stands still or was set back.
        lastUse = max(lastUse + 1, Int64(Date().timeIntervalSince1970 * 1000) * 1_000_000)
        entries[hash]?.lastUse = lastUse
        folder.touch(hash, in: place, at: lastUse)
    }
}
