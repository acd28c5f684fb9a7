internal import ChatStore
internal import EndToEndEncryption
internal import OMEMO
internal import XMPPAddress

extension StrangerRecord {
    /// Accounts with sessions and keys: all members of the largest room for which messages are encrypted.
    static let limit = EncryptionLimits.roomMembers
}

extension OMEMOProtection {
    /// Counts the sender of a message that was opened, if it is a stranger; forgets the oldest ones above the limit.
    func countStranger(_ sender: JID, _ draft: inout KeyDraft) async throws(ProtectionError) {
        guard sender != address, !state.withLock({ $0.settled.contains(sender) }) else { return }
        let name = StrangerRecord.name(sender)
        let isCounted = try await draft.value(name) != nil
        if !isCounted, try await !isKnownPerson(sender) {
            draft.write(name, StrangerRecord(now: seconds).record)
            return try await forgetStrangers(&draft)
        }
        state.withLock { state in
            if state.settled.count >= EncryptionLimits.accounts { state.settled = [] }
            state.settled.insert(sender)
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

    private func forgetStrangers(_ draft: inout KeyDraft) async throws(ProtectionError) {
        var strangers: [(name: String, firstSeen: Int64)] = []
        for (name, record) in try await draft.values(beginningWith: StrangerRecord.prefix) {
            strangers.append((name, try StrangerRecord(record).firstSeen))
        }
        guard strangers.count > strangerLimit else { return }
        strangers.sort { ($0.firstSeen, $0.name) < ($1.firstSeen, $1.name) }
        for stranger in strangers.prefix(strangers.count - strangerLimit) {
            draft.write(stranger.name, nil)
            guard let address = try? JID(String(stranger.name.dropFirst(StrangerRecord.prefix.count))),
                try await !isKnownPerson(address), try await !hasDecision(about: address, draft)
            else { continue }
            try await forget(address, &draft)
        }
    }

    /// The person has decided something about the account, which must not be forgotten.
    private func hasDecision(about address: JID, _ draft: KeyDraft) async throws(ProtectionError) -> Bool {
        if try await encryption(of: ConversationAddress(address, kind: .direct), draft).policy != nil { return true }
        for record in try await draft.values(beginningWith: KnownKey.prefix(address)).values {
            switch try KnownKey(record).trust {
            case .verified, .distrusted: return true
            case .trusted, .undecided: break
            }
        }
        return false
    }

    /// Removes all records that belong to an account.
    private func forget(_ address: JID, _ draft: inout KeyDraft) async throws(ProtectionError) {
        state.withLock { _ = $0.settled.remove(address) }
        let keys = KnownKey.prefix(address)
        for name in try await draft.values(beginningWith: keys).keys {
            draft.removeKey(String(name.dropFirst(keys.count)), of: address)
        }
        for name in try await sessions(of: address, draft).keys {
            draft.write(name, nil)
            draft.write(OwedMessage.prefix + name.dropFirst(SessionShelf.prefix.count), nil)
        }
        draft.write(ConversationEncryption.name(ConversationAddress(address, kind: .direct)), nil)
    }

    /// Makes room for a session with a new device. The devices of an account are bounded, and a sender can write any
    /// device id.
    ///
    /// - Throws: with `tooManyDevices` if the account announces all of those that have a session.
    func makeRoom(for device: PeerDevice, _ draft: inout KeyDraft) async throws(ProtectionError) {
        let prefix = SessionShelf.prefix(device.generation, device.address)
        let names = try await draft.values(beginningWith: prefix).keys
        guard names.count >= EncryptionLimits.devices, !names.contains(SessionShelf.name(device)) else { return }
        let directory = state.withLock { $0.directory }
        for name in names.sorted() {
            guard let id = OMEMODevice(String(name.dropFirst(prefix.count))) else { continue }
            let other = PeerDevice(generation: device.generation, address: device.address, device: id)
            if await directory?.announces(other) == true { continue }
            return draft.write(name, nil)
        }
        throw ProtectionError(.tooManyDevices, "The account has sessions with too many devices.")
    }
}
