public import ChatEngine
public import ChatStore
public import Observation
public import XMPPAddress
internal import XMPPClient

/// Adding somebody: says at each letter who is meant and whether that can be.
///
///     let model = ContactAdditionModel(accounts: accounts, store: store)
///     await model.reload()
///     model.text = "romeo"                 // model.check == .new(romeo@capulet.example)
///     let added = await model.submit()
@MainActor
@Observable
public final class ContactAdditionModel {
    /// What is known about what was typed.
    public enum Check: Sendable, Hashable {
        case empty
        /// It is no address yet.
        case invalid
        /// It is the person's own address.
        case own
        /// Somebody who is in the list already, under that name.
        case alreadyContact(JID, name: String)
        /// Somebody who was asked already; asking again is possible.
        case pending(JID)
        /// Somebody who has asked to be a contact; adding says yes to it.
        case asking(JID)
        case new(JID)

        public var address: JID? {
            switch self {
            case .empty, .invalid, .own: nil
            case .alreadyContact(let address, _), .pending(let address), .asking(let address), .new(let address):
                address
            }
        }

        /// Adding makes sense.
        public var canBeAdded: Bool {
            switch self {
            case .pending, .asking, .new: true
            case .empty, .invalid, .own, .alreadyContact: false
            }
        }
    }

    /// The addresses of the accounts that a contact can be added to.
    public let accounts: [JID]
    /// Which of them it is.
    public var accountIndex = 0
    /// What was typed: an address, or a name on the own server.
    public var text = ""
    /// What the person will call the contact; nothing for what the address says.
    public var name = ""
    /// What is said with the request.
    public var message = ""
    public private(set) var isWorking = false
    /// Why it was not added, as a sentence.
    public private(set) var failure: String?

    @ObservationIgnored private let atWork: [ChatAccount]
    @ObservationIgnored private let store: any LocalStore
    private var contacts: [AccountID: [JID: StoredContact]] = [:]
    private var requests: [AccountID: Set<JID>] = [:]

    /// - Parameter accounts: one at least.
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

    /// Reads who is in the lists, and who asks to be.
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

    /// Adds who is meant. Gives the address where that was done.
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
            }
            if !name.isEmpty, check != .new(address) { try await account.contacts.rename(address, to: name) }
            return address
        } catch {
            failure = Wording.failure(error)
            await reload()
            return nil
        }
    }
}
