internal import GroupChat
internal import Synchronization
internal import XMPPAddress
internal import XMPPStanzas

/// Who this account is in its rooms, in the order of the stream: a message that follows the room's word about a new
/// nickname is read with the new one.
final class RoomPlaces: Sendable {
    private let places = Mutex<[JID: RoomPlace]>([:])

    var all: [JID: RoomPlace] { places.withLock { $0 } }

    func set(_ place: RoomPlace?, in room: JID) {
        places.withLock { $0[room.bare] = place }
    }

    /// Takes in what a room says about this account's own place (XEP-0045 §7.2.2, status code 110).
    ///
    /// - Returns: the place, if it is another one than before. Leaving a room changes nothing: what is said there later, in
    ///   its archive, is still read with the last place.
    func presenceReceived(_ presence: Presence) -> (room: JID, place: RoomPlace)? {
        guard presence.type == .available, let sender = presence.from, let nickname = sender.resource,
            let user = (try? presence.payload(RoomUser.self)) ?? nil, user.statuses.contains(.own)
        else { return nil }
        let identifier = (try? presence.payload(OccupantIdentifier.self)) ?? nil
        let place = RoomPlace(nickname: nickname, occupantID: identifier?.id)
        return places.withLock { places in
            // A room that nobody of this account has entered has nothing to say.
            guard let known = places[sender.bare], known != place else { return nil }
            places[sender.bare] = place
            return (sender.bare, place)
        }
    }
}

/// Who this account is in one room.
public struct RoomPlace: Hashable, Sendable {
    public var nickname: String
    /// The lasting name that the room gave (XEP-0421).
    public var occupantID: String?

    public init(nickname: String, occupantID: String? = nil) {
        self.nickname = nickname
        self.occupantID = occupantID
    }
}
