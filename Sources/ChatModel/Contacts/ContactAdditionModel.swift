public import ChatEngine
public import ChatStore
public import Observation
public import XMPPAddress
internal import XMPPClient

/// Adding a contact: checks the typed address at each keystroke.
///
///     let model = ContactAdditionModel(accounts: accounts, store: store)
///     await model.reload()
///     model.text = "romeo"                 // model.check == .new(romeo@capulet.example)
///     let added = await model.submit()
@MainActor
@Observable
public final class ContactAdditionModel {
    /// The result of checking the typed text.
    public enum Check: Sendable, Hashable {
        case empty
        /// Not an address yet.
        case invalid
        /// The user's own address.
        case own
        /// A contact in the list, by its name.
        case alreadyContact(JID, name: String)
        /// A request was sent already; it can be sent again.
        case pending(JID)
        /// The address has sent a contact request; adding it accepts the request.
        case asking(JID)
        case new(JID)

        public var address: JID? {
            switch self {
            case .empty, .invalid, .own: nil
            case .alreadyContact(let address, _), .pending(let address), .asking(let address), .new(let address):
                address
            }
        }

        /// Whether the address can be added.
        public var canBeAdded: Bool {
            switch self {
            case .pending, .asking, .new: true
            case .empty, .invalid, .own, .alreadyContact: false
            }
        }
    }

    /// The addresses of the accounts that a contact can be added to.
    public let accounts: [JID]
    /// The selected account.
    public var accountIndex = 0
    /// The typed text: an address, or a name on the account's own server.
    public var text = ""
    /// The name for the contact; empty for the one from its address.
    public var name = ""
    /// The message sent with the request.
    public var message = ""
    public private(set) var isWorking = false
    /// Why adding failed, as a sentence for the user.
    public private(set) var failure: String?

    @ObservationIgnored private let atWork: [ChatAccount]
    @ObservationIgnored private let store: any LocalStore
    private var contacts: [AccountID: [JID: StoredContact]] = [:]
    private var requests: [AccountID: Set<JID>] = [:]

    /// - Parameter accounts: not empty.
    public init(accounts: [ChatAccount], store: any LocalStore) {
        atWork = accounts
        self.accounts = accounts.map(\.address)
        self.store = store
    }

    private var account: ChatAccount? {
        atWork.indices.contains(accountIndex) ? atWork[accountIndex] : atWork.first
    }

    /// The account that the contact is added to.
    public var accountID: AccountID? { account?.id }

    /// Reads the contacts and the contact requests.
    public func reload() async {
        for account in atWork {
            let id = account.id
            let found = try? await store.read { reader throws(StoreError) in try reader.contacts(of: id) }
            if let found {
                contacts[id] = Dictionary(found.map { ($0.address, $0) }, uniquingKeysWith: { first, _ in first })
            }
            requests[id] = Set(await account.contacts.requests.map(\.address))
        }
    }

    public var check: Check {
        guard let account else { return .empty }
        let address: JID
        do throws(ContactAddress.Refusal) {
            address = try ContactAddress.complete(text, for: account.address)
        } catch {
            switch error {
            case .empty: return .empty
            case .own: return .own
            case .invalid, .alreadyContact: return .invalid
            }
        }
        let contact = contacts[account.id]?[address]
        if let contact, contact.subscription == .to || contact.subscription == .both {
            return .alreadyContact(address, name: contact.name ?? address.unescapedLocal ?? address.description)
        }
        if requests[account.id]?.contains(address) == true { return .asking(address) }
        return contact?.isPending == true ? .pending(address) : .new(address)
    }

    /// Adds the contact. Returns its address on success.
    public func submit() async -> JID? {
        guard let account, !isWorking else { return nil }
        let check = check
        guard check.canBeAdded, let address = check.address else { return nil }
        let (name, message) = (name.trimmingWhitespace, message.trimmingWhitespace)
        isWorking = true
        failure = nil
        defer { isWorking = false }
        do throws(ClientError) {
            switch check {
            case .pending: try await account.contacts.askAgain(address)
            case .asking: try await account.contacts.acceptRequest(of: address)
            case .new, .empty, .invalid, .own, .alreadyContact:
                _ = try await account.contacts.add(
                    address, name: name.isEmpty ? nil : name, message: message.isEmpty ? nil : message)
                if !message.isEmpty { await greet(address, message, account) }
            }
            if !name.isEmpty, check != .new(address) { try await account.contacts.rename(address, to: name) }
            return address
        } catch {
            failure = Wording.failure(error)
            await reload()
            return nil
        }
    }

    /// Many programs do not show the message of a request, so it is also the first message of the conversation.
    private func greet(_ address: JID, _ message: String, _ account: ChatAccount) async {
        let key = ConversationKey(account: account.id, address: address, kind: .direct)
        do throws(StoreError) {
            _ = try await account.send(.text(MessageText(message)), in: key)
        } catch {
            // The contact is added nevertheless.
            failure = Wording.failure(error)
        }
    }
}

/// Turns what a user typed to add a contact into an address.
///
///     try ContactAddress.complete("romeo", for: juliet)                  // romeo@capulet.example
///     try ContactAddress.complete("xmpp:romeo@montague.example", for: juliet)
public enum ContactAddress {
    /// Why an address cannot be added.
    public enum Refusal: Error, Hashable, Sendable {
        case empty
        case invalid(AddressError)
        /// It is the user's own address.
        case own
        /// It is in the contact list already.
        case alreadyContact(JID)
    }

    /// The typed address of any person or occupant: the resource is kept where one is given.
    public static func parse(_ text: String, for account: JID) throws(Refusal) -> JID {
        let typed = trimmed(text[...])
        guard !typed.isEmpty else { throw .empty }
        if typed.utf8.prefix(5).elementsEqual("xmpp:".utf8), let uri = try? XMPPURI(typed), let address = uri.address {
            return address
        }
        // What is typed or pasted by mistake is no name: "bob, it is me" would become an address with escaped blanks.
        if let stray = typed.unicodeScalars.first(where: { $0.properties.isWhitespace || $0 == "," }) {
            throw .invalid(AddressError(.whole, .disallowed(stray)))
        }
        do throws(AddressError) {
            if let at = typed.firstIndex(of: "@"), at > typed.startIndex { return try JID(typed) }
            return try JID(escapingLocal: typed, domain: account.domain)
        } catch {
            throw .invalid(error)
        }
    }

    /// The bare address of the typed text. A name without a domain is completed with the account's domain.
    ///
    /// - Parameters:
    ///   - account: the account's own address.
    ///   - contacts: the bare addresses in the contact list.
    public static func complete(
        _ text: String, for account: JID, contacts: Set<JID> = []
    ) throws(Refusal) -> JID {
        let address = try parse(text, for: account).bare
        guard address != account.bare else { throw .own }
        guard !contacts.contains(address) else { throw .alreadyContact(address) }
        return address
    }

    /// Removes the punctuation that is often pasted with an address.
    private static func trimmed(_ text: Substring) -> String {
        var text = text
        while let first = text.first, first.isWhitespace || first == "<" { text.removeFirst() }
        while let last = text.last, last.isWhitespace || last == ">" { text.removeLast() }
        return String(text)
    }
}
