internal import ChatStore
internal import Synchronization
internal import XMPPAddress
internal import XMPPClient

/// The people known to an account: its contacts, and everybody the user has written to.
///
/// Available before the server has sent the contact list, for a session resumed by a new process, and with the
/// conversations of earlier sessions. Strangers can trigger lookups at any rate, so they are cached.
final class KnownPeople: Sendable {
    /// The number of strangers cached, so that a flood from one does not read the store each time.
    static let strangerLimit = 1024

    private struct State {
        var contacts: [JID: StoredContact.Subscription] = [:]
        /// Addresses that the user has not written to.
        var strangers: Set<JID> = []
        /// How often the user has written: what the store said before may no longer be true.
        var writings: UInt64 = 0
    }

    private let state = Mutex(State())

    /// Whether the contact list is not empty.
    var hasContacts: Bool { state.withLock { !$0.contacts.isEmpty } }

    func subscription(of address: JID) -> StoredContact.Subscription? { state.withLock { $0.contacts[address.bare] } }

    func replaceContacts(_ contacts: [StoredContact]) {
        state.withLock { state in
            state.contacts = Dictionary(
                contacts.map { ($0.address.bare, $0.subscription) }, uniquingKeysWith: { _, last in last })
        }
    }

    func setContact(_ address: JID, _ subscription: StoredContact.Subscription?) {
        state.withLock { $0.contacts[address.bare] = subscription }
    }

    /// The user has written a message, on any device, and it is stored: a stranger may have become known.
    func wrote() {
        state.withLock { state in
            state.strangers = []
            state.writings += 1
        }
    }

    /// - Parameter find: reads the store.
    nonisolated(nonsending) func hasWritten(
        to address: JID, _ find: nonisolated(nonsending) () async -> Bool
    ) async -> Bool {
        let (isStranger, writings) = state.withLock { ($0.strangers.contains(address.bare), $0.writings) }
        if isStranger { return false }
        if await find() { return true }
        state.withLock { state in
            guard state.writings == writings else { return }
            if state.strangers.count >= Self.strangerLimit { state.strangers = [] }
            state.strangers.insert(address.bare)
        }
        return false
    }
}

/// Reports the people known to the account to a session, in addition to the contact list and the rooms.
struct PeopleDirectory: PeerDirectory {
    let people: KnownPeople
    let store: any LocalStore
    let account: AccountID

    /// Contacts with a subscription to our presence, and people in whose conversations the user takes part.
    nonisolated(nonsending) func maySeePresence(_ peer: JID) async -> Bool {
        if people.subscription(of: peer)?.isMutualOrFrom == true { return true }
        let key = ConversationKey(account: account, address: peer.bare, kind: .direct)
        return await people.hasWritten(to: peer) { [store] in
            let found = try? await store.read { reader throws(StoreError) in
                guard let conversation = try reader.conversation(key) else { return false }
                return try reader.hasWritten(in: conversation)
            }
            return found ?? false
        }
    }

    nonisolated(nonsending) func follows(_ peer: JID) async -> Bool { people.subscription(of: peer) != nil }
}
