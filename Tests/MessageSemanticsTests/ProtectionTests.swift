import MessageSemantics
import Testing
import XMLStreaming
import XMPPAddress
import XMPPStanzas

@Suite("The seam for end-to-end encryption")
struct ProtectionTests {
    static let stanza = """
        <message xmlns='jabber:client' from='romeo@example.com/a' to='juliet@example.com' type='chat' id='1'>\
        <body>This message is sealed.</body><sealed xmlns='urn:test:sealed'/>\
        <stanza-id xmlns='urn:xmpp:sid:0' by='juliet@example.com' id='true'/></message>
        """

    @Test("the fallback text of a message that could not be opened is not its text; it has its reason instead")
    func notOpened() throws {
        let message = try Message(from: XMLElement(parsing: Self.stanza))
        let error = ProtectionError(.keyMissing, "No key.", scheme: "urn:test:sealed")
        let opened = OpenedMessage(message, notOpenedBecauseOf: error)
        let reader = MessageReader(address: try JID("juliet@example.com"), believesOwnArchive: true)
        guard case .message(let copy, let key)? = reader.read(opened, MessageReaderTests.arrival).first else {
            Issue.record("it is no message")
            return
        }
        #expect(copy.content == .text(MessageText("")))
        #expect(copy.protection == .notOpened(scheme: "urn:test:sealed", reason: "key-missing"))
        #expect(copy.archiveReferences.map(\.id) == ["true"])
        #expect(key.address == (try JID("romeo@example.com")))
    }

    @Test("addresses and what servers say come from the stanza, not from its sealed part")
    func claims() throws {
        let message = try Message(from: XMLElement(parsing: Self.stanza))
        var inner = message
        inner.from = try JID("mercutio@example.com")
        inner.to = nil
        inner.id = "2"
        inner.type = .groupchat
        inner.payloads.removeAll(where: { _ in true })
        inner.body = "opened"
        for claim in [
            "<stanza-id xmlns='urn:xmpp:sid:0' by='juliet@example.com' id='forged'/>",
            "<delay xmlns='urn:xmpp:delay' from='example.com' stamp='2020-01-01T00:00:00Z'/>",
            "<occupant-id xmlns='urn:xmpp:occupant-id:0' id='forged'/>",
            "<x xmlns='http://jabber.org/protocol/muc#user'><invite from='a@b'/></x>",
        ] {
            inner.payloads.append(try XMLElement(parsing: claim))
        }
        let opened = OpenedMessage(inner, .none).taking(claimsOf: message).message
        #expect(opened.from == message.from && opened.to == message.to && opened.id == "1" && opened.type == .chat)
        #expect(opened.body == "opened")
        #expect(opened.payloads.map(\.name.local).sorted() == ["body", "stanza-id"])
        #expect(opened.archiveID(assignedBy: try JID("juliet@example.com")) == "true")
    }

    @Test("the route says what proves who wrote a message; an error and a stranger's room have none")
    func route() throws {
        let room = try JID("room@muc.example.com")
        let reader = MessageReader(
            address: try JID("juliet@example.com"),
            occupancies: [room: RoomOccupancy(nickname: "juliet", occupantID: "o1", hasOccupantIDs: true)])
        func route(_ xml: String, archive: JID? = nil) throws -> ReceivedRoute? {
            reader.route(
                of: try Message(from: XMLElement(parsing: xml)), MessageReaderTests.arrival, archive: archive)
        }
        let direct = try #require(try route(Self.stanza))
        #expect(
            direct.conversation.kind == .direct && direct.origin.sender.resource == "a" && !direct.origin.isOutgoing)
        let said = """
            <message xmlns='jabber:client' from='room@muc.example.com/x' type='groupchat'>\
            <occupant-id xmlns='urn:xmpp:occupant-id:0' id='o1'/></message>
            """
        let own = try #require(try route(said, archive: room))
        #expect(own.conversation.kind == .room && own.origin.occupantID == "o1" && own.origin.isOutgoing)
        #expect(own.archive == room)
        #expect(try route(said.replacing("type='groupchat'", with: "type='error'")) == nil)
        #expect(try route(said.replacing("room@", with: "other@")) == nil)
    }

    @Test("without an encryption messages stay as they are")
    func plain() async throws {
        let message = try Message(from: XMLElement(parsing: Self.stanza))
        let plain = PlainContent()
        #expect(!plain.isSealed(message))
        let key = ConversationAddress(try JID("romeo@example.com"), kind: .direct)
        let sealed = try await plain.seal(message, in: key)
        #expect(sealed.message == message && sealed.protection == .none && sealed.change == nil)
    }
}
