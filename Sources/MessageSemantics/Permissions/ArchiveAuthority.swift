public import XMPPAddress
public import XMPPStanzas

/// For whom an archive, or a server that makes copies, may speak.
///
/// Archive results and carbons bring a whole message with its own `from`. That a result comes from the archive that was asked
/// (XEP-0313 §9) says nothing about the message inside: an archive can write anything there.
public enum ArchiveAuthority {
    /// Why a message is not believed to be in an archive.
    public enum Refusal: String, Sendable, CaseIterable {
        /// A room's archive brings what was not said in the room to all.
        case outsideRoom = "not said in this room to all"
        /// Our own archive brings what was said in a room that we do not know.
        case unknownRoom = "said in a room that is not known here"
        /// Our own archive brings what we have neither sent nor got.
        case ofOthers = "between others"
    }

    /// Why an archive may not hold a message; `nil` where it may.
    ///
    /// A room's archive holds what was said in that room to all, and nothing else: no private messages (XEP-0313 §5.1.2), and
    /// nothing without a sender. Our own archive holds what we sent and what was sent to us, and what was said in rooms that
    /// we know; there a message without `from` is our own.
    ///
    /// - Parameters:
    ///   - archive: the archive that was asked, by its bare address.
    ///   - account: our own address; only its bare form counts.
    ///   - isKnownRoom: whether this account knows a room at a bare address.
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

    /// Whether what was read from an archive may stand in a conversation, as the second look before it is stored: a room's archive
    /// speaks of the room's own conversation and of nothing else, and our own archive lets nobody speak in the name of another.
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

    /// Whether a carbon may bring a message: one that this account sent, or one that was sent to it, and never what was said in
    /// a room to all, which each device gets from the room (XEP-0280 §6).
    public static func carbonMayBring(_ message: Message, isSent: Bool, account: JID) -> Bool {
        guard message.type != .groupchat else { return false }
        let own = account.bare
        return isSent ? message.from?.bare == own : message.to?.bare == own
    }
}
