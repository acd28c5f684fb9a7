internal import ChatStore
internal import Localization
internal import Roster
public import XMPPAddress
public import XMPPClient

extension ChatAccount {
    /// Adds somebody under a name of one's own, and asks to see the presence.
    ///
    /// - Parameter message: what is said with the request.
    public func addContact(
        _ address: JID, name: String? = nil, message: String? = nil
    ) async throws(ClientError) -> ContactAddition {
        switch try await roster().add(address, name: name, message: message) {
        case .requested: return .requested
        case .alreadyContact: return .alreadyContact
        }
    }

    /// Asks a contact once more to see the presence.
    public func askContactAgain(_ address: JID) async throws(ClientError) {
        try await roster().askAgain(address)
    }

    /// Gives a contact another name; `nil` takes it away.
    public func renameContact(_ address: JID, to name: String?) async throws(ClientError) {
        try await roster().rename(address, to: name)
    }

    /// Puts a contact into these groups of one's own and into no others.
    public func moveContact(_ address: JID, to groups: Set<String>) async throws(ClientError) {
        try await roster().move(address, to: groups)
    }

    /// Removes somebody from the list; neither sees the other any more. What was said stays.
    public func removeContact(_ address: JID) async throws(ClientError) {
        try await roster().remove(address)
    }

    /// Lets somebody see this account's presence.
    public func acceptRequest(of address: JID, addingBack: Bool = true) async throws(ClientError) {
        try await roster().accept(address, addingBack: addingBack)
        await forgetRequest(of: address)
    }

    /// Does not let somebody see this account's presence.
    public func declineRequest(of address: JID) async throws(ClientError) {
        try await roster().reject(address)
        await forgetRequest(of: address)
    }

    private func roster() throws(ClientError) -> Roster {
        guard let roster = session?[Roster.self] else { throw .notConnected }
        return roster
    }

    func forgetRequest(of address: JID) async {
        contactRequests.removeAll { $0.address == address.bare }
        earlierRequests?.remove(address.bare)
        channel.post(.requests)
        let id = id
        await keep { writer throws(StoreError) in
            try writer.removePresence(.request, of: address.bare, account: id)
        }
    }

    // MARK: What the roster tells

    func rosterChanged(_ events: [RosterEvent]) async {
        var saved: [ChatStore.Contact] = []
        var removed: [JID] = []
        for event in events {
            switch event {
            case .populated: await rosterPopulated()
            case .changed(let contact):
                let kept = ChatStore.Contact(contact.item)
                recorder.people.setContact(kept.address, kept.subscription)
                let before = keptContacts[kept.address]
                if before != kept {
                    keptContacts[kept.address] = kept
                    // A yes without the person: whoever this account has asked may ask back.
                    if kept.subscription.isMutualOrFrom, before?.subscription.isMutualOrFrom != true {
                        await forgetRequest(of: kept.address)
                    }
                    saved.removeAll { $0.address == kept.address }
                    removed.removeAll { $0 == kept.address }
                    saved.append(kept)
                }
                setPresence(contact)
            case .removed(let address):
                keptContacts[address] = nil
                recorder.people.setContact(address, nil)
                saved.removeAll { $0.address == address }
                removed.append(address)
                if presences.removeValue(forKey: address) != nil { channel.post(.presence(address)) }
            case .request(let address, let text):
                contactRequests.removeAll { $0.address == address }
                let isRepeated = earlierRequests?.contains(address) ?? false
                contactRequests.append(ContactRequest(address: address, text: text, isRepeated: isRepeated))
                channel.post(.requests)
            case .requestsOmitted(let count):
                channel.post(
                    .problem(
                        localized("There are too many contact requests: %@ are not shown.", String(count))))
            case .unsubscribed(let address): await forgetRequest(of: address)
            case .populating, .item, .approved, .refused: break
            }
        }
        guard !saved.isEmpty || !removed.isEmpty else { return }
        let (id, changed, gone) = (id, saved, removed)
        await keep { writer throws(StoreError) in
            for contact in changed { try writer.save(contact, of: id) }
            for address in gone { try writer.removeContact(address, of: id) }
        }
    }

    private func rosterPopulated() async {
        guard let roster = session?[Roster.self] else { return }
        let (items, version) = (await roster.allItems, await roster.version)
        let contacts = items.map { ChatStore.Contact($0) }
        recorder.people.replaceContacts(contacts)
        keptContacts = Dictionary(contacts.map { ($0.address, $0) }, uniquingKeysWith: { _, last in last })
        for contact in await roster.contacts { setPresence(contact) }
        for request in contactRequests where keptContacts[request.address]?.subscription.isMutualOrFrom == true {
            await forgetRequest(of: request.address)
        }
        let id = id
        await keep { writer throws(StoreError) in
            try writer.replaceContacts(contacts, version: version, of: id)
        }
    }

    func setPresence(_ contact: RosterContact) {
        let presence = contact.resources.isEmpty ? nil : ContactPresence(contact)
        guard presences[contact.address] != presence else { return }
        presences[contact.address] = presence
        channel.post(.presence(contact.address))
    }

    /// Writes what nobody waits for; what goes wrong is told.
    func keep(_ body: @escaping @Sendable (any StoreWriter) throws(StoreError) -> Void) async {
        do throws(StoreError) {
            try await store.write(body)
        } catch {
            channel.post(.problem(error.description))
        }
    }
}
