import ChatStore
import MessageSemantics
import XMPPAddress
import XMPPStream

extension MemoryTransaction {
    func rowSizes(of conversation: ConversationID, onlyWaiting: Bool) throws(StoreError) -> [RowSize] {
        var records = state.waiting.filter { $0.key.conversation == conversation }.values.joined()
            .compactMap { state.records[$0] }
        if !onlyWaiting {
            for position in state.conversations[conversation]?.timeline ?? [] {
                records += [position.id].compactMap { state.records[$0] }
                records += (state.annotations[position.id] ?? []).compactMap { state.records[$0] }
            }
        }
        return records.sorted { $0.position > $1.position }.map { RowSize(id: $0.id, bytes: size(of: $0)) }
    }

    private func size(of record: MessageRecord) -> Int {
        let texts = [record.body, record.subject, record.thread, record.storedLink].reduce(0) {
            $0 + ($1?.utf8.count ?? 0)
        }
        return (state.attachments[record.id] ?? []).reduce(texts) { sum, attachment in
            sum + (attachment.thumbnail?.count ?? 0) + (attachment.url?.utf8.count ?? 0)
                + (attachment.name?.utf8.count ?? 0)
        }
    }

    func isStranger(_ conversation: ConversationID) throws(StoreError) -> Bool {
        guard let row = state.conversations[conversation], row.key.kind != .room, !row.settings.isPinned,
            row.draft == nil
        else { return false }
        let account = row.key.account
        if row.key.kind == .direct, state.contacts[.init(account: account, address: row.key.address)] != nil {
            return false
        }
        guard
            state.accounts[account]?.rosterVersion != nil
                || state.contacts.keys.contains(where: { $0.account == account })
        else { return false }
        return try !hasWritten(in: conversation)
    }

    func strangers(of account: AccountID) throws(StoreError) -> [ConversationID] {
        var found: [(id: ConversationID, time: Int64)] = []
        for (id, row) in state.conversations where row.key.account == account {
            guard try isStranger(id) else { continue }
            found.append((id, row.newestOrderTime?.millisecondsSince1970 ?? 0))
        }
        return found.sorted { ($0.time, $0.id.rawValue) > ($1.time, $1.id.rawValue) }.map(\.id)
    }
}
