/// A media type (RFC 6838) with a safe file name extension.
///
/// The type of received data is determined from its bytes (``init(sniffing:)``), never from the sender's file name or
/// claim: a name may be wrong, and opening a file with an extension such as `.desktop` or `.sh` could execute it.
public struct MediaType: Hashable, Sendable, CustomStringConvertible {
    public enum Kind: Sendable, Hashable {
        case picture, audio, video, text, other
    }

    /// Type and subtype in lower case, such as `audio/ogg`.
    public let name: String
    /// The codec, if the container alone does not determine it, such as `opus` in `audio/ogg`.
    public let codec: String?
    /// The extension without the dot, such as `ogg`.
    public let fileExtension: String

    init(_ name: String, codec: String? = nil, fileExtension: String) {
        self.name = name
        self.codec = codec
        self.fileExtension = fileExtension
    }

    /// The registered type of this name; parameters and letter case are ignored. `nil` if it is unknown.
    public init?(name: String) {
        let bare = name.prefix { $0 != ";" }.filter { !$0.isWhitespace }.lowercased()
        let canonical = Self.aliases[bare] ?? bare
        guard let type = Self.known.first(where: { $0.name == canonical }) else { return nil }
        self = type
    }

    public var description: String { name }

    public var kind: Kind {
        switch name.prefix(while: { $0 != "/" }) {
        case "image": .picture
        case "audio": .audio
        case "video": .video
        case "text": .text
        default: .other
        }
    }

    public static let png = MediaType("image/png", fileExtension: "png")
    public static let jpeg = MediaType("image/jpeg", fileExtension: "jpg")
    public static let gif = MediaType("image/gif", fileExtension: "gif")
    public static let webp = MediaType("image/webp", fileExtension: "webp")
    public static let bmp = MediaType("image/bmp", fileExtension: "bmp")
    public static let tiff = MediaType("image/tiff", fileExtension: "tiff")
    public static let avif = MediaType("image/avif", fileExtension: "avif")
    public static let heic = MediaType("image/heic", fileExtension: "heic")
    public static let oggOpus = MediaType("audio/ogg", codec: "opus", fileExtension: "ogg")
    public static let ogg = MediaType("audio/ogg", fileExtension: "ogg")
    public static let mp4Audio = MediaType("audio/mp4", fileExtension: "m4a")
    public static let aac = MediaType("audio/aac", fileExtension: "aac")
    public static let mp3 = MediaType("audio/mpeg", fileExtension: "mp3")
    public static let amr = MediaType("audio/amr", fileExtension: "amr")
    public static let amrWideband = MediaType("audio/amr-wb", fileExtension: "awb")
    public static let wav = MediaType("audio/wav", fileExtension: "wav")
    public static let flac = MediaType("audio/flac", fileExtension: "flac")
    public static let aiff = MediaType("audio/aiff", fileExtension: "aiff")
    public static let threeGPPAudio = MediaType("audio/3gpp", fileExtension: "3gp")
    public static let webmAudio = MediaType("audio/webm", fileExtension: "weba")
    public static let matroska = MediaType("video/x-matroska", fileExtension: "mkv")
    public static let webm = MediaType("video/webm", fileExtension: "webm")
    public static let mp4 = MediaType("video/mp4", fileExtension: "mp4")
    public static let threeGPP = MediaType("video/3gpp", fileExtension: "3gp")
    public static let quickTime = MediaType("video/quicktime", fileExtension: "mov")
    public static let oggVideo = MediaType("video/ogg", fileExtension: "ogv")
    public static let pdf = MediaType("application/pdf", fileExtension: "pdf")
    public static let zip = MediaType("application/zip", fileExtension: "zip")
    public static let gzip = MediaType("application/gzip", fileExtension: "gz")
    public static let plainText = MediaType("text/plain", fileExtension: "txt")
    /// Bytes of unknown type.
    public static let octetStream = MediaType("application/octet-stream", fileExtension: "bin")

    static let known: [MediaType] = [
        png, jpeg, gif, webp, bmp, tiff, avif, heic, ogg, mp4Audio, aac, mp3, amr, amrWideband, wav, flac, aiff,
        threeGPPAudio, webmAudio, matroska, webm, mp4, threeGPP, quickTime, oggVideo, pdf, zip, gzip, plainText,
        octetStream,
    ]

    /// Synonyms that occur in practice.
    private static let aliases: [String: String] = [
        "image/jpg": "image/jpeg", "image/x-ms-bmp": "image/bmp", "image/heif": "image/heic",
        "audio/x-wav": "audio/wav", "audio/wave": "audio/wav", "audio/vnd.wave": "audio/wav",
        "audio/x-m4a": "audio/mp4", "audio/m4a": "audio/mp4", "audio/mp3": "audio/mpeg", "audio/opus": "audio/ogg",
        "audio/aacp": "audio/aac", "audio/x-aac": "audio/aac", "audio/x-flac": "audio/flac",
        "audio/x-aiff": "audio/aiff",
        "application/ogg": "audio/ogg", "application/x-gzip": "application/gzip",
    ]
}
