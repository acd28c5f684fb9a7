internal import ChatStore
internal import FileSharing
internal import Foundation
internal import Media
internal import XMPPClient

/// Uploads the files of a queued message.
struct QueuedUploads: Sendable {
    let store: any LocalStore
    let uploader: (any AttachmentUploader)?
    let protection: any ContentProtection
    /// Contains the encrypted files during their upload.
    let media: MediaCache?
    let now: @Sendable () -> MessageTime
    let progress: UploadProgress
    /// Sends what the server does not take.
    let direct: DirectFileSender?

    /// What is left to do after the uploads of a message.
    enum Remainder: Sendable {
        case nothing
        /// The server does not take the file: ``DirectFileSender`` sends it.
        case direct
    }

    /// Uploads the files without an address. A failure is recorded, or delays the message.
    func run(_ entry: QueuedMessage, to conversation: ConversationAddress, in session: Session) async -> Remainder {
        let id = entry.message.id
        for (index, attachment) in entry.content.attachments.enumerated() where attachment.url == nil {
            progress.show(.uploading(0), of: id, at: index)
            do throws(AttachmentFailure) {
                let known = try await upload(attachment, of: entry, to: conversation, in: session) {
                    [progress] percent in progress.show(.uploading(min(max(percent, 0), 100)), of: id, at: index)
                }
                try? await store.write { writer throws(StoreError) in try writer.update(known, at: index, of: id) }
            } catch {
                let isRefused = error.code == .noUploadService || error.code == .tooLarge
                if isRefused, direct?.canSend(entry, to: conversation, in: session) == true {
                    progress.show(.awaitingContact, of: id, at: index)
                    return .direct
                }
                await fail(entry, error)
            }
            progress.show(nil, of: id, at: index)
        }
        return .nothing
    }

    /// Encrypts a file if necessary, and uploads it. Where the server has no upload service, a picture or voice message goes
    /// inside of the message.
    ///
    /// - Returns: the attachment with its link.
    private func upload(
        _ attachment: Attachment, of entry: QueuedMessage, to conversation: ConversationAddress,
        in session: Session, progress: @escaping @Sendable (Int) -> Void
    ) async throws(AttachmentFailure) -> Attachment {
        guard let uploader else { throw AttachmentFailure(.noUploadService) }
        var uploaded = attachment
        let sealing: FileSealing?
        do throws(ProtectionError) {
            sealing = try await protection.sealing(attachment, in: conversation)
        } catch {
            throw AttachmentFailure(protecting: error)
        }
        guard let sealing else {
            do throws(AttachmentFailure) {
                uploaded.url = try await uploader.upload(attachment, in: session, progress: progress)
            } catch  where error.code == .noUploadService && Self.mayBeInline(attachment, in: entry.content) {
                return try await inline(attachment)
            }
            return uploaded
        }
        guard let media, let hash = attachment.contentHash.flatMap(ContentHash.init),
            let path = await media.file(of: hash)
        else { throw AttachmentFailure(.fileGone) }
        let sealed = try await Self.seal(path, sealing.cipher, in: media)
        let url: String
        do throws(AttachmentFailure) {
            // The server learns only the size, and the kind of pictures, sound and videos.
            let anonymous = Attachment(
                kind: .file, mediaType: "application/octet-stream", name: Self.publicName(for: attachment),
                contentHash: sealed.description, isLocal: true)
            url = try await uploader.upload(anonymous, in: session, progress: progress)
        } catch {
            await media.remove(sealed)
            throw error
        }
        await media.remove(sealed)
        try? await media.release(hash)
        do throws(ProtectionError) {
            uploaded.url = try sealing.link(url)
            return uploaded
        } catch {
            throw AttachmentFailure(protecting: error)
        }
    }

    /// The format has no place for a text beside the medium.
    private static func mayBeInline(_ attachment: Attachment, in content: MessageContent) -> Bool {
        guard case .text(let text) = content, text.body.isEmpty else { return false }
        return attachment.kind.inline != nil
    }

    /// The form of a medium that fits into a message: a picture that is too large becomes smaller.
    private func inline(_ attachment: Attachment) async throws(AttachmentFailure) -> Attachment {
        guard let media, let hash = attachment.contentHash.flatMap(ContentHash.init),
            let content = (try? await media.content(of: hash)) ?? nil
        else { throw AttachmentFailure(.fileGone) }
        var inline = attachment
        if content.count > InlineMedia.maximumSize {
            guard attachment.kind == .picture,
                let small = try? await Picture.prepare(content, maximumByteCount: InlineMedia.maximumSize)
            else { throw AttachmentFailure(.noUploadService) }
            do throws(StoreError) {
                // The queue pins it as soon as the message names it; until then it is the newest content.
                inline.contentHash = try await media.insert(small.bytes).description
            } catch {
                throw .diskFailed
            }
            inline.mediaType = small.type.name
            inline.size = Int64(small.bytes.count)
            (inline.width, inline.height) = (small.width, small.height)
            try? await media.release(hash)
        }
        inline.url = inline.inlineURL
        return inline
    }

    /// A random name. Programs that know only links (XEP-0454) recognise what they can show and play by its extension.
    private static func publicName(for attachment: Attachment) -> String {
        let name = UUID().uuidString.lowercased()
        guard let type = attachment.mediaType.flatMap(MediaType.init(name:)),
            [.picture, .audio, .video].contains(type.kind)
        else { return name }
        return name + "." + type.fileExtension
    }

    private static func seal(
        _ path: String, _ cipher: any FileCipher, in media: MediaCache
    ) async throws(AttachmentFailure) -> ContentHash {
        let part = media.pathForIncoming()
        defer { try? FileManager.default.removeItem(atPath: part) }
        try FileConversion.run(cipher, from: path, to: part)
        do throws(StoreError) {
            // Pinned, so that it is not evicted during a long upload.
            return try await media.insert(contentsOf: part, isKept: true)
        } catch {
            throw .diskFailed
        }
    }

    private func fail(_ entry: QueuedMessage, _ failure: AttachmentFailure) async {
        let id = entry.message.id
        let time = SendBackoff.end(after: entry.attempts, now: now())
        try? await store.write { writer throws(StoreError) in
            if failure.isTemporary {
                try writer.noteAttempt(id, notBefore: time)
            } else {
                let reason = FailureReason(.notSent, condition: failure.condition)
                try writer.advance(id, to: .failed(reason))
            }
        }
    }
}
