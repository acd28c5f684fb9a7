internal import ChatEngine
public import ChatStore
internal import Foundation
internal import Media
public import Observation

/// Files that a person is about to send, pictures among them: what each would be, and how much all are in each quality.
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
        /// The last part of the name that it has on this computer.
        public let name: String
        /// Bytes of the file as it is.
        public let byteCount: Int
        /// A picture with its qualities; `nil` for a file that is sent as it is.
        public let picture: PictureChoice?
        let bytes: [UInt8]
    }

    public private(set) var items: [Item] = []
    /// For all pictures at once.
    public var quality = PictureChoice.Quality.high {
        didSet { for item in items { item.picture?.quality = quality } }
    }
    /// Files are being read, or pictures made smaller.
    public private(set) var isPreparing = false
    /// Files that could not be read, or are too large; by name.
    public private(set) var refused: [String] = []

    @ObservationIgnored private var count = 0
    @ObservationIgnored private var preparing = 0

    public init() {}

    public var hasPictures: Bool { items.contains { $0.picture != nil } }

    /// What all would be together in a quality.
    public func byteCount(in quality: PictureChoice.Quality) -> Int {
        items.reduce(0) { $0 + ($1.picture?.byteCount(in: quality) ?? $1.byteCount) }
    }

    /// Reads files; what cannot be read or is no file is in ``refused`` afterwards.
    public func add(paths: [String]) async {
        begin()
        for path in paths {
            let name = path.split(separator: "/").last.map(String.init) ?? path
            let bytes = await Self.read(path)
            guard let bytes else {
                refused.append(name)
                continue
            }
            await take(bytes, name: name)
        }
        end()
    }

    /// A picture that is in no file: pasted, or dropped out of a browser.
    public func add(_ bytes: [UInt8], name: String) async {
        begin()
        await take(bytes, name: name)
        end()
    }

    public func remove(_ id: Item.ID) { items.removeAll { $0.id == id } }

    /// Puts everything into the cache as it was chosen, pinned there for a ``Composer`` that sends it.
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
            // Text has nothing to be known by.
            let isText = type == .octetStream && item.name.hasSuffix(".txt")
            attachments.append(
                Attachment(
                    kind: type.kind == .video ? .video : .file,
                    mediaType: isText ? "text/plain; charset=utf-8" : type.name, name: item.name,
                    size: Int64(item.bytes.count), contentHash: hash.description, isLocal: true))
        }
        return attachments
    }

    private func begin() {
        preparing += 1
        isPreparing = true
    }

    private func end() {
        preparing -= 1
        isPreparing = preparing > 0
    }

    private func take(_ bytes: [UInt8], name: String) async {
        count += 1
        let id = count
        var choice: PictureChoice?
        if MediaType(sniffing: Array(bytes.prefix(MediaType.sniffedByteCount))).kind == .picture {
            let picture = PictureChoice(bytes, name: name)
            picture.quality = quality
            await picture.prepare()
            // What no decoder reads is sent as it is, like any other file.
            if picture.picture != nil { choice = picture }
        }
        items.append(Item(id: id, name: name, byteCount: bytes.count, picture: choice, bytes: bytes))
    }

    /// No larger file is read, because no larger one could be fetched by others like us.
    private nonisolated static let sizeLimit = AttachmentFetcher.sizeLimit

    private nonisolated static func read(_ path: String) async -> [UInt8]? {
        await withCheckedContinuation { continuation in
            DispatchQueue.global(qos: .userInitiated).async {
                let attributes = try? FileManager.default.attributesOfItem(atPath: path)
                guard attributes?[.type] as? FileAttributeType == .typeRegular,
                    let size = (attributes?[.size] as? NSNumber)?.int64Value, size > 0, size <= sizeLimit,
                    let data = FileManager.default.contents(atPath: path)
                else { return continuation.resume(returning: nil) }
                continuation.resume(returning: Array(data))
            }
        }
    }
}
