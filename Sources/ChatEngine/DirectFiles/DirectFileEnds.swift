internal import ChatStore
internal import DirectTransfer
internal import Foundation

/// Reads a file that is sent directly to a device.
struct DirectFileSource: TransferSource {
    private let file: FileHandle

    /// - Throws: `fileGone` if it cannot be read.
    init(_ path: String) throws(AttachmentFailure) {
        guard let file = FileHandle(forReadingAtPath: path) else { throw AttachmentFailure(.fileGone) }
        self.file = file
    }

    /// The size of a file in bytes.
    static func size(of path: String) throws(AttachmentFailure) -> UInt64 {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        guard let size = attributes?[.size] as? NSNumber else { throw AttachmentFailure(.fileGone) }
        return size.uint64Value
    }

    func read(upTo count: Int) async throws -> [UInt8] { Array(try file.read(upToCount: count) ?? Data()) }
}

/// Writes a file that comes directly from a device. It has no name until it is complete and verified.
struct DirectFileSink: TransferSink {
    private let file: FileHandle

    /// - Throws: `notStored` if it cannot be written.
    init(_ path: String) throws(AttachmentFailure) {
        guard FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600]),
            let file = FileHandle(forWritingAtPath: path)
        else { throw .diskFailed }
        self.file = file
    }

    func write(_ bytes: [UInt8]) async throws { try file.write(contentsOf: bytes) }
}

/// The identifier of a Jingle session that sends the file of a message.
///
/// It is the origin-id of the message, so that both sides name the message in the same way in replies, reactions and
/// retractions, with a number after it: each offer of a file is another session.
enum DirectFileIdentifier {
    /// Longer ones than of any program are not stored.
    private static let longest = 128

    /// An identifier for the next offer of a file.
    static func session(_ originID: String) -> String { "\(originID).\(UInt32.random(in: .min ... .max))" }

    /// The origin-id of the message; `nil` if it cannot be one.
    static func origin(_ session: String) -> String? {
        guard !session.isEmpty, session.utf8.count <= longest else { return nil }
        let parts = session.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let number = parts.last, !number.isEmpty, !parts[0].isEmpty,
            number.allSatisfy({ ("0"..."9").contains($0) })
        else { return session }
        return String(parts[0])
    }
}

extension AttachmentFailure {
    /// Why a file that was accepted did not arrive.
    init(receiving failure: TransferFailure) {
        switch failure.code {
        case .cancelled: self.init(.cancelled, isTemporary: true)
        case .tooLarge: self.init(.tooLarge)
        case .damaged: self.init(.wrongContent)
        case .storageFailed: self = .diskFailed
        case .declined, .cancelledByPeer, .unavailable, .unreachable, .timedOut, .connectionLost, .protocolViolation:
            self.init(.interrupted)
        }
    }

    /// Why a file that was offered did not arrive.
    ///
    /// - Parameter hasBegun: whether the other side has accepted it.
    init(sending failure: TransferFailure, hasBegun: Bool) {
        switch failure.code {
        case .cancelled: self.init(.cancelled)
        // The other program receives no files of this size.
        case .declined, .tooLarge: self.init(.declined)
        case .storageFailed: self.init(.fileGone)
        case .timedOut: self.init(hasBegun ? .interrupted : .noAnswer)
        case .cancelledByPeer: self.init(hasBegun ? .interrupted : .declined)
        case .unavailable, .unreachable, .damaged, .connectionLost, .protocolViolation: self.init(.interrupted)
        }
    }
}
