internal import Automation
internal import ChatEngine
internal import ChatModel
internal import Glibc
internal import JSONRPC
internal import Localization
internal import Roster
internal import ServiceDiscovery
internal import TerminalApp
internal import UserProfile
internal import XMPPAddress
internal import XMPPClient
internal import XMPPStanzas

extension Command {
    static let roster = Command(
        name: "roster", summary: "list the contacts: online, away, offline",
        options: [.init("all", "also those without a subscription")]
    ) { invocation in
        try invocation.requireNoArguments()
        try await invocation.withRoster { roster, _ in
            var contacts = await roster.contacts
            if invocation.options.has("all") {
                let shown = Set(contacts.map(\.address))
                contacts += await roster.allItems.filter { !shown.contains($0.address) }.map { Contact(item: $0) }
            }
            let requests = await roster.requests
            if contacts.isEmpty, requests.isEmpty {
                invocation.showText(localized("No contacts yet; `hongyan add ADDRESS` adds one."))
            }
            for contact in contacts { invocation.show(ContactLine.text(contact), json: ContactLine.json(contact)) }
            for address in requests {
                invocation.show(
                    localized("%@ wants to add you; `hongyan accept` or `hongyan reject`.", address),
                    json: ["event": "request", "address": .text(address)])
            }
        }
    }

    static let add = Command(
        name: "add", synopsis: "ADDRESS", summary: "add a contact",
        options: [
            .init("name", value: "NAME", "the name of the contact in the list"),
            .init("group", value: "GROUP", "put the contact into this group"),
        ]
    ) { invocation in
        let text = try invocation.onlyArgument()
        try await invocation.withRoster { roster, signIn in
            let address = try signIn.address.partner(text).bare
            let groups = invocation.options["group"].map { [$0] } ?? []
            switch try await roster.add(address, name: invocation.options["name"], groups: Set(groups)) {
            case .alreadyContact:
                invocation.show(
                    localized("%@ is already a contact; nothing was sent.", address),
                    json: ["event": "already-friend", "address": .text(address)])
            case .requested:
                invocation.show(
                    localized("Request sent to %@; `hongyan roster` shows the response.", address),
                    json: ["event": "requested", "address": .text(address)])
            }
        }
    }

    static let accept = Command(
        name: "accept", synopsis: "ADDRESS", summary: "accept a contact request, and send one in return",
        options: [
            .init("name", value: "NAME", "the name of the contact in the list"),
            .init("no-add-back", "only accept: send no request in return"),
        ]
    ) { invocation in
        let text = try invocation.onlyArgument()
        try await invocation.withRoster { roster, signIn in
            let address = try await pendingRequest(text, roster, signIn)
            try await roster.accept(
                address, addingBack: !invocation.options.has("no-add-back"), name: invocation.options["name"])
            invocation.show(
                localized("%@ is accepted.", address), json: ["event": "accepted", "address": .text(address)])
        }
    }

    static let reject = Command(
        name: "reject", synopsis: "ADDRESS", summary: "decline a contact request"
    ) { invocation in
        let text = try invocation.onlyArgument()
        try await invocation.withRoster { roster, signIn in
            let address = try await pendingRequest(text, roster, signIn)
            try await roster.reject(address)
            invocation.show(
                localized("%@ is refused.", address), json: ["event": "rejected", "address": .text(address)])
        }
    }

    static let remove = Command(
        name: "remove", synopsis: "ADDRESS", summary: "remove a contact, on both sides",
        options: [.init("yes", letter: "y", "do not ask for confirmation")]
    ) { invocation in
        let text = try invocation.onlyArgument()
        try await invocation.withRoster { roster, signIn in
            let address = try signIn.address.partner(text).bare
            guard await roster.contact(address) != nil else {
                throw CommandError.failed(localized("%@ is not one of your contacts; nothing was sent.", address))
            }
            if !invocation.options.has("yes") { try await confirmRemoval(of: address) }
            try await roster.remove(address)
            invocation.show(
                localized("%@ is removed.", address), json: ["event": "removed", "address": .text(address)])
        }
    }

    private static func pendingRequest(
        _ text: String, _ roster: Roster, _ signIn: SignIn
    ) async throws(CommandError) -> JID {
        let address = try signIn.address.partner(text).bare
        guard await roster.requests.contains(address) else {
            throw .failed(localized("There is no contact request from %@.", address))
        }
        return address
    }

    private static func confirmRemoval(of address: JID) async throws(CommandError) {
        guard isatty(STDIN_FILENO) == 1 else {
            throw .usage(localized("Without a terminal, use --yes to remove %@.", address))
        }
        let prompt = localized("Remove %@? You will no longer see each other's presence (yes/no). ", address)
        guard Wording.isYes(await onOwnThread { TerminalMode.readLine(prompt: prompt) } ?? "") else {
            throw .failed(localized("Nothing was removed."))
        }
    }
}

extension Invocation {
    func onlyArgument() throws(CommandError) -> String {
        guard let first = arguments.first, arguments.count == 1 else {
            throw .usage(localized("Give one address."))
        }
        guard !first.trimmed.isEmpty else { throw .usage(localized("The address may not be empty.")) }
        return first
    }

    /// Signs in briefly and waits until the contacts, their presence and open requests are known.
    fileprivate func withRoster(_ body: (Roster, SignIn) async throws -> Void) async throws {
        try await withContacts({ _ in }) { session, signIn in
            try await body(session.extensionInUse(Roster.self), signIn)
        }
    }

    /// The same with more extensions.
    func withContacts(
        _ extend: (inout ClientConfiguration) -> Void, _ body: (Session, SignIn) async throws -> Void
    ) async throws {
        let signIn = try await SignIn(connection)
        var policy = RosterPolicy()
        policy.acceptsKnownRequests = false
        var configuration = signIn.configuration(accepting: policy)
        extend(&configuration)
        try await signIn.run(configuration) { session in
            try await session.announceWithoutMessages()
            try await session.settle()
            try await body(session, signIn)
            try await session.settle()
        }
    }
}

extension Session {
    /// The node of the stored messages (XEP-0013 §2.2).
    private static let storedMessages = "http://jabber.org/protocol/offline"

    /// Becomes available for contact requests and presence, but not for messages.
    ///
    /// The priority is negative, so that messages for a real session do not arrive here (RFC 6121 §8.5.2.1). Some servers, such as
    /// ejabberd, send the open contact requests only once the priority is not negative. It is zero for a moment where the
    /// server leaves its stored messages alone after a question about them.
    fileprivate func announceWithoutMessages() async throws {
        if let own = address?.bare, let discovery = self[ServiceDiscovery.self],
            let features = try? await discovery.information(of: own).features, features.contains(Self.storedMessages),
            (try? await discovery.information(of: own, node: Self.storedMessages)) != nil
        {
            try await send(Presence())
        }
        try await send(Presence(priority: -1))
    }
}

/// A contact as one line, and as JSON.
enum ContactLine {
    /// `nurse@example.org | both | away: back at six`.
    static func text(_ contact: Contact) -> String {
        var line = contact.item.address.description
        if let name = contact.item.name, !name.isEmpty { line = TerminalText.harmless(name) + " <\(line)>" }
        line += " | \(subscription(contact.item)) | \(Wording.presence(contact.section.inLists))"
        if let status = contact.status, !status.isEmpty { line += ": " + TerminalText.harmless(status) }
        return line
    }

    static func json(_ contact: Contact) -> JSONValue {
        .contact(
            contact.item.address, name: contact.item.name, subscription: contact.item.subscription.rawValue,
            isPending: contact.item.isPending, groups: contact.item.groups, contact.section.inLists,
            status: contact.status)
    }

    static func subscription(_ item: RosterItem) -> String {
        PresenceText.subscription(item.subscription.rawValue, isPending: item.isPending)
    }
}

extension Contact.Section {
    fileprivate var inLists: ContactPresence.Section {
        switch self {
        case .online: .online
        case .away: .away
        case .offline: .offline
        }
    }
}
