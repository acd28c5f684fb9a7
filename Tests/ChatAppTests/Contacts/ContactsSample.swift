import ChatEngine
import ChatModel
import ChatStore
import ChatStoreTesting
import GTKBinding
import WindowFixtures
import XMPPAddress
import XMPPClient

@testable import ChatApp

/// Juliet with contacts. Her account is disabled, so only the test changes what is shown.
@MainActor
final class ContactsSample {
    let home: ChatHome
    let context: AppContext
    let account: AccountID
    private let store: MemoryStore
    private static let style: Void = Style.use()

    init(_ addresses: String...) async throws {
        Self.style
        let store = MemoryStore()
        let accountStorage = MemoryAccountStorage()
        var ids: [AccountID] = []
        for address in addresses.isEmpty ? ["juliet@capulet.example"] : addresses {
            let address = try JID(address)
            await accountStorage.save(AccountAccess(address: address))
            ids.append(
                try await store.write { writer throws(StoreError) in
                    let id = try writer.addAccount(address)
                    if var account = try writer.account(address) {
                        account.isEnabled = false
                        try writer.update(account)
                    }
                    return id
                })
        }
        self.store = store
        account = ids[0]
        home = ChatHome(store: store, accountStorage: accountStorage)
        context = AppContext(home: home)
        try await home.begin(with: ids)
    }

    func save(
        _ name: String, _ subscription: StoredContact.Subscription = .both, remark: String? = nil,
        isPending: Bool = false,
        groups: [String] = []
    ) async throws {
        let contact = StoredContact(
            address: try Self.address(name), name: remark.map { sampleWords($0) }, subscription: subscription,
            isPending: isPending, groups: groups.map { sampleWords($0) })
        let account = account
        try await store.write { writer throws(StoreError) in try writer.save(contact, of: account) }
    }

    func remove(_ name: String) async throws {
        let (account, address) = (account, try Self.address(name))
        try await store.write { writer throws(StoreError) in try writer.removeContact(address, of: account) }
    }

    /// A contact has written, so there is a conversation.
    func receive(_ body: String, from name: String) async throws {
        let address = try Self.address(name)
        let key = ConversationKey(account: account, address: address, kind: .direct)
        let body = sampleWords(body)
        try await store.write { writer throws(StoreError) in
            _ = try writer.receive(
                MessageCopy(
                    route: .live, sender: address, originID: body, time: .now, content: .text(MessageText(body))),
                in: key)
        }
    }

    func show(_ presences: [String: ContactPresence]) throws {
        var now: [JID: ContactPresence] = [:]
        for (name, presence) in presences { now[try Self.address(name)] = presence }
        home.contacts.show(presences: now, of: account)
    }

    func ask(_ requests: (name: String, text: String?)...) throws {
        let requests = try requests.map {
            ContactRequest(address: try Self.address($0.name), text: $0.text.map { sampleWords($0) })
        }
        home.contacts.show(requests: requests, of: account)
    }

    func row(_ name: String) throws -> ContactRow.ID {
        ContactRow.ID(account: account, address: try Self.address(name))
    }

    static func address(_ name: String) throws -> JID { try JID("\(name)@verona.example") }

    /// Several typical contacts.
    func people() async throws {
        try await save("romeo", remark: "Romeo Montague", groups: ["Friends"])
        try await save("nurse", remark: "Nurse", groups: ["House", "Friends"])
        try await save("mercutio")
        try await save("benvolio", .to, remark: "Benvolio with a rather long name that nobody would ever write down")
        try await save("paris", .none, remark: "Count Paris", isPending: true)
        try await save("tybalt", remark: "Tybalt")
        try await save("zhang", remark: "张三")
        try show([
            "romeo": ContactPresence(
                section: .online, status: sampleWords("Under the balcony"), devices: ["phone", "desk"]),
            "zhang": ContactPresence(section: .online),
            "nurse": ContactPresence(section: .away, status: sampleWords("At the market")),
        ])
        _ = await Toolkit.eventually { home.contacts.rows.elements.count == 7 }
        // Waits until the list shows the presence.
        _ = await Toolkit.eventually { home.contacts.rows.elements.first?.section == .online }
    }
}
