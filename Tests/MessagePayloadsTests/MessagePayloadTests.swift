import MessagePayloads
import Testing
import XMLStreaming
import XMPPAddress
import XMPPStanzas

/// The examples of the specifications, read, written again and compared as XML.
@Suite("Payloads of messages")
struct MessagePayloadTests {
    private func check<P: XMLPayload & Equatable>(_ document: String, _ expected: P) throws {
        let element = try XMLElement(parsing: document)
        let payload = try P(from: element)
        #expect(payload == expected)
        #expect(XMLElement(payload) == element)
        #expect(throws: XMLDecodingError.self) { try P(from: XMLElement(parsing: "<other xmlns='urn:x'/>")) }
    }

    @Test("correction, retraction, markers, disabled styling")
    func simple() throws {
        try check("<replace id='bad1' xmlns='urn:xmpp:message-correct:0'/>", MessageCorrection(of: "bad1"))
        try check("<markable xmlns='urn:xmpp:chat-markers:0'/>", DisplayedMarkerRequest())
        try check(
            "<displayed xmlns='urn:xmpp:chat-markers:0' id='the-msg-1'/>", DisplayedMarker(messageID: "the-msg-1"))
        try check(
            "<retract id='wrong-recipient-1' xmlns='urn:xmpp:message-retract:1'/>",
            MessageRetraction(of: "wrong-recipient-1"))
        try check("<unstyled xmlns='urn:xmpp:styling:0'/>", StylingDisabled())
    }

    @Test("the encryption of a message is named, and what is no namespace is refused (XEP-0380)")
    func encryption() throws {
        let hint = EncryptionHint("urn:xmpp:otr:0")
        try check("<encryption xmlns='urn:xmpp:eme:0' namespace='urn:xmpp:otr:0'/>", hint)
        #expect(hint.fallbackBody.contains("OTR"))
        let unknown = EncryptionHint("urn:example:rot13", title: "Rot 13")
        try check("<encryption xmlns='urn:xmpp:eme:0' namespace='urn:example:rot13' name='Rot 13'/>", unknown)
        #expect(unknown.knownName == "Rot 13")
        // The name of a known encryption is not for the sender to choose (§3.2).
        let renamed = try EncryptionHint(
            from: XMLElement(
                parsing: "<encryption xmlns='urn:xmpp:eme:0' namespace='urn:xmpp:omemo:2' name='No encryption'/>"))
        #expect(renamed.knownName == "OMEMO 2" && XMLElement(renamed)["name"] == nil)
        for namespace in ["", String(repeating: "x", count: 257)] {
            let element = try XMLElement(parsing: "<encryption xmlns='urn:xmpp:eme:0' namespace='\(namespace)'/>")
            #expect(throws: XMLDecodingError.self) { try EncryptionHint(from: element) }
        }
    }

    @Test("tombstones and moderation (XEP-0424 §4, XEP-0425 §3.1)")
    func moderation() throws {
        let occupant = "<occupant-id xmlns='urn:xmpp:occupant-id:0' id='dd72603d'/>"
        let moderation = MessageModeration(
            by: try JID("room@muc.example.com/macbeth"), occupantID: "dd72603d", reason: "inappropriate")
        try check(
            "<retract id='stanza-id-1' xmlns='urn:xmpp:message-retract:1'>"
                + "<moderated by='room@muc.example.com/macbeth' xmlns='urn:xmpp:message-moderate:1'>\(occupant)</moderated>"
                + "<reason>inappropriate</reason></retract>",
            MessageRetraction(of: "stanza-id-1", moderation: moderation))
        try check(
            "<retracted stamp='2019-09-20T23:09:32Z' xmlns='urn:xmpp:message-retract:1' id='retract-message-1'/>",
            RetractedMessage(retractionID: "retract-message-1", stamp: Timestamp("2019-09-20T23:09:32Z")))
        try check(
            "<retracted stamp='2019-09-20T23:19:12Z' xmlns='urn:xmpp:message-retract:1'>"
                + "<moderated xmlns='urn:xmpp:message-moderate:1'/></retracted>",
            RetractedMessage(
                retractionID: nil, stamp: Timestamp("2019-09-20T23:19:12Z"), moderation: MessageModeration()))
    }

    @Test("reactions; duplicates and non-emoji are left out (XEP-0444)")
    func reactions() throws {
        let id = "744f6e18-a57a-11e9-a656-4889e7820c76"
        try check(
            "<reactions id='\(id)' xmlns='urn:xmpp:reactions:0'><reaction>👋</reaction><reaction>🐢</reaction></reactions>",
            MessageReactions(["👋", "🐢"], to: id))
        try check("<reactions id='\(id)' xmlns='urn:xmpp:reactions:0'/>", MessageReactions([], to: id))
        let emoji = ["💘", "❤️", "1️⃣", "👨‍👨‍👦‍👦", "🇺🇳", "👍🏽"]
        #expect(MessageReactions(emoji + emoji + ["a", "", "1", "👍👍", " ", "鸿", ":+1:"], to: id).reactions == emoji)
        let many = (0x1F600..<0x1F640).compactMap { Unicode.Scalar($0).map { String(Character($0)) } }
        #expect(MessageReactions(many, to: id).reactions.count == MessageReactions.maximumCount)
        #expect(MessageReactions(["👍" + String(repeating: "\u{301}", count: 1000)], to: id).reactions.isEmpty)
    }

    @Test(
        "an emoji is the same in every spelling",
        arguments: [
            (["👍", "👍\u{FE0F}"], "👍"), (["❤", "❤\u{FE0F}", "❤\u{FE0E}"], "❤\u{FE0F}"),
            (["🏳\u{200D}🌈", "🏳\u{FE0F}\u{200D}🌈"], "🏳\u{FE0F}\u{200D}🌈"),
            (["1\u{20E3}", "1\u{FE0F}\u{20E3}"], "1\u{FE0F}\u{20E3}"),
            (["✌🏽", "✌\u{FE0F}🏽"], "✌🏽"), (["🤷\u{200D}♂", "🤷\u{200D}♂\u{FE0F}"], "🤷\u{200D}♂\u{FE0F}"), (["🇺🇳"], "🇺🇳"),
        ])
    func qualified(ways: [String], way: String) {
        let kept = MessageReactions(ways, to: "1").reactions
        // Swift treats some different texts as equal; the sent form matters.
        #expect(kept.map { Array($0.unicodeScalars) } == [Array(way.unicodeScalars)])
    }

    @Test("replies and fallback (XEP-0461, XEP-0428)")
    func replies() throws {
        try check(
            "<reply to='anna@example.com/tablet' id='message-id1' xmlns='urn:xmpp:reply:0'/>",
            MessageReply(to: "message-id1", by: try JID("anna@example.com/tablet")))
        try check("<reply id='message-id1' xmlns='urn:xmpp:reply:0'/>", MessageReply(to: "message-id1"))
        let purpose = "urn:xmpp:reply:0"
        try check(
            "<fallback xmlns='urn:xmpp:fallback:0' for='urn:xmpp:reply:0'><body start='0' end='33'/></fallback>",
            FallbackIndication(for: purpose, bodyRegions: [.init(0..<33)]))
        try check(
            "<fallback xmlns='urn:xmpp:fallback:0' for='urn:xmpp:reply:0'><subject/><body/></fallback>",
            FallbackIndication(for: purpose, subjectRegions: [.whole]))
        try check(
            "<fallback xmlns='urn:xmpp:fallback:0' for='urn:xmpp:reply:0'/>",
            FallbackIndication(for: purpose, bodyRegions: []))
    }

    @Test("references (XEP-0372)")
    func references() throws {
        try check(
            "<reference xmlns='urn:xmpp:reference:0' begin='72' end='78' type='mention' uri='xmpp:juliet@capulet.lit'/>",
            MessageReference.mention(try JID("juliet@capulet.lit"), at: 72..<78))
        try check(
            "<reference xmlns='urn:xmpp:reference:0' type='data' anchor='xmpp:b@c.lit?;node=messages;item=bnhob' begin='72' "
                + "end='78' uri='xmpp:fdp.shakespeare.lit?;node=a'/>",
            MessageReference(
                .data, uri: "xmpp:fdp.shakespeare.lit?;node=a", range: 72..<78,
                anchor: "xmpp:b@c.lit?;node=messages;item=bnhob"))
    }

    @Test(
        "payloads without an id or with an invalid value are rejected",
        arguments: [
            "<replace xmlns='urn:xmpp:message-correct:0'/>", "<displayed xmlns='urn:xmpp:chat-markers:0'/>",
            "<retract xmlns='urn:xmpp:message-retract:1'/>", "<reactions xmlns='urn:xmpp:reactions:0'/>",
            "<reply xmlns='urn:xmpp:reply:0'/>", "<reply xmlns='urn:xmpp:reply:0' id='1' to='@'/>",
            "<reference xmlns='urn:xmpp:reference:0' type='data'/>",
            "<reference xmlns='urn:xmpp:reference:0' uri='x:y'/>",
            "<reference xmlns='urn:xmpp:reference:0' uri='x:y' type='data' begin='2' end='1'/>",
            "<reference xmlns='urn:xmpp:reference:0' uri='x:y' type='data' begin='-2' end='1'/>",
            "<fallback xmlns='urn:xmpp:fallback:0'><body start='2' end='1'/></fallback>",
            "<fallback xmlns='urn:xmpp:fallback:0'><body end='x'/></fallback>",
            "<retracted xmlns='urn:xmpp:message-retract:1' stamp='yesterday'/>",
            "<retract xmlns='urn:xmpp:message-retract:1' id='1'><moderated by='@' xmlns='urn:xmpp:message-moderate:1'/></retract>",
        ])
    func refused(document: String) throws {
        let element = try XMLElement(parsing: document)
        let types: [any XMLPayload.Type] = [
            MessageCorrection.self, DisplayedMarker.self, MessageRetraction.self, RetractedMessage.self,
            MessageReactions.self, MessageReply.self, MessageReference.self, FallbackIndication.self,
        ]
        let type = try #require(types.first { $0.name == element.name })
        #expect(throws: XMLDecodingError.self) { try type.init(from: element) }
    }
}
