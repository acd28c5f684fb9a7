internal import ChatStore
internal import Synchronization
internal import XMPPAddress
internal import XMPPClient

/// The people of an account as its store knows them: contacts, and those to whom the person has written.
///
/// It answers before the server has sent the contact list, for a session that was resumed by a new process, and knows the
/// conversations of earlier sessions. Strangers can ask at any rate, so it remembers who is one.
final class KnownPeople: Sendable {
    /// How many strangers are remembered, so that a flood of one does not read the store each time.
    static let strangerLimit = 1024

    private struct State {
        var contacts: [JID: StoredContact.Subscription] = [:]
        /// Addresses to which the person has not written.
        var strangers: Set<JID> = []
    }

    private let state = Mutex(State())

    /// Whether there is a contact list.
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

    /// The person has written something, here or on another device: a stranger may be none any more.
    func wrote() {
        state.withLock { $0.strangers = [] }
    }

    /// - Parameter find: looks into the store.
    func hasWritten(to address: JID, _ find: () async -> Bool) async -> Bool {
        if state.withLock({ $0.strangers.contains(address.bare) }) { return false }
        if await find() { return true }
        state.withLock { state in
            if state.strangers.count >= Self.strangerLimit { state.strangers = [] }
            state.strangers.insert(address.bare)
        }
        return false
    }
}

/// Tells a session whom the account knows, beside the contact list and the rooms.
struct PeopleDirectory: PeerDirectory {
    let people: KnownPeople
    let store: any LocalStore
    let account: AccountID

    /// Contacts with a subscription to our presence, and the other side of each conversation that the person takes part in.
    func maySeePresence(_ peer: JID) async -> Bool {
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

    func follows(_ peer: JID) async -> Bool { people.subscription(of: peer) != nil }
}
