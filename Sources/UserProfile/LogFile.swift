internal import Dispatch
internal import Foundation
internal import Glibc
internal import Localization
internal import Synchronization
public import XMPPClient

/// The file to which a program writes what its sessions log (`--log FILE`), readable only for its owner.
///
/// Each line has the time, the number of the session since the program started, and the level. Sessions do not wait for the disk;
/// if it is too slow, lines are left out and counted.
public final class LogFile: Sendable {
    private struct State {
        var sessions = 0
        var waitingBytes = 0
        var omitted = 0
    }

    /// The size at which the file is renamed to `….1`, which replaces an older one: a day of XML of a busy account.
    static let sizeLimit = 64 << 20
    /// The maximum size of the lines that wait for the disk.
    static let waitingLimit = 4 << 20

    private let path: String
    private let level: SessionLog.Level
    private let state = Mutex(State())
    /// The file, used only on the queue.
    private let descriptor: Mutex<Int32>
    private let queue = DispatchQueue(label: "log file")

    /// - Parameter level: the name of a level: `failures`, `steps`, `stanzas` or `wire`.
    /// - Throws: ``LogFileError`` with a sentence for the user.
    public init(path: String, level: String = "steps") throws(LogFileError) {
        guard let level = SessionLog.Level(name: level) else {
            throw LogFileError(
                message: localized("“%@” is not a level; choose failures, steps, stanzas or wire.", level))
        }
        self.path = path
        self.level = level
        let file = Self.open(path)
        guard file >= 0 else {
            throw LogFileError(message: localized("The log %@ cannot be written.", path))
        }
        descriptor = Mutex(file)
    }

    deinit { descriptor.withLock { _ = Glibc.close($0) } }

    /// Logs the sessions with this configuration.
    public func attach(to configuration: inout ClientConfiguration) {
        let factory = SessionExtensionFactory { [self] session in
            let number = state.withLock { state in
                state.sessions += 1
                return state.sessions
            }
            return SessionLog(session, level) { [self] level, line in write("\(number) \(level): \(line)") }
        }
        // The first extension sees the others being added.
        configuration.extensions.insert(factory, at: 0)
    }

    /// Appends a line.
    public func write(_ line: String) {
        let bytes = Array("\(Date().formatted(Self.time)) \(line)\n".utf8)
        let isAccepted = state.withLock { state in
            guard state.waitingBytes < Self.waitingLimit else {
                state.omitted += 1
                return false
            }
            state.waitingBytes += bytes.count
            return true
        }
        guard isAccepted else { return }
        queue.async { [self] in
            let omitted = state.withLock { state in
                defer { state.omitted = 0 }
                state.waitingBytes -= bytes.count
                return state.omitted
            }
            append(bytes)
            if omitted > 0 { append(Array("(\(omitted) lines are missing: the disk was too slow.)\n".utf8)) }
        }
    }

    /// Returns when everything is in the file.
    public func flush() async {
        await queue.run {}
    }

    private static let time = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

    private static func open(_ path: String) -> Int32 {
        Glibc.open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
    }

    private func append(_ bytes: [UInt8]) {
        descriptor.withLock { descriptor in
            if lseek(descriptor, 0, SEEK_END) >= Self.sizeLimit {
                rename(path, path + ".1")
                let next = Self.open(path)
                if next >= 0 {
                    Glibc.close(descriptor)
                    descriptor = next
                }
            }
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
                if count < 0 && errno == EINTR { continue }
                // A full disk must not end the program; the next line may fit again.
                guard count > 0 else { return }
                rest = rest.dropFirst(count)
            }
        }
    }
}

/// Why a log cannot be written, as a sentence for the user.
public struct LogFileError: Error, Sendable, CustomStringConvertible {
    public let message: String

    public var description: String { message }
}
