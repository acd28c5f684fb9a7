internal import Foundation
internal import Glibc

/// The path of the socket of a profile: `run/program.socket`, in a folder that only the owner of the profile can enter.
///
/// An address of a Unix socket has at most 107 bytes. A longer path is reached through the descriptor of its folder.
struct SocketLocation: Sendable {
    let folder: String
    private static let name = "program.socket"
    /// The size of `sun_path` in bytes, without its terminator.
    private static let pathLimit = 107

    init(_ profile: Profile) { folder = profile.folder + "/run" }

    var path: String { folder + "/" + Self.name }

    /// Creates the folder, or verifies that it belongs to this user and is closed to others.
    private func prepare() -> Bool {
        mkdir(folder, 0o700)
        var status = stat()
        guard lstat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid() else {
            return false
        }
        return status.st_mode & 0o777 == 0o700 || chmod(folder, 0o700) == 0
    }

    /// Returns a listening socket; that of an ended program is replaced. Only for the program that uses the profile.
    func listen(waiting: Int32) -> Int32? {
        guard prepare() else { return nil }
        unlink(path)
        return withAddress { descriptor, address, size in
            guard bind(descriptor, address, size) == 0 else { return false }
            // No program can connect before `listen`, so other users cannot connect in between.
            return chmod(path, 0o600) == 0 && Glibc.listen(descriptor, waiting) == 0
        }
    }

    /// Connects to the program that listens here; `nil` if there is none.
    func connect() -> Int32? {
        withAddress { descriptor, address, size in Glibc.connect(descriptor, address, size) == 0 }
    }

    func remove() { unlink(path) }

    private func withAddress(_ body: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Bool) -> Int32? {
        var short = path
        var directory: Int32 = -1
        if short.utf8.count > Self.pathLimit {
            directory = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            guard directory >= 0 else { return nil }
            short = "/proc/self/fd/\(directory)/\(Self.name)"
        }
        defer { if directory >= 0 { Glibc.close(directory) } }
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: short.utf8) }
        let isDone = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard isDone else {
            Glibc.close(descriptor)
            return nil
        }
        return descriptor
    }
}
