import ChatFixtures
import ChatStore
import MessageSemantics
import Testing
import XMLStreaming
import XMPPAddress
import XMPPStanzas

@testable import ChatEngine
@testable import GroupChat

@Suite("Stays in a room, and what a room announces")
struct RoomOccupanciesTests {
    private static let room = "orchard@rooms.example"
    private static let now = MessageTime(millisecondsSince1970: 1_000_000)

    private func occupancies(announcing features: Set<String>?) throws -> RoomOccupancies {
        let occupancies = RoomOccupancies()
        let room = try JID(Self.room)
        occupancies.set(RoomOccupancy(nickname: "Juliet"), in: room)
        try enter(occupancies, announcing: features)
        return occupancies
    }

    private func enter(_ occupancies: RoomOccupancies, announcing features: Set<String>?) throws {
        let information = features.map { RoomInformation(features: $0) }
        occupancies.announced(information, by: try JID(Self.room), enteringAs: "Juliet")
    }

    private func presence(
        _ nickname: String, type: String = "", own: Bool = false, renamed: Bool = false, new: String? = nil
    )
        throws -> Presence
    {
        let item = new.map { "<item nick='\($0)'/>" } ?? ""
        let codes = (own ? "<status code='110'/>" : "") + (renamed ? "<status code='303'/>" : "")
        return try Presence(
            from: XMLElement(
                parsing: """
                    <presence xmlns='jabber:client' from='\(Self.room)/\(nickname)' \(type)>\
                    <x xmlns='http://jabber.org/protocol/muc#user'>\(item)\(codes)</x>\
                    <occupant-id xmlns='urn:xmpp:occupant-id:0' id='id-of-\(nickname)'/></presence>
                    """))
    }

    private func stay(_ nickname: String, _ occupancies: RoomOccupancies) throws -> OccupantStay? {
        occupancies.stay(of: try JID("\(Self.room)/\(nickname)"))
    }

    @Test("a stay lasts until the occupant leaves or changes the nickname, and the next one is a new stay")
    func leaving() throws {
        let occupancies = try occupancies(announcing: [])
        _ = occupancies.presenceReceived(try presence("Romeo"), at: Self.now)
        let first = try #require(try stay("Romeo", occupancies))
        _ = occupancies.presenceReceived(try presence("Romeo"), at: Self.now)
        #expect(try stay("Romeo", occupancies) == first && first != .own)
        for renamed in [false, true] {
            _ = occupancies.presenceReceived(
                try presence("Romeo", type: "type='unavailable'", renamed: renamed), at: Self.now)
            #expect(try stay("Romeo", occupancies) == nil)
            _ = occupancies.presenceReceived(try presence("Romeo"), at: Self.now)
            #expect(try stay("Romeo", occupancies) != first)
        }
    }

    @Test("all stays end when this account leaves, or joins the room again")
    func entering() throws {
        let occupancies = try occupancies(announcing: [])
        for isLeaving in [true, false] {
            _ = occupancies.presenceReceived(try presence("Romeo"), at: Self.now)
            _ = occupancies.presenceReceived(try presence("Juliet", own: true), at: Self.now)
            #expect(try stay("Romeo", occupancies) != nil)
            #expect(try stay("Juliet", occupancies) == .own)
            if isLeaving {
                _ = occupancies.presenceReceived(
                    try presence("Juliet", type: "type='unavailable'", own: true), at: Self.now)
            } else {
                try enter(occupancies, announcing: [])
            }
            #expect(try stay("Romeo", occupancies) == nil && stay("Juliet", occupancies) == nil)
        }
    }

    @Test("an occupant id counts only if the room announces support", arguments: [true, false])
    func occupantIDs(isAnnounced: Bool) throws {
        let occupancies = try occupancies(announcing: isAnnounced ? ["urn:xmpp:occupant-id:0", "urn:xmpp:sid:0"] : [])
        _ = occupancies.presenceReceived(try presence("Juliet", own: true), at: Self.now)
        let occupancy = try #require(occupancies.all[try JID(Self.room)])
        #expect(occupancy.believedOccupantID == (isAnnounced ? "id-of-Juliet" : nil))
        #expect(occupancy.hasStanzaIDs == isAnnounced)
        // A room without service discovery information announces no features.
        try enter(occupancies, announcing: nil)
        #expect(occupancies.all[try JID(Self.room)]?.believedOccupantID == nil)
    }

    @Test("our nickname and occupant id are those of the room's state machine, which sees each presence first")
    func oneKeeper() throws {
        let room = try JID(Self.room)
        let occupancies = try occupancies(announcing: ["urn:xmpp:occupant-id:0"])
        #expect(occupancies.change(room) { $0.enter(as: "Juliet") }.actions == [.requestEntrance(nickname: "Juliet")])
        // The room assigns a nickname other than the requested one.
        let changed = occupancies.presenceReceived(try presence("Juliet2", own: true), at: Self.now)
        #expect(changed?.occupancy.nickname == "Juliet2")
        #expect(occupancies.look(at: room) { $0.nickname } == "Juliet2")
        _ = occupancies.presenceReceived(
            try presence("Juliet2", type: "type='unavailable'", own: true, renamed: true, new: "Julia"), at: Self.now)
        #expect(occupancies.all[room]?.nickname == "Julia" && occupancies.look(at: room) { $0.nickname } == "Julia")
        _ = occupancies.presenceReceived(try presence("Julia", own: true), at: Self.now)
        #expect(occupancies.all[room]?.occupantID == "id-of-Julia")
        // The events for the observers of the room, in order, before the response to the next request.
        let (before, actions) = occupancies.change(room) { $0.leave() }
        #expect(before.count == 3 && actions == [.requestDeparture(nickname: "Julia")])
        if case .entered(let own, _) = before.first { #expect(own.nickname == "Juliet2") }
        // Outside of the room, the last occupancy is used for later messages.
        _ = occupancies.presenceReceived(try presence("Julia", type: "type='unavailable'", own: true), at: Self.now)
        #expect(occupancies.look(at: room) { $0.nickname } == nil && occupancies.all[room]?.nickname == "Julia")
    }

    @Test("occupancies and machine agree after any sequence of stanzas", arguments: 0..<20)
    func walk(seed: Int) throws {
        var random = SplitMix(state: UInt64(seed))
        let room = try JID(Self.room)
        let occupancies = try occupancies(announcing: ["urn:xmpp:occupant-id:0"])
        let names = ["Juliet", "Julia", "Romeo", "Nurse"]
        for _ in 0..<200 {
            let name = names.randomElement(using: &random) ?? ""
            switch Int.random(in: 0..<6, using: &random) {
            case 0: _ = occupancies.change(room) { $0.enter(as: name) }
            case 1: _ = occupancies.change(room) { $0.occupancyLost(.sessionLost) }
            default:
                let isRenamed = Bool.random(using: &random)
                let presence = try presence(
                    name, type: Bool.random(using: &random) ? "" : "type='unavailable'",
                    own: Bool.random(using: &random), renamed: isRenamed,
                    new: isRenamed ? names.randomElement(using: &random) : nil)
                _ = occupancies.presenceReceived(presence, at: Self.now)
            }
            let own = occupancies.look(at: room) { $0.own }
            if let own {
                #expect(occupancies.all[room]?.nickname == own.nickname && occupancies.all[room]?.occupantID == own.id)
            }
        }
    }

    @Test("the history of a room ends with the first message without a delay of the room, and soon after joining")
    func history() throws {
        func message(delay: Bool) throws -> Message {
            let delay = delay ? "<delay xmlns='urn:xmpp:delay' from='\(Self.room)' stamp='2020-01-01T00:00:00Z'/>" : ""
            return try Message(
                from: XMLElement(
                    parsing: """
                        <message xmlns='jabber:client' type='groupchat' from='\(Self.room)/Romeo'><body>O</body>\(delay)</message>
                        """))
        }
        let occupancies = try occupancies(announcing: [])
        _ = occupancies.presenceReceived(try presence("Juliet", own: true), at: Self.now)
        #expect(occupancies.isHistory(try message(delay: true), at: Self.now))
        #expect(occupancies.isHistory(try message(delay: true), at: Self.now))
        #expect(!occupancies.isHistory(try message(delay: false), at: Self.now))
        #expect(!occupancies.isHistory(try message(delay: true), at: Self.now))
        try enter(occupancies, announcing: [])
        _ = occupancies.presenceReceived(try presence("Juliet", own: true), at: Self.now)
        #expect(!occupancies.isHistory(try message(delay: true), at: Self.now.advanced(by: 120_000)))
    }

    @Test("a message stored by the server is newer than the last time online, and arrives before the first response")
    func offlineDelivery() throws {
        let delivery = OfflineDelivery()
        func time(_ minutes: Int64) -> MessageTime { MessageTime(millisecondsSince1970: minutes * 60_000) }
        delivery.loaded(time(1000))
        #expect(delivery.earliestDelay(at: time(2000)) == time(990))
        #expect(!delivery.isOnline(at: time(2000)))
        delivery.ended(over: delivery.connection, at: time(2000))
        #expect(delivery.earliestDelay(at: time(2001)) == nil)
        #expect(delivery.isOnline(at: time(2010)) && !delivery.isOnline(at: time(2010)))
        let before = delivery.connection
        delivery.connectionLost()
        #expect(delivery.earliestDelay(at: time(2030)) == time(2000))
        // The response arrives over the lost connection, too late.
        delivery.ended(over: before, at: time(2030))
        #expect(delivery.earliestDelay(at: time(2030)) != nil)
        #expect(OfflineDelivery().earliestDelay(at: time(20_000)) == time(20_000 - 7 * 24 * 60))
    }
}

private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
