internal import FileSharing
internal import Localization

extension FileKind {
    /// The word for programs, the same in every language.
    var word: String {
        switch self {
        case .picture: "picture"
        case .voice: "voice"
        case .video, .other: "file"
        }
    }

    /// The word for people.
    var label: String {
        switch self {
        case .picture: localized("picture")
        case .voice: localized("voice")
        case .video: localized("video")
        case .other: localized("file")
        }
    }
}
