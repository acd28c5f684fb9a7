import ChatStore
import Testing
import XMPPAddress

@testable import ChatEngine
@testable import ChatModel
@testable import TerminalApp

@Suite struct ContactPaneTests {
    private let account = AccountID(rawValue: 1)

    private func contact(
        _ address: String, name: String? = nil, _ subscription: StoredContact.Subscription = .both,
        isPending: Bool = false,
        isOnline: Bool = false, status: String? = nil
    ) throws -> ContactRow {
        let address = try JID(address)
        var row = ContactRow(
            StoredContact(address: address, name: name, subscription: subscription, isPending: isPending),
            name: name ?? address.local ?? "", account: account)
        if isOnline { row.show(ContactPresence(section: .online, status: status)) }
        return row
    }

    private func pane(_ contacts: [ContactRow]) throws -> ContactPane {
        var pane = ContactPane()
        pane.show(contacts, [], of: account, own: try JID("me@x.test"))
        return pane
    }

    private func text(_ pane: ContactPane, columns: Int = 80, maximum: Int = 20) -> [String] {
        pane.rows(columns: columns, maximum: maximum).map { $0.map(\.text).joined() }
    }

    @Test("S2-33, S2-34, S1-26: a row shows the name, the address, the subscription and the state")
    func row() throws {
        let rows = text(
            try pane([
                try contact("nurse@x.test", name: "My Nurse", isOnline: true, status: "tea\u{1B}[2J at five"),
                try contact("romeo@x.test", .to),
            ]))
        #expect(rows[0].hasPrefix("> 1 ● My Nurse  nurse@x.test | both | online: tea"))
        #expect(rows[1] == "  2 ○ romeo  romeo@x.test | to | offline")
        #expect(!rows[0].contains("\u{1B}"))
    }

    @Test("rows fit, however long the names", arguments: [20, 40, 80])
    func widths(_ columns: Int) throws {
        let pane = try pane(
            try (0..<30).map {
                try contact("u\($0)@x.test", name: String(repeating: "你a👨‍👩‍👧", count: $0), isOnline: $0 % 2 == 0)
            })
        for maximum in 1...32 {
            let rows = text(pane, columns: columns, maximum: maximum)
            for row in rows { #expect(DisplayWidth.of(row) <= columns) }
            #expect(rows.contains { $0.hasPrefix("> ") })
            if maximum >= 3 { #expect(rows.count <= maximum) }
        }
    }

    @Test("S2-35: the selection stays with the contact when the order changes; a removed one is not selected")
    func selection() throws {
        let anna = try contact("anna@x.test")
        let bert = try contact("bert@x.test")
        var pane = try pane([anna, bert])
        let own = try JID("me@x.test")
        #expect(pane.selected == anna.conversation)
        pane.move(1)
        pane.move(5)
        #expect(pane.selected == bert.conversation)
        pane.show([try contact("bert@x.test", isOnline: true), anna], [], of: account, own: own)
        #expect(pane.selected == bert.conversation)
        pane.show([anna], [], of: account, own: own)
        #expect(pane.selected == anna.conversation)
        pane.show([], [], of: account, own: own)
        pane.move(1)
        #expect(pane.selected == nil)
        #expect(text(pane)[0].contains("/add"))
    }

    @Test("a contact is found by number, address, name or prefix, and completed by name and address")
    func find() throws {
        let pane = try pane([try contact("nurse@x.test", name: "Angelica"), try contact("angus@x.test")])
        #expect(pane.find("2")?.address.local == "angus")
        #expect(pane.find("3") == nil)
        #expect(pane.find("nurse@x.test")?.address.local == "nurse")
        #expect(pane.find("angel")?.address.local == "nurse")
        #expect(pane.find("ANGUS")?.address.local == "angus")
        #expect(pane.find("nobody") == nil)
        #expect(pane.completions(of: "an") == ["Angelica", "angus"])
        #expect(pane.completions(of: "nu") == ["nurse@x.test"])
    }

    @Test("contacts of another account are not shown")
    func accounts() throws {
        var pane = ContactPane()
        pane.show([try contact("nurse@x.test")], [], of: AccountID(rawValue: 2), own: try JID("me@x.test"))
        #expect(pane.contacts.isEmpty)
    }

    @Test("removed and online contacts are reported; actions of this user are not")
    func news() throws {
        let friend = try contact("romeo@x.test")
        let romeo = friend.address
        func lines(_ old: [ContactRow], _ new: [ContactRow], removed: Set<JID> = [], open: JID? = nil) -> [String] {
            ContactNews.lines(from: old, to: new, removed: removed, open: open)
        }
        #expect(lines([friend], []) == ["romeo@x.test is no longer one of your contacts."])
        #expect(lines([friend], [], removed: [romeo]).isEmpty)
        #expect(lines([], [friend]).isEmpty, "the first look at the list is no news")
        let online = try contact("romeo@x.test", isOnline: true)
        #expect(lines([friend], [online]).isEmpty)
        #expect(lines([friend], [online], open: romeo) == ["romeo: online"])
    }
}
