internal import ChatStore
internal import XMPPClient
internal import XMPPStream

/// Brings the files of a message that waits to where others can fetch them.
struct QueuedUploads: Sendable {
    let store: any LocalStore
    let uploader: (any AttachmentUploader)?
    let now: @Sendable () -> MessageTime
    let progress = UploadProgress()

    /// The pauses after temporary failures of an upload.
    private static let backoff = Backoff(first: .seconds(5), longest: .seconds(300))

    /// Uploads what has no address yet. What fails is failed, or has to wait.
    func run(_ entry: QueuedMessage, in session: Session) async {
        let id = entry.message.id
        for (index, attachment) in entry.content.attachments.enumerated() where attachment.url == nil {
            guard let uploader else {
                await fail(entry, AttachmentFailure(isTemporary: false, condition: "no-upload", text: ""))
                break
            }
            progress.show(0, of: id, at: index)
            defer { progress.show(nil, of: id, at: index) }
            do throws(AttachmentFailure) {
                var uploaded = attachment
                uploaded.url = try await uploader.upload(attachment, in: session) { [progress] percent in
                    progress.show(percent, of: id, at: index)
                }
                let known = uploaded
                try? await store.write { writer throws(StoreError) in try writer.update(known, at: index, of: id) }
            } catch {
                await fail(entry, error)
            }
        }
    }

    private func fail(_ entry: QueuedMessage, _ failure: AttachmentFailure) async {
        let id = entry.message.id
        let pause = Self.backoff.pause(after: entry.attempts + 1)
        let time = now().advanced(by: pause.components.seconds * 1000)
        try? await store.write { writer throws(StoreError) in
            if failure.isTemporary {
                try writer.noteAttempt(id, notBefore: time)
            } else {
                let reason = FailureReason(.notSent, condition: failure.condition, text: failure.text)
                try writer.advance(id, to: .failed(reason))
            }
        }
    }
}
