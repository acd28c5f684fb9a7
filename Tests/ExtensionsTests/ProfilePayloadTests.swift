import Testing
import XMLStreaming
import XMPPStanzas

@testable import Profiles

@Suite("Profiles on the wire (XEP-0054, XEP-0084, XEP-0153, XEP-0172, XEP-0292)")
struct ProfilePayloadTests {
    @Test(
        "avatars",
        arguments: [
            "<metadata xmlns='urn:xmpp:avatar:metadata'/>",
            "<metadata xmlns='urn:xmpp:avatar:metadata'><info bytes='12345' id='111f4b3c50d7b0df729d299bc6f8e9ef9066971f'"
                + " height='64' type='image/png' width='64'/><info bytes='23456' height='64'"
                + " id='357a8123a30844a3aa99861b6349264ba67a5694' type='image/gif'"
                + " url='http://avatars.example.org/happy.gif' width='64'/></metadata>",
        ])
    func metadata(document: String) throws { try checkRoundTrip(AvatarMetadata.self, document) }

    @Test("the published form is the one without another URL")
    func published() throws {
        let hash = String(repeating: "a", count: 40)
        let metadata = try AvatarMetadata(
            from: XMLElement(
                parsing:
                    "<metadata xmlns='urn:xmpp:avatar:metadata'><info bytes='1' id='\(hash)' type='image/gif' url='http://x'/>"
                    + "<info bytes='2' id='\(hash.uppercased())' type='image/png'/></metadata>"))
        #expect(metadata.published == .init(id: hash, byteCount: 2, mediaType: "image/png"))
    }

    @Test(
        "harmful forms are left out",
        arguments: [
            "<info bytes='1' id='../../etc/passwd' type='image/png'/>", "<info bytes='1' type='image/png'/>",
            "<info bytes='-1' id='111f4b3c50d7b0df729d299bc6f8e9ef9066971f' type='image/png'/>",
            "<info bytes='99999999999999999999' id='111f4b3c50d7b0df729d299bc6f8e9ef9066971f' type='image/png'/>",
            "<info bytes='1' id='111f4b3c50d7b0df729d299bc6f8e9ef9066971f'/>",
        ])
    func badForms(form: String) throws {
        let document = "<metadata xmlns='urn:xmpp:avatar:metadata'>\(form)</metadata>"
        #expect(try AvatarMetadata(from: XMLElement(parsing: document)).forms.isEmpty)
    }

    @Test("the data, with the line breaks of some clients")
    func data() throws {
        try checkRoundTrip(AvatarData.self, "<data xmlns='urn:xmpp:avatar:data'>qANQR1DBwU4=</data>")
        let broken = "<data xmlns='urn:xmpp:avatar:data'>qANQ\n R1DBwU4=</data>"
        #expect(try AvatarData(from: XMLElement(parsing: broken)).bytes.count == 8)
        for text in ["", "%"] {
            #expect(throws: XMLDecodingError.self) {
                try AvatarData(from: XMLElement(parsing: "<data xmlns='urn:xmpp:avatar:data'>\(text)</data>"))
            }
        }
    }

    @Test("an avatar must match its hash and its size")
    func checking() throws {
        let avatar = Avatar([1, 2, 3], mediaType: "image/png")
        #expect(avatar.id == "7037807198c22a7d2b0807371d763779a84fdfcf")
        #expect(try Profiles.checked(avatar, avatar.id) == avatar)
        let wrong = #expect(throws: ProfileError.self) {
            try Profiles.checked(avatar, String(repeating: "0", count: 40))
        }
        #expect(wrong?.code == .wrongHash)
        let large = Avatar([UInt8](repeating: 0, count: Avatar.fetchLimit + 1), mediaType: "image/png")
        let refused = #expect(throws: ProfileError.self) { try Profiles.checked(large, large.id) }
        #expect(refused?.code == .tooLarge)
    }

    @Test(
        "the hash in presence",
        arguments: [
            ("<x xmlns='vcard-temp:x:update'/>", .unknown), ("<x xmlns='vcard-temp:x:update'><photo/></x>", .none),
            (
                "<x xmlns='vcard-temp:x:update'><photo>01b87fcd030b72895ff8e88db57ec525450f000d</photo></x>",
                .hash("01b87fcd030b72895ff8e88db57ec525450f000d")
            ),
        ] as [(String, AvatarUpdate.Photo)])
    func update(document: String, photo: AvatarUpdate.Photo) throws {
        try checkRoundTrip(AvatarUpdate.self, document)
        #expect(try AvatarUpdate(from: XMLElement(parsing: document)).photo == photo)
    }

    @Test("an invalid hash is rejected")
    func badUpdate() {
        #expect(throws: XMLDecodingError.self) {
            try AvatarUpdate(from: XMLElement(parsing: "<x xmlns='vcard-temp:x:update'><photo>../x</photo></x>"))
        }
    }

    @Test("the length of names is limited")
    func nickname() throws {
        try checkRoundTrip(ProfileNickname.self, "<nick xmlns='http://jabber.org/protocol/nick'>Ishmael</nick>")
        let long = String(repeating: "x", count: 5000)
        let nickname = try ProfileNickname(
            from: XMLElement(parsing: "<nick xmlns='http://jabber.org/protocol/nick'>\(long)</nick>"))
        #expect(nickname.text.count == ProfileNickname.limit)
    }

    @Test("a vCard preserves unknown elements")
    func card() throws {
        let document =
            "<vcard xmlns='urn:ietf:params:xml:ns:vcard-4.0'><fn><text>Peter Saint-Andre</text></fn>"
            + "<nickname><text>stpeter</text></nickname><email><text>psaintan@cisco.com</text></email>"
            + "<tel><uri>tel:+1-303-308-3282</uri></tel><url><uri>https://stpeter.im/</uri></url>"
            + "<bday><date>1966-08-06</date></bday><org><text>Cisco</text></org><note><text>n</text></note>"
            + "<n><surname>Saint-Andre</surname><given>Peter</given></n>"
            + "<email><parameters><type><text>home</text></type></parameters><text>stpeter@jabber.org</text></email></vcard>"
        try checkRoundTrip(VCard.self, document)
        let card = try VCard(from: XMLElement(parsing: document))
        #expect(card.fullName == "Peter Saint-Andre")
        #expect(card.emails == ["psaintan@cisco.com"])
        #expect(card.others.count == 2)
    }

    @Test("an older vCard preserves unknown elements")
    func legacyCard() throws {
        let document =
            "<vCard xmlns='vcard-temp'><FN>Peter Saint-Andre</FN><NICKNAME>stpeter</NICKNAME>"
            + "<URL>http://www.xmpp.org/xsf/people/stpeter.shtml</URL><BDAY>1966-08-06</BDAY><DESC>d</DESC>"
            + "<PHOTO><TYPE>image/jpeg</TYPE><BINVAL>AQID</BINVAL></PHOTO>"
            + "<N><FAMILY>Saint-Andre</FAMILY><GIVEN>Peter</GIVEN><MIDDLE/></N></vCard>"
        try checkRoundTrip(LegacyVCard.self, document)
        let card = try LegacyVCard(from: XMLElement(parsing: document))
        #expect(card.photo == .init(mediaType: "image/jpeg", bytes: [1, 2, 3]))
        #expect(card.others.count == 1)
        #expect(try LegacyVCardRequest.Response(payload: nil).card == nil)
        let broken = "<vCard xmlns='vcard-temp'><PHOTO><BINVAL>%</BINVAL></PHOTO></vCard>"
        #expect(try LegacyVCard(from: XMLElement(parsing: broken)).photo == nil)
    }
}
