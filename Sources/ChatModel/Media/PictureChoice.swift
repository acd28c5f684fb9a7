public import ChatStore
public import Media
public import Observation

/// A picture before it is sent, with its size in each quality.
///
///     let choice = PictureChoice(bytes, name: "garden.jpg")
///     await choice.prepare()
///     choice.options                        // small 84 kB 1280 × 960, high 310 kB 2048 × 1536, original 3.1 MB …
///     if let picture = try await choice.attachment(in: cache) { try await composer.send(files: [picture]) }
///
/// Metadata such as the location is removed in every quality. The work runs off the main thread.
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

    /// The picture in one quality.
    public struct Option: Identifiable, Sendable, Hashable {
        public let quality: Quality
        public let byteCount: Int
        public let width: Int
        public let height: Int
        public let mediaType: String

        public var id: Quality { quality }
    }

    /// The original file name, for display; never used as a path.
    public let name: String?
    /// Smallest first. A quality that is not smaller than the next better one is left out.
    public private(set) var options: [Option] = []
    public var quality = Quality.high
    /// A thumbnail of a few hundred bytes, shown until the picture is downloaded.
    public private(set) var thumbnail: [UInt8]?
    /// Why it cannot be sent.
    public private(set) var problem: MediaError?

    /// The longest side of the thumbnail in pixels.
    public static let thumbnailSide = 64

    @ObservationIgnored private let bytes: [UInt8]
    @ObservationIgnored private var pictures: [Quality: Picture] = [:]

    public init(_ bytes: [UInt8], name: String? = nil) {
        self.bytes = bytes
        self.name = name
    }

    /// Creates the picture in each quality.
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
            // For a small picture all qualities are equal; only one option remains.
            options = found
            thumbnail = try await Picture.thumbnail(of: bytes, max: Self.thumbnailSide).bytes
            problem = nil
        } catch {
            problem = error
        }
    }

    /// The picture in the chosen quality; `nil` before ``prepare()``, or if it cannot be decoded.
    public var picture: Picture? { pictures[quality] }

    /// The smallest version, for the preview.
    public var preview: Picture? { pictures[.small] }

    /// The size in a quality in bytes; `nil` before ``prepare()``.
    public func byteCount(in quality: Quality) -> Int? { pictures[quality]?.bytes.count }

    /// Stores the picture in the chosen quality in the cache and describes it; `nil` if it cannot be sent, see
    /// ``problem``.
    ///
    /// It is pinned in the cache: unpin it after it was sent or removed.
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
