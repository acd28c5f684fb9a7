public import XMPPAddress
public import XMPPStanzas

/// Who wrote a message, as far as it decides who may correct it, take it back or change a reaction (XEP-0308 §5,
/// XEP-0424 §5, XEP-0444 §4.1).
///
/// Between two it is the account; in a room it is the occupant. An occupant's address alone proves nothing across
/// leaving and joining, because another person can take the same nickname: the occupant identifier (XEP-0421) does, and
/// without one the program has to see to it that nobody left in between.
public enum MessageAuthor: Sendable, Hashable {
    /// The bare address of an account.
    case account(JID)
    /// The full address of an occupant of a room, with its occupant identifier if the room assigns them.
    case occupant(JID, identifier: String?)

    /// The author of a received message, or of a sent one with `from` set.
    ///
    /// - Parameters:
    ///   - isRoom: Whether the other end of the conversation is a room, which is also true for private messages of its
    ///     occupants.
    ///   - occupantID: The occupant identifier that the room put into the message, if it announces that it does.
    public init?(of message: Message, inRoom isRoom: Bool, occupantID: String? = nil) {
        guard let sender = message.from else { return nil }
        self = isRoom ? .occupant(sender, identifier: occupantID) : .account(sender.bare)
    }

    /// Whether the same author wrote both, so that one message may change the other.
    public func isSame(as other: MessageAuthor) -> Bool {
        switch (self, other) {
        case (.account(let one), .account(let two)): one == two
        case (.occupant(let one, let identifier?), .occupant(let two, let otherIdentifier?)):
            one.bare == two.bare && identifier == otherIdentifier
        case (.occupant(let one, nil), .occupant(let two, nil)): one == two && one.resource != nil
        // Only one of them has been identified: the address cannot prove what the identifier would.
        case (.occupant, .occupant), (.account, .occupant), (.occupant, .account): false
        }
    }
}
