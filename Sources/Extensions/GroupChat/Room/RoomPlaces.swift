internal import MessagePayloads
public import MessageSemantics
internal import Synchronization
public import XMPPAddress
public import XMPPStanzas

/// Who this account is in its rooms, and who stays there: what messages of rooms are read with (`MessageReader`).
///
/// It is the one keeper of our nickname and occupant id in a room. It follows the presences of rooms in the order of the stream, so
/// that a message that follows a presence with a new nickname is read with the new one. Where a program stores messages before the
/// extensions of the session see them, it reports the presences at that time (``presenceReceived(_:at:)``) and gives the places to
/// ``GroupChat``; otherwise `GroupChat` reports them itself.
public final class RoomPlaces: Sendable {
    private struct State {
        var places: [JID: RoomPlace] = [:]
        /// Occupants who are there without interruption, by nickname; only in rooms that give no occupant ids, and this account.
        var stays: [JID: [String: OccupantStay]] = [:]
        /// Until when a room that was entered sends what was said before.
        var historyEnds: [JID: MessageTime] = [:]
    }

    private let state = Mutex(State())

    public init() {}

    /// By the bare addresses of rooms.
    public var all: [JID: RoomPlace] { state.withLock { $0.places } }

    /// Makes a room known before it is entered, or forgets one. What rooms say that are not known is not read.
    public func set(_ place: RoomPlace?, in room: JID) {
        state.withLock { state in
            state.places[room.bare] = place
            if place == nil { state.stays[room.bare] = nil }
        }
    }

    /// Takes in what a room announces.
    ///
    /// - Parameter nickname: with which the room is asked for entrance next, if it is: an occupant who was there before may be another
    ///   person now.
    func announced(_ information: RoomInformation?, by room: JID, enteringAs nickname: String? = nil) {
        state.withLock { state in
            guard var place = state.places[room.bare] ?? nickname.map({ RoomPlace(nickname: $0) }) else { return }
            place.hasOccupantIDs = information?.hasOccupantIdentifiers ?? false
            place.hasStanzaIDs = information?.hasStanzaIdentifiers ?? false
            state.places[room.bare] = place
            guard nickname != nil else { return }
            state.stays[room.bare] = nil
            state.historyEnds[room.bare] = MessageTime(millisecondsSince1970: .max)
        }
    }

    /// Takes in what a room says about an occupant, and about this account's own place (XEP-0045 §7.2.2, status code 110).
    ///
    /// - Returns: the place, if it is another one than before. Leaving a room changes nothing: what is said there later, in
    ///   its archive, is still read with the last place.
    @discardableResult
    public func presenceReceived(_ presence: Presence, at time: MessageTime) -> (room: JID, place: RoomPlace)? {
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
    public func isHistory(_ message: Message, at time: MessageTime) -> Bool {
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
    public func stay(of occupant: JID) -> OccupantStay? {
        guard let nickname = occupant.resource else { return nil }
        return state.withLock { $0.stays[occupant.bare]?[nickname] }
    }

    /// As many as a room has occupants here; of more nothing can be proven.
    private static let stayLimit = 16_384

    /// In milliseconds: a room sends its history at once, but over lines of every speed.
    private static let historyDuration: Int64 = 60_000
}
