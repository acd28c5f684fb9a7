import Foundation
import Synchronization
import Testing

@testable import ChatStore

@Suite("Media in a folder")
struct MediaCacheTests {
    private let folder: TemporaryFolder
    private var path: String { folder.path + "/media" }

    init() throws { folder = try TemporaryFolder() }

    private func open(budget: Int64 = 1000, pinned: [ContentHash] = []) async throws -> MediaCache {
        try await MediaCache.open(at: path, budget: budget, pinned: pinned)
    }

    /// This many bytes, different for each number.
    private func bytes(_ number: Int, count: Int = 100) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ number) }
    }

    private func files(in place: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "\(path)/\(place)").sorted()
    }

    @Test("an inserted content is read back by its hash, and stored on the disk once")
    func roundTrip() async throws {
        var cache = try await open()
        let hash = try await cache.insert(bytes(1))
        #expect(try await cache.insert(bytes(1), expecting: hash) == hash)
        #expect(hash == ContentHash(of: bytes(1)))
        #expect(try await cache.content(of: hash) == bytes(1))
        #expect(try files(in: "content") == [hash.description])
        #expect(try folder.mode(of: "media/content/\(hash)") == 0o600)
        #expect(await cache.size == 100)
        await cache.close()
        cache = try await open()
        #expect(try await cache.content(of: hash) == bytes(1))
        #expect(await cache.size == 100)
        #expect(await cache.file(of: hash) == "\(path)/content/\(hash)")
        #expect(try await cache.content(of: ContentHash(of: bytes(2))) == nil)
    }

    @Test("a file from elsewhere is copied, even an empty one and one of several pieces")
    func copying() async throws {
        let cache = try await open(budget: 1_000_000)
        let source = folder.path + "/download"
        for count in [0, 1, 65_536, 200_001] {
            try Data(bytes(3, count: count)).write(to: URL(fileURLWithPath: source))
            let hash = try await cache.insert(contentsOf: source)
            #expect(try await cache.content(of: hash) == bytes(3, count: count))
        }
        await #expect(throws: StoreError.self) { try await cache.insert(contentsOf: source + "-missing") }
        #expect(try files(in: "incoming").isEmpty)
    }

    @Test(
        "a hash from the network is valid or rejected",
        arguments: [
            "", "../../.ssh/authorized_keys", "/etc/passwd", ".", String(repeating: "0", count: 63),
            String(repeating: "g", count: 64), String(repeating: "0", count: 62) + "/.",
            String(repeating: "０", count: 64),
        ])
    func names(text: String) { #expect(ContentHash(text) == nil) }

    @Test("a hash in upper case is the same hash")
    func capitals() throws {
        let hash = ContentHash(of: [])
        #expect(hash.description == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
        #expect(ContentHash(hash.description.uppercased()) == hash)
    }

    @Test("a content with another hash than announced is refused and leaves no file")
    func mismatch() async throws {
        let cache = try await open()
        await #expect { try await cache.insert(bytes(1), expecting: ContentHash(of: bytes(2))) } throws: {
            ($0 as? StoreError)?.code == .invalidRequest
        }
        #expect(try files(in: "content").isEmpty)
        #expect(try files(in: "incoming").isEmpty)
        #expect(await cache.size == 0)
    }

    @Test("the least recently used content is evicted first, also after a restart")
    func eviction() async throws {
        var cache = try await open(budget: 300)
        var hashes: [ContentHash] = []
        for number in 0..<3 { hashes.append(try await cache.insert(bytes(number))) }
        _ = try await cache.content(of: hashes[0])
        await cache.close()
        cache = try await open(budget: 300)
        hashes.append(try await cache.insert(bytes(3)))
        #expect(await cache.contains(hashes[1]) == false)
        #expect(await cache.contains(hashes[0]))
        await cache.setBudget(100)
        #expect(await cache.size == 100)
        #expect(try files(in: "content") == [hashes[3].description])
        // A content that is needed now is stored, however large it is.
        let large = try await cache.insert(bytes(4, count: 500))
        #expect(try await cache.content(of: large) == bytes(4, count: 500))
        #expect(try files(in: "content") == [large.description])
    }

    @Test("contents of the send queue and unsent recordings are never evicted")
    func retention() async throws {
        var cache = try await open(budget: 100)
        let queued = try await cache.insert(bytes(0))
        await cache.pin(queued)
        await cache.pin(queued)
        let recording = try await cache.insert(bytes(1), isKept: true)
        for number in 2..<6 { try await cache.insert(bytes(number)) }
        #expect(await cache.contains(queued))
        #expect(await cache.contains(recording))
        await cache.close()

        cache = try await open(budget: 0, pinned: [queued])
        #expect(await cache.kept == [recording])
        #expect(await cache.size == 200)
        await cache.unpin(queued)
        #expect(await cache.contains(queued) == false)
        try await cache.release(recording)
        #expect(await cache.size == 0)
        // A content that is stored already becomes protected if it is recorded again.
        await cache.setBudget(100)
        try await cache.insert(bytes(7))
        try await cache.insert(bytes(7), isKept: true)
        await cache.setBudget(0)
        #expect(await cache.kept == [ContentHash(of: bytes(7))])
        await cache.remove(ContentHash(of: bytes(7)))
        #expect(await cache.size == 0)
    }

    @Test("incomplete files of a killed program are removed; foreign files are not touched")
    func leftovers() async throws {
        var cache = try await open()
        let hash = try await cache.insert(bytes(1))
        await cache.close()
        for name in ["incoming/1", "incoming/17", "content/notes.txt", "content/\(hash.description.uppercased())"] {
            try Data(bytes(9)).write(to: URL(fileURLWithPath: "\(path)/\(name)"))
        }
        cache = try await open()
        #expect(try files(in: "incoming").isEmpty)
        #expect(try files(in: "content").count == 3)
        #expect(await cache.size == 100)
        try await cache.insert(bytes(2))
    }

    @Test("a folder that is open in another program is refused")
    func twoPrograms() async throws {
        let cache = try await open()
        await #expect { try await open() } throws: { ($0 as? StoreError)?.code == .inUse }
        await cache.close()
        await #expect { try await cache.insert(bytes(1)) } throws: { ($0 as? StoreError)?.code == .closed }
        await (try open()).close()
    }

    @Test("a damaged content is never shown: it is downloaded again, or reported if that is impossible")
    func damage() async throws {
        let cache = try await open()
        let hash = try await cache.insert(bytes(1))
        let recording = try await cache.insert(bytes(2), isKept: true)
        let removed = try await cache.insert(bytes(3))
        try Data([1, 2, 3]).write(to: URL(fileURLWithPath: "\(path)/content/\(hash)"))
        try Data([1, 2, 3]).write(to: URL(fileURLWithPath: "\(path)/kept/\(recording)"))
        try FileManager.default.removeItem(atPath: "\(path)/content/\(removed)")
        #expect(try await cache.content(of: hash) == nil)
        #expect(try await cache.content(of: removed) == nil)
        await #expect { try await cache.content(of: recording) } throws: { ($0 as? StoreError)?.code == .corrupt }
        #expect(await cache.contains(hash) == false)
        #expect(await cache.size == 100)
        try await cache.insert(bytes(1))
        #expect(try await cache.content(of: hash) == bytes(1))
    }

    @Test("a full disk is reported with a message, and nothing is lost")
    func diskFull() async throws {
        let room = Mutex(150)
        var files = MediaFolder(path: path)
        files.writePiece = { descriptor, bytes, count in
            let room = room.withLock { room in
                defer { room = max(0, room - count) }
                return room
            }
            guard room > 0 else {
                errno = ENOSPC
                return -1
            }
            return write(descriptor, bytes, min(room, count))
        }
        let cache = MediaCache(folder: files, budget: 1000)
        try await cache.load(pinned: [])
        let first = try await cache.insert(bytes(1))
        await #expect {
            try await cache.insert(bytes(2))
        } throws: { error in
            guard let error = error as? StoreError else { return false }
            return error.code == .diskFull && error.description.hasPrefix("The disk is full")
        }
        #expect(try await cache.content(of: first) == bytes(1))
        #expect(try self.files(in: "incoming").isEmpty)
        #expect(await cache.size == 100)
        room.withLock { $0 = 1000 }
        try await cache.insert(bytes(2))
        #expect(await cache.size == 200)
    }

    @Test("S1-11: after a loss of power at any time, every content is stored completely or not at all")
    func powerCut() async throws {
        let copies = folder.path + "/copies"
        try FileManager.default.createDirectory(atPath: copies, withIntermediateDirectories: true)
        let path = path
        let cuts = Mutex(0)
        var files = MediaFolder(path: path)
        files.reached = { step in
            let number = cuts.withLock { count in
                defer { count += 1 }
                return count
            }
            let copy = "\(copies)/\(number)"
            try? FileManager.default.copyItem(atPath: path, toPath: copy)
            // Data that was not synced can be on the disk in part.
            guard step == .opened || step == .written else { return }
            for name in (try? FileManager.default.contentsOfDirectory(atPath: copy + "/incoming")) ?? [] {
                truncate("\(copy)/incoming/\(name)", off_t(number * 7 % 100))
            }
        }
        // Three fit into the budget, one of them protected; they are inserted, evicted, protected and released.
        let cache = MediaCache(folder: files, budget: 300)
        try await cache.load(pinned: [])
        let recording = try await cache.insert(bytes(0), isKept: true)
        let releasing = Mutex(Int.max)
        for number in 1..<5 { try await cache.insert(bytes(number)) }
        releasing.withLock { $0 = cuts.withLock { $0 } }
        try await cache.release(recording)
        try await cache.insert(bytes(5))
        await cache.close()

        let all = Dictionary(uniqueKeysWithValues: (0..<6).map { (ContentHash(of: bytes($0)), bytes($0)) })
        let count = cuts.withLock { $0 }
        #expect(count > 30)
        for number in 0..<count {
            let copy = "\(copies)/\(number)"
            let opened = try await MediaCache.open(at: copy, budget: 300)
            #expect(try FileManager.default.contentsOfDirectory(atPath: copy + "/incoming").isEmpty)
            var size: Int64 = 0
            for (hash, content) in all {
                guard let found = try await opened.content(of: hash) else { continue }
                #expect(found == content, "cut \(number)")
                size += Int64(found.count)
            }
            #expect(await opened.size == size)
            // Once it is protected, the recording exists until it is released.
            if number >= 3, number < releasing.withLock({ $0 }) {
                #expect(await opened.kept == [recording], "cut \(number)")
            }
            try await opened.insert(bytes(9))
            await opened.close()
        }
    }
}
