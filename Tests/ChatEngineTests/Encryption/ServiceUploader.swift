import ChatStore
import FileSharing
import XMPPClient

@testable import ChatEngine

/// Uploads to the service of the server.
struct ServiceUploader: AttachmentUploader {
    let media: MediaCache

    func upload(
        _ attachment: ChatStore.Attachment, in session: Session, progress: @escaping @Sendable (Int) -> Void
    ) async throws(AttachmentFailure) -> String {
        guard let hash = attachment.contentHash.flatMap(ContentHash.init), let sharing = session[FileSharing.self],
            let bytes = (try? await media.content(of: hash)) ?? nil
        else { throw AttachmentFailure(.fileGone) }
        let file = OutgoingFile(
            kind: .file, name: attachment.name ?? "", mediaType: attachment.mediaType ?? "", content: bytes)
        do throws(FileSharingError) {
            return try await sharing.upload(file)
        } catch {
            throw AttachmentFailure(.uploadFailed)
        }
    }
}
