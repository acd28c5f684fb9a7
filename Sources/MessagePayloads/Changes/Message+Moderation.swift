public import XMPPStanzas

extension Message {
    /// The message that a moderator takes back with this one, in the present or the earlier form; servers send both at once.
    ///
    /// Believe it only from the bare address of a room.
    public var moderatedRetraction: MessageRetraction? {
        let earlier = ((try? payload(EarlierModeration.self)) ?? nil)?.retraction
        guard var present = (try? payload(MessageRetraction.self)) ?? nil, var moderation = present.moderation else {
            return earlier
        }
        // Prosody names the moderator in the earlier form only.
        if let earlier, earlier.messageID == present.messageID {
            moderation.moderator = moderation.moderator ?? earlier.moderation?.moderator
            moderation.reason = moderation.reason ?? earlier.moderation?.reason
        }
        present.moderation = moderation
        return present
    }

    /// What an archive says about a message that was taken back, in the present or the earlier form.
    public var tombstone: RetractedMessage? {
        (try? payload(RetractedMessage.self)) ?? ((try? payload(EarlierTombstone.self)) ?? nil)?.retracted
    }
}
