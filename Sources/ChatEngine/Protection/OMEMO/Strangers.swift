internal import ChatStore
internal import EndToEndEncryption
internal import OMEMO
internal import Synchronization
internal import XMPPAddress

/// Who is a stranger, and how much is stored of all strangers: anybody can send encrypted messages.
final class Strangers: Sendable {
    private let store: any LocalStore
    private let account: AccountID
    /// Our own address.
    private let address: JID
    /// The number of strangers whose records are stored.
    private let limit: Int
    private let now: @Sendable () -> MessageTime
    /// Senders that need not be counted again.
    private let settled = Mutex<Set<JID>>([])

    init(
        of account: AccountID, _ address: JID, in store: any LocalStore, limit: Int,
        now: @escaping @Sendable () -> MessageTime
    ) {
        (self.account, self.address, self.store, self.limit, self.now) = (account, address, store, limit, now)
    }

    /// Counts the sender of a message that was opened, if it is a stranger; forgets the oldest ones above the limit.
    func count(_ sender: JID, _ draft: inout KeyDraft) async throws(ProtectionError) {
        guard sender != address, !settled.withLock({ $0.contains(sender) }) else { return }
        let name = StrangerRecord.name(sender)
        let isCounted = try await draft.value(name) != nil
        if !isCounted, try await !isKnownPerson(sender) {
            draft.write(name, StrangerRecord(now: now().millisecondsSince1970 / 1000).record)
            return try await forgetSome(&draft)
        }
        settled.withLock { settled in
            if settled.count >= EncryptionLimits.accounts { settled = [] }
            settled.insert(sender)
        }
    }

    /// A contact, or somebody to whom the person has written; also our own account.
    func isKnownPerson(_ person: JID) async throws(ProtectionError) -> Bool {
        if person == address { return true }
        let account = account
        do throws(StoreError) {
            return try await store.read { reader throws(StoreError) in
                if try reader.contact(person, of: account) != nil { return true }
                let key = ConversationKey(account: account, address: person, kind: .direct)
                guard let conversation = try reader.conversation(key) else { return false }
                return try reader.hasWritten(in: conversation)
            }
        } catch {
            throw ProtectionError(.ownKeys, "The contacts cannot be read.", isTemporary: true, cause: error)
        }
    }

    private func forgetSome(_ draft: inout KeyDraft) async throws(ProtectionError) {
        var strangers: [(name: String, firstSeen: Int64)] = []
        for (name, record) in try await draft.values(beginningWith: StrangerRecord.prefix) {
            strangers.append((name, try StrangerRecord(record).firstSeen))
        }
        guard strangers.count > limit else { return }
        strangers.sort { ($0.firstSeen, $0.name) < ($1.firstSeen, $1.name) }
        for stranger in strangers.prefix(strangers.count - limit) {
            draft.write(stranger.name, nil)
            guard let address = try? JID(String(stranger.name.dropFirst(StrangerRecord.prefix.count))),
                try await !isKnownPerson(address), try await !draft.hasDecision(about: address)
            else { continue }
            settled.withLock { _ = $0.remove(address) }
            try await draft.forget(address)
        }
    }
}

extension StrangerRecord {
    /// Accounts with sessions and keys: all members of the largest room for which messages are encrypted.
    static let limit = EncryptionLimits.roomMembers
}

extension KeyDraft {
    /// The person has decided something about the account, which must not be forgotten.
    fileprivate func hasDecision(about address: JID) async throws(ProtectionError) -> Bool {
        if try await encryption(of: ConversationAddress(address, kind: .direct)).policy != nil { return true }
        for record in try await values(beginningWith: KnownKey.prefix(address)).values {
            switch try KnownKey(record).trust {
            case .verified, .distrusted: return true
            case .trusted, .undecided: break
            }
        }
        return false
    }

    /// Removes all records that belong to an account.
    fileprivate mutating func forget(_ address: JID) async throws(ProtectionError) {
        let keys = KnownKey.prefix(address)
        for name in try await values(beginningWith: keys).keys {
            removeKey(String(name.dropFirst(keys.count)), of: address)
        }
        for name in try await sessions(of: address).keys {
            write(name, nil)
            write(OwedMessage.prefix + name.dropFirst(SessionShelf.prefix.count), nil)
        }
        write(ConversationEncryption.name(ConversationAddress(address, kind: .direct)), nil)
    }
}
