import Roster
import Testing
import XMLStreaming
import XMPPAddress

@Suite("Roster on the wire (RFC 6121 §2)")
struct RosterPayloadTests {
    @Test("S1-24: the address of an item is a JID")
    func address() throws {
        let item = try RosterItem(
            from: XMLElement(
                parsing: "<item xmlns='jabber:iq:roster' jid='Romeo@Example.NET' name='Romeo' subscription='both'>"
                    + "<group>Friends</group><group>Family</group><group/></item>"))
        #expect(item.address == (try JID("romeo@example.net")))
        #expect(item.name == "Romeo")
        #expect(item.groups == ["Friends", "Family"])
        #expect(item.subscription == .both)
    }

    @Test(
        "S2-34: the meanings of the subscription states",
        arguments: [
            (RosterItem.Subscription.none, false, false), (.to, true, false), (.from, false, true), (.both, true, true),
        ])
    func subscription(state: RosterItem.Subscription, seesContact: Bool, isSeen: Bool) {
        #expect(state.seesContact == seesContact)
        #expect(state.isSeenByContact == isSeen)
    }

    @Test("an unknown subscription gives no permission, an invalid address is rejected")
    func bad() throws {
        let odd = try RosterItem(
            from: XMLElement(parsing: "<item xmlns='jabber:iq:roster' jid='a@b.example' subscription='all'/>"))
        #expect(odd.subscription == .none)
        for document in ["<item xmlns='jabber:iq:roster'/>", "<item xmlns='jabber:iq:roster' jid='@b'/>"] {
            #expect(throws: XMLDecodingError.self) { try RosterItem(from: XMLElement(parsing: document)) }
        }
    }

    @Test("one unreadable item does not hide the others")
    func partial() throws {
        let query = try RosterQuery(
            from: XMLElement(
                parsing: "<query xmlns='jabber:iq:roster' ver='7'><item jid='@'/><item jid='a@b.example'/></query>"))
        #expect(query.items.map(\.address.description) == ["a@b.example"])
        #expect(query.version == "7")
    }

    @Test("a client does not write attributes that the server sets")
    func writing() throws {
        let item = RosterItem(
            address: try JID("a@b.example/x"), name: "A", subscription: .both, isPending: true, groups: ["g"])
        #expect(
            XMLElement(RosterChange(item))
                == (try XMLElement(
                    parsing:
                        "<query xmlns='jabber:iq:roster'><item jid='a@b.example' name='A'><group>g</group></item></query>"
                )))
        let removal = RosterItem(address: try JID("a@b.example"), name: "A", subscription: .remove, groups: ["g"])
        #expect(XMLElement(RosterChange(removal)).firstChild?["subscription"] == "remove")
    }

    @Test("S0-80: the shown name is the one that the user set, otherwise the local part")
    func displayName() throws {
        #expect(RosterItem(address: try JID("a@b.example"), name: "备注").displayName == "备注")
        #expect(RosterItem(address: try JID("a@b.example")).displayName == "a")
        #expect(RosterItem(address: try JID("b.example")).displayName == "b.example")
    }

    @Test("an empty response means that the roster has not changed")
    func versioning() throws {
        #expect(try RosterRequest.Response(payload: nil).roster == nil)
        let full = try XMLElement(parsing: "<query xmlns='jabber:iq:roster' ver='2'/>")
        #expect(try RosterRequest.Response(payload: full).roster == RosterQuery(version: "2"))
    }
}
