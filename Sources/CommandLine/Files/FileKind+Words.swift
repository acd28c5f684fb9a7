internal import ChatModel
internal import FileSharing

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
        case .picture: Wording.word(.picture)
        case .voice: Wording.word(.voice)
        case .video: Wording.word(.video)
        case .other: Wording.word(.file)
        }
    }
}
