import ChatFixtures
import ChatModel
import ChatStore
import ServerFixtures
import Testing
import XMPPAddress
import XMPPClient

/// What one user sees.
@MainActor
private final class Screen {
    let person: Person
    let accounts: AccountList
    let contacts: ContactList
    let conversations: ConversationList
    let timeline: Timeline
    let composer: Composer
    private var tasks: [Task<Void, Never>] = []

    init(_ person: Person, with peer: Person) {
        self.person = person
        accounts = AccountList(store: person.store)
        contacts = ContactList(store: person.store)
        conversations = ConversationList(store: person.store)
        let key = person.key(peer.address)
        timeline = Timeline(key, store: person.store, actions: person.account)
        composer = Composer(key, store: person.store, actions: person.account)
        let (accounts, contacts, conversations, timeline) = (accounts, contacts, conversations, timeline)
        tasks = [
            Task { await accounts.run() }, Task { await accounts.follow(person.account) },
            Task { await contacts.run() }, Task { await contacts.follow(person.account) },
            Task { await conversations.run() }, Task { await conversations.follow(person.account) },
            Task {
                await timeline.open()
                await timeline.run()
            }, Task { await timeline.follow(person.account) },
        ]
    }

    func close() async {
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
    }
}

@Suite("Models of accounts on a real server", .timeLimit(.minutes(20)))
@MainActor
struct ModelLiveTests {
    @Test("S0-81, S0-91, S2-32, S2-35: request, presence, typing, messages and states show on both sides")
    func conversation() async throws {
        let server = try await ServerKind.prosody13.shared()
        let romeo = try await Person(try await server.newAccount("romeo"), on: server)
        let juliet = try await Person(try await server.newAccount("juliet"), on: server)
        let his = Screen(romeo, with: juliet)
        let hers = Screen(juliet, with: romeo)
        try await juliet.whileRunning {
            try await romeo.whileRunning { try await Self.talk(his, hers) }
            // He is offline.
            await eventually { await hers.contacts.rows.elements.first?.section == .offline }
            #expect(await hers.contacts.rows.elements.map(\.section) == [.offline])
            try await Self.lastSeen(of: romeo, by: juliet)
        }
        await his.close()
        await hers.close()
    }

    @Test("the open page of a stranger requests nothing about the stranger before the user sends a contact request")
    func stranger() async throws {
        let server = try await ServerKind.prosody13.shared()
        let juliet = try await Person(try await server.newAccount("juliet"), on: server)
        let peddler = try await Person(try await server.newAccount("peddler"), on: server)
        try await juliet.whileRunning {
            try await peddler.whileRunning {
                try await Person.waitUntilOnline([juliet, peddler])
                try await peddler.write("Buy my poison!", to: juliet)
                try await juliet.wait(for: peddler) { $0.count == 1 }
                try await Self.page(of: peddler, for: juliet)
            }
        }
    }

    private static func page(of peddler: Person, for juliet: Person) async throws {
        let model = ContactModel(ContactRow.ID(account: juliet.id, address: peddler.address), account: juliet.account)
        let following = Task { await model.run() }
        defer { following.cancel() }
        try #require(await eventually { model.isStranger && model.isOnline })
        /// Whether she sent a line with these words that concerns the stranger.
        func hasSent(_ words: String) -> Bool {
            let address = peddler.address.description
            return juliet.stanzas.contains { $0.contains("> <") && $0.contains(address) && $0.contains(words) }
        }
        // What the page requests is sent meanwhile.
        _ = await juliet.account.rooms.service()
        #expect(!hasSent("vcard") && !hasSent("<presence"))
        await model.add()
        #expect(model.failure == nil)
        #expect(await eventually { hasSent("vcard") && hasSent("<presence") })
    }

    /// Her server says when he was online last.
    private static func lastSeen(of romeo: Person, by juliet: Person) async throws {
        let model = ContactModel(
            ContactRow.ID(account: juliet.id, address: romeo.address), account: juliet.account)
        let following = Task { await model.run() }
        defer { following.cancel() }
        await eventually { model.lastSeen != nil }
        let seconds = (now().millisecondsSince1970 - (try #require(model.lastSeen)).millisecondsSince1970) / 1000
        #expect((-5...600).contains(seconds))
        #expect(Wording.lastSeen(try #require(model.lastSeen)).hasPrefix("last seen"))
    }

    private static func talk(_ his: Screen, _ hers: Screen) async throws {
        await eventually { his.accounts.rows.elements.first?.connection.isOnline == true }
        await eventually { hers.accounts.rows.elements.first?.connection.isOnline == true }
        #expect(hers.accounts.rows.elements.first?.connection.isOnline == true)

        _ = try await his.person.account.contacts.add(hers.person.address, name: "朱丽叶")
        await eventually { hers.contacts.requests.elements.count == 1 }
        #expect(hers.contacts.requests.elements.map(\.address) == [his.person.address])
        await eventually { his.contacts.rows.elements.first?.isPending == true }
        #expect(his.contacts.rows.elements.map(\.isPending) == [true])
        try await hers.person.account.contacts.acceptRequest(of: his.person.address, addingBack: true)
        await eventually { his.contacts.rows.elements.first?.section == .online }
        await eventually { hers.contacts.rows.elements.first?.section == .online }
        #expect(his.contacts.rows.elements.map(\.name) == ["朱丽叶"])
        #expect(his.contacts.rows.elements.map(\.section) == [.online])
        await eventually { hers.contacts.requests.elements.isEmpty }
        #expect(hers.contacts.requests.elements.isEmpty)

        his.composer.text = "But soft"
        await eventually { hers.timeline.writing.count == 1 }
        #expect(hers.timeline.writing.count == 1)
        _ = try await his.composer.send()
        await eventually { hers.timeline.messages.count == 1 && hers.timeline.writing.isEmpty }
        await eventually { his.timeline.messages.first?.state == .delivered }
        #expect(his.timeline.messages.map(\.state) == [.delivered])
        await eventually { hers.conversations.rows.elements.first?.unreadCount == 1 }
        #expect(hers.conversations.rows.elements.first?.unreadCount == 1)
        #expect(hers.conversations.rows.elements.first?.preview?.text == "But soft")

        let message = try #require(hers.timeline.messages.first?.id)
        try await hers.timeline.seen(message)
        await eventually { his.timeline.messages.first?.state == .displayed }
        #expect(his.timeline.messages.map(\.state) == [.displayed])
        await eventually { hers.conversations.rows.elements.first?.unreadCount == 0 }
        try await hers.timeline.actions.toggleReaction("👍", to: message)
        await eventually { his.timeline.items.elements.last?.message?.reactions.count == 1 }
        #expect(his.timeline.items.elements.last?.message?.reactions.map(\.emoji) == ["👍"])
    }
}
