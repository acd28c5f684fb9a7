import Cryptography
import DataForms
import MessagePayloads
import Testing
import XMLStreaming
import XMPPAddress
import XMPPStanzas

@testable import ServiceDiscovery

@Suite("Entity Capabilities 2.0 (XEP-0390), and what is cached of both versions")
struct CapabilityHashesTests {
    private static let simple =
        "<query xmlns='http://jabber.org/protocol/disco#info'><identity category='client' name='BombusMod"
        + "' type='mobile'/><feature var='http://jabber.org/protocol/si'/><feature var='http://jabber.org/p"
        + "rotocol/bytestreams'/><feature var='http://jabber.org/protocol/chatstates'/><feature var='http:/"
        + "/jabber.org/protocol/disco#info'/><feature var='http://jabber.org/protocol/disco#items'/><featur"
        + "e var='urn:xmpp:ping'/><feature var='jabber:iq:time'/><feature var='jabber:iq:privacy'/><feature"
        + " var='jabber:iq:version'/><feature var='http://jabber.org/protocol/rosterx'/><feature var='urn:x"
        + "mpp:time'/><feature var='jabber:x:oob'/><feature var='http://jabber.org/protocol/ibb'/><feature "
        + "var='http://jabber.org/protocol/si/profile/file-transfer'/><feature var='urn:xmpp:receipts'/><fe"
        + "ature var='jabber:iq:roster'/><feature var='jabber:iq:last'/></query>"

    private static let complex =
        "<query xmlns='http://jabber.org/protocol/disco#info'><identity category='client' name='Tkabber' "
        + "type='pc' xml:lang='en'/><identity category='client' name='Ткаббер' type='pc' xml:lang='ru'/><fe"
        + "ature var='games:board'/><feature var='http://jabber.org/protocol/activity'/><feature var='http:"
        + "//jabber.org/protocol/activity+notify'/><feature var='http://jabber.org/protocol/bytestreams'/><"
        + "feature var='http://jabber.org/protocol/chatstates'/><feature var='http://jabber.org/protocol/co"
        + "mmands'/><feature var='http://jabber.org/protocol/disco#info'/><feature var='http://jabber.org/p"
        + "rotocol/disco#items'/><feature var='http://jabber.org/protocol/evil'/><feature var='http://jabbe"
        + "r.org/protocol/feature-neg'/><feature var='http://jabber.org/protocol/geoloc'/><feature var='htt"
        + "p://jabber.org/protocol/geoloc+notify'/><feature var='http://jabber.org/protocol/ibb'/><feature "
        + "var='http://jabber.org/protocol/iqibb'/><feature var='http://jabber.org/protocol/mood'/><feature"
        + " var='http://jabber.org/protocol/mood+notify'/><feature var='http://jabber.org/protocol/rosterx'"
        + "/><feature var='http://jabber.org/protocol/si'/><feature var='http://jabber.org/protocol/si/prof"
        + "ile/file-transfer'/><feature var='http://jabber.org/protocol/tune'/><feature var='http://www.fac"
        + "ebook.com/xmpp/messages'/><feature var='http://www.xmpp.org/extensions/xep-0084.html#ns-metadata"
        + "+notify'/><feature var='jabber:iq:avatar'/><feature var='jabber:iq:browse'/><feature var='jabber"
        + ":iq:dtcp'/><feature var='jabber:iq:filexfer'/><feature var='jabber:iq:ibb'/><feature var='jabber"
        + ":iq:inband'/><feature var='jabber:iq:jidlink'/><feature var='jabber:iq:last'/><feature var='jabb"
        + "er:iq:oob'/><feature var='jabber:iq:privacy'/><feature var='jabber:iq:roster'/><feature var='jab"
        + "ber:iq:time'/><feature var='jabber:iq:version'/><feature var='jabber:x:data'/><feature var='jabb"
        + "er:x:event'/><feature var='jabber:x:oob'/><feature var='urn:xmpp:avatar:metadata+notify'/><featu"
        + "re var='urn:xmpp:ping'/><feature var='urn:xmpp:receipts'/><feature var='urn:xmpp:time'/><x xmlns"
        + "='jabber:x:data' type='result'><field type='hidden' var='FORM_TYPE'><value>urn:xmpp:dataforms:so"
        + "ftwareinfo</value></field><field var='software'><value>Tkabber</value></field><field var='softwa"
        + "re_version'><value>0.11.1-svn-20111216-mod (Tcl/Tk 8.6b2)</value></field><field var='os'><value>"
        + "Windows</value></field><field var='os_version'><value>XP</value></field></x></query>"

    private static func information(_ text: String) throws -> DiscoveryInformation {
        try DiscoveryInformation(from: XMLElement(parsing: text))
    }

    @Test(
        "the examples of the specification",
        arguments: [
            (simple, "kzBZbkqJ3ADrj7v08reD1qcWUwNGHaidNUgD7nHpiw8="),
            (complex, "u79ZroNJbdSWhdSp311mddz44oHHPsEBntQ5b1jqBSY="),
        ])
    func examples(text: String, hash: String) throws {
        let information = try Self.information(text)
        let hashes = try #require(CapabilityHashes(describing: information))
        let preferred = try #require(hashes.preferred)
        #expect(Base64.encode(preferred.value) == hash)
        #expect(CapabilityHashes.node(of: preferred) == "urn:xmpp:caps#sha-256." + hash)
        #expect(CapabilityHashes.verifies(information, preferred))
        try checkRoundTrip(
            CapabilityHashes.self,
            "<c xmlns='urn:xmpp:caps'><hash xmlns='urn:xmpp:hashes:2' algo='sha-256'>\(hash)</hash>"
                + "<hash xmlns='urn:xmpp:hashes:2' algo='sha3-256'>79mdYAfU9rEdTOcWDO7UEAt6E56SUzk/g6TnqUeuD9Q=</hash></c>"
        )
    }

    @Test("the octets end each part as the specification says")
    func input() throws {
        let input = try #require(CapabilityHashes.hashInput(of: Self.information(Self.simple)))
        #expect(input.count == 0x1D9)
        #expect(input.suffix(5) == [0x64, 0x1F, 0x1E, 0x1C, 0x1C])
    }

    @Test(
        "information without a hash",
        arguments: [
            "<query xmlns='http://jabber.org/protocol/disco#info'><feature var='a'/><feature var='a'/></query>",
            "<query xmlns='http://jabber.org/protocol/disco#info'><other xmlns='urn:x'/></query>",
            "<query xmlns='http://jabber.org/protocol/disco#info'><x xmlns='jabber:x:data' type='result'/></query>",
            "<query xmlns='http://jabber.org/protocol/disco#info'><x xmlns='jabber:x:data' type='result'>"
                + "<field var='FORM_TYPE' type='hidden'><value>a</value></field><item><field var='b'/></item></x></query>",
        ])
    func noHash(text: String) throws { #expect(CapabilityHashes(describing: try Self.information(text)) == nil) }

    @Test("the newer form is preferred, and one that cannot be verified is not used")
    func announcements() throws {
        let hash = FileHash(algorithm: "sha-256", value: [UInt8](repeating: 7, count: 32))
        let older = EntityCapabilities(node: "https://a.example", verification: "abc")
        var presence = Presence()
        presence.append(older)
        #expect(AnnouncedCapabilities(presence) == .older(older))
        presence.append(CapabilityHashes([FileHash(algorithm: "sha3-256", value: hash.value)]))
        #expect(AnnouncedCapabilities(presence) == .older(older))
        presence.payloads.removeAll(named: CapabilityHashes.name)
        presence.append(CapabilityHashes([FileHash(algorithm: "sha-256", value: [1])]))
        #expect(AnnouncedCapabilities(presence) == .older(older))
        presence.payloads.removeAll(named: CapabilityHashes.name)
        presence.append(CapabilityHashes([FileHash(algorithm: "sha3-256", value: [1]), hash]))
        #expect(AnnouncedCapabilities(presence) == .hash(hash))
        presence.type = .unavailable
        #expect(AnnouncedCapabilities(presence) == nil)
    }

    @Test("a cache is read back, and what does not match its hash is left out")
    func cache() throws {
        let (first, second) = (try Self.information(Self.simple), try Self.information(Self.complex))
        let hash = try #require(CapabilityHashes(describing: first)?.preferred)
        let older = try #require(EntityCapabilities(node: "https://a.example", describing: second))
        var verified = VerifiedCapabilities()
        let wrong = AnnouncedCapabilities.older(EntityCapabilities(node: "https://b.example", verification: "x"))
        let results = [
            verified.insert(first, for: .hash(hash)), verified.insert(second, for: .older(older)),
            verified.insert(second, for: .hash(hash)), verified.insert(first, for: wrong),
        ]
        #expect(results == [true, true, false, false])
        let read = try VerifiedCapabilities(from: XMLElement(verified))
        #expect(read.count == 2)
        #expect(read[.hash(hash)] == first)
        #expect(read[.older(older)]?.forms == second.forms)

        let changed = try XMLElement(
            parsing: XMLElement(verified).description
                .replacing("urn:xmpp:ping", with: "urn:xmpp:pong"))
        #expect(try VerifiedCapabilities(from: changed).count == 0)
    }
}
