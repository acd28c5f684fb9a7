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
        [Wording.kind(item.attachment.kind), item.attachment.name, sender(item), Wording.full(item.message.time)]
            .compactMap(\.self).joined(separator: ", ")
    }
}
