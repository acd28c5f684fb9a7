internal import MessagePayloads
public import MessageSemantics
internal import Synchronization
public import XMPPAddress
public import XMPPStanzas

/// Who this account is in its rooms, and who stays there: what messages of rooms are read with (`MessageReader`).
///
/// It is the one keeper of our nickname and occupant id in a room: while this account is inside, they are those of the room's state
/// machine, which is here too, and outside the last ones. It follows the presences of rooms in the order of the stream, so
/// that a message that follows a presence with a new nickname is read with the new one. Where a program stores messages before the
/// extensions of the session see them, it reports the presences at that time (``presenceReceived(_:at:)``) and gives the occupancies to
/// ``GroupChat``; otherwise `GroupChat` reports them itself.
public final class RoomOccupancies: Sendable {
    fileprivate final class Entry {
        var machine = RoomMachine()
        /// What the machine made of presences that the room's ``Room`` has not seen yet.
        var actions: [RoomAction] = []
        var hasHats = false
        /// Occupants who are there without interruption, by nickname; only in rooms that give no occupant ids, and this account.
        var stays: [String: OccupantStay] = [:]
        /// Until when a room that was entered sends what was said before.
        var historyEnd: MessageTime?
    }

    private struct State {
        var entries: [JID: Entry] = [:]
        var occupancies: [JID: RoomOccupancy] = [:]

        mutating func entry(_ room: JID) -> Entry {
            if let entry = entries[room] { return entry }
            let entry = Entry()
            entries[room] = entry
            return entry
        }

        /// Takes over from the machine who this account is.
        mutating func followMachine(of room: JID) {
            guard let own = entries[room]?.machine.own else { return }
            occupancies[room]?.nickname = own.nickname
            occupancies[room]?.occupantID = own.id
        }
    }

    private let state = Mutex(State())

    public init() {}

    /// By the bare addresses of rooms.
    public var all: [JID: RoomOccupancy] { state.withLock { $0.occupancies } }

    /// Makes a room known before it is entered, or forgets one. What rooms say that are not known is not read.
    public func set(_ occupancy: RoomOccupancy?, in room: JID) {
        state.withLock { state in
            state.occupancies[room.bare] = occupancy
            if occupancy == nil { state.entries[room.bare]?.stays = [:] }
        }
    }

    /// Looks at the state machine of a room.
    func look<Result: Sendable>(at room: JID, _ body: (borrowing RoomMachine) -> Result) -> Result {
        state.withLock { body($0.entry(room).machine) }
    }

    /// Reports an event to the state machine of a room.
    ///
    /// - Returns: its actions, and what it made of the presences since the last event before.
    func change(
        _ room: JID, _ event: (inout RoomMachine) -> [RoomAction]
    ) -> (before: [RoomAction], actions: [RoomAction]) {
        state.withLock { state in
            let entry = state.entry(room)
            let before = entry.actions
            entry.actions = []
            let actions = event(&entry.machine)
            state.followMachine(of: room)
            return (before, actions)
        }
    }

    /// Takes in what a room announces.
    ///
    /// - Parameter nickname: with which the room is asked for entrance next, if it is: an occupant who was there before may be another
    ///   person now.
    func announced(_ information: RoomInformation?, by room: JID, enteringAs nickname: String? = nil) {
        state.withLock { state in
            guard var occupancy = state.occupancies[room.bare] ?? nickname.map({ RoomOccupancy(nickname: $0) }) else {
                return
            }
            occupancy.hasOccupantIDs = information?.hasOccupantIdentifiers ?? false
            occupancy.hasStanzaIDs = information?.hasStanzaIdentifiers ?? false
            state.occupancies[room.bare] = occupancy
            let entry = state.entry(room.bare)
            entry.hasHats = information?.hasHats ?? false
            guard nickname != nil else { return }
            entry.stays = [:]
            entry.historyEnd = MessageTime(millisecondsSince1970: .max)
        }
    }

    /// Takes in what a room says about an occupant, and about this account's own occupancy (XEP-0045 §7.2.2, status code 110).
    ///
    /// - Returns: the occupancy, if it is another one than before. Leaving a room changes nothing: what is said there later, in
    ///   its archive, is still read with the last occupancy.
    @discardableResult
    public func presenceReceived(_ presence: Presence, at time: MessageTime) -> (room: JID, occupancy: RoomOccupancy)? {
        guard let room = presence.from?.bare else { return nil }
        return state.withLock { state in
            // A room that nobody of this account has entered has nothing to say.
            guard let known = state.occupancies[room] else { return nil }
            let entry = state.entry(room)
            guard
                let received = RoomPresence(
                    presence, trustsIdentifiers: known.hasOccupantIDs, trustsHats: entry.hasHats)
            else { return nil }
            if entry.machine.isOutside {
                // An earlier process may have entered the room, in the session that this one has resumed.
                if received.isOwn, received.isAvailable {
                    state.occupancies[room]?.nickname = received.nickname
                    state.occupancies[room]?.occupantID = received.occupantID
                }
            } else {
                entry.actions += entry.machine.presenceReceived(received)
                state.followMachine(of: room)
            }
            entry.follow(received, hasOccupantIDs: known.hasOccupantIDs, at: time)
            guard let occupancy = state.occupancies[room], occupancy != known else { return nil }
            return (room, occupancy)
        }
    }

    /// Whether a message to all is of the history that the room sends to who enters, which ends with the first message that has
    /// no delay of the room.
    public func isHistory(_ message: Message, at time: MessageTime) -> Bool {
        guard let room = message.from?.bare else { return false }
        return state.withLock { state in
            guard let entry = state.entries[room], let end = entry.historyEnd else { return false }
            let delays = (try? message.payloads.decodeAll(DelayedDelivery.self)) ?? []
            if time <= end, delays.contains(where: { $0.from?.bare == room }) { return true }
            entry.historyEnd = nil
            return false
        }
    }

    /// The stay during which a message of an occupant comes now.
    public func stay(of occupant: JID) -> OccupantStay? {
        guard let nickname = occupant.resource else { return nil }
        return state.withLock { $0.entries[occupant.bare]?.stays[nickname] }
    }
}

extension RoomOccupancies.Entry {
    /// Who stays in the room after a presence.
    fileprivate func follow(_ presence: RoomPresence, hasOccupantIDs: Bool, at time: MessageTime) {
        let nickname = presence.nickname
        if !presence.isAvailable {
            stays[nickname] = nil
            if presence.isOwn, !presence.user.statuses.contains(.renamed) { stays = [:] }
        } else if presence.isOwn {
            stays[nickname] = .own
            if historyEnd != nil { historyEnd = time.advanced(by: Self.historyDuration) }
        } else if !hasOccupantIDs, stays[nickname] == nil, stays.count < Self.stayLimit {
            stays[nickname] = OccupantStay(rawValue: Int64.random(in: 1...Int64.max))
        }
    }

    /// As many as a room has occupants here; of more nothing can be proven.
    private static let stayLimit = 16_384

    /// In milliseconds: a room sends its history at once, but over lines of every speed.
    private static let historyDuration: Int64 = 60_000
}
