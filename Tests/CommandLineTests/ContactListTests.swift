import Roster
import Testing
import XMPPAddress
import XMPPStanzas

@testable import CommandLine

@Suite struct ContactListTests {
    private func contact(
        _ address: String, name: String? = nil, _ subscription: RosterItem.Subscription = .both,
        show: Presence.Show? = nil,
        isOnline: Bool = false, status: String? = nil
    ) throws -> Contact {
        let address = try JID(address)
        let item = RosterItem(address: address, name: name, subscription: subscription)
        let resource = try address.with(resource: "phone")
        return Contact(item: item, resources: isOnline ? [resource: Presence(show: show, status: status)] : [:])
    }

    private func text(_ list: ContactList, columns: Int = 80, maximum: Int = 20) -> [String] {
        list.rows(columns: columns, maximum: maximum).map { $0.map(\.text).joined() }
    }

    @Test("S2-33, S2-34, S1-26: a row shows the name, the address, the subscription and the state")
    func row() throws {
        var list = ContactList()
        list.update([
            try contact("nurse@x.test", name: "My Nurse", isOnline: true, status: "tea\u{1B}[2J at five"),
            try contact("romeo@x.test", .to),
        ])
        let rows = text(list)
        #expect(rows[0].hasPrefix("> 1 ● My Nurse  nurse@x.test | both | online: tea"))
        #expect(rows[1] == "  2 ○ romeo  romeo@x.test | to | offline")
        #expect(!rows[0].contains("\u{1B}"))
    }

    @Test("Rows fit, however long the names", arguments: [20, 40, 80])
    func widths(_ columns: Int) throws {
        var list = ContactList()
        list.update(
            try (0..<30).map {
                try contact("u\($0)@x.test", name: String(repeating: "你a👨‍👩‍👧", count: $0), isOnline: $0 % 2 == 0)
            })
        for maximum in 1...32 {
            let rows = text(list, columns: columns, maximum: maximum)
            for row in rows { #expect(DisplayWidth.of(row) <= columns) }
            #expect(rows.contains { $0.hasPrefix("> ") })
            if maximum >= 3 { #expect(rows.count <= maximum) }
        }
    }

    @Test("S2-35: the choice stays with the friend when the order changes; what is gone is not chosen")
    func selection() throws {
        var list = ContactList()
        let anna = try contact("anna@x.test")
        let bert = try contact("bert@x.test")
        list.update([anna, bert])
        #expect(list.selected == anna.address)
        list.move(1)
        list.move(5)
        #expect(list.selected == bert.address)
        list.update([try contact("bert@x.test", isOnline: true), anna])
        #expect(list.selected == bert.address)
        list.update([anna])
        #expect(list.selected == anna.address)
        list.update([])
        list.move(1)
        #expect(list.selected == nil)
        #expect(text(list)[0].contains("/add"))
    }

    @Test("A friend is found by number, address, name or beginning")
    func find() throws {
        var list = ContactList()
        list.update([try contact("nurse@x.test", name: "Angelica"), try contact("angus@x.test")])
        #expect(list.find("2")?.address.local == "angus")
        #expect(list.find("nurse@x.test")?.address.local == "nurse")
        #expect(list.find("angel")?.address.local == "nurse")
        #expect(list.find("ANGUS")?.address.local == "angus")
        #expect(list.find("nobody") == nil)
    }
}
