#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The file that keeps one kind of secret where no secret service runs. All its calls block.
///
/// Nobody but the owner may read the file (mode 0600) or look into its folder (0700). It is opened without following a
/// symbolic link, relative to the opened folder, and what the name then refers to is checked on the open descriptor,
/// so nothing can be put in its place between the question and the use. A change is written beside it and moved over
/// it, so that a crash leaves the old or the new file; a lock keeps two programs from losing each other's change.
struct CredentialFile: Sendable {
    /// How long to wait for another program's change. A change takes milliseconds.
    static let lockPatience = Duration.seconds(5)

    let folder: String
    let kind: SecretKind

    private var name: String { kind.fileName }
    private var newName: String { name + ".new" }
    private var lockName: String { name + ".lock" }

    var path: String { "\(folder)/\(name)" }

    /// `hongyan` in `XDG_DATA_HOME`, or in `~/.local/share` where that is not set to an absolute path.
    static var defaultFolder: String? {
        if let data = variable("XDG_DATA_HOME"), data.hasPrefix("/") { return "\(data)/hongyan" }
        if let home = variable("HOME"), home.hasPrefix("/") { return "\(home)/.local/share/hongyan" }
        return nil
    }

    private static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    /// All secrets by account; none where there is no file.
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

    /// The folder, made tight; `nil` where there is none and none is to be made.
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
        // The folder holds nothing for others, so one that was made too wide is narrowed rather than refused.
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
        let deadline = clock.now.advanced(by: Self.lockPatience)
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
            // What a symbolic link, and a socket, are answered with.
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
        // What a program left that died while writing; the lock says that nobody writes now.
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
        // Without this the old file may come back after a power cut, which is no reason to fail.
        _ = fsync(directory.number)
    }

    private func fileFailure(_ name: String) -> CredentialError {
        CredentialError(.fileFailed(path: "\(folder)/\(name)", reason: Self.reason(of: errno)))
    }

    private static func reason(of number: Int32) -> String { String(cString: strerror(number)) }
}
