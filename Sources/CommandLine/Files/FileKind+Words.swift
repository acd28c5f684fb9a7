internal import FileSharing

extension FileKind {
    /// The name of the event with which `listen` tells of such a file.
    var eventName: String { self == .video ? FileKind.file.word : word }
}
