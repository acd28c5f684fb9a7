internal import GroupChat
internal import Synchronization
internal import XMPPAddress
internal import XMPPStanzas

/// The accounts of occupants, in rooms that show them: they are known before their messages are opened.
final class OccupantAccounts: Sendable {
    /// Occupants that are remembered: those of several large rooms.
    private static let limit = 20_000

    private let accounts = Mutex<[JID: JID]>([:])

    func account(of occupant: JID) -> JID? { accounts.withLock { $0[occupant] } }

    func presenceReceived(_ presence: Presence) {
        guard presence.type == .available || presence.type == .unavailable, let occupant = presence.from,
            !occupant.isBare,
            let user = (try? presence.payload(RoomUser.self)) ?? nil, let account = user.item?.address?.bare
        else { return }
        set(account, of: occupant)
    }

    func set(_ account: JID, of occupant: JID) {
        accounts.withLock { accounts in
            if accounts.count >= Self.limit { accounts = [:] }
            accounts[occupant] = account
        }
    }
}
