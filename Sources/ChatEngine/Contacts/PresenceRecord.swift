internal import ChatStore
internal import GroupChat
internal import Synchronization
internal import XMPPAddress
internal import XMPPStanzas

/// Tracks which session the stored presence belongs to; that of another session is outdated.
final class PresenceRecord: Sendable {
    /// A presence to store, for a process that resumes the session.
    enum Sighting: Sendable {
        case here(StoredPresence)
        case gone(StoredPresence.Kind, JID)

        /// `nil` for presence that is not a contact's: of rooms, own devices, and errors.
        init?(_ presence: Presence, own: JID, rooms: [JID: RoomOccupancy]) {
            guard let sender = presence.from, sender.bare != own, rooms[sender.bare] == nil,
                !presence.payloads.contains(RoomUser.name)
            else { return nil }
            switch presence.type {
            case .available:
                self = .here(
                    StoredPresence(
                        address: sender, show: presence.show?.rawValue, status: presence.shortStatus,
                        priority: Int(presence.priority)))
            case .unavailable: self = .gone(.available, sender)
            case .error:
                guard sender.isBare else { return nil }
                self = .gone(.available, sender)
            case .subscribe:
                self = .here(
                    StoredPresence(
                        address: sender.bare, kind: .request, status: presence.shortStatus))
            case .unsubscribe: self = .gone(.request, sender.bare)
            case .subscribed, .unsubscribed, .probe: return nil
            }
        }

        var kind: StoredPresence.Kind {
            switch self {
            case .here(let presence): presence.kind
            case .gone(let kind, _): kind
            }
        }

        func keep(of account: AccountID, in writer: any StoreWriter) throws(StoreError) {
            switch self {
            case .here(let presence): try writer.savePresence(presence, of: account)
            case .gone(let kind, let address): try writer.removePresence(kind, of: address, account: account)
            }
        }
    }

    /// The maximum number of devices stored before the contact list is known, and of requests; see `Roster`.
    private static let unlistedLimit = 1024
    private static let requestLimit = 1024

    private struct State {
        var session: String?
        var unlisted = 0
        var requests = 0
    }

    private let state = Mutex(State())

    /// Whether a presence is stored: only those of contacts, and a limited number of requests, because any sender can
    /// send presence.
    func admits(_ sighting: Sighting, _ people: KnownPeople) -> Bool {
        guard case .here(let presence) = sighting else { return true }
        switch presence.kind {
        case .available:
            if people.subscription(of: presence.address) != nil { return true }
            guard !people.hasContacts else { return false }
            return state.withLock { state in
                state.unlisted += 1
                return state.unlisted <= Self.unlistedLimit
            }
        case .request:
            return state.withLock { state in
                state.requests += 1
                return state.requests <= Self.requestLimit
            }
        }
    }

    func loaded(_ id: String?) { state.withLock { $0.session = id } }

    /// - Returns: whether the session differs from the previous one.
    func committed(_ id: String?) -> Bool {
        state.withLock { state in
            guard state.session != id else { return false }
            state = State(session: id)
            return true
        }
    }
}

extension SessionRecorder {
    /// The contact requests of the last session.
    func rememberedRequests() async -> Set<JID> {
        Set(await rememberedPresences().filter { $0.type == .subscribe }.compactMap(\.from))
    }

    /// The stored presence and requests, as the server would send them.
    func rememberedPresences() async -> [Presence] {
        let account = account
        let stored = try? await store.read { reader throws(StoreError) in try reader.presences(of: account) }
        return (stored ?? []).map { kept in
            var presence = Presence(
                type: kept.kind == .request ? .subscribe : .available,
                show: kept.show.flatMap { Presence.Show(rawValue: $0) }, status: kept.status,
                priority: Int8(clamping: kept.priority))
            presence.from = kept.address
            return presence
        }
    }
}
