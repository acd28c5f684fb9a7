/// What a person does with a file: how a conversation shows it.
///
/// The one list of kinds; stores keep the number, so numbers are never changed.
public enum FileKind: Int, Sendable, Hashable, CaseIterable, Codable {
    case file = 0
    case picture = 1
    case voice = 2
    case video = 3

    /// The kind of a media type such as `image/png`; sound is a voice message here.
    public init(mediaType: String?) {
        switch mediaType?.split(separator: "/").first?.lowercased() {
        case "image": self = .picture
        case "audio": self = .voice
        case "video": self = .video
        default: self = .file
        }
    }

    /// The kind that the end of a file name suggests: only for showing, until the content is there.
    public init(fileName: String?) {
        switch fileName?.split(separator: ".").last?.lowercased() {
        case "png", "jpg", "jpeg", "gif", "webp": self = .picture
        case "ogg", "oga", "opus", "m4a", "aac", "amr", "mp3", "wav": self = .voice
        case "mp4", "webm", "mov", "mkv": self = .video
        default: self = .file
        }
    }

    /// A name for a file that has none: `picture`, `voice`, `video` or `file`.
    public var word: String {
        switch self {
        case .file: "file"
        case .picture: "picture"
        case .voice: "voice"
        case .video: "video"
        }
    }
}
