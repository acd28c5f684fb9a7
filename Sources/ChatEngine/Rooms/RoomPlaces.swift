internal import ChatStore
internal import GroupChat
internal import MessageFeatures
internal import MessageSemantics
internal import Synchronization
internal import XMPPAddress
internal import XMPPStanzas

/// Who this account is in its rooms, and who stays there, in the order of the stream: a message that follows the room's word
/// about a new nickname is read with the new one.
final class RoomPlaces: Sendable {
    private struct State {
        var places: [JID: RoomPlace] = [:]
        /// Occupants who are there without interruption, by nickname; only in rooms that give no occupant ids, and this account.
        var stays: [JID: [String: OccupantStay]] = [:]
        /// Until when a room that was entered sends what was said before.
        var historyEnds: [JID: MessageTime] = [:]
    }

    private let state = Mutex(State())

    var all: [JID: RoomPlace] { state.withLock { $0.places } }

    func set(_ place: RoomPlace?, in room: JID) {
        state.withLock { state in
            state.places[room.bare] = place
            if place == nil { state.stays[room.bare] = nil }
        }
    }

    /// Takes in what a room announces.
    ///
    /// - Parameter isEntering: the room is asked for entrance next: whoever was there before may be somebody else now.
    func announced(_ information: RoomInformation?, by room: JID, isEntering: Bool) {
        state.withLock { state in
            guard var place = state.places[room.bare] else { return }
            place.hasOccupantIDs = information?.hasOccupantIdentifiers ?? false
            place.hasStanzaIDs = information?.hasStanzaIdentifiers ?? false
            state.places[room.bare] = place
            guard isEntering else { return }
            state.stays[room.bare] = nil
            state.historyEnds[room.bare] = MessageTime(millisecondsSince1970: .max)
        }
    }

    /// Takes in what a room says about an occupant, and about this account's own place (XEP-0045 §7.2.2, status code 110).
    ///
    /// - Returns: the place, if it is another one than before. Leaving a room changes nothing: what is said there later, in
    ///   its archive, is still read with the last place.
    func presenceReceived(_ presence: Presence, at time: MessageTime) -> (room: JID, place: RoomPlace)? {
        guard presence.type == .available || presence.type == .unavailable, let sender = presence.from,
            let nickname = sender.resource, let user = (try? presence.payload(RoomUser.self)) ?? nil
        else { return nil }
        let identifier = (try? presence.payload(OccupantIdentifier.self)) ?? nil
        return state.withLock { state in
            // A room that nobody of this account has entered has nothing to say.
            let room = sender.bare
            guard let known = state.places[room] else { return nil }
            let isOwn = user.statuses.contains(.own)
            guard presence.type == .available else {
                state.stays[room]?[nickname] = nil
                if isOwn, !user.statuses.contains(.renamed) { state.stays[room] = nil }
                return nil
            }
            guard isOwn else {
                if !known.hasOccupantIDs, state.stays[room]?[nickname] == nil,
                    state.stays[room]?.count ?? 0 < Self.stayLimit
                {
                    let number = Int64.random(in: 1...Int64.max)
                    state.stays[room, default: [:]][nickname] = OccupantStay(rawValue: number)
                }
                return nil
            }
            state.stays[room, default: [:]][nickname] = .own
            if state.historyEnds[room] != nil { state.historyEnds[room] = time.advanced(by: Self.historyDuration) }
            var place = known
            place.nickname = nickname
            place.occupantID = identifier?.id
            guard known != place else { return nil }
            state.places[room] = place
            return (room, place)
        }
    }

    /// Whether a message to all is of the history that the room sends to who enters, which ends with the first message that has
    /// no delay of the room.
    func isHistory(_ message: Message, at time: MessageTime) -> Bool {
        guard let room = message.from?.bare else { return false }
        return state.withLock { state in
            guard let end = state.historyEnds[room] else { return false }
            let delays = (try? message.payloads.decodeAll(DelayedDelivery.self)) ?? []
            if time <= end, delays.contains(where: { $0.from?.bare == room }) { return true }
            state.historyEnds[room] = nil
            return false
        }
    }

    /// The stay during which a message of an occupant comes now.
    func stay(of occupant: JID) -> OccupantStay? {
        guard let nickname = occupant.resource else { return nil }
        return state.withLock { $0.stays[occupant.bare]?[nickname] }
    }

    /// As many as a room has occupants here; of more nothing can be proven.
    private static let stayLimit = 16_384

    /// In milliseconds: a room sends its history at once, but over lines of every speed.
    private static let historyDuration: Int64 = 60_000
}

/// Who this account is in one room, and what of the room's words is believed.
public struct RoomPlace: Hashable, Sendable {
    public var nickname: String
    /// The occupant id that the room gave to this account (XEP-0421).
    public var occupantID: String?
    /// The room announces occupant ids; elsewhere anybody can write one (XEP-0421 §5).
    public var hasOccupantIDs: Bool
    /// The room announces that it gives the ids of its archive; elsewhere anybody can write one (XEP-0359 §5).
    public var hasStanzaIDs: Bool

    public init(
        nickname: String, occupantID: String? = nil, hasOccupantIDs: Bool = false, hasStanzaIDs: Bool = false
    ) {
        self.nickname = nickname
        self.occupantID = occupantID
        self.hasOccupantIDs = hasOccupantIDs
        self.hasStanzaIDs = hasStanzaIDs
    }

    /// Our occupant id, where it is believed.
    var believedOccupantID: String? { hasOccupantIDs ? occupantID : nil }
}
