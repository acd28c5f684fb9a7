#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The file with one kind of secret, used if no secret service is running. All calls block.
///
/// Only the owner may access the file (mode 0600) and its folder (0700). The file is opened relative to the opened
/// folder, without following a symbolic link, and checked through the open descriptor, so it cannot be replaced between
/// check and use. A change is written to a second file and renamed, so that a crash leaves the old or the new file; a
/// lock prevents two programs from losing each other's change.
struct CredentialFile: Sendable {
    /// How long to wait for another program's change. A change takes milliseconds.
    static let lockTimeout = Duration.seconds(5)

    let folder: String
    let kind: SecretKind

    private var name: String { kind.fileName }
    private var newName: String { name + ".new" }
    private var lockName: String { name + ".lock" }

    var path: String { "\(folder)/\(name)" }

    /// `hongyan` in `XDG_DATA_HOME`, or in `~/.local/share` if that is not set to an absolute path.
    static var defaultFolder: String? {
        if let data = variable("XDG_DATA_HOME"), data.hasPrefix("/") { return "\(data)/hongyan" }
        if let home = variable("HOME"), home.hasPrefix("/") { return "\(home)/.local/share/hongyan" }
        return nil
    }

    private static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    /// All secrets by account; empty if there is no file.
    func secrets() throws(CredentialError) -> [String: String] {
        guard let directory = try openFolder(create: false) else { return [:] }
        return try read(in: directory).secrets
    }

    /// Changes the secrets and writes them.
    func update(_ change: (inout [String: String]) -> Void) throws(CredentialError) {
        guard let directory = try openFolder(create: true) else {
            throw CredentialError(.folderUnusable(path: folder, reason: Self.reason(of: ENOENT)))
        }
        let lock = try lock(in: directory)
        var list = try read(in: directory)
        let before = list
        change(&list.secrets)
        if list != before { try write(list, in: directory) }
        _ = consume lock
    }

    // MARK: Folder and lock

    /// The folder, with its permissions restricted; `nil` if it does not exist and should not be created.
    private func openFolder(create: Bool) throws(CredentialError) -> FileDescriptor? {
        if create { try makeFolders() }
        guard let directory = FileDescriptor(open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)) else {
            if errno == ENOENT, !create { return nil }
            throw CredentialError(.folderUnusable(path: folder, reason: Self.reason(of: errno)))
        }
        guard let status = directory.status else { throw folderFailure() }
        guard status.st_uid == geteuid() else {
            throw CredentialError(.folderUnusable(path: folder, reason: "it belongs to another user"))
        }
        // The folder contains nothing for other users, so one with wider permissions is restricted rather than refused.
        if status.st_mode & 0o077 != 0, fchmod(directory.number, 0o700) != 0 { throw folderFailure() }
        return directory
    }

    private func makeFolders() throws(CredentialError) {
        var prefix = ""
        for component in folder.split(separator: "/") {
            prefix += "/\(component)"
            guard mkdir(prefix, 0o700) == 0 || errno == EEXIST || access(prefix, F_OK) == 0 else {
                throw CredentialError(.folderUnusable(path: prefix, reason: Self.reason(of: errno)))
            }
        }
    }

    private func folderFailure() -> CredentialError {
        CredentialError(.folderUnusable(path: folder, reason: Self.reason(of: errno)))
    }

    private func lock(in directory: borrowing FileDescriptor) throws(CredentialError) -> FileDescriptor {
        let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK
        guard let file = FileDescriptor(openat(directory.number, lockName, flags, 0o600)) else {
            throw fileFailure(lockName)
        }
        let clock = ContinuousClock()
        let deadline = clock.now.advanced(by: Self.lockTimeout)
        while flock(file.number, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EWOULDBLOCK || errno == EINTR else { throw fileFailure(lockName) }
            guard clock.now < deadline else { throw CredentialError(.timedOut) }
            usleep(10_000)
        }
        return file
    }

    // MARK: Content

    private func read(in directory: borrowing FileDescriptor) throws(CredentialError) -> SecretList {
        let flags = O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK
        guard let file = FileDescriptor(openat(directory.number, name, flags)) else {
            switch errno {
            case ENOENT: return SecretList(kind)
            // The errors for a symbolic link and for a socket.
            case ELOOP, ENXIO: throw CredentialError(.notAFile(path: path))
            default: throw fileFailure(name)
            }
        }
        guard let status = file.status else { throw fileFailure(name) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw CredentialError(.notAFile(path: path)) }
        guard status.st_uid == geteuid() else { throw CredentialError(.foreignOwner(path: path)) }
        guard status.st_mode & 0o077 == 0 else { throw CredentialError(.openToOthers(path: path)) }
        guard let bytes = file.read(atMost: SecretList.maximumByteCount + 1) else { throw fileFailure(name) }
        guard let list = SecretList(kind, bytes) else { throw CredentialError(.unreadable(path: path)) }
        return list
    }

    private func write(_ list: SecretList, in directory: borrowing FileDescriptor) throws(CredentialError) {
        // The leftover of a program that died while writing; the lock shows that no program is writing now.
        _ = unlinkat(directory.number, newName, 0)
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        guard let file = FileDescriptor(openat(directory.number, newName, flags, 0o600)) else {
            throw fileFailure(newName)
        }
        let isWritten =
            fchmod(file.number, 0o600) == 0 && file.write(list.bytes) && fsync(file.number) == 0
            && renameat(directory.number, newName, directory.number, name) == 0
        guard isWritten else {
            let error = fileFailure(newName)
            _ = unlinkat(directory.number, newName, 0)
            throw error
        }
        // Without this the old file may come back after a power failure, which is not a reason to fail.
        _ = fsync(directory.number)
    }

    private func fileFailure(_ name: String) -> CredentialError {
        CredentialError(.fileFailed(path: "\(folder)/\(name)", reason: Self.reason(of: errno)))
    }

    private static func reason(of number: Int32) -> String { String(cString: strerror(number)) }
}

/// An open file, closed when its owner goes out of scope.
struct FileDescriptor: ~Copyable {
    let number: Int32

    /// `nil` for the -1 of a failed call; `errno` has the reason.
    init?(_ number: Int32) {
        guard number >= 0 else { return nil }
        self.number = number
    }

    deinit { close(number) }

    /// The status of the file.
    var status: stat? {
        var status = stat()
        return fstat(number, &status) == 0 ? status : nil
    }

    /// The bytes from the current position to the end, at most `limit`; `nil` if reading fails.
    func read(atMost limit: Int) -> [UInt8]? {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 4096)
        while bytes.count < limit {
            let count = readPiece(into: &piece)
            guard count >= 0 else { return nil }
            if count == 0 { break }
            bytes += piece[..<count]
        }
        return bytes
    }

    private func readPiece(into piece: inout [UInt8]) -> Int {
        while true {
            let count = piece.withUnsafeMutableBytes { systemRead(number, $0.baseAddress, $0.count) }
            if count >= 0 || errno != EINTR { return count }
        }
    }

    /// Writes all bytes; returns `false` on failure.
    func write(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { systemWrite(number, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}

/// The system calls under names that the methods above do not shadow.
private func systemRead(_ number: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(number, buffer, count)
}

private func systemWrite(_ number: Int32, _ buffer: UnsafeRawPointer?, _ count: Int) -> Int {
    write(number, buffer, count)
}
