import ChatEngine
import ChatFixtures
import ChatModel
import ChatStore
import Testing
import XMPPAddress

@Suite("Contact list")
@MainActor
struct ContactListTests {
    @Test("a change of one account reads the contacts of that account alone")
    func oneAccount() async throws {
        let fixture = try await ModelFixture()
        let (first, other) = (fixture.account, try JID("nurse@capulet.example"))
        let second = try await fixture.store.write { store throws(StoreError) in try store.addAccount(other) }
        let contacts = await Self.list(fixture)
        let (peter, tybalt) = (try JID("peter@capulet.example"), try JID("tybalt@capulet.example"))
        _ = await fixture.changes()
        try await fixture.store.write { store throws(StoreError) in
            try store.save(StoredContact(address: tybalt, subscription: .both), of: first)
        }
        let change = await fixture.changes()
        #expect(change.accounts == [first])
        try await fixture.store.write { store throws(StoreError) in
            try store.save(StoredContact(address: peter, subscription: .both), of: second)
        }
        await contacts.apply(change)
        #expect(contacts.rows.elements.map(\.address) == [tybalt])
        await contacts.apply(fixture.changes())
        #expect(Set(contacts.rows.elements.map(\.address)) == [tybalt, peter])
    }

    private static func save(_ contacts: [StoredContact], _ fixture: ModelFixture) async throws {
        let account = fixture.account
        try await fixture.store.write { store throws(StoreError) in
            for contact in contacts { try store.save(contact, of: account) }
        }
    }

    private static func contact(
        _ name: String, _ subscription: StoredContact.Subscription = .both, remark: String? = nil,
        isPending: Bool = false
    ) throws -> StoredContact {
        StoredContact(
            address: try JID("\(name)@x.example"), name: remark, subscription: subscription, isPending: isPending)
    }

    private static func list(_ fixture: ModelFixture) async -> ContactList {
        let list = ContactList(store: fixture.store, environment: fixture.environment())
        await list.reload()
        return list
    }

    @Test("S0-88, S2-31: sorted by name without case; subscription none is hidden, unless it is pending")
    func order() async throws {
        let fixture = try await ModelFixture()
        try await Self.save(
            [
                Self.contact("c", remark: "benvolio"), Self.contact("b", remark: "Abram"),
                Self.contact("d", remark: "Ábel"), Self.contact("e", remark: "张三"), Self.contact("f", remark: "李四"),
                Self.contact("g", .none), Self.contact("h", .none, remark: "Zoë", isPending: true),
            ], fixture)
        let list = await Self.list(fixture)
        #expect(list.rows.elements.map(\.name) == ["Ábel", "Abram", "benvolio", "Zoë", "张三", "李四"])
        #expect(list.rows.elements[3].isPending)
    }

    @Test("a contact has the name that the user gave it, else the one that it gave itself, else one from the address")
    func names() async throws {
        let fixture = try await ModelFixture()
        try await Self.save([Self.contact("a", remark: "Mum"), Self.contact("b"), Self.contact("c")], fixture)
        let list = await Self.list(fixture)
        #expect(list.rows.elements.map(\.name) == ["b", "c", "Mum"])
        _ = await fixture.changes()
        let account = fixture.account
        try await fixture.store.write { store throws(StoreError) in
            for (name, published) in [("a", "Lady Capulet"), ("b", "Zara"), ("c", "")] {
                guard let address = try? JID("\(name)@x.example") else { continue }
                try store.savePublishedName(published, of: address, account: account)
            }
        }
        await list.apply(fixture.changes())
        #expect(list.rows.elements.map(\.name) == ["c", "Mum", "Zara"])
        // The list of conversations shows the same names.
        let b = ConversationKey(account: account, address: try JID("b@x.example"), kind: .direct)
        let conversations = ConversationList(store: fixture.store, environment: fixture.environment())
        try await conversations.begin(b)
        await conversations.reload()
        #expect(conversations.all[b]?.title == "Zara")
    }

    @Test("S2-17, S2-35: online before away before offline; a contact that comes online is one move to the top")
    func presence() async throws {
        let fixture = try await ModelFixture()
        try await Self.save([Self.contact("a"), Self.contact("b"), Self.contact("c")], fixture)
        let list = await Self.list(fixture)
        let mirror = Mirror(list.rows)
        let c = try JID("c@x.example")
        let b = try JID("b@x.example")
        list.show(presences: [c: ContactPresence(section: .online, devices: ["phone"])], of: fixture.account)
        #expect(list.rows.elements.map(\.name) == ["c", "a", "b"])
        #expect(mirror.takeSteps() == [.move(from: 2, to: 0, list.rows.elements[0])])
        list.show(
            presences: [c: ContactPresence(section: .online), b: ContactPresence(section: .away, status: "lunch")],
            of: fixture.account)
        #expect(list.rows.elements.map(\.section.rawValue) == [0, 1, 2])
        #expect(list.rows.elements[1].status == "lunch")
        list.show(presences: [:], of: fixture.account)
        #expect(list.rows.elements.map(\.name) == ["a", "b", "c"])
        #expect(mirror.rows == list.rows.elements)
    }

    @Test("S1-25, S2-32: added, renamed, removed: one row each, never the whole list")
    func changes() async throws {
        let fixture = try await ModelFixture()
        try await Self.save([Self.contact("a"), Self.contact("c")], fixture)
        _ = await fixture.changes()
        let list = await Self.list(fixture)
        let mirror = Mirror(list.rows)
        try await Self.save([Self.contact("b")], fixture)
        await list.apply(await fixture.changes())
        #expect(mirror.takeSteps() == [.insert([list.rows.elements[1]], at: 1)])
        try await Self.save([Self.contact("b", remark: "bb")], fixture)
        await list.apply(await fixture.changes())
        #expect(mirror.takeSteps() == [.update(list.rows.elements[1], at: 1)])
        let account = fixture.account
        let b = try JID("b@x.example")
        try await fixture.store.write { store throws(StoreError) in try store.removeContact(b, of: account) }
        await list.apply(await fixture.changes())
        #expect(mirror.takeSteps() == [.remove(1..<2)])
        #expect(mirror.rows == list.rows.elements)
    }

    @Test("S1-26, S2-33, S2-34: a row has the address, the subscription and the state")
    func row() async throws {
        let fixture = try await ModelFixture()
        try await Self.save([Self.contact("a", .from)], fixture)
        let row = try #require(await Self.list(fixture).rows.elements.first)
        #expect(row.address.description == "a@x.example")
        #expect(row.subscription == .from)
        #expect(row.section == .offline)
        #expect(row.conversation == (try fixture.key("a@x.example")))
    }

    @Test("1,000 contacts that come online at once are one diff; the others stay")
    func flood() async throws {
        let fixture = try await ModelFixture()
        try await Self.save(
            (0..<1000).map { try Self.contact("u\($0)", remark: "Name \($0)") }, fixture)
        let list = await Self.list(fixture)
        let mirror = Mirror(list.rows)
        var presences: [JID: ContactPresence] = [:]
        for number in 0..<1000 where number % 3 > 0 {
            presences[try JID("u\(number)@x.example")] = ContactPresence(section: number % 3 == 1 ? .online : .away)
        }
        list.show(presences: presences, of: fixture.account)
        #expect(mirror.diffCount == 1)
        #expect(mirror.rows == list.rows.elements)
        list.search("name 77")
        #expect(list.rows.elements.count == 19)
        #expect(list.rows.elements.allSatisfy { $0.name.contains("77") })
        #expect(mirror.rows == list.rows.elements)
        #expect(mirror.allFit)
    }

    @Test("S0-81: contact requests are in a list of their own")
    func requests() async throws {
        let fixture = try await ModelFixture()
        let list = await Self.list(fixture)
        list.show(requests: [ContactRequest(address: fixture.romeo, text: "It is I")], of: fixture.account)
        #expect(list.requests.elements.map(\.address) == [fixture.romeo])
        #expect(list.requests.elements.first?.text == "It is I")
        list.show(requests: [], of: fixture.account)
        #expect(list.requests.elements.isEmpty)
    }

    @Test("contacts are found regardless of the list's search; groups are listed once, sorted")
    func finding() async throws {
        let fixture = try await ModelFixture()
        var romeo = try Self.contact("romeo", remark: "Romeo Montague")
        var nurse = try Self.contact("nurse")
        romeo.groups = ["Friends"]
        nurse.groups = ["house", "Friends", "Ábbey"]
        try await Self.save([romeo, nurse], fixture)
        let list = await Self.list(fixture)
        list.search("nurse")
        #expect(list.find("monta").map(\.name) == ["Romeo Montague"])
        #expect(list.find("x.example").count == 2 && list.find("").count == 2 && list.find("tybalt").isEmpty)
        #expect(list.rows.elements.map(\.name) == ["nurse"])
        #expect(list.groups(of: fixture.account) == ["Ábbey", "Friends", "house"])
    }
}

@Suite("Completing the address of a new contact")
struct ContactAddressTests {
    @Test(
        "S2-23: the account's domain completes a name; surrounding punctuation is removed",
        arguments: [
            ("romeo", "romeo@capulet.example"), (" romeo ", "romeo@capulet.example"),
            ("Romeo@Montague.Example", "romeo@montague.example"),
            ("romeo@montague.example/phone", "romeo@montague.example"),
            ("xmpp:romeo@montague.example?message", "romeo@montague.example"),
            ("<romeo@montague.example>", "romeo@montague.example"), ("张三", "张三@capulet.example"),
        ])
    func complete(typed: String, address: String) throws {
        let juliet = try JID("juliet@capulet.example")
        #expect(try ContactAddress.complete(typed, for: juliet) == JID(address))
    }

    @Test("S2-22, S2-24: empty text, the own address, an existing contact and nonsense are rejected")
    func refuse() throws {
        let juliet = try JID("juliet@capulet.example/balcony")
        let romeo = try JID("romeo@montague.example")
        #expect(throws: ContactAddress.Refusal.empty) { try ContactAddress.complete(" \n", for: juliet) }
        #expect(throws: ContactAddress.Refusal.own) { try ContactAddress.complete("juliet", for: juliet) }
        #expect(throws: ContactAddress.Refusal.alreadyContact(romeo)) {
            try ContactAddress.complete("romeo@montague.example", for: juliet, contacts: [romeo])
        }
        #expect(throws: ContactAddress.Refusal.self) { try ContactAddress.complete("a@b@@", for: juliet) }
        for slip in ["bob, it is me", "bob it is me", "bob,alice@x.example", "bob @x.example"] {
            #expect(throws: ContactAddress.Refusal.self) { try ContactAddress.complete(slip, for: juliet) }
        }
    }
}
