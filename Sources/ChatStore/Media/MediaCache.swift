internal import Cryptography
internal import Foundation

/// A cache of the pictures, voice messages and other files of one account, each stored once under the SHA-256 of its
/// content, within a budget.
///
/// The least recently used contents are evicted first when the budget is exceeded. Two kinds are never evicted: pinned
/// contents, because the send queue needs them, and kept contents, because there is no other copy, such as an unsent
/// recording. Pins end with this object, because the send queue knows them; kept contents also survive if the program
/// is killed.
///
///     let media = try await MediaCache.open(at: folder, budget: 500_000_000, pinned: queue.compactMap(ContentHash.init))
///     let hash = try await media.insert(recording, isKept: true)
///     …
///     try await media.release(hash)
///
/// The program can be killed at any time: a content is stored completely or not at all. Only one cache can have the
/// folder open.
public final actor MediaCache {
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
    /// The contents that were pinned by opening the cache, until ``releaseOpeningPins()``.
    private var openingPins: [ContentHash] = []
    private var lastUse: Int64 = 0
    private var incomingNumber = 0

    /// The maximum total size of all contents in bytes.
    public internal(set) var budget: Int64
    /// The total size of all contents in bytes. It exceeds the budget if nothing more may be evicted.
    public private(set) var size: Int64 = 0

    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(folder: MediaFolder, budget: Int64) {
        self.folder = folder
        self.budget = budget
        path = folder.path
    }

    /// Opens a cache, or creates it.
    ///
    /// - Parameters:
    ///   - folder: a folder that only this cache uses; never a path from the network.
    ///   - budget: the maximum total size of all contents in bytes.
    ///   - pinned: the contents that the send queue needs, so that opening does not evict them.
    /// - Throws: `inUse` if another program has it open, `cannotOpen`, `readOnly` or `diskFull` on an error of the file
    ///   system.
    public static func open(
        at folder: String, budget: Int64, pinned: [ContentHash] = []
    ) async throws(StoreError) -> MediaCache {
        let cache = MediaCache(folder: MediaFolder(path: folder), budget: budget)
        try await cache.load(pinned: pinned)
        return cache
    }

    /// The file of a content in the folder of a cache that this program does not need to have open. For display only,
    /// because the program that has it open can remove the file.
    public static func file(of hash: ContentHash, in folder: String) -> String? {
        MediaFolder(path: folder).file(of: hash)
    }

    func load(pinned: [ContentHash]) throws(StoreError) {
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw StoreError(.cannotOpen, "\(path) cannot be created: \(error.localizedDescription).")
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

    /// Removes the pins of ``open(at:budget:pinned:)``, once the send queue has pinned what it needs.
    public func releaseOpeningPins() {
        let hashes = openingPins
        openingPins = []
        for hash in hashes { unpin(hash) }
    }

    func requireOpen() throws(StoreError) {
        guard lock != nil else { throw StoreError(.closed, "The cache was closed.") }
    }

    /// Unlocks the folder; later calls fail.
    public func close() {
        lock?.release()
        lock = nil
    }

    // MARK: Inserting

    /// A path inside the cache's folder for a download, to be passed to ``insert(contentsOf:expecting:isKept:)`` and
    /// removed afterwards. Files that a killed program left there are removed when the cache is opened.
    public nonisolated func pathForIncoming() -> String { "\(path)/incoming/\(UUID().uuidString)" }

    /// Stores a content durably. A content that is stored already is reused.
    ///
    /// - Parameters:
    ///   - expected: the announced hash, which the content must have.
    ///   - isKept: protects the content from eviction until ``release(_:)``.
    /// - Throws: `invalidRequest` if the content has another hash than expected, `diskFull`.
    @discardableResult
    public func insert(
        _ content: [UInt8], expecting expected: ContentHash? = nil, isKept: Bool = false
    ) throws(StoreError) -> ContentHash {
        try insert(expecting: expected, isKept: isKept) { append throws(StoreError) in
            try content.withUnsafeBufferPointer { bytes throws(StoreError) in try append(UnsafeRawBufferPointer(bytes))
            }
        }
    }

    /// Stores a copy of a file from elsewhere, for example of a download.
    ///
    /// - Throws: `invalidRequest` if there is no such file or it has another hash than expected; `diskFull`.
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
                throw StoreError(.invalidRequest, "The content does not match its hash.")
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

    /// The user can have removed the file; its entry is then removed as well.
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

    /// A content, or `nil` if it is not stored. A damaged content is removed, so that it can be downloaded again.
    ///
    /// - Throws: `corrupt` if a kept content is damaged, because it cannot be downloaded.
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

    /// The file of a content, for libraries that can only read files; `nil` if it is not stored. Pin the content while
    /// the file is in use, and do not modify the file.
    public func file(of hash: ContentHash) -> String? {
        guard isThere(hash), let entry = entries[hash] else { return nil }
        use(hash)
        return folder.path(of: hash, in: entry.place)
    }

    private func use(_ hash: ContentHash) {
        guard let place = entries[hash]?.place else { return }
        // Increases even if the clock stands still or was set back.
        lastUse = max(lastUse + 1, Int64(Date().timeIntervalSince1970 * 1000) * 1_000_000)
        entries[hash]?.lastUse = lastUse
        folder.touch(hash, in: place, at: lastUse)
    }
}
