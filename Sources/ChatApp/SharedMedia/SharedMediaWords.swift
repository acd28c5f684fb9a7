internal import ChatModel
internal import ChatStore
internal import Localization

/// Shared media in words, for screen readers and the hint under the pointer.
enum SharedMediaWords {
    /// Who has sent it.
    static func sender(_ item: SharedMediaItem) -> String {
        item.message.isOutgoing ? localized("You") : item.message.senderName
    }

    /// What it is, whose, and of when.
    static func spoken(_ item: SharedMediaItem) -> String {
        [kind(item.attachment), item.attachment.name, sender(item), TimeWords.full(item.message.time)]
            .compactMap(\.self).joined(separator: ", ")
    }

    private static func kind(_ attachment: Attachment) -> String {
        switch attachment.kind {
        case .picture: localized("Picture")
        case .voice: localized("Voice message")
        case .video: localized("Video")
        case .file: localized("File")
        }
    }
}
