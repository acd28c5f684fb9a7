internal import ChatStore
internal import Synchronization
internal import XMPPAddress

/// What the encryption of one account remembers: the records of the store, and those on top that will be stored with
/// their message.
final class KeyMemory: Sendable {
    private let store: any LocalStore
    private let account: AccountID
    private struct State {
        /// Not stored yet, the newest last.
        var changes: [ProtectionChange] = []
        /// Changes that were stored or given up so far.
        var removals: UInt64 = 0
        /// Gives each change its turn; `nil` until the account is at work.
        var protector: MessageProtector?
    }

    private let state = Mutex(State())

    init(store: any LocalStore, account: AccountID) {
        self.store = store
        self.account = account
    }

    func value(_ name: String) async throws(ProtectionError) -> [UInt8]? {
        let record = state.withLock { state -> ProtectionChange.Record? in
            for change in state.changes.reversed() {
                if let record = change.records.first(where: { $0.name == name }) { return record }
            }
            return nil
        }
        if let record { return record.value }
        return try await stored(beginningWith: name).first { $0.name == name }?.value
    }

    func values(beginningWith prefix: String) async throws(ProtectionError) -> [String: [UInt8]] {
        while true {
            let (changes, removals) = state.withLock { ($0.changes, $0.removals) }
            var values: [String: [UInt8]] = [:]
            for record in try await stored(beginningWith: prefix) { values[record.name] = record.value }
            // A change that is stored meanwhile can be older than what was read.
            guard state.withLock({ $0.removals }) == removals else { continue }
            for change in changes {
                for record in change.records where record.name.hasPrefix(prefix) { values[record.name] = record.value }
            }
            return values
        }
    }

    private func stored(beginningWith prefix: String) async throws(ProtectionError) -> [ProtectionChange.Record] {
        let account = account
        do throws(StoreError) {
            return try await store.read { reader throws(StoreError) in
                try reader.protectionRecords(of: account, beginningWith: prefix)
            }
        } catch {
            throw ProtectionError(.ownKeys, "The keys cannot be read.", isTemporary: true, cause: error)
        }
    }

    /// Stores a change that belongs to no message. Only where no step of a message can come between.
    func save(_ draft: consuming KeyDraft) async throws(ProtectionError) {
        guard let change = draft.finish() else { return }
        defer { remove(change) }
        let account = account
        do throws(StoreError) {
            try await store.write { writer throws(StoreError) in try writer.save(change, of: account) }
        } catch {
            throw ProtectionError(.ownKeys, "The keys cannot be stored.", isTemporary: true, cause: error)
        }
    }

    func isAtWork(in protector: MessageProtector) { state.withLock { $0.protector = protector } }

    /// Changes the records between two messages.
    ///
    /// - Parameter storing: changes messages in the same transaction.
    func change<Result: Sendable>(
        _ body: @escaping @Sendable (inout KeyDraft) async throws(ProtectionError) -> Result,
        storing: @escaping @Sendable (any StoreWriter, Result) throws(StoreError) -> Void = { _, _ in }
    ) async throws -> Result {
        guard let protector = state.withLock({ $0.protector }) else {
            throw ProtectionError(.ownKeys, "The account is not at work.", isTemporary: true)
        }
        var step = ProtectionStep(protector)
        let result = try await step.perform { () async throws(ProtectionError) in
            var draft = KeyDraft(self)
            let result = try await body(&draft)
            return (result, draft.finish())
        }
        try await step.store(of: account, in: store) { writer throws(StoreError) in try storing(writer, result) }
        return result
    }

    func add(_ change: ProtectionChange) { state.withLock { $0.changes.append(change) } }

    /// The change is in the store, or will never be.
    func remove(_ change: ProtectionChange) {
        state.withLock { state in
            guard let index = state.changes.firstIndex(of: change) else { return }
            state.changes.remove(at: index)
            state.removals += 1
        }
    }
}

/// What one message changes of the memory. Nothing of it counts before ``finish()``.
struct KeyDraft: Sendable {
    private let memory: KeyMemory
    private var written: [String: [UInt8]?] = [:]
    private var notices: [ConversationNotice] = []

    init(_ memory: KeyMemory) { self.memory = memory }

    func value(_ name: String) async throws(ProtectionError) -> [UInt8]? {
        if let known = written[name] { return known }
        return try await memory.value(name)
    }

    func values(beginningWith prefix: String) async throws(ProtectionError) -> [String: [UInt8]] {
        var values = try await memory.values(beginningWith: prefix)
        for (name, value) in written where name.hasPrefix(prefix) { values[name] = value }
        return values
    }

    /// Whether something under names with that beginning changes.
    func changes(_ prefix: String) -> Bool { written.keys.contains { $0.hasPrefix(prefix) } }

    mutating func write(_ name: String, _ value: [UInt8]?) { written.updateValue(value, forKey: name) }

    /// What the person should see in a conversation.
    mutating func note(_ notice: ConversationNotice) { notices.append(notice) }

    /// The change, which counts from now on until it is stored or discarded; `nil` if there is none.
    consuming func finish() -> ProtectionChange? {
        guard !written.isEmpty || !notices.isEmpty else { return nil }
        let records = written.sorted { $0.key < $1.key }.map { ProtectionChange.Record($0.key, $0.value) }
        let change = ProtectionChange(records, notices: notices)
        memory.add(change)
        return change
    }
}

extension KeyDraft {
    /// The keys that are known of an account, by fingerprint.
    func knownKeys(of address: JID) async throws(ProtectionError) -> [String: KnownKey] {
        let prefix = KnownKey.prefix(address)
        var keys: [String: KnownKey] = [:]
        for (name, record) in try await values(beginningWith: prefix) {
            keys[String(name.dropFirst(prefix.count))] = try KnownKey(record)
        }
        return keys
    }

    /// Writes what is known of a key, also in the index by fingerprint.
    mutating func write(_ known: KnownKey, _ fingerprint: String, of address: JID) {
        write(KnownKey.name(fingerprint, of: address), known.record)
        write("\(KnownKey.ownerPrefix(fingerprint))\(address)", [known.claim.rawValue])
    }

    mutating func removeKey(_ fingerprint: String, of address: JID) {
        write(KnownKey.name(fingerprint, of: address), nil)
        write("\(KnownKey.ownerPrefix(fingerprint))\(address)", nil)
    }
}
