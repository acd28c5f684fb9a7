internal import ChatStore
internal import XMPPAddress

/// What a contact says to our request to see its presence (RFC 6121 §3.1.6).
public enum ContactAnswer: Sendable, Hashable {
    case accepted
    case declined
    /// It had accepted, and does not any more.
    case ended
}

extension ContactAnswer {
    /// The line of the conversation that tells it.
    func notice(of contact: JID, at time: MessageTime) -> ConversationNotice {
        let kind: ConversationNotice.Kind =
            switch self {
            case .accepted: .contactAccepted
            case .declined: .contactDeclined
            case .ended: .contactEnded
            }
        return ConversationNotice(kind, in: ConversationAddress(contact, kind: .direct), at: time)
    }
}

extension LocalStore {
    /// Those of a new roster that have accepted a request which was open when the roster was last stored: the account was
    /// offline then. Nobody else can accept it; a request that has ended was perhaps ended by another device of this account.
    func acceptedRequests(of account: AccountID, among contacts: [StoredContact]) async -> [JID] {
        let before = try? await read { store throws(StoreError) in try store.contacts(of: account) }
        let waiting = Set((before ?? []).filter(\.isPending).map(\.address))
        return contacts.filter { contact in
            waiting.contains(contact.address) && (contact.subscription == .both || contact.subscription == .to)
        }.map(\.address)
    }
}
