internal import ChatStore
internal import DirectTransfer
internal import MessageFeatures
internal import Roster
internal import XMPPAddress
internal import XMPPClient

/// Sends the file of a queued message to a device of the contact (XEP-0234), where the server takes no such file.
///
/// The message stays in the queue until the contact has the file or the sending has failed; it holds up no other message.
struct DirectFileSender: Sendable {
    let store: any LocalStore
    let media: MediaCache?
    let people: KnownPeople
    let protection: any ContentProtection
    /// Tells of the presence of contacts, and of the connection.
    let events: EventChannel<ChatAccountEvent>
    let progress: UploadProgress

    /// A file is offered so many times if connections are lost; then the user decides.
    private static let offerLimit = 3
    /// Devices of a contact that are asked what they receive.
    private static let deviceLimit = 8
    /// The presence of the devices of a contact comes one after the other.
    private static let settlingTime = Duration.seconds(5)
    /// The longest text that goes with a file, in characters: as much as `OfferedFile` reads.
    private static let textLimit = 1024

    /// Whether the message of a file can be sent without a server: to one contact whose devices are known.
    func canSend(_ entry: QueuedMessage, to conversation: ConversationAddress, in session: Session) -> Bool {
        guard conversation.kind == .direct, media != nil, session[DirectTransfer.self] != nil,
            case .text(let text) = entry.content, text.attachments.count == 1, text.body.count <= Self.textLimit,
            entry.message.originID != nil
        else { return false }
        return people.subscription(of: conversation.address)?.isMutualOrTo == true
    }

    /// Returns when the contact has the file, when the sending has failed, or when the task is cancelled.
    func run(_ entry: QueuedMessage, to conversation: ConversationAddress, in session: Session) async {
        let id = entry.message.id
        defer { progress.show(nil, of: id, at: 0) }
        let state: MessageState
        do throws(AttachmentFailure) {
            try await deliver(entry, to: conversation, in: session)
            state = .delivered
        } catch {
            guard error.code != .cancelled else { return }
            state = .failed(FailureReason(.notSent, condition: error.condition))
        }
        try? await store.write { writer throws(StoreError) in
            if try writer.message(id) != nil { try writer.advance(id, to: state) }
        }
        if state == .delivered, let hash = entry.content.attachments.first?.content { try? await media?.release(hash) }
    }

    private func deliver(
        _ entry: QueuedMessage, to conversation: ConversationAddress, in session: Session
    ) async throws(AttachmentFailure) {
        guard case .text(let text) = entry.content, let attachment = text.attachments.first,
            let origin = entry.message.originID, let transfers = session[DirectTransfer.self]
        else { throw AttachmentFailure(.noUploadService) }
        try await requireClear(attachment, conversation)
        for _ in 1...Self.offerLimit {
            progress.show(.awaitingContact, of: entry.message.id, at: 0)
            let device = try await device(of: conversation.address, transfers, in: session)
            // The user may have turned encryption on meanwhile.
            try await requireClear(attachment, conversation)
            guard let hash = attachment.content, let path = await media?.file(of: hash) else {
                throw AttachmentFailure(.fileGone)
            }
            var file = OfferedFile(
                name: attachment.name, mediaType: attachment.mediaType, size: try DirectFileSource.size(of: path),
                hashes: attachment.contentHash.flatMap(FileHash.init(sha256:)).map { [$0] } ?? [])
            if !text.body.isEmpty { file.description = text.body }
            let outcome = await offer(
                file, try DirectFileSource(path), to: device, transfers, entry.message.id,
                session: DirectFileIdentifier.session(origin))
            guard !Task.isCancelled else { throw AttachmentFailure(.cancelled) }
            switch outcome {
            case .delivered: return
            case .lost: continue
            case .failed(let failure): throw failure
            }
        }
        throw AttachmentFailure(.interrupted)
    }

    /// In an encrypted conversation no file is sent in clear.
    private func requireClear(
        _ attachment: Attachment, _ conversation: ConversationAddress
    ) async throws(AttachmentFailure) {
        let sealing: FileSealing?
        do throws(ProtectionError) {
            sealing = try await protection.sealing(attachment, in: conversation)
        } catch {
            throw AttachmentFailure(protecting: error)
        }
        if sealing != nil { throw AttachmentFailure(.onlyInClear) }
    }

    // MARK: The device

    /// A device of the contact that receives files, as soon as one is online.
    private func device(
        of contact: JID, _ transfers: DirectTransfer, in session: Session
    ) async throws(AttachmentFailure) -> JID {
        var events = events.stream().makeAsyncIterator()
        repeat {
            if await isAnyOnline(contact, in: session) {
                if let found = await receivingDevice(of: contact, transfers, in: session) { return found }
                try? await Task.sleep(for: Self.settlingTime)
                if let found = await receivingDevice(of: contact, transfers, in: session) { return found }
                if await isAnyOnline(contact, in: session) { throw AttachmentFailure(.noDirectTransfers) }
            }
        } while await Self.presenceMayHaveChanged(of: contact, &events)
        throw AttachmentFailure(.cancelled)
    }

    /// Waits for the presence of a contact or the connection to change; `false` when nothing more comes.
    private static func presenceMayHaveChanged(
        of contact: JID, _ events: inout AsyncStream<ChatAccountEvent>.Iterator
    ) async -> Bool {
        while let event = await events.next() {
            switch event {
            case .presence(let address) where address.bare == contact.bare: return true
            case .connection: return true
            default: continue
            }
        }
        return false
    }

    private func devices(of contact: JID, in session: Session) async -> [JID] {
        guard await session.isOnline, let known = await session[Roster.self]?.contact(contact) else { return [] }
        return known.resources.sorted { ($1.value.priority, $0.key) < ($0.value.priority, $1.key) }.map(\.key)
    }

    private func isAnyOnline(_ contact: JID, in session: Session) async -> Bool {
        await !devices(of: contact, in: session).isEmpty
    }

    private func receivingDevice(
        of contact: JID, _ transfers: DirectTransfer, in session: Session
    ) async -> JID? {
        for device in await devices(of: contact, in: session).prefix(Self.deviceLimit) {
            if (try? await transfers.isPossible(to: device)) == true { return device }
        }
        return nil
    }

    // MARK: The transfer

    private enum Outcome {
        case delivered
        /// A connection was lost, or the device went offline.
        case lost
        case failed(AttachmentFailure)
    }

    private func offer(
        _ file: OfferedFile, _ source: DirectFileSource, to device: JID, _ transfers: DirectTransfer,
        _ message: MessageID, session: String
    ) async -> Outcome {
        let transfer: Transfer
        do throws(ClientError) {
            transfer = try await transfers.send(file, to: device, from: source, id: session)
        } catch {
            return error.code == .refused ? .failed(AttachmentFailure(.noDirectTransfers)) : .lost
        }
        let size = max(file.size ?? 0, 1)
        let (hasBegun, outcome) = await withTaskCancellationHandler {
            var hasBegun = false
            for await step in transfer.updates() {
                switch step.phase {
                case .offered: progress.show(.offered, of: message, at: 0)
                case .connecting, .transferring:
                    hasBegun = true
                    let percent = Int(Double(step.bytes) / Double(size) * 100)
                    progress.show(.transferring(min(percent, 100)), of: message, at: 0)
                case .ended: break
                }
            }
            return (hasBegun, await transfer.outcome())
        } onCancel: {
            transfer.cancel()
        }
        switch outcome {
        case .completed: return .delivered
        case .failed(let failure) where failure.code == .connectionLost || failure.code == .unavailable: return .lost
        case .failed(let failure): return .failed(AttachmentFailure(sending: failure, hasBegun: hasBegun))
        }
    }
}

extension Attachment {
    fileprivate var content: ContentHash? { contentHash.flatMap(ContentHash.init) }
}

extension StoredContact.Subscription {
    /// This account sees the contact's presence.
    fileprivate var isMutualOrTo: Bool { self == .both || self == .to }
}
