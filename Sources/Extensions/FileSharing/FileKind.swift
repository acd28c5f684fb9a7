/// How a file is shown in a conversation.
public enum FileKind: String, Sendable, Hashable, CaseIterable, Codable {
    case picture, voice, video, other

    /// The kind of a media type such as `image/png`; sound is a voice message here.
    public init(mediaType: String?) {
        switch mediaType?.split(separator: "/").first?.lowercased() {
        case "image": self = .picture
        case "audio": self = .voice
        case "video": self = .video
        default: self = .other
        }
    }
}
