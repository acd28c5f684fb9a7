internal import GroupChat
internal import Synchronization
import Waiting
internal import XMPPAddress
internal import XMPPClient
internal import XMPPStanzas

/// The members of rooms, until one of them changes or the list is too old.
///
/// A participant must follow the changes of affiliations (XEP-0384 §5.8.1): any hint of one makes the next message ask again.
final class RoomMembersTable: StanzaInterceptor {
    private struct Entry {
        var members: [JID]
        /// Until when they are valid; `nil` if they are not known.
        var end: ContinuousInstant?
        /// How often something changed: an answer that was on its way meanwhile is not stored.
        var changes = 0
    }

    private let entries = Mutex<[JID: Entry]>([:])

    func members(of room: JID, now: ContinuousInstant) -> [JID]? {
        entries.withLock { entries in
            guard let entry = entries[room], let end = entry.end, now < end else { return nil }
            return entry.members
        }
    }

    /// The number of changes so far, for ``answered(_:of:changes:now:)``.
    func beginRequest(of room: JID) -> Int {
        entries.withLock { entries in
            if entries[room] == nil {
                if entries.count >= EncryptionLimits.rooms { entries.removeAll() }
                entries[room] = Entry(members: [])
            }
            return entries[room]?.changes ?? 0
        }
    }

    func answered(_ members: [JID], of room: JID, changes: Int, now: ContinuousInstant) {
        entries.withLock { entries in
            guard entries[room]?.changes == changes else { return }
            entries[room] = Entry(
                members: members, end: now.advanced(by: EncryptionLimits.roomMembersLifetime), changes: changes)
        }
    }

    func removeAll() { entries.withLock { $0 = [:] } }

    func concerns(received stanza: AnyStanza) -> Bool { if case .iq = stanza { false } else { true } }
    func concerns(sent stanza: AnyStanza) -> Bool { false }

    func decide(received stanza: AnyStanza, in session: isolated Session) -> Interception? {
        switch stanza {
        case .message(let message):
            // Affiliations of those who are not present, and changes of the configuration.
            guard let room = message.from?.bare, knows(room),
                let user = (try? message.payload(RoomUser.self)) ?? nil, user.item != nil || !user.statuses.isEmpty
            else { break }
            changed(room)
        case .presence(let presence):
            guard let room = presence.from?.bare, knows(room) else { break }
            guard let user = (try? presence.payload(RoomUser.self)) ?? nil else { break }
            if isChange(user, of: room, own: session.address?.bare) { changed(room) }
        case .iq: break
        }
        return .pass(stanza)
    }

    private func knows(_ room: JID) -> Bool { entries.withLock { $0[room] != nil } }

    func changed(_ room: JID) {
        entries.withLock { entries in
            entries[room]?.changes += 1
            entries[room]?.end = nil
        }
    }

    private func isChange(_ user: RoomUser, of room: JID, own: JID?) -> Bool {
        guard let item = user.item, let address = item.address?.bare, let affiliation = item.affiliation else {
            return true
        }
        guard address != own else { return !user.statuses.isDisjoint(with: [.banned, .affiliationChanged]) }
        let isMember = affiliation >= .member
        return entries.withLock { $0[room]?.members.contains(address) } != isMember
    }
}
