public import XMPPAddress
public import XMPPStanzas

/// Decides which senders an archive, or a server that sends carbons, may speak for.
///
/// Archive results and carbons contain a complete message with its own `from`. That a result comes from the archive
/// that was queried (XEP-0313 §9) proves nothing about the message inside, because an archive can write anything there.
public enum ArchiveAuthority {
    /// Why a message cannot belong to an archive.
    public enum Refusal: String, Sendable, CaseIterable {
        /// The archive of a room contains something other than a public message of the room.
        case outsideRoom = "not said in this room to all"
        /// Our own archive contains a message of an unknown room.
        case unknownRoom = "said in a room that is not known here"
        /// Our own archive contains a message that we neither sent nor received.
        case ofOthers = "between others"
    }

    /// Why an archive may not contain a message; `nil` if it may.
    ///
    /// The archive of a room contains the public messages of that room only: no private messages (XEP-0313 §5.1.2), and
    /// none without a sender. Our own archive contains messages that we sent or received, and messages of rooms that we
    /// know; there a message without `from` is our own.
    ///
    /// - Parameters:
    ///   - archive: the bare address of the archive that was queried.
    ///   - account: our own address; only its bare form is used.
    ///   - isKnownRoom: returns whether this account knows a room with a bare address.
    public static func refusal(
        of message: Message, in archive: JID, account: JID, isKnownRoom: (JID) -> Bool
    ) -> Refusal? {
        let own = account.bare
        guard archive.bare == own else {
            return message.type == .groupchat && message.from?.bare == archive.bare ? nil : .outsideRoom
        }
        guard let sender = message.from else { return nil }
        if message.type == .groupchat { return isKnownRoom(sender.bare) ? nil : .unknownRoom }
        return sender.bare == own || message.to?.bare == own ? nil : .ofOthers
    }

    /// Whether a message from an archive may be stored in a conversation; the second check, before it is stored. The
    /// archive of a room is accepted only for the conversation of that room, and in our own archive each sender only
    /// for itself.
    public static func archive(
        _ archive: JID, mayBring copy: MessageCopy, in conversation: ConversationAddress, account: JID
    ) -> Bool {
        let own = account.bare
        guard archive == own else {
            return conversation.kind == .room && conversation.address == archive && copy.sender.bare == archive
        }
        if copy.isOutgoing, copy.sender.bare == own { return true }
        return conversation.kind == .occupant && !copy.isOutgoing
            ? copy.sender == conversation.address : copy.sender.bare == conversation.address.bare
    }

    /// Whether a carbon may contain a message: one that this account sent or received, but never a public message of a
    /// room, which each device receives from the room (XEP-0280 §6).
    public static func carbonMayBring(_ message: Message, isSent: Bool, account: JID) -> Bool {
        guard message.type != .groupchat else { return false }
        let own = account.bare
        return isSent ? message.from?.bare == own : message.to?.bare == own
    }
}
