internal import Foundation
internal import Glibc

/// A small file of the profile that only its owner may read: it says which accounts a person has and where.
enum PrivateFile {
    /// Read and write for the owner, nothing for others.
    private static let mode: mode_t = 0o600

    /// Replaces the file as a whole: it is written beside it and renamed into its place.
    ///
    /// - Returns: whether that succeeded; otherwise the file is as it was.
    static func write(_ data: Data, to path: String) -> Bool {
        let new = path + ".new-" + UUID().uuidString
        let descriptor = open(new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode)
        guard descriptor >= 0 else { return false }
        var isWritten = fchmod(descriptor, mode) == 0
        var rest = data[...]
        while isWritten, !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            isWritten = count > 0
            rest = rest.dropFirst(max(0, count))
        }
        isWritten = close(descriptor) == 0 && isWritten
        isWritten = isWritten && rename(new, path) == 0
        if !isWritten { unlink(new) }
        return isWritten
    }

    /// The content; `nil` where there is no file. A file of an earlier release gets the permissions of a new one.
    static func read(_ path: String) -> Data? {
        var status = stat()
        if stat(path, &status) == 0, status.st_mode & 0o077 != 0 { chmod(path, mode) }
        return FileManager.default.contents(atPath: path)
    }
}
