public import ChatStore
internal import FileSharing
internal import Foundation
internal import Media
public import TransportLayer
internal import XMPPClient

/// Downloads the files of messages, and finds those that are on this device.
///
/// Content is found only by its hash: a name from the network never becomes a path, and local content is not downloaded
/// again, also after a restart. Downloaded content is compared with the description in the message. The transfer is that of
/// `FileSharing`; what is added here is decryption, the cache of the account, and the record in the store.
///
///     let fetcher = AttachmentFetcher(store: store, media: media, transfers: configuration.http)
///     let path = try await fetcher.fetch(0, of: message) { step in … }
public struct AttachmentFetcher: Sendable {
    /// The maximum size of a download that the user requests: a video from a phone.
    public static let sizeLimit = Int64(FileSharing.defaultLimit)

    public let media: MediaCache
    package let store: any LocalStore
    /// The files that contacts offer to this device; `nil` if they cannot be accepted here.
    package let offers: DirectOffers?
    private let download: FileDownload
    private let protection: any ContentProtection
    /// Determines the duration of a sound in milliseconds.
    private let measure: @Sendable (_ path: String) async -> Int64?

    /// - Parameter transfers: the trust policy and the proxy, the same as for the connection of the account. Addresses other
    ///   than `https:` are refused.
    /// - Parameter protection: decrypts files that were encrypted before the upload.
    /// - Parameter offers: the files that contacts send directly.
    public init(
        store: any LocalStore, media: MediaCache, transfers: HTTPClient.Configuration = .init(),
        protection: any ContentProtection = PlainContent(), offers: DirectOffers? = nil
    ) {
        self.init(
            store, media, protection, offers, AttachmentFacts.milliseconds,
            FileDownload(HTTPClient(configuration: transfers)))
    }

    /// - Parameter download: in place of an HTTP client, for tests.
    init(
        store: any LocalStore, media: MediaCache, protection: any ContentProtection = PlainContent(),
        measure: @escaping @Sendable (String) async -> Int64? = AttachmentFacts.milliseconds,
        download: @escaping FileDownload.Transfer
    ) {
        self.init(store, media, protection, nil, measure, FileDownload(download))
    }

    private init(
        _ store: any LocalStore, _ media: MediaCache, _ protection: any ContentProtection, _ offers: DirectOffers?,
        _ measure: @escaping @Sendable (String) async -> Int64?, _ download: FileDownload
    ) {
        self.store = store
        self.media = media
        self.protection = protection
        self.offers = offers
        self.measure = measure
        self.download = download
    }

    /// The path of the content on this device; `nil` if it is not, or no longer, here. Pin it in the cache while the
    /// file is read.
    public func path(of attachment: Attachment) async -> String? {
        guard let hash = attachment.contentHash.flatMap(ContentHash.init) else { return nil }
        return await media.file(of: hash)
    }

    /// Downloads an attachment of a message unless it is on this device, and records that in the store.
    ///
    /// - Parameter limit: the maximum size in bytes; a larger file is refused before or during the download.
    /// - Returns: its path.
    public func fetch(
        _ index: Int, of message: MessageID, limit: Int64 = sizeLimit,
        progress: HTTPClient.ProgressHandler? = nil
    ) async throws(AttachmentFailure) -> String {
        let content = try await bring(index, of: message, limit: limit, progress: progress)
        if content.isNew { await measureSound(index, of: message, at: content.path) }
        return content.path
    }

    /// The first step of ``fetch(_:of:limit:progress:)``: downloads the content. It can be opened afterwards; the
    /// duration of a sound is not known yet, because decoding can take some time.
    package func bring(
        _ index: Int, of message: MessageID, limit: Int64, progress: HTTPClient.ProgressHandler?
    ) async throws(AttachmentFailure) -> (path: String, isNew: Bool) {
        guard let attachment = await attachment(index, of: message) else {
            throw AttachmentFailure(.messageGone)
        }
        if let found = await find(attachment, index, of: message) { return found }
        guard let url = attachment.url else {
            guard let offers else { throw AttachmentFailure(.fileGone) }
            let part = media.pathForIncoming()
            defer { try? FileManager.default.removeItem(atPath: part) }
            try await offers.receive(message, to: part, limit: limit, progress: progress)
            return (try await keep(part, as: attachment, index, of: message), true)
        }
        let opening: FileOpening?
        do throws(ProtectionError) {
            opening = try protection.opening(attachment)
        } catch {
            throw AttachmentFailure(protecting: error)
        }
        let part = media.pathForIncoming()
        defer { try? FileManager.default.removeItem(atPath: part) }
        do throws(TransportError) {
            try await download.run(
                [opening?.address ?? url], to: part, size: attachment.size.map { UInt64(clamping: $0) },
                limit: UInt64(clamping: limit), overhead: UInt64(clamping: opening?.overhead ?? 0), progress: progress)
        } catch {
            throw AttachmentFailure(fetching: error)
        }
        guard let opening else { return (try await keep(part, as: attachment, index, of: message), true) }
        let opened = media.pathForIncoming()
        defer { try? FileManager.default.removeItem(atPath: opened) }
        try FileConversion.run(opening.cipher, from: part, to: opened)
        return (try await keep(opened, as: attachment, index, of: message), true)
    }

    /// Whether an attachment that is not on this device can be requested: from a web server, or by accepting an offer.
    package func isObtainable(_ index: Int, of message: MessageID) async -> Bool {
        guard let attachment = await attachment(index, of: message) else { return false }
        return attachment.url != nil || offers?.state(of: message) == .waiting
    }

    /// The content of an attachment of a message if it is on this device, for whatever reason; its properties are written
    /// down unless they are known. Requests nothing.
    package func find(_ index: Int, of message: MessageID) async -> (path: String, isNew: Bool)? {
        guard let attachment = await attachment(index, of: message) else { return nil }
        return await find(attachment, index, of: message)
    }

    private func find(
        _ attachment: Attachment, _ index: Int, of message: MessageID
    ) async -> (path: String, isNew: Bool)? {
        guard let path = await path(of: attachment) else { return nil }
        // Until now only the sender's description was known.
        let isNew = !attachment.isLocal || attachment.isUnexamined
        if isNew { await note(index, of: message, at: path, hash: attachment.contentHash) }
        return (path, isNew)
    }

    private func keep(
        _ part: String, as attachment: Attachment, _ index: Int, of message: MessageID
    ) async throws(AttachmentFailure) -> String {
        let size = (try? FileManager.default.attributesOfItem(atPath: part))?[.size] as? NSNumber
        if let promised = attachment.size, let size, promised != size.int64Value {
            throw AttachmentFailure(.wrongContent)
        }
        let promised = attachment.contentHash.flatMap(ContentHash.init)
        let hash: ContentHash
        do throws(StoreError) {
            hash = try await media.insert(contentsOf: part, expecting: promised)
        } catch {
            let isWrong = error.code == .invalidRequest
            throw AttachmentFailure(isWrong ? .wrongContent : .notStored, isTemporary: !isWrong)
        }
        guard let path = await media.file(of: hash) else {
            throw AttachmentFailure(.notStored, isTemporary: true)
        }
        await note(index, of: message, at: path, hash: hash.description)
        return path
    }

    private func attachment(_ index: Int, of message: MessageID) async -> Attachment? {
        let found = try? await store.read { reader throws(StoreError) in try reader.message(message) }
        guard let attachments = found?.text.attachments, attachments.indices.contains(index) else { return nil }
        return attachments[index]
    }

    /// Records that the content is on this device, and its properties, found in the bytes, not in claims. If that
    /// fails, the content is still found by its hash.
    private func note(_ index: Int, of message: MessageID, at path: String, hash: String?) async {
        let facts = AttachmentFacts(path)
        await change(index, of: message) { attachment in
            attachment.contentHash = hash
            attachment.isLocal = true
            facts.write(into: &attachment)
        }
    }

    /// The second step: saves the duration of a sound if it was not stated or may be wrong.
    package func measureSound(_ index: Int, of message: MessageID, at path: String) async {
        guard let attachment = await attachment(index, of: message), attachment.kind == .voice,
            let milliseconds = await measure(path)
        else { return }
        await change(index, of: message) { $0.duration = milliseconds }
    }

    private func change(
        _ index: Int, of message: MessageID, _ body: @escaping @Sendable (inout Attachment) -> Void
    ) async {
        try? await store.write { writer throws(StoreError) in
            guard let attachments = try writer.message(message)?.text.attachments,
                attachments.indices.contains(index)
            else { return }
            var attachment = attachments[index]
            body(&attachment)
            if attachment != attachments[index] { try writer.update(attachment, at: index, of: message) }
        }
    }
}

extension AttachmentFetcher {
    /// For an account with that configuration; `nil` without a media cache.
    init?(_ account: ChatAccount, _ configuration: ClientConfiguration) {
        guard let media = account.media else { return nil }
        self.init(
            store: account.store, media: media, transfers: configuration.http, protection: account.protection,
            offers: account.directOffers)
    }
}

extension Attachment {
    /// Whether the properties that a list shows are not known yet.
    var isUnexamined: Bool {
        switch kind {
        case .voice: duration == nil
        case .picture: width == nil || height == nil
        case .video, .file: false
        }
    }
}

extension AttachmentFailure {
    init(fetching error: TransportError) {
        switch error.code {
        case .tooLarge: self.init(.tooLarge)
        case .cancelled: self.init(.cancelled, isTemporary: true)
        case .httpStatus, .certificateRefused, .invalidConfiguration: self.init(.notDownloaded)
        default: self.init(.notDownloaded, isTemporary: true)
        }
    }
}
