import ChatStore
import MessageSemantics
import XMPPAddress
import XMPPStream

extension MemoryTransaction {
    private func require(_ account: AccountID) throws(StoreError) {
        if state.accounts[account] == nil { throw StoreError(.invalidRequest, "There is no such account.") }
    }

    // MARK: Accounts and people

    func accounts() throws(StoreError) -> [Account] { state.accounts.values.sorted { $0.id < $1.id } }

    func account(_ address: JID) throws(StoreError) -> Account? {
        state.accounts.values.first { $0.address == address.bare }
    }

    func addAccount(_ address: JID) throws(StoreError) -> AccountID {
        if let known = try account(address) { return known.id }
        state.lastAccount += 1
        let id = AccountID(rawValue: state.lastAccount)
        state.accounts[id] = Account(
            id: id, address: address.bare, isEnabled: true, displayName: nil, rosterVersion: nil)
        changes.accounts.insert(id)
        return id
    }

    func update(_ account: Account) throws(StoreError) {
        try require(account.id)
        state.accounts[account.id] = account
        changes.accounts.insert(account.id)
    }

    func noteOnline(_ account: AccountID, at time: MessageTime) throws(StoreError) {
        let known = state.accounts[account]?.lastOnline ?? time
        state.accounts[account]?.lastOnline = max(time, known)
    }

    func removeAccount(_ account: AccountID) throws(StoreError) {
        for (conversation, row) in state.conversations where row.key.account == account {
            try removeConversation(conversation)
        }
        if let address = state.accounts[account]?.address { events.note(.accountRemoved, address, of: account) }
        state.accounts[account] = nil
        state.sessions[account] = nil
        state.presences[account] = nil
        state.protectionRecords[account] = nil
        state.contacts = state.contacts.filter { $0.key.account != account }
        state.rooms = state.rooms.filter { $0.key.account != account }
        state.avatars = state.avatars.filter { $0.key.account != account }
        state.publishedNames = state.publishedNames.filter { $0.key.account != account }
        state.intervals = state.intervals.filter { $0.key.account != account }
        changes.accounts.insert(account)
    }

    // MARK: Protection

    func protectionRecords(
        of account: AccountID, beginningWith prefix: String
    ) throws(StoreError) -> [ProtectionChange.Record] {
        (state.protectionRecords[account] ?? [:]).filter { $0.key.hasPrefix(prefix) }.sorted { $0.key < $1.key }
            .map { ProtectionChange.Record($0.key, $0.value) }
    }

    func save(_ change: ProtectionChange, of account: AccountID) throws(StoreError) {
        try require(account)
        for record in change.records { state.protectionRecords[account, default: [:]][record.name] = record.value }
        try keep(change.notices, of: account)
    }

    func notices(
        of conversation: ConversationID, in times: ClosedRange<MessageTime>
    ) throws(StoreError) -> [StoredNotice] {
        (state.notices[conversation] ?? []).filter { times.contains($0.notice.time) }
    }

    func add(_ notice: ConversationNotice, to conversation: ConversationID, limit: Int) throws(StoreError) {
        state.lastNotice += 1
        var list = state.notices[conversation] ?? []
        list.append(StoredNotice(id: state.lastNotice, notice: notice))
        list.sort { ($0.notice.time, $0.id) < ($1.notice.time, $1.id) }
        state.notices[conversation] = list.suffix(limit)
    }

    // MARK: Contacts

    func contacts(of account: AccountID) throws(StoreError) -> [StoredContact] {
        state.contacts.filter { $0.key.account == account }.values.sorted {
            ($0.name ?? $0.address.description, $0.address) < ($1.name ?? $1.address.description, $1.address)
        }
    }

    func contact(_ address: JID, of account: AccountID) throws(StoreError) -> StoredContact? {
        state.contacts[.init(account: account, address: address.bare)]
    }

    func save(_ contact: StoredContact, of account: AccountID) throws(StoreError) {
        try require(account)
        try recordingContacts(contact.address, of: account) { () throws(StoreError) in
            state.contacts[.init(account: account, address: contact.address)] = contact
        }
        changes.accounts.insert(account)
    }

    func removeContact(_ address: JID, of account: AccountID) throws(StoreError) {
        try recordingContacts(address, of: account) { () throws(StoreError) in
            state.contacts[.init(account: account, address: address.bare)] = nil
        }
        changes.accounts.insert(account)
    }

    func replaceContacts(_ contacts: [StoredContact], version: String?, of account: AccountID) throws(StoreError) {
        try require(account)
        try recordingContacts(of: account) { () throws(StoreError) in
            state.contacts = state.contacts.filter { $0.key.account != account }
            for contact in contacts { try save(contact, of: account) }
        }
        state.accounts[account]?.rosterVersion = version
        changes.accounts.insert(account)
    }

    func rooms(of account: AccountID) throws(StoreError) -> [StoredRoom] {
        state.rooms.filter { $0.key.account == account }.values.sorted {
            ($0.name ?? $0.address.description, $0.address) < ($1.name ?? $1.address.description, $1.address)
        }
    }

    func save(_ room: StoredRoom, of account: AccountID) throws(StoreError) {
        try require(account)
        try recordingRoom(room.address, of: account) { () throws(StoreError) in
            state.rooms[.init(account: account, address: room.address)] = room
        }
        changes.accounts.insert(account)
    }

    func removeRoom(_ address: JID, of account: AccountID) throws(StoreError) {
        try recordingRoom(address, of: account) { () throws(StoreError) in
            state.rooms[.init(account: account, address: address.bare)] = nil
        }
        changes.accounts.insert(account)
    }

    func avatar(of address: JID, account: AccountID) throws(StoreError) -> StoredAvatar? {
        state.avatars[.init(account: account, address: address)]
    }

    func avatarHashes(of account: AccountID) throws(StoreError) -> [JID: String] {
        Dictionary(
            state.avatars.filter { $0.key.account == account }.map { ($0.key.address, $0.value.hash) },
            uniquingKeysWith: { first, _ in first })
    }

    func avatar(hash: String) throws(StoreError) -> StoredAvatar? { state.avatars.values.first { $0.hash == hash } }

    func publishedNames(of account: AccountID) throws(StoreError) -> [JID: String] {
        Dictionary(
            state.publishedNames.filter { $0.key.account == account }.map { ($0.key.address, $0.value) },
            uniquingKeysWith: { first, _ in first })
    }

    func savePublishedName(_ name: String?, of address: JID, account: AccountID) throws(StoreError) {
        try require(account)
        state.publishedNames[.init(account: account, address: address.bare)] = name
        changes.accounts.insert(account)
    }

    func presences(of account: AccountID) throws(StoreError) -> [StoredPresence] {
        (state.presences[account] ?? []).sorted {
            ($0.address.description, $0.kind.rawValue) < ($1.address.description, $1.kind.rawValue)
        }
    }

    func savePresence(_ presence: StoredPresence, of account: AccountID) throws(StoreError) {
        try require(account)
        try recordingRequest(presence, of: account) { () throws(StoreError) in
            state.presences[account, default: []].removeAll {
                $0.kind == presence.kind && $0.address == presence.address
            }
            state.presences[account, default: []].append(presence)
        }
    }

    func removePresence(_ kind: StoredPresence.Kind, of address: JID, account: AccountID) throws(StoreError) {
        state.presences[account]?.removeAll {
            $0.kind == kind && ($0.address == address || address.isBare && $0.address.bare == address)
        }
    }

    func removePresences(_ kind: StoredPresence.Kind, of account: AccountID) throws(StoreError) {
        state.presences[account]?.removeAll { $0.kind == kind }
    }

    func saveAvatar(_ avatar: StoredAvatar?, of address: JID, account: AccountID) throws(StoreError) {
        try require(account)
        state.avatars[.init(account: account, address: address)] = avatar
        changes.accounts.insert(account)
    }

    func capabilities(algorithm: String, hash: String) throws(StoreError) -> [UInt8]? {
        state.capabilities[.init(algorithm: algorithm, hash: hash)]
    }

    func saveCapabilities(_ information: [UInt8], algorithm: String, hash: String) throws(StoreError) {
        state.capabilities[.init(algorithm: algorithm, hash: hash)] = information
    }

    func session(of account: AccountID) throws(StoreError) -> ResumptionState? { state.sessions[account] }

    func saveSession(_ session: ResumptionState?, of account: AccountID) throws(StoreError) {
        try require(account)
        state.sessions[account] = session
    }

    // MARK: Conversations

    func conversation(_ key: ConversationKey) throws(StoreError) -> ConversationID? { state.conversationNumbers[key] }

    func openConversation(_ key: ConversationKey) throws(StoreError) -> ConversationID {
        if let known = state.conversationNumbers[key] { return known }
        try require(key.account)
        state.lastConversation += 1
        let id = ConversationID(rawValue: state.lastConversation)
        state.conversations[id] = MemoryState.ConversationRow(key: key)
        state.conversationNumbers[key] = id
        changes.conversations.insert(id)
        return id
    }

    func update(_ settings: ConversationSettings, of conversation: ConversationID) throws(StoreError) {
        _ = try requireKey(of: conversation)
        state.conversations[conversation]?.settings = settings
        changes.conversations.insert(conversation)
    }

    func setMarkedUnread(_ isMarked: Bool, in conversation: ConversationID) throws(StoreError) {
        guard let row = state.conversations[conversation], row.isMarkedUnread != isMarked else { return }
        state.conversations[conversation]?.isMarkedUnread = isMarked
        changes.conversations.insert(conversation)
    }

    func noteBeginning(of conversation: ConversationID, at time: MessageTime) throws(StoreError) {
        _ = try requireKey(of: conversation)
        state.conversations[conversation]?.begun = time
        changes.conversations.insert(conversation)
    }

    func removeConversation(_ conversation: ConversationID) throws(StoreError) {
        let key = try requireKey(of: conversation)
        for record in state.records.values where record.conversation == conversation { try delete(record) }
        state.marks = state.marks.filter { $0.key.conversation != conversation }
        state.conversations[conversation] = nil
        state.conversationNumbers[key] = nil
        state.notices[conversation] = nil
        changes.messages[conversation] = nil
        changes.conversations.insert(conversation)
        changes.sendQueue = true
        changes.contentsToSend = true
        events.conversationRemoved(conversation, key)
    }

    func draft(in conversation: ConversationID) throws(StoreError) -> Draft? {
        state.conversations[conversation]?.draft
    }

    func saveDraft(_ draft: Draft?, in conversation: ConversationID) throws(StoreError) {
        _ = try requireKey(of: conversation)
        state.conversations[conversation]?.draft = draft
        changes.conversations.insert(conversation)
    }

    func conversations() throws(StoreError) -> [Conversation] {
        var list: [Conversation] = []
        for id in state.conversations.keys {
            if let conversation = try conversation(id), conversation.isListed { list.append(conversation) }
        }
        return list.sorted { left, right in
            if left.settings.isPinned != right.settings.isPinned { return left.settings.isPinned }
            if let isBefore = ConversationSettings.isPinnedBefore(left.settings.pinRank, right.settings.pinRank) {
                return isBefore
            }
            switch (left.place, right.place) {
            case (let left?, let right?): return left > right
            case (_?, nil): return true
            case (nil, _?): return false
            case (nil, nil): return left.id > right.id
            }
        }
    }

    func conversation(_ id: ConversationID) throws(StoreError) -> Conversation? {
        guard let row = state.conversations[id] else { return nil }
        var unread = 0
        for _ in incoming(of: id, after: try readPosition(in: id)).prefix(Conversation.unreadLimit) { unread += 1 }
        return Conversation(
            id: id, key: row.key, settings: row.settings,
            lastMessage: try row.timeline.last.map { position throws(StoreError) in try message(position.id) } ?? nil,
            unreadCount: unread, draft: row.draft, isMarkedUnread: row.isMarkedUnread, begun: row.begun)
    }

    // MARK: Search

    func search(_ request: SearchRequest) throws(StoreError) -> SearchResults {
        let pattern = SearchPattern(request.text)
        guard !pattern.isEmpty, request.limit > 0 else { return SearchResults(messages: [], next: nil) }
        var found: [MessageRecord] = []
        // The anchor of a continued search is the message that the last page ended with.
        let anchor = request.before.flatMap { state.records[$0]?.position }
        for record in state.records.values where record.kind == .text {
            if let wanted = request.conversation, wanted != record.conversation { continue }
            let account = state.conversations[record.conversation]?.key.account
            if let wanted = request.account, wanted != account { continue }
            if let anchor, record.position >= anchor { continue }
            if let text = try searchText(of: record), pattern.matches(text) { found.append(record) }
        }
        found.sort { $0.position > $1.position }
        let page = found.prefix(request.limit)
        return SearchResults(
            messages: try assemble(Array(page)), next: found.count > request.limit ? page.last?.id : nil)
    }
}
