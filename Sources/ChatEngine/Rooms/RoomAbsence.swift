public import GroupChat
public import XMPPStanzas

extension GroupChatError.Code {
    /// A room of that address is there already, and was not made.
    public static let alreadyThere = Self("already there")
}

/// Why something that was asked of a room did not happen.
public typealias RoomFailure = GroupChatError

/// Why an account is not in a room that it wanted to be in.
public struct RoomAbsence: Hashable, Sendable {
    public enum Cause: Hashable, Sendable {
        /// The account was inside.
        case departure(RoomDeparture)
        /// It did not get in. The condition is that of the room's answer, if it gave one.
        case failure(RoomFailure.Code, StanzaError.Condition?)
    }

    public let cause: Cause
    /// It is tried again without anybody's help.
    public let isTriedAgain: Bool

    /// - Returns: `nil` where this account has left of its own will.
    public init?(_ departure: RoomDeparture) {
        if case .left = departure.cause { return nil }
        cause = .departure(departure)
        isTriedAgain = departure.isTemporary
    }

    init(_ error: RoomFailure, isTriedAgain: Bool) {
        cause = .failure(error.code, error.stanzaError?.condition)
        self.isTriedAgain = isTriedAgain
    }
}
