public import XMPPAddress

/// The conversation that a message belongs to, inside one account.
public struct ConversationAddress: Hashable, Sendable {
    public enum Kind: Int, Sendable, Codable {
        /// With one person, by bare address.
        case direct = 0
        /// In a room, by the room's bare address.
        case room = 1
        /// With one occupant of a room, privately, by the occupant's full address.
        case occupant = 2
    }

    public let address: JID
    public let kind: Kind

    /// - Parameter address: made bare where the kind is about bare addresses.
    public init(_ address: JID, kind: Kind) {
        self.address = kind == .occupant ? address : address.bare
        self.kind = kind
    }
}
