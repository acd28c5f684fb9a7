internal import ChatEngine
public import ChatStore
internal import Dispatch
internal import Foundation
public import Media
public import Observation
internal import Waiting
internal import XMPPClient

/// The files that the user is about to send, with the size of pictures in each quality.
///
///     let selection = OutgoingSelection()
///     await selection.add(paths: paths)
///     selection.quality = .small
///     try await composer.send(files: selection.attachments(in: cache))
@MainActor
@Observable
public final class OutgoingSelection {
    public struct Item: Identifiable, Sendable {
        public let id: Int
        /// The last component of its path on this computer.
        public let name: String
        /// The size of the original file in bytes.
        public let byteCount: Int
        /// The picture with its qualities; `nil` for a file that is sent unchanged.
        public let picture: PictureChoice?
        /// The facts about a video, if it can be decoded.
        public let video: VideoFile?
        let bytes: [UInt8]
    }

    public private(set) var items: [Item] = []
    /// The quality of all pictures.
    public var quality = PictureChoice.Quality.high {
        didSet { for item in items { item.picture?.quality = quality } }
    }
    /// Files are being read, or pictures scaled.
    public private(set) var isPreparing = false
    /// The names of files that could not be read, or are too large.
    public private(set) var refused: [String] = []

    @ObservationIgnored private var count = 0
    @ObservationIgnored private var preparing = 0
    /// Files are added in the order in which they were offered, however long each takes.
    @ObservationIgnored private let turns = AsyncLock()

    public init() {}

    public var hasPictures: Bool { items.contains { $0.picture != nil } }

    /// The total size in a quality.
    public func byteCount(in quality: PictureChoice.Quality) -> Int {
        items.reduce(0) { $0 + ($1.picture?.byteCount(in: quality) ?? $1.byteCount) }
    }

    /// Reads files; those that cannot be read are in ``refused`` afterwards.
    public func add(paths: [String]) async {
        begin()
        await turns.lock()
        for path in paths {
            let name = path.split(separator: "/").last.map(String.init) ?? path
            let bytes = await Self.read(path)
            guard let bytes else {
                refused.append(name)
                continue
            }
            await take(bytes, name: name, path: path)
        }
        turns.leave()
        end()
    }

    /// Adds a picture without a file: pasted, or dropped from a browser.
    public func add(_ bytes: [UInt8], name: String) async {
        begin()
        await turns.lock()
        await take(bytes, name: name)
        turns.leave()
        end()
    }

    public func remove(_ id: Item.ID) { items.removeAll { $0.id == id } }

    /// Moves a file in the order in which they are sent, by a number of places.
    public func move(_ id: Item.ID, by step: Int) {
        guard let index = items.firstIndex(where: { $0.id == id }) else { return }
        let target = min(max(0, index + step), items.count - 1)
        items.insert(items.remove(at: index), at: target)
    }

    /// Stores everything in the cache in the chosen quality, pinned for the ``Composer`` that sends it.
    public func attachments(in cache: MediaCache) async throws(StoreError) -> [Attachment] {
        var attachments: [Attachment] = []
        for item in items {
            if let picture = item.picture, let attachment = try await picture.attachment(in: cache) {
                attachments.append(attachment)
                continue
            }
            let hash = try await cache.insert(item.bytes)
            await cache.pin(hash)
            let type = MediaType(sniffing: Array(item.bytes.prefix(MediaType.sniffedByteCount)))
            // Plain text cannot be recognised by its content.
            let isText = type == .octetStream && item.name.hasSuffix(".txt")
            let kind = Attachment.Kind(mediaType: type.name)
            attachments.append(
                Attachment(
                    // Other programs may not be able to show a picture that cannot be decoded here.
                    kind: kind == .picture ? .file : kind,
                    mediaType: isText ? "text/plain; charset=utf-8" : type.name, name: item.name,
                    size: Int64(item.bytes.count), width: item.video?.width, height: item.video?.height,
                    duration: item.video?.milliseconds, contentHash: hash.description, isLocal: true,
                    thumbnail: await Self.thumbnail(of: item.video)))
        }
        return attachments
    }

    private static func thumbnail(of video: VideoFile?) async -> [UInt8]? {
        guard let video else { return nil }
        return (try? await video.still.thumbnail(max: PictureChoice.thumbnailSide))?.bytes
    }

    private func begin() {
        preparing += 1
        isPreparing = true
    }

    private func end() {
        preparing -= 1
        isPreparing = preparing > 0
    }

    private func take(_ bytes: [UInt8], name: String, path: String? = nil) async {
        count += 1
        let id = count
        var choice: PictureChoice?
        var video: VideoFile?
        let kind = MediaType(sniffing: Array(bytes.prefix(MediaType.sniffedByteCount))).kind
        if kind == .video, let path { video = try? await VideoFile.inspect(path: path) }
        if kind == .picture {
            let picture = PictureChoice(bytes, name: name)
            picture.quality = quality
            await picture.prepare()
            // A picture that cannot be decoded is sent unchanged, like any other file.
            if picture.picture != nil { choice = picture }
        }
        items.append(Item(id: id, name: name, byteCount: bytes.count, picture: choice, video: video, bytes: bytes))
    }

    /// Larger files are rejected, because recipients with this program could not download them.
    private nonisolated static let sizeLimit = AttachmentFetcher.sizeLimit

    private nonisolated static func read(_ path: String) async -> [UInt8]? {
        await DispatchQueue.global(qos: .userInitiated).run {
            let attributes = try? FileManager.default.attributesOfItem(atPath: path)
            guard attributes?[.type] as? FileAttributeType == .typeRegular,
                let size = (attributes?[.size] as? NSNumber)?.int64Value, size > 0, size <= sizeLimit
            else { return nil }
            return FileManager.default.contents(atPath: path).map { Array($0) }
        }
    }
}
