internal import ChatStore
internal import GroupChat
internal import Synchronization
internal import XMPPAddress
internal import XMPPStanzas

/// Which session the presences in the store belong to: those of another one are worth nothing.
final class PresenceRecord: Sendable {
    /// What one presence says, for whoever takes the session over.
    enum Sighting: Sendable {
        case here(StoredPresence)
        case gone(StoredPresence.Kind, JID)

        /// `nil` for what says nothing about a contact: a room's, the own devices', a refusal.
        init?(_ presence: Presence, own: JID, rooms: [JID: RoomPlace]) {
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

    /// How many devices are saved in a session before there is a contact list, and how many requests; see `Roster`.
    private static let unlistedLimit = 1024
    private static let requestLimit = 1024

    private struct State {
        var session: String?
        var unlisted = 0
        var requests = 0
    }

    private let state = Mutex(State())

    /// Whether a sighting is saved: anybody can send presence, so only that of contacts is, and a bounded number of requests.
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

    /// - Returns: whether it is another session than the one before.
    func committed(_ id: String?) -> Bool {
        state.withLock { state in
            guard state.session != id else { return false }
            state = State(session: id)
            return true
        }
    }
}

extension SessionRecorder {
    /// Who asked when the last session ended, or has not ended.
    func rememberedRequests() async -> Set<JID> {
        Set(await rememberedPresences().filter { $0.type == .subscribe }.compactMap(\.from))
    }

    /// What the store knows of who is there and who asks, as the server would say it.
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
