public import XMPPAddress

/// Which conversation a message belongs to.
public struct ConversationKey: Hashable, Sendable, Codable {
    public enum Kind: Int, Sendable, Codable {
        /// With one person, by bare address.
        case direct = 0
        /// In a room, by the room's bare address.
        case room = 1
        /// With one occupant of a room, privately, by the occupant's full address.
        case occupant = 2
    }

    public let account: AccountID
    public let address: JID
    public let kind: Kind

    /// - Parameter address: made bare where the kind is about bare addresses.
    public init(account: AccountID, address: JID, kind: Kind) {
        self.account = account
        self.address = kind == .occupant ? address : address.bare
        self.kind = kind
    }
}
