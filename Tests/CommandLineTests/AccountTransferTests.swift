import Foundation
import ProgramFixtures
import ServerFixtures
import Testing

@testable import CommandLine

/// `hongyan account`: what an account has on its server goes to another one.
@Suite("Accounts in files", .timeLimit(.minutes(5)))
struct AccountTransferTests {
    @Test("contacts, rooms, profile and blocked addresses go from one server to another, and nothing is replaced")
    func transfer() async throws {
        let prosody = try await PrivateProsody.shared
        let ejabberd = try await ServerKind.ejabberd2412.shared()
        let old = try await Person("old", on: prosody)
        let new = try await Person("new", onAny: ejabberd)
        let romeo = try await Person("romeo", on: prosody)
        // A contact, a room, a name and a block on the old account.
        try await old.befriend(romeo)
        let file = old.home.path + "/account.xml"
        let before = """
            <?xml version='1.0' encoding='UTF-8'?>
            <server-data xmlns='urn:xmpp:pie:0'><host jid='elsewhere.example'><user name='juliet' password='s3crEt'>
            <query xmlns='jabber:iq:roster'><item jid='nurse@elsewhere.example' name='奶妈' subscription='none'>
            <group>Servants</group></item></query><vCard xmlns='vcard-temp'><FN>Juliet Capulet</FN></vCard>
            <offline-messages/><pubsub xmlns='http://jabber.org/protocol/pubsub'><items node='urn:xmpp:bookmarks:1'>
            <item id='plans@conference.elsewhere.example'><conference xmlns='urn:xmpp:bookmarks:1' name='Plans'/></item>
            </items>
            <items node='http://jabber.org/protocol/nick'><item id='current'>
            <nick xmlns='http://jabber.org/protocol/nick'>Jule</nick></item></items>
            <items node='urn:xmpp:omemo:2:devices'><item id='current'/></items></pubsub>
            <blocklist xmlns='urn:xmpp:blocking'><item jid='tybalt@elsewhere.example'/></blocklist></user></host></server-data>
            """
        let first = try await old.run("account", "import", try old.home.write("before.xml", before), "--json")
        #expect(first.objects.first?["contacts"] as? Int == 1)
        #expect(first.objects.first?["rooms"] as? Int == 1)
        #expect(first.objects.first?["blocked"] as? Int == 1)
        #expect(first.objects.first?["unknown"] as? [String] == ["offline-messages", "urn:xmpp:omemo:2:devices"])
        #expect(first.errors.contains("offline-messages"))

        // The file of the old account.
        try await old.run("account", "export", file)
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let text = try String(contentsOfFile: file, encoding: .utf8)
        for part in [
            "奶妈", romeo.address, "Servants", "plans@conference.elsewhere.example", "Jule", "Juliet Capulet",
            "tybalt@elsewhere.example", "pubsub#access_model",
        ] { #expect(text.contains(part), "\(part) in \(text)") }
        #expect(!text.contains(old.account.password))

        // To the other server.
        let moved = try await new.run("account", "import", file, "--json")
        let report = try #require(moved.objects.first)
        #expect(report["contacts"] as? Int == 2)
        #expect(report["rooms"] as? Int == 1)
        #expect(report["blocked"] as? Int == 1)
        #expect((report["profile"] as? Int ?? 0) >= 2)
        let contacts = try await new.run("roster", "--all", "--json").objects
        let nurse = contacts.compactMap { $0["contact"] as? [String: Any] ?? $0 }.first {
            $0["address"] as? String == "nurse@elsewhere.example"
        }
        #expect(nurse?["groups"] as? [String] == ["Servants"])
        // A second time nothing is added.
        let again = try await new.run("account", "import", file, "--json")
        #expect(again.objects.first?["contacts"] as? Int == 0)
        #expect(again.objects.first?["rooms"] as? Int == 0)
        #expect(again.objects.first?["blocked"] as? Int == 0)
        #expect(again.objects.first?["profile"] as? Int == 0)
        let copy = try await new.run("account", "export", "-")
        #expect(copy.output.contains("plans@conference.elsewhere.example"))
    }

    @Test("a contact learns that the request comes from the account it knows")
    func moved() async throws {
        let server = try await PrivateProsody.shared
        let old = try await Person("old", on: server)
        let new = try await Person("new", on: server)
        let romeo = try await Person("romeo", on: server)
        try await old.befriend(romeo)
        let file = old.home.path + "/account.xml"
        try await old.run("account", "export", file)
        let move = try await old.run("account", "move", new.address)
        #expect(move.output == "\(old.address) says that it has moved to \(new.address).\n")
        let his = try await romeo.listen("--accept", "none")
        try await new.run("account", "import", file, "--moved")
        try await his.waitForOutput("the request") { $0.contains("\"event\":\"request\"") && $0.contains(new.address) }
        his.signal(SIGTERM)
        _ = await his.result()
        #expect(
            try await old.run("account", "move", old.address).output
                == "\(old.address) does not say any more that it has moved.\n")
        // Twice is no failure.
        try await old.run("account", "move", old.address)
    }

    /// Lists of which one entry cannot be read, and what the sentence names.
    private static let unreadable = [
        (
            "<blocklist xmlns='urn:xmpp:blocking'><item jid='tybalt@a.example'/><item jid='@tybalt'/></blocklist>",
            "“@tybalt”"
        ),
        ("<blocklist xmlns='urn:xmpp:blocking'><item/></blocklist>", "“jid”"),
        (rooms("<item id='@plans'><conference xmlns='urn:xmpp:bookmarks:1'/></item>"), "“@plans”"),
        (rooms("<item id='a.example/plans'><conference xmlns='urn:xmpp:bookmarks:1'/></item>"), "“a.example/plans”"),
        (rooms("<item><conference xmlns='urn:xmpp:bookmarks:1'/></item>"), "“id”"),
        (rooms("<item id='plans@a.example'/>"), "conference"),
        (
            rooms("<item id='plans@a.example'><conference xmlns='urn:xmpp:bookmarks:1' autojoin='maybe'/></item>"),
            "“maybe”"
        ),
    ]

    private static func rooms(_ item: String) -> String {
        "<pubsub xmlns='http://jabber.org/protocol/pubsub'><items node='urn:xmpp:bookmarks:1'>\(item)</items></pubsub>"
    }

    @Test("files that are none, of several accounts, or too much to ask, are refused with a sentence")
    func bad() async throws {
        let person = try await Person("bad", on: .shared)
        func fails(_ words: [String], _ status: Int32, _ sentence: String) async throws {
            let result = try await person.bare(words + person.connection())
            #expect(result.status == status && result.errors.contains(sentence), "\(words): \(result.errors)")
        }
        try await fails(["account"], 2, "account export")
        try await fails(["account", "import"], 2, "account export")
        try await fails(["account", "export", "--moved"], 2, "--moved")
        try await fails(["account", "import", person.home.path + "/nothing"], 1, "cannot be read")
        let none = try person.home.write("none.xml", "<a/>")
        try await fails(["account", "import", none], 1, "XEP-0227")
        // A document type could read other files; it is refused like everywhere.
        let entity = try person.home.write(
            "entity.xml",
            "<!DOCTYPE a [<!ENTITY b SYSTEM '/etc/passwd'>]><server-data xmlns='urn:xmpp:pie:0'>&b;</server-data>")
        try await fails(["account", "import", entity], 1, "XEP-0227")
        let empty = try person.home.write("empty.xml", "<server-data xmlns='urn:xmpp:pie:0'/>")
        try await fails(["account", "import", empty], 1, "no account")
        let two = try person.home.write(
            "two.xml",
            "<server-data xmlns='urn:xmpp:pie:0'><host jid='a.example'><user name='b'/><user name='c'/></host></server-data>"
        )
        try await fails(["account", "import", two], 2, "b@a.example, c@a.example")
        try await fails(["account", "import", two, "--from", "d@a.example"], 1, "d@a.example is not")
        // An account of which a part would be missing changes nothing, and the sentence says what to correct.
        let unreadable = try person.home.write(
            "unreadable.xml",
            """
            <server-data xmlns='urn:xmpp:pie:0'><host jid='a.example'><user name='b'><vCard xmlns='vcard-temp'><FN>B</FN></vCard>
            <query xmlns='jabber:iq:roster'><item jid='nurse@a.example'/><item jid='@nowhere'/></query></user></host></server-data>
            """)
        try await fails(["account", "import", unreadable], 1, "nothing was imported")
        try await fails(["account", "import", unreadable], 1, "“@nowhere”")
        for (content, sentence) in Self.unreadable {
            let file = try person.home.write(
                "entry.xml",
                "<server-data xmlns='urn:xmpp:pie:0'><host jid='a.example'><user name='b'><vCard xmlns='vcard-temp'><FN>B</FN>"
                    + "</vCard><query xmlns='jabber:iq:roster'><item jid='nurse@a.example'/></query>\(content)</user></host>"
                    + "</server-data>")
            try await fails(["account", "import", file], 1, "nothing was imported")
            try await fails(["account", "import", file], 1, sentence)
        }
        let after = try await person.run("account", "export", "-").output
        #expect(!after.contains("nurse@a.example") && !after.contains("<FN>"), "\(after)")
        try await fails(["account", "move", "example.org"], 2, "no address")
        #expect(try await person.run("account", "import", two, "--from", "c@a.example").status == 0)
    }
}
