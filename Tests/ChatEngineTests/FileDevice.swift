import ChatEngine
import ChatFixtures
import ChatStore
import ServerFixtures
import XMPPClient

/// As the uploader of a profile finds it on a server without an upload service.
private struct NoService: AttachmentUploader {
    func upload(
        _ attachment: Attachment, in session: Session, progress: @escaping @Sendable (Int) -> Void
    ) async throws(AttachmentFailure) -> String {
        throw AttachmentFailure(.noUploadService)
    }
}

/// A device of somebody with a place for files, whose server takes none.
struct FileDevice {
    let person: Person
    let media: MediaCache
    private let folder: SpareFolder

    /// - Parameters:
    ///   - port: another than the server's, to go through a `FaultProxy`.
    ///   - protects: makes an encryption for the store and account of the device.
    init(
        _ name: String, on server: RunningServer, port: UInt16? = nil, policy: ChatAccountPolicy = ChatAccountPolicy(),
        protection: (any ContentProtection)? = nil
    ) async throws {
        folder = try SpareFolder()
        media = try await MediaCache.open(at: folder.path, budget: 100 << 20)
        person = try await Person(
            try await server.newAccount(name), on: server, port: port, policy: policy, media: media,
            uploader: NoService(), protection: protection)
    }

    func attachment(
        _ bytes: [UInt8], _ kind: Attachment.Kind, _ type: String, _ name: String
    ) async throws -> Attachment {
        let hash = try await media.insert(bytes)
        await media.pin(hash)
        return Attachment(
            kind: kind, mediaType: type, name: name, size: Int64(bytes.count), contentHash: hash.description,
            isLocal: true)
    }
}
