import MessageFeatures
import Testing
import XMLStreaming
import XMPPAddress
import XMPPStanzas

@Suite("What messages contain besides their text")
struct MessageTextTests {
    @Test("an action phrase is the text after /me (XEP-0245)")
    func action() {
        #expect(Message(body: "/me shrugs in disgust").action == "shrugs in disgust")
        #expect(Message(body: "/me \u{301}x").action == "\u{301}x")
        #expect(Message(body: "/me ").action == "")
    }

    @Test(
        "texts that are not action phrases",
        arguments: [
            "/meshrugs in disgust", "/me's disgusted", " /me shrugs in disgust", "\"/me shrugs in disgust\"",
            "* Atlas shrugs in disgust", "Why did Atlas say \"/me shrugs in disgust\"?", "/me", "",
        ])
    func noAction(body: String) {
        #expect(Message(body: body).action == nil)
    }

    @Test("a mention is found by its range of the text, counted in code points")
    func mention() throws {
        let juliet = try JID("juliet@capulet.lit")
        let body = "🇺🇳 It is the east, and Juliet is the sun."
        var message = Message(body: body)
        let range = try #require(body.firstRange(of: "Juliet"))
        message.append(MessageReference.mention(juliet, at: body.codePoints(of: range)))
        let received = try Message(from: XMLElement(message))
        #expect(received.mentions(juliet))
        #expect(!received.mentions(try JID("nurse@capulet.lit")))
        let reference = try #require(received.references.first)
        #expect(reference.range == 23..<29)
        #expect(body[body.range(ofCodePoints: 23..<29)] == "Juliet")
        #expect(body[body.range(ofCodePoints: 37..<99)] == "sun.")
        #expect(body[body.range(ofCodePoints: 100..<101)] == "")
    }

    @Test("a correction has a new id and the complete new version")
    func correction() throws {
        var message = Message(type: .chat, id: "m2", body: "window")
        message.append(OriginIdentifier("m2"))
        let correction = message.correcting("bad1").correcting("bad1")
        #expect(correction.id == nil)
        #expect(correction.body == "window")
        #expect(try correction.payloads.decodeAll(MessageCorrection.self) == [MessageCorrection(of: "bad1")])
        #expect(!correction.payloads.contains(OriginIdentifier.name))
    }

    @Test("a retraction is archived, and hidden by programs that support it")
    func retraction() throws {
        let original = Message(to: try JID("lord@capulet.example"), type: .chat, id: "wrong-recipient-1", body: "x")
        let retraction = try Message(from: XMLElement(original.retracting("wrong-recipient-1")))
        #expect(retraction.to == original.to)
        #expect(try retraction.payload(MessageRetraction.self)?.messageID == "wrong-recipient-1")
        #expect(retraction.action != nil)
        #expect(retraction.body(withoutFallbackFor: [MessageRetraction.name.namespace]) == nil)
        #expect(retraction.processingHints == [.store])
    }

    @Test("a marker answers a request between two users, with the sender's id")
    func markerBetweenTwo() throws {
        let message = try Message(
            from: XMLElement(
                parsing: "<message xmlns='jabber:client' from='romeo@montegue.lit/orchard' id='the-msg-1' type='chat'>"
                    + "<body>Hi</body><thread>t</thread><markable xmlns='urn:xmpp:chat-markers:0'/></message>"))
        let marker = try #require(Message.displayedMarker(for: message))
        #expect(marker.to == message.from && marker.type == .chat && marker.thread?.id == "t")
        #expect(marker.displayedMarker?.messageID == "the-msg-1")
        // Never as an answer to a marker, or without a request (§4.2, §5).
        #expect(Message.displayedMarker(for: marker) == nil)
        var silent = message
        silent.payloads.removeAll(named: DisplayedMarkerRequest.name)
        #expect(Message.displayedMarker(for: silent) == nil)
    }

    @Test("a marker in a room contains the room's id of the message, and is sent to the room")
    func markerInRoom() throws {
        let message = try Message(
            from: XMLElement(
                parsing: "<message xmlns='jabber:client' from='coven@chat.shakespeare.lit/firstwitch' id='message-1' "
                    + "type='groupchat'><body>Thrice</body><stanza-id xmlns='urn:xmpp:sid:0' "
                    + "by='coven@chat.shakespeare.lit' id='39K7ZYIp'/></message>"))
        let room = try JID("coven@chat.shakespeare.lit")
        let marker = try #require(Message.displayedMarker(for: message, inRoom: room))
        #expect(marker.to == room && marker.type == .groupchat)
        #expect(marker.displayedMarker?.messageID == "39K7ZYIp")
        // Ids of a room that does not announce them are ignored.
        #expect(Message.displayedMarker(for: message)?.displayedMarker?.messageID == "message-1")
    }

    @Test("the forms of the drafts are accepted (XEP-0333 before 1.0)")
    func draftMarkers() throws {
        func message(_ child: String) throws -> Message {
            try Message(from: XMLElement(parsing: "<message xmlns='jabber:client'>\(child)</message>"))
        }
        let acknowledged = try message("<acknowledged xmlns='urn:xmpp:chat-markers:0' id='1' thread='t'/>")
        #expect(acknowledged.displayedMarker == DisplayedMarker(messageID: "1"))
        let received = try message("<received xmlns='urn:xmpp:chat-markers:0' id='1'/>")
        #expect(received.displayedMarker == nil && received.receivedMarkerID == "1")
        #expect(try message("<displayed xmlns='urn:xmpp:chat-markers:0'/>").displayedMarker == nil)
    }

    @Test(
        "an origin-id is equal to the id of the message, if one is enabled",
        arguments: [
            (OriginIdentifiers.Scope.content, true, false, true), (.body, true, false, false), (.all, true, true, true),
        ])
    func originIdentifiers(scope: OriginIdentifiers.Scope, text: Bool, state: Bool, reaction: Bool) throws {
        func hasOne(_ message: Message) throws -> Bool {
            var message = message
            OriginIdentifiers(for: scope).identify(&message)
            let own = try message.payload(OriginIdentifier.self)
            #expect(own == nil || own?.id == "m1")
            return own != nil
        }
        var typing = Message(type: .chat, id: "m1")
        typing.payloads.append(ChatState.composing)
        typing.payloads.append(ProcessingHint.noStore)
        #expect(try hasOne(Message(id: "m1", body: "a")) == text)
        #expect(try hasOne(typing) == state)
        #expect(try hasOne(Message(id: "m1").appending(MessageReactions(["👍"], to: "x"))) == reaction)
        #expect(try !hasOne(Message(type: .error, id: "m1", body: "a")))
        #expect(try !hasOne(Message(body: "a")))
    }

    @Test("the supported features are announced")
    func kinds() {
        #expect(MessageKinds([.correction, .reply]).features == ["urn:xmpp:message-correct:0", "urn:xmpp:reply:0"])
        #expect(MessageKinds.all.features.count == 9)
        #expect(DisplayedMarkers().features == ["urn:xmpp:chat-markers:0"])
        #expect(OriginIdentifiers().features == ["urn:xmpp:sid:0"])
    }
}
