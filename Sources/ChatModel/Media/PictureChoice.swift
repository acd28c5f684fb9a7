public import ChatStore
public import Media
public import Observation

/// A picture before it is sent: what it would be in each quality, so that a person chooses by size and pixels.
///
///     let choice = PictureChoice(bytes, name: "garden.jpg")
///     await choice.prepare()
///     choice.options                        // small 84 kB 1280 × 960, high 310 kB 2048 × 1536, original 3.1 MB …
///     if let picture = try await choice.attachment(in: cache) { try await composer.send(files: [picture]) }
///
/// Metadata such as the place is gone in every quality. The work is done away from the main thread.
@MainActor
@Observable
public final class PictureChoice {
    public enum Quality: Sendable, Hashable, CaseIterable {
        case small, high, original

        var media: Picture.Quality {
            switch self {
            case .small: .small
            case .high: .standard
            case .original: .original
            }
        }
    }

    /// What the picture would be.
    public struct Option: Identifiable, Sendable, Hashable {
        public let quality: Quality
        public let byteCount: Int
        public let width: Int
        public let height: Int
        public let mediaType: String

        public var id: Quality { quality }
    }

    /// The name it came with; shown, and never used as a path.
    public let name: String?
    /// Small pictures first. Qualities that would not be smaller than the one before are left out.
    public private(set) var options: [Option] = []
    public var quality = Quality.high
    /// A few hundred bytes that are shown until the picture is there.
    public private(set) var thumbnail: [UInt8]?
    /// Why it cannot be sent.
    public private(set) var problem: MediaError?

    /// The longest side of the placeholder in pixels.
    public static let thumbnailSide = 64

    @ObservationIgnored private let bytes: [UInt8]
    @ObservationIgnored private var pictures: [Quality: Picture] = [:]

    public init(_ bytes: [UInt8], name: String? = nil) {
        self.bytes = bytes
        self.name = name
    }

    /// Finds out what the picture would be in each quality.
    public func prepare() async {
        do throws(MediaError) {
            var found: [Option] = []
            for quality in Quality.allCases {
                let picture = try await Picture.prepare(bytes, quality: quality.media)
                pictures[quality] = picture
                if let last = found.last, last.byteCount == picture.bytes.count { continue }
                found.append(
                    Option(
                        quality: quality, byteCount: picture.bytes.count, width: picture.width,
                        height: picture.height, mediaType: picture.type.name))
            }
            // Of a small picture all qualities are the same; the one that is left stands for them.
            options = found
            thumbnail = try await Picture.thumbnail(of: bytes, max: Self.thumbnailSide).bytes
            problem = nil
        } catch {
            problem = error
        }
    }

    /// The picture in the chosen quality; `nil` before it was prepared, or if it cannot be.
    public var picture: Picture? { pictures[quality] }

    /// The smallest of all: for showing it before it is sent.
    public var preview: Picture? { pictures[.small] }

    /// What the picture would have in a quality, in bytes; `nil` before it was prepared.
    public func byteCount(in quality: Quality) -> Int? { pictures[quality]?.bytes.count }

    /// Puts the picture in the chosen quality into the cache and describes it; `nil` where it cannot be sent, and ``problem``
    /// says why.
    ///
    /// It is pinned there: unpin it when it was sent or taken out again.
    public func attachment(in cache: MediaCache) async throws(StoreError) -> Attachment? {
        if picture == nil { await prepare() }
        guard let picture else { return nil }
        let hash = try await cache.insert(picture.bytes)
        await cache.pin(hash)
        return Attachment(
            kind: .picture, mediaType: picture.type.name, name: name, size: Int64(picture.bytes.count),
            width: picture.width, height: picture.height, contentHash: hash.description, isLocal: true,
            thumbnail: thumbnail)
    }
}
