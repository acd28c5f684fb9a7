public import XMPPAddress
public import XMPPStanzas

/// For whom an archive, or a server that makes copies, may speak.
///
/// Archive results and carbons bring a whole message with its own `from`. That a result comes from the archive that was asked
/// (XEP-0313 §9) says nothing about the message inside: an archive can write anything there.
public enum ArchiveAuthority {
    /// Whether an archive may hold a message.
    ///
    /// A room's archive holds what was said in that room to all, and nothing else: no private messages (XEP-0313 §5.1.2), and
    /// nothing without a sender. Our own archive holds what we sent and what was sent to us, and what was said in rooms that
    /// we know; there a message without `from` is our own.
    ///
    /// - Parameters:
    ///   - archive: the archive that was asked, by its bare address.
    ///   - account: our own address; only its bare form counts.
    ///   - isKnownRoom: whether this account knows a room at a bare address.
    public static func archive(
        _ archive: JID, mayHold message: Message, account: JID, isKnownRoom: (JID) -> Bool
    ) -> Bool {
        let own = account.bare
        guard archive.bare == own else {
            return message.type == .groupchat && message.from?.bare == archive.bare
        }
        guard let sender = message.from else { return true }
        if message.type == .groupchat { return isKnownRoom(sender.bare) }
        return sender.bare == own || message.to?.bare == own
    }

    /// Whether a carbon may bring a message: one that this account sent, or one that was sent to it, and never what was said in
    /// a room to all, which each device gets from the room (XEP-0280 §6).
    public static func carbonMayBring(_ message: Message, isSent: Bool, account: JID) -> Bool {
        guard message.type != .groupchat else { return false }
        let own = account.bare
        return isSent ? message.from?.bare == own : message.to?.bare == own
    }
}
