internal import ChatStore
internal import Localization
internal import XMPPAddress

/// Finds accounts and conversations in a store, and the names under which a person knows the others.
enum ConversationFinder {
    /// The account of that address, or the only one that is there.
    static func account(_ address: JID?, in store: any StoreReader) throws(StoreError) -> Account? {
        if let address { return try store.account(address.bare) }
        let accounts = try store.accounts()
        return accounts.count == 1 ? accounts.first : nil
    }

    /// The conversation with an address: with the occupant of a room where the address is a full one, with the room where
    /// there is one, with a person otherwise.
    static func conversation(
        with address: JID, of account: AccountID, in store: any StoreReader
    ) throws(StoreError) -> (id: ConversationID, key: ConversationKey)? {
        for kind in [ConversationKey.Kind.occupant, .room, .direct] where kind != .occupant || !address.isBare {
            let key = ConversationKey(account: account, address: address, kind: kind)
            if let id = try store.conversation(key) { return (id, key) }
        }
        return nil
    }

    /// The names that a person gave to contacts and rooms.
    static func names(of account: AccountID, in store: any StoreReader) throws(StoreError) -> [JID: String] {
        var names: [JID: String] = [:]
        for contact in try store.contacts(of: account) { names[contact.address] = contact.name }
        for room in try store.rooms(of: account) { names[room.address] = room.name }
        return names
    }
}

extension StoredMessage {
    /// Who says it, for a person.
    func author(in kind: ConversationKey.Kind, names: [JID: String]) -> String {
        if isOutgoing { return localized("me") }
        switch kind {
        case .room, .occupant: return sender.resource ?? names[sender] ?? sender.description
        case .direct: return names[sender.bare] ?? sender.bare.description
        }
    }
}
