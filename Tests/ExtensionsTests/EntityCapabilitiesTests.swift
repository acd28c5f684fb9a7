import DataForms
import ServiceDiscovery
import Testing
import XMLStreaming

@Suite("Entity capabilities of XEP-0115")
struct EntityCapabilitiesTests {
    static let simple = """
        <query xmlns='http://jabber.org/protocol/disco#info'>
          <identity category='client' name='Exodus 0.9.1' type='pc'/>
          <feature var='http://jabber.org/protocol/muc'/>
          <feature var='http://jabber.org/protocol/caps'/>
          <feature var='http://jabber.org/protocol/disco#info'/>
          <feature var='http://jabber.org/protocol/disco#items'/>
        </query>
        """
    static let complex = """
        <query xmlns='http://jabber.org/protocol/disco#info'>
          <identity xml:lang='en' category='client' name='Psi 0.11' type='pc'/>
          <identity xml:lang='el' category='client' name='Ψ 0.11' type='pc'/>
          <feature var='http://jabber.org/protocol/caps'/>
          <feature var='http://jabber.org/protocol/disco#info'/>
          <feature var='http://jabber.org/protocol/disco#items'/>
          <feature var='http://jabber.org/protocol/muc'/>
          <x xmlns='jabber:x:data' type='result'>
            <field var='FORM_TYPE' type='hidden'><value>urn:xmpp:dataforms:softwareinfo</value></field>
            <field var='software'><value>Psi</value></field>
            <field var='ip_version' type='text-multi'><value>ipv6</value><value>ipv4</value></field>
            <field var='os'><value>Mac</value></field>
            <field var='os_version'><value>10.5.1</value></field>
            <field var='software_version'><value>0.11</value></field>
          </x>
        </query>
        """

    @Test(
        "computes the hashes of the specification's examples",
        arguments: [(simple, "QgayPKawpkPSDYmwT/WM94uAlu0="), (complex, "q07IKJEyjvHSyhy//CH0CxmKi8w=")])
    func examples(document: String, verification: String) throws {
        let information = try DiscoveryInformation(from: XMLElement(parsing: document))
        let capabilities = try #require(EntityCapabilities(node: "x", describing: information))
        #expect(capabilities.verification == verification)
        #expect(capabilities.verifies(information))
    }

    @Test("does not verify different information, another hash or the old format")
    func refuses() throws {
        var information = try DiscoveryInformation(from: XMLElement(parsing: Self.simple))
        let right = EntityCapabilities(node: "x", verification: "QgayPKawpkPSDYmwT/WM94uAlu0=")
        #expect(right.verifies(information))
        var unknownHash = right
        unknownHash.hash = "md5"
        #expect(!unknownHash.verifies(information))
        unknownHash.hash = nil
        #expect(!unknownHash.verifies(information))
        information.features.insert("urn:example:smuggled")
        #expect(!right.verifies(information))
    }

    @Test("does not hash ill-formed information")
    func illFormed() throws {
        var information = try DiscoveryInformation(from: XMLElement(parsing: Self.complex))
        information.identities.append(information.identities[0])
        #expect(EntityCapabilities(node: "x", describing: information) == nil)
        information.identities.removeLast()
        information.forms.append(information.forms[0])
        #expect(EntityCapabilities(node: "x", describing: information) == nil)
    }

    @Test(
        "XEP-0115 §5.4: duplicate features, or a FORM_TYPE with several values, make a response ill-formed",
        arguments: [
            (
                "<feature var='http://jabber.org/protocol/muc'/>",
                "<feature var='http://jabber.org/protocol/muc'/><feature var='http://jabber.org/protocol/muc'/>"
            ),
            (
                "<value>urn:xmpp:dataforms:softwareinfo</value>",
                "<value>urn:xmpp:dataforms:softwareinfo</value><value>x</value>"
            ),
        ])
    func repeated(text: String, replacement: String) throws {
        #expect(Self.complex.contains(text))
        let document = Self.complex.replacing(text, with: replacement)
        let information = try DiscoveryInformation(from: XMLElement(parsing: document))
        #expect(EntityCapabilities(node: "x", describing: information) == nil)
        #expect(!EntityCapabilities(node: "x", verification: "q07IKJEyjvHSyhy//CH0CxmKi8w=").verifies(information))
    }

    /// Each would have the hash of different, genuine information.
    @Test("names that could contain separators are not hashed")
    func ambiguous() throws {
        let genuine = DiscoveryInformation(
            identities: [.init(category: "client", type: "pc")], features: ["urn:a", "urn:b"])
        let known = try #require(EntityCapabilities(node: "x", describing: genuine))
        let forged = [
            DiscoveryInformation(identities: [.init(category: "client", type: "pc")], features: ["urn:a<urn:b"]),
            DiscoveryInformation(
                identities: [.init(category: "client", type: "pc", name: "<urn:a")], features: ["urn:b"]),
            DiscoveryInformation(identities: [.init(category: "client/pc", type: "")], features: ["urn:a", "urn:b"]),
            DiscoveryInformation(
                identities: genuine.identities + [.init(category: "urn:a<client", type: "x")], features: ["urn:b"]),
        ]
        for information in forged {
            #expect(EntityCapabilities(node: "x", describing: information) == nil)
            #expect(!known.verifies(information))
        }
    }

    @Test("reads and writes the element in presence")
    func roundTrip() throws {
        let text =
            "<c xmlns='http://jabber.org/protocol/caps' hash='sha-1' node='http://code.google.com/p/exodus'"
            + " ver='QgayPKawpkPSDYmwT/WM94uAlu0='/>"
        let element = try XMLElement(parsing: text)
        #expect(XMLElement(try EntityCapabilities(from: element)) == element)
        #expect(throws: XMLDecodingError.self) {
            try EntityCapabilities(from: XMLElement(parsing: "<c xmlns='http://jabber.org/protocol/caps' node='x'/>"))
        }
    }
}
