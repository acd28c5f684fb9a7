internal import ChatModel
internal import ChatStore
internal import GTKBinding

/// One file of a message, shown as what it is.
protocol AttachmentView: AnyObject {
    var root: Widget { get }

    /// The row is used for something else.
    func clear()

    /// It may be on the screen again: what moves goes on.
    func wake()
}

extension AttachmentView {
    func wake() {}
}

/// What a view of a file may ask of the timeline that it stands in.
struct AttachmentPlace {
    let message: TimelineMessage
    let index: Int
    let attachment: Attachment
    let playback: VoicePlayback
    let download: AttachmentDownload?
    /// Opens a picture or another file.
    let open: (TimelineMessage, Int) -> Void
}
