internal import Foundation

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The files of a ``MediaCache``: `content` and `kept` hold complete contents under their hashes, `incoming` files that
/// are being written.
///
/// A content is renamed into place once all of it is on the disk; so even after a loss of power, each file has the
/// content that its hash identifies.
struct MediaFolder: Sendable {
    /// The folder of a content: whether it may be evicted.
    enum Place: String, Sendable, CaseIterable {
        case content
        case kept
    }

    /// The last completed step, at which a test inspects the files.
    enum Step: Sendable, CaseIterable {
        case opened, written, synced, renamed, finished, moved, removed
    }

    struct Found {
        let hash: ContentHash
        let place: Place
        let size: Int64
        /// In nanoseconds since 1970.
        let lastUse: Int64
    }

    let path: String
    var reached: @Sendable (Step) -> Void = { _ in }
    /// write(2), replaced by a test to simulate a full disk.
    var writePiece: @Sendable (CInt, UnsafeRawPointer, Int) -> Int = { write($0, $1, $2) }

    func path(of hash: ContentHash, in place: Place) -> String { "\(path)/\(place.rawValue)/\(hash)" }

    private var incoming: String { path + "/incoming" }

    /// The file of a complete content, in either folder.
    func file(of hash: ContentHash) -> String? {
        Place.allCases.lazy.map { path(of: hash, in: $0) }.first { FileManager.default.fileExists(atPath: $0) }
    }

    /// Creates the folders and removes incomplete files of a killed program.
    func prepare() throws(StoreError) {
        for folder in Place.allCases.map({ "\(path)/\($0.rawValue)" }) + [incoming] {
            guard mkdir(folder, 0o700) == 0 || errno == EEXIST else {
                throw error(errno, "\(folder) cannot be created")
            }
        }
        for name in (try? FileManager.default.contentsOfDirectory(atPath: incoming)) ?? [] {
            unlink("\(incoming)/\(name)")
        }
    }

    /// All contents. Other files are ignored.
    func contents() -> [Found] {
        Place.allCases.flatMap { place in
            ((try? FileManager.default.contentsOfDirectory(atPath: "\(path)/\(place.rawValue)")) ?? [])
                .compactMap { name in
                    guard let hash = ContentHash(name), hash.description == name else { return nil }
                    var status = stat()
                    guard lstat(self.path(of: hash, in: place), &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
                        return nil
                    }
                    #if canImport(Darwin)
                        let time = status.st_mtimespec
                    #else
                        let time = status.st_mtim
                    #endif
                    return Found(
                        hash: hash, place: place, size: Int64(status.st_size),
                        lastUse: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
                }
        }
    }

    // MARK: Writing

    /// A file that is being written.
    struct Incoming {
        fileprivate let descriptor: CInt
        fileprivate let path: String
    }

    func begin(_ number: Int) throws(StoreError) -> Incoming {
        let name = "\(incoming)/\(number)"
        let descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw error(errno, "\(name) cannot be created") }
        reached(.opened)
        return Incoming(descriptor: descriptor, path: name)
    }

    func append(_ bytes: UnsafeRawBufferPointer, to file: Incoming) throws(StoreError) {
        var rest = bytes
        while let start = rest.baseAddress, !rest.isEmpty {
            let count = writePiece(file.descriptor, start, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw error(count < 0 ? errno : ENOSPC, "\(file.path) cannot be written") }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            reached(.written)
        }
    }

    /// Renames the file into its folder; durable when this returns.
    func finish(_ file: Incoming, as hash: ContentHash, in place: Place) throws(StoreError) {
        guard fsync(file.descriptor) == 0 else { throw error(errno, "\(file.path) cannot be written") }
        reached(.synced)
        let target = path(of: hash, in: place)
        guard rename(file.path, target) == 0 else { throw error(errno, "\(target) cannot be created") }
        reached(.renamed)
        close(file.descriptor)
        sync(place)
        reached(.finished)
    }

    func discard(_ file: Incoming) {
        close(file.descriptor)
        unlink(file.path)
    }

    /// Makes renames in a folder durable. If the system does not support that, it happens later.
    private func sync(_ place: Place) {
        let descriptor = open("\(path)/\(place.rawValue)", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }

    func move(_ hash: ContentHash, from old: Place, to new: Place) throws(StoreError) {
        guard rename(path(of: hash, in: old), path(of: hash, in: new)) == 0 else {
            throw error(errno, "\(path(of: hash, in: old)) cannot be moved")
        }
        sync(new)
        sync(old)
        reached(.moved)
    }

    /// - Returns: `true` if the file does not exist any more.
    func remove(_ hash: ContentHash, in place: Place) -> Bool {
        let isGone = unlink(path(of: hash, in: place)) == 0 || errno == ENOENT
        reached(.removed)
        return isGone
    }

    /// Stores when a content was used last, as the modification time of its file.
    func touch(_ hash: ContentHash, in place: Place, at time: Int64) {
        let time = timespec(tv_sec: Int(time / 1_000_000_000), tv_nsec: Int(time % 1_000_000_000))
        _ = utimensat(AT_FDCWD, path(of: hash, in: place), [time, time], AT_SYMLINK_NOFOLLOW)
    }

    // MARK: Reading

    /// The number of bytes that are copied at a time.
    private static let pieceSize = 1 << 16

    /// Passes the content of a file to a closure piece by piece.
    ///
    /// - Returns: `false` if the file does not exist.
    func read(
        _ path: String, _ body: (UnsafeRawBufferPointer) throws(StoreError) -> Void
    ) throws(StoreError) -> Bool {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return false }
            throw error(errno, "\(path) cannot be opened")
        }
        defer { close(descriptor) }
        var buffer = [UInt8](repeating: 0, count: Self.pieceSize)
        while true {
            let count = buffer.withUnsafeMutableBytes { systemRead(descriptor, $0) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw error(errno, "\(path) cannot be read") }
            if count == 0 { return true }
            try buffer.withUnsafeBufferPointer { bytes throws(StoreError) in
                try body(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: bytes[..<count])))
            }
        }
    }

    private func error(_ code: CInt, _ what: String) -> StoreError {
        let reason = String(cString: strerror(code))
        return switch code {
        case ENOSPC, EDQUOT: StoreError(.diskFull, "The disk is full: \(what). Free some space and try again.")
        case EROFS, EACCES, EPERM: StoreError(.readOnly, "\(what): \(reason).")
        default: StoreError(.system, "\(what): \(reason).")
        }
    }
}

private func systemRead(_ descriptor: CInt, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
    read(descriptor, buffer.baseAddress, buffer.count)
}
