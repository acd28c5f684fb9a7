internal import AccountRegistration
public import ChatStore
internal import EntityInformation
internal import Roster
public import XMPPAddress
public import XMPPClient
internal import XMPPStanzas

/// The contact list of one account, with presence and contact requests.
public final actor ContactService {
    private let context: AccountContext
    /// The last roster entries, to detect changes that need a write.
    private var saved: [JID: StoredContact] = [:]
    /// The contacts that have not answered our request yet.
    private var asked: Set<JID> = []
    /// The requests pending when the program last ended; `nil` until they are read.
    private var earlierRequests: Set<JID>?
    /// The presence by bare address; a missing contact is offline.
    public private(set) var presences: [JID: ContactPresence] = [:]
    /// The contact requests, oldest first.
    public private(set) var requests: [ContactRequest] = []

    init(_ context: AccountContext) { self.context = context }

    var session: Session? { context.session }

    private func roster() throws(ClientError) -> Roster {
        guard let roster = context.session?[Roster.self] else { throw .notConnected }
        return roster
    }

    // MARK: Commands

    /// Adds a contact with a name, and sends a contact request.
    ///
    /// - Parameter message: the message of the request.
    public func add(
        _ address: JID, name: String? = nil, message: String? = nil
    ) async throws(ClientError) -> ContactAddition {
        switch try await roster().add(address, name: name, message: message) {
        case .requested: return .requested
        case .alreadyContact: return .alreadyContact
        }
    }

    /// Sends a contact request with the token of the user's invitation (XEP-0379 §4).
    package func acceptInvitation(of contact: JID, token: String?) async {
        guard let session = context.session else { return }
        if let token {
            _ = try? await session.send(
                Presence(type: .subscribe, to: contact).appending(Preauthentication(token: token)))
        }
        _ = try? await add(contact)
    }

    /// Creates an invitation with which others become contacts (XEP-0401 §4.1); `nil` if the server gives none.
    public func createInvitation() async -> IssuedInvitation? {
        guard let session = await context.onlineSession,
            let invitation = try? await session.makeInvitation(to: .contact)
        else { return nil }
        return IssuedInvitation(
            uri: invitation.uri.description, page: invitation.landingPage, of: context.address)
    }

    /// Sends a contact request again.
    public func askAgain(_ address: JID) async throws(ClientError) { try await roster().askAgain(address) }

    /// Renames a contact; `nil` removes the name.
    public func rename(_ address: JID, to name: String?) async throws(ClientError) {
        try await roster().rename(address, to: name)
    }

    /// Sets the groups of a contact.
    public func move(_ address: JID, to groups: Set<String>) async throws(ClientError) {
        try await roster().move(address, to: groups)
    }

    /// Removes a contact and both subscriptions; messages are kept.
    public func remove(_ address: JID) async throws(ClientError) { try await roster().remove(address) }

    /// Accepts a contact request.
    public func acceptRequest(of address: JID, addingBack: Bool = true) async throws(ClientError) {
        let greeting = requests.first { $0.address == address.bare }?.text
        try await roster().accept(address, addingBack: addingBack)
        await forgetRequest(of: address)
        if let greeting, !greeting.allSatisfy(\.isWhitespace) { await keep(greeting, of: address.bare) }
    }

    /// Stores the message of an accepted request as the first message of the conversation, unless it was sent as one, too.
    private func keep(_ greeting: String, of address: JID) async {
        let key = ConversationKey(account: context.id, address: address, kind: .direct)
        let time = context.now()
        await context.save { writer throws(StoreError) in
            if let id = try writer.conversation(key) {
                let known = try writer.timeline(of: id, .newest, limit: Self.greetingSearch)
                if known.contains(where: { !$0.isOutgoing && $0.text.body == greeting }) { return }
            }
            _ = try writer.receive(
                MessageCopy(
                    route: .live, sender: address, originID: "request-\(time.millisecondsSince1970)", time: time,
                    content: .text(MessageText(greeting))), in: key)
        }
    }

    /// The number of messages among which a greeting is looked for: a stranger has hardly written more.
    private static let greetingSearch = 50

    /// Declines a contact request.
    public func declineRequest(of address: JID) async throws(ClientError) {
        try await roster().reject(address)
        await forgetRequest(of: address)
    }

    /// The available devices of a contact, by priority.
    public func devices(of address: JID) async -> [ContactDevice] {
        guard let contact = await context.session?[Roster.self]?.contact(address.bare) else { return [] }
        return contact.resources.map { ContactDevice($0.key, $0.value) }.sorted { left, right in
            if left.priority != right.priority { return left.priority > right.priority }
            if left.availability != right.availability { return left.availability < right.availability }
            return left.address < right.address
        }
    }

    /// When the last device of a contact went offline, as its server says (XEP-0012); `nil` if it does not say, if the
    /// contact is online or if the account is not connected.
    public func lastSeen(of address: JID) async -> MessageTime? {
        guard let session = context.session, presences[address.bare] == nil,
            let answer = try? await session.lastActivity(of: address.bare)
        else { return nil }
        let now = context.now()
        return MessageTime(millisecondsSince1970: now.millisecondsSince1970 - Int64(answer.seconds) * 1000)
    }

    // MARK: Requests

    /// Reads the requests that were pending when the program last ended.
    func recallRequests() async {
        if earlierRequests == nil { earlierRequests = await context.recorder.rememberedRequests() }
    }

    func forgetRequest(of address: JID) async {
        requests.removeAll { $0.address == address.bare }
        earlierRequests?.remove(address.bare)
        context.events.post(.requests)
        let id = context.id
        await context.save { writer throws(StoreError) in
            try writer.removePresence(.request, of: address.bare, account: id)
        }
    }

    // MARK: Roster events

    func changed(_ events: [RosterEvent]) async {
        var changes = Changes()
        for event in events {
            switch event {
            // Reported as answers.
            case .approved, .refused: break
            default: await context.hearing?.report(.contact(event))
            }
            switch event {
            case .populated: await populated()
            case .changed(let contact):
                await changed(StoredContact(contact.item), in: &changes)
                setPresence(contact)
            case .removed(let address):
                saved[address] = nil
                asked.remove(address)
                context.recorder.people.setContact(address, nil)
                changes.remove(address)
                if presences.removeValue(forKey: address) != nil { context.events.post(.presence(address)) }
            case .request(let address, let text):
                requests.removeAll { $0.address == address }
                let isRepeated = earlierRequests?.contains(address) ?? false
                requests.append(ContactRequest(address: address, text: text, isRepeated: isRepeated))
                context.events.post(.requests)
            case .requestsOmitted(let count):
                context.events.post(.problem(.requestsOmitted(count)))
            case .unsubscribed(let address): await forgetRequest(of: address)
            case .approved(let address):
                if asked.remove(address.bare) != nil { await answered(.accepted, by: address.bare) }
            case .refused(let address):
                if asked.remove(address.bare) != nil {
                    await answered(.declined, by: address.bare)
                } else if saved[address.bare] != nil {
                    await answered(.ended, by: address.bare)
                }
            case .populating, .item: break
            }
        }
        guard !changes.isEmpty else { return }
        let (id, all) = (context.id, changes)
        await context.save { writer throws(StoreError) in
            for contact in all.saved { try writer.save(contact, of: id) }
            for address in all.removed { try writer.removeContact(address, of: id) }
        }
    }

    private func answered(_ answer: ContactAnswer, by address: JID) async {
        let (id, notice) = (context.id, answer.notice(of: address, at: context.now()))
        await context.save { writer throws(StoreError) in try writer.note(notice, of: id) }
        context.events.post(.answer(answer, of: address))
        await context.hearing?.report(.answer(answer, of: address))
    }

    private struct Changes {
        private(set) var saved: [StoredContact] = []
        private(set) var removed: [JID] = []
        var isEmpty: Bool { saved.isEmpty && removed.isEmpty }

        mutating func save(_ contact: StoredContact) {
            saved.removeAll { $0.address == contact.address }
            removed.removeAll { $0 == contact.address }
            saved.append(contact)
        }

        mutating func remove(_ address: JID) {
            saved.removeAll { $0.address == address }
            removed.append(address)
        }
    }

    private func changed(_ contact: StoredContact, in changes: inout Changes) async {
        context.recorder.people.setContact(contact.address, contact.subscription)
        // The answer comes after the change of the list.
        if contact.isPending { asked.insert(contact.address) }
        let before = saved[contact.address]
        guard before != contact else { return }
        saved[contact.address] = contact
        changes.save(contact)
        // The request was accepted automatically: a contact that this account has asked may ask back.
        if contact.subscription.isMutualOrFrom, before?.subscription.isMutualOrFrom != true {
            await forgetRequest(of: contact.address)
        }
    }

    private func populated() async {
        guard let roster = context.session?[Roster.self] else { return }
        let (items, version) = (await roster.allItems, await roster.version)
        let contacts = items.map { StoredContact($0) }
        let accepted = await context.store.acceptedRequests(of: context.id, among: contacts)
        context.recorder.people.replaceContacts(contacts)
        saved = Dictionary(contacts.map { ($0.address, $0) }, uniquingKeysWith: { _, last in last })
        asked = Set(contacts.filter(\.isPending).map(\.address))
        for contact in await roster.contacts { setPresence(contact) }
        for request in requests where saved[request.address]?.subscription.isMutualOrFrom == true {
            await forgetRequest(of: request.address)
        }
        let id = context.id
        await context.save { writer throws(StoreError) in
            try writer.replaceContacts(contacts, version: version, of: id)
        }
        for address in accepted { await answered(.accepted, by: address) }
    }

    // MARK: Presence

    private func setPresence(_ contact: Contact) {
        let presence = contact.resources.isEmpty ? nil : ContactPresence(contact)
        guard presences[contact.address] != presence else { return }
        presences[contact.address] = presence
        context.events.post(.presence(contact.address))
    }

    /// The server sends presence once per session; after a resumption it is restored from the roster.
    func showPresences(in session: Session) async {
        guard let roster = session[Roster.self] else { return }
        for contact in await roster.contacts { setPresence(contact) }
    }

    /// Without a connection no presence is known.
    func wentOffline() {
        let here = presences.keys
        presences = [:]
        for address in here { context.events.post(.presence(address)) }
    }
}

extension StoredContact {
    init(_ item: RosterItem) {
        let subscription: Subscription =
            switch item.subscription {
            case .to: .to
            case .from: .from
            case .both: .both
            case .none, .remove: .none
            }
        self.init(
            address: item.address, name: item.name, subscription: subscription, isPending: item.isPending,
            isApproved: item.isPreapproved, groups: item.groups.sorted())
    }
}

extension StoredContact.Subscription {
    /// The contact sees this account's presence.
    var isMutualOrFrom: Bool { self == .both || self == .from }
}
