import MessageSemantics
import Testing
import XMPPAddress

@Suite("The author of a message")
struct MessageAuthorTests {
    private static let stay = OccupantStay(rawValue: 7)
    private static let later = OccupantStay(rawValue: 8)

    private func occupant(
        _ address: String, _ id: String? = nil, _ stay: OccupantStay? = nil
    ) throws -> MessageAuthor {
        MessageAuthor(occupant: try JID(address), id: id, stay: stay)
    }

    @Test("in a direct conversation it is the account, on any device")
    func accounts() throws {
        let phone = MessageAuthor(account: try JID("romeo@montague.example/phone"))
        #expect(phone.isSame(as: MessageAuthor(account: try JID("romeo@montague.example/desk"))))
        #expect(!phone.isSame(as: MessageAuthor(account: try JID("juliet@capulet.example/phone"))))
        #expect(!phone.isUnproved)
        #expect(!MessageAuthor(account: try JID("coven@chat.example")).isSame(as: try occupant("coven@chat.example")))
    }

    /// Every combination of present and missing occupant ids and stays, for one nickname and for another.
    @Test(
        "in a room it is the occupant id if there is one, else an uninterrupted stay, and never the nickname alone",
        arguments: [nil, "a", "b"] as [String?], [nil, "a", "b"] as [String?])
    func occupants(left: String?, right: String?) throws {
        for (one, two) in [(nil, nil), (stay, nil), (nil, stay), (stay, stay), (stay, later)]
            as [(OccupantStay?, OccupantStay?)]
        {
            for nickname in ["witch", "hag"] {
                let first = try occupant("coven@chat.example/witch", left, one)
                let second = try occupant("coven@chat.example/\(nickname)", right, two)
                let expected =
                    if left != nil || right != nil {
                        left == right
                    } else {
                        one != nil && one == two && nickname == "witch"
                    }
                #expect(first.isSame(as: second) == expected, "\(first) \(second)")
                #expect(second.isSame(as: first) == expected, "\(first) \(second)")
                #expect(first.isUnproved == (left == nil && one == nil))
            }
        }
    }

    private let stay: OccupantStay? = Self.stay
    private let later: OccupantStay? = Self.later

    @Test("occupant ids and stays of another room prove nothing, and the room itself is not an occupant")
    func rooms() throws {
        let known = try occupant("coven@chat.example/witch", "a", stay)
        #expect(!known.isSame(as: try occupant("other@chat.example/witch", "a", stay)))
        let room = try occupant("coven@chat.example", nil, stay)
        #expect(!room.isSame(as: room))
    }

    @Test("certain actions of this account are its own, with any nickname and id")
    func own() throws {
        let before = try occupant("coven@chat.example/witch", nil, .own)
        #expect(before.isSame(as: try occupant("coven@chat.example/hag", "a", .own)))
        #expect(!before.isSame(as: try occupant("coven@chat.example/witch", nil, stay)))
        #expect(!before.isSame(as: try occupant("other@chat.example/witch", nil, .own)))
    }
}
