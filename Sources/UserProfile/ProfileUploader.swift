public import ChatEngine
internal import ChatModel
public import ChatStore
internal import FileSharing
internal import Foundation
public import XMPPClient

/// Uploads files of the send queue, stored in the profile by content hash, also after a restart of the program.
public struct ProfileUploader: AttachmentUploader {
    public let media: MediaCache

    /// The storage budget of a profile for uploads: enough for an evening without a network.
    public static let budget: Int64 = 500 << 20

    public init(media: MediaCache) { self.media = media }

    public func upload(
        _ attachment: Attachment, in session: Session, progress: @escaping @Sendable (Int) -> Void
    ) async throws(AttachmentFailure) -> String {
        guard let hash = attachment.contentHash.flatMap({ ChatStore.ContentHash($0) }),
            let path = await media.file(of: hash), let size = await Self.size(of: path)
        else { throw AttachmentFailure(.fileGone) }
        guard let sharing = session[FileSharing.self] else {
            throw AttachmentFailure(.offline, isTemporary: true)
        }
        do throws(FileSharingError) {
            let url = try await sharing.upload(
                fileAt: path, size: size, name: attachment.name ?? attachment.kind.word,
                mediaType: attachment.mediaType ?? "application/octet-stream"
            ) { step in
                guard let total = step.total, total > 0 else { return }
                progress(Int(min(100, step.completed * 100 / total)))
            }
            try? await media.release(hash)
            return url
        } catch {
            switch error.code {
            // A server without an upload service will not get one within a minute; a broken connection may be repaired by then.
            case .transferFailed: throw AttachmentFailure(.uploadFailed, isTemporary: true)
            case .noUploadService: throw AttachmentFailure(.noUploadService)
            case .tooLarge: throw AttachmentFailure(.tooLarge)
            case .quotaExceeded: throw AttachmentFailure(.quotaExceeded)
            default: throw AttachmentFailure(.uploadFailed)
            }
        }
    }

    private static func size(of path: String) async -> UInt64? {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return (attributes?[.size] as? NSNumber)?.uint64Value
    }
}
