internal import MessagePayloads
public import MessageSemantics
internal import Synchronization
public import XMPPAddress
public import XMPPStanzas

/// The occupancies of this account in its rooms, and the stays of other occupants. `MessageReader` needs them to
/// interpret messages of rooms.
///
/// This is the only place that stores our nickname and occupant id in a room: while joined, those in the state machine
/// of the room, which is stored here too, otherwise the last ones. Presences of rooms are processed in the order of the
/// stream, so a message after a presence with a new nickname is interpreted with the new one. A program that stores
/// messages before the extensions of the session see them reports the presences at that point
/// (``presenceReceived(_:at:)``) and passes this object to ``GroupChat``; otherwise `GroupChat` reports them itself.
public final class RoomOccupancies: Sendable {
    fileprivate final class Entry {
        var machine = RoomMachine()
        /// Actions of the machine for presences that the ``Room`` has not processed yet.
        var actions: [RoomAction] = []
        var hasHats = false
        /// The uninterrupted stays by nickname: of all occupants in rooms without occupant ids, otherwise of this
        /// account only.
        var stays: [String: OccupantStay] = [:]
        /// The time until which a joined room may send its history.
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

        /// Copies our nickname and occupant id from the machine.
        mutating func followMachine(of room: JID) {
            guard let own = entries[room]?.machine.own else { return }
            occupancies[room]?.nickname = own.nickname
            occupancies[room]?.occupantID = own.id
            occupancies[room]?.isModerator = own.role == .moderator
        }
    }

    private let state = Mutex(State())

    public init() {}

    /// The occupancies by the bare addresses of the rooms.
    public var all: [JID: RoomOccupancy] { state.withLock { $0.occupancies } }

    /// Adds a room before it is joined, or removes it. Messages of unknown rooms are not interpreted.
    public func set(_ occupancy: RoomOccupancy?, in room: JID) {
        state.withLock { state in
            state.occupancies[room.bare] = occupancy
            if occupancy == nil { state.entries[room.bare]?.stays = [:] }
        }
    }

    /// Reads the state machine of a room.
    func look<Result: Sendable>(at room: JID, _ body: (borrowing RoomMachine) -> Result) -> Result {
        state.withLock { body($0.entry(room).machine) }
    }

    /// Reports an event to the state machine of a room.
    ///
    /// - Returns: its actions, and the actions for presences since the previous event.
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

    /// Records the features that a room announces.
    ///
    /// - Parameter nickname: the nickname of the following join request, if there is one: a previous occupant may be
    ///   replaced by another person by then.
    func announced(_ information: RoomInformation?, by room: JID, enteringAs nickname: String? = nil) {
        state.withLock { state in
            guard var occupancy = state.occupancies[room.bare] ?? nickname.map({ RoomOccupancy(nickname: $0) }) else {
                return
            }
            occupancy.hasOccupantIDs = information?.hasOccupantIdentifiers ?? false
            occupancy.hasStanzaIDs = information?.hasStanzaIdentifiers ?? false
            occupancy.isPrivate = information.map { $0.isForMembersOnly && $0.isNonAnonymous } ?? false
            state.occupancies[room.bare] = occupancy
            let entry = state.entry(room.bare)
            entry.hasHats = information?.hasHats ?? false
            guard nickname != nil else { return }
            entry.stays = [:]
            entry.historyEnd = MessageTime(millisecondsSince1970: .max)
        }
    }

    /// Processes the presence of an occupant, possibly our own (XEP-0045 §7.2.2, status code 110).
    ///
    /// - Returns: the occupancy if it has changed. Leaving a room does not change it: later messages from the archive
    ///   of the room are still interpreted with the last occupancy.
    @discardableResult
    public func presenceReceived(_ presence: Presence, at time: MessageTime) -> (room: JID, occupancy: RoomOccupancy)? {
        guard let room = presence.from?.bare else { return nil }
        return state.withLock { state in
            // Presences of rooms that this account never joined are ignored.
            guard let known = state.occupancies[room] else { return nil }
            let entry = state.entry(room)
            guard
                let received = RoomPresence(
                    presence, trustsIdentifiers: known.hasOccupantIDs, trustsHats: entry.hasHats)
            else { return nil }
            if entry.machine.isOutside {
                // An earlier process may have joined the room in the session that was resumed here.
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

    /// Whether a public message belongs to the history that a room sends after joining. The history ends with the first
    /// message without a delay of the room.
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

    /// The current stay of an occupant, to which its messages belong now.
    public func stay(of occupant: JID) -> OccupantStay? {
        guard let nickname = occupant.resource else { return nil }
        return state.withLock { $0.entries[occupant.bare]?.stays[nickname] }
    }
}

extension RoomOccupancies.Entry {
    /// Updates the stays after a presence.
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

    /// The maximum number of occupants of a room; messages of further ones have no proof of their author.
    private static let stayLimit = 16_384

    /// In milliseconds: a room sends its history at once, but possibly over a slow connection.
    private static let historyDuration: Int64 = 60_000
}
