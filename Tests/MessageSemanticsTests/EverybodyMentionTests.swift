import MessagePayloads
import MessageSemantics
import Testing
import XMPPAddress
import XMPPStanzas

@Suite("Words that address everybody")
struct EverybodyMentionTests {
    @Test(
        "they are words of their own, in any case and beside any punctuation, and no part of an address",
        arguments: [
            ("@all", EverybodyMention.all, 0..<4), ("dinner! @here?", .here, 8..<13), ("(@All)", .all, 1..<5),
            ("大家好@all请看", .all, 3..<7), ("see @all.", .all, 4..<8), ("🌹 @here, now", .here, 2..<7),
            ("@allies and @all", .all, 12..<16),
        ])
    func found(text: String, mention: EverybodyMention, range: Range<Int>) throws {
        let first = try #require(EverybodyMention.first(in: text))
        #expect(first.mention == mention && first.range == range)
    }

    @Test(
        "other words are text",
        arguments: [
            "", "all", "@", "@ all", "me@all", "me@all.example", "@all.example", "@allies", "@all_", "@here-after",
            "https://example.org/@all/x", "@al",
        ])
    func others(text: String) {
        #expect(EverybodyMention.first(in: text) == nil)
    }

    private func built(_ text: String, _ occupancy: RoomOccupancy?, _ kind: ConversationAddress.Kind = .room) throws
        -> Message
    {
        try #require(
            MessageBuilder(occupancy: occupancy).message(
                .text(MessageText(text)), id: "m",
                in: ConversationAddress(try JID("orchard@rooms.example.com"), kind: kind)))
    }

    @Test("a moderator's message says to other programs that it is for everybody, nobody else's does (XEP-0513 §4.2)")
    func explicit() throws {
        var moderator = RoomOccupancy(nickname: "Jule")
        moderator.isModerator = true
        #expect(
            try built("🌹🇫🇷 @all: dinner", moderator).explicitMentions
                == [ExplicitMention(.group(.channel, uri: nil), at: 4..<8)])
        #expect(
            try built("@here", moderator).explicitMentions
                == [ExplicitMention(.group(.channel, uri: nil), at: 0..<5, isForActiveOnly: true)])
        #expect(try built("dinner", moderator).explicitMentions.isEmpty)
        #expect(try built("@all", RoomOccupancy(nickname: "Jule")).explicitMentions.isEmpty)
        #expect(try built("@all", nil).explicitMentions.isEmpty)
    }

    @Test("only messages in private rooms that assign ids ask for markers (XEP-0333 §4)")
    func markers() throws {
        func asks(_ occupancy: RoomOccupancy?) throws -> Bool {
            try built("dinner", occupancy).payloads.contains(DisplayedMarkerRequest.name)
        }
        var occupancy = RoomOccupancy(nickname: "Jule", hasStanzaIDs: true)
        #expect(try !asks(occupancy))
        occupancy.isPrivate = true
        #expect(try asks(occupancy))
        occupancy.hasStanzaIDs = false
        #expect(try !asks(occupancy) && !asks(nil))
    }
}
