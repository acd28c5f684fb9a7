import MessagePayloads
import Testing
import XMLStreaming
import XMPPAddress
import XMPPStanzas

@Suite("Explicit mentions (XEP-0513)")
struct ExplicitMentionTests {
    private static func mention(_ attributes: String, _ content: String = "") -> String {
        "<mention xmlns='urn:xmpp:mentions:0' \(attributes)>\(content)</mention>"
    }

    @Test(
        "the examples of the specification",
        arguments: [
            (
                mention("begin='7' end='12' occupantid='alice@occupant-id'"),
                ExplicitMention(.occupant("alice@occupant-id"), at: 7..<12)
            ),
            (mention("mentions='urn:xmpp:mentions:0#channel'"), ExplicitMention(.group(.channel, uri: nil))),
            (
                mention("mentions='urn:xmpp:mentions:0#space' uri='xmpp:spaces.commons.example;node=space'"),
                ExplicitMention(.group(.space, uri: "xmpp:spaces.commons.example;node=space"))
            ),
            (
                mention("mentions='urn:xmpp:mentions:0#server' uri='xmpp:commons.example'"),
                ExplicitMention(.group(.server, uri: "xmpp:commons.example"))
            ),
            (mention("mentions='urn:xmpp:mentions:0#moderators'"), ExplicitMention(.group(.moderators, uri: nil))),
            (
                mention("mentions='urn:xmpp:mentions:0#hats' uri='http://schemas.example.com/hats#students'"),
                ExplicitMention(.group(.hats, uri: "http://schemas.example.com/hats#students"))
            ),
            (
                mention("begin='6' end='9' hreflang='ja' occupantid='ddfe47eabacabr2q1'"),
                ExplicitMention(.occupant("ddfe47eabacabr2q1"), at: 6..<9, language: "ja")
            ),
            (
                mention("mentions='urn:xmpp:mentions:0#channel'", "<active/>"),
                ExplicitMention(.group(.channel, uri: nil), isForActiveOnly: true)
            ),
            (
                mention("begin='26' end='31' occupantid='alice@occupantid'", "<noping/>"),
                ExplicitMention(.occupant("alice@occupantid"), at: 26..<31, isSilent: true)
            ),
        ])
    func examples(text: String, mention: ExplicitMention) throws {
        let element = try XMLElement(parsing: text)
        #expect(try ExplicitMention(from: element) == mention)
        #expect(XMLElement(mention) == element)
    }

    @Test("an account")
    func account() throws {
        let read = try ExplicitMention(from: XMLElement(parsing: Self.mention("jid='juliet@capulet.lit'")))
        #expect(read.target == .account(try JID("juliet@capulet.lit")))
    }

    @Test(
        "bad mentions",
        arguments: [
            mention(""), mention("jid='@'"), mention("occupantid=''"), mention("occupantid='a' begin='5' end='4'"),
            mention("occupantid='a' begin='-1' end='4'"), mention("mentions=''"),
            mention("occupantid='\(String(repeating: "x", count: 2000))'"),
        ])
    func bad(text: String) throws {
        #expect(throws: XMLDecodingError.self) { try ExplicitMention(from: XMLElement(parsing: text)) }
    }

    @Test("invalid mentions hide no valid ones, and their number is bounded")
    func message() throws {
        let many = String(repeating: Self.mention("occupantid='a'"), count: 100)
        let text = "<message xmlns='jabber:client' type='groupchat'>\(Self.mention(""))\(many)</message>"
        let message = try Message(from: XMLElement(parsing: text))
        #expect(message.explicitMentions.count == ExplicitMention.limit - 1)
    }
}
