internal import Foundation

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The files of a ``MediaCache``: `content` and `kept` hold whole contents under their hashes, `incoming` what is being
/// written.
///
/// A content comes into sight by being renamed, after all of it is on the disk; so whenever the power goes, what stands under
/// a hash is what the hash says.
struct MediaFolder: Sendable {
    /// Where a content stands: among what may be evicted, or among what may not.
    enum Place: String, Sendable, CaseIterable {
        case content
        case kept
    }

    /// What was done last; a test looks at the files then.
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
    /// write(2), so that a test can fill the disk.
    var writePiece: @Sendable (CInt, UnsafeRawPointer, Int) -> Int = { write($0, $1, $2) }

    func path(of hash: ContentHash, in place: Place) -> String { "\(path)/\(place.rawValue)/\(hash)" }

    private var incoming: String { path + "/incoming" }

    /// Where a content stands that is whole, in whichever place.
    func file(of hash: ContentHash) -> String? {
        Place.allCases.lazy.map { path(of: hash, in: $0) }.first { FileManager.default.fileExists(atPath: $0) }
    }

    /// Makes the folders, and removes what a program that was killed had begun to write.
    func prepare() throws(StoreError) {
        for folder in Place.allCases.map({ "\(path)/\($0.rawValue)" }) + [incoming] {
            guard mkdir(folder, 0o700) == 0 || errno == EEXIST else { throw error(errno, "\(folder) cannot be made") }
        }
        for name in (try? FileManager.default.contentsOfDirectory(atPath: incoming)) ?? [] {
            unlink("\(incoming)/\(name)")
        }
    }

    /// All contents. What has another name than a hash is not ours, and left alone.
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
        guard descriptor >= 0 else { throw error(errno, "\(name) cannot be made") }
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

    /// Puts the file into its place, for good when this returns.
    func finish(_ file: Incoming, as hash: ContentHash, in place: Place) throws(StoreError) {
        guard fsync(file.descriptor) == 0 else { throw error(errno, "\(file.path) cannot be written") }
        reached(.synced)
        let target = path(of: hash, in: place)
        guard rename(file.path, target) == 0 else { throw error(errno, "\(target) cannot be made") }
        reached(.renamed)
        close(file.descriptor)
        sync(place)
        reached(.finished)
    }

    func discard(_ file: Incoming) {
        close(file.descriptor)
        unlink(file.path)
    }

    /// What was renamed in a folder outlives a loss of power from now on. Where the system cannot do that, it does it later.
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

    /// - Returns: whether it is gone.
    func remove(_ hash: ContentHash, in place: Place) -> Bool {
        let isGone = unlink(path(of: hash, in: place)) == 0 || errno == ENOENT
        reached(.removed)
        return isGone
    }

    /// Writes down when a content was used last.
    func touch(_ hash: ContentHash, in place: Place, at time: Int64) {
        let time = timespec(tv_sec: Int(time / 1_000_000_000), tv_nsec: Int(time % 1_000_000_000))
        _ = utimensat(AT_FDCWD, path(of: hash, in: place), [time, time], AT_SYMLINK_NOFOLLOW)
    }

    // MARK: Reading

    /// Pieces of this size are copied at a time.
    private static let pieceSize = 1 << 16

    /// Gives a file's content piece by piece.
    ///
    /// - Returns: whether the file is there.
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
        case ENOSPC, EDQUOT: StoreError(.diskFull, "The disk is full: \(what). Make room and try again.")
        case EROFS, EACCES, EPERM: StoreError(.readOnly, "\(what): \(reason).")
        default: StoreError(.system, "\(what): \(reason).")
        }
    }
}

private func systemRead(_ descriptor: CInt, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
    read(descriptor, buffer.baseAddress, buffer.count)
}
