import DataForms
import MessagePayloads
import ServiceDiscovery
import Testing
import XMLStreaming
import XMPPAddress
import XMPPClient
import XMPPStanzas

@testable import GroupChat

@Suite("Rooms on the wire (XEP-0045, XEP-0249, XEP-0317, XEP-0402, XEP-0410, XEP-0421, XEP-0425)")
struct GroupChatPayloadTests {
    private static func user(_ content: String) -> String {
        "<x xmlns='http://jabber.org/protocol/muc#user'>\(content)</x>"
    }

    @Test(
        "entering",
        arguments: [
            "<x xmlns='http://jabber.org/protocol/muc'/>",
            "<x xmlns='http://jabber.org/protocol/muc'><password>cauldronburn</password></x>",
            "<x xmlns='http://jabber.org/protocol/muc'><history maxchars='65000'/></x>",
            "<x xmlns='http://jabber.org/protocol/muc'><history maxstanzas='20' seconds='180'/></x>",
            "<x xmlns='http://jabber.org/protocol/muc'><history since='1970-01-01T00:00:00Z'/></x>",
        ])
    func entrance(document: String) throws { try checkRoundTrip(RoomEntrance.self, document) }

    @Test(
        "what a room adds to presence",
        arguments: [
            user("<item affiliation='owner' role='moderator'/>"),
            user("<item affiliation='none' jid='hag66@shakespeare.lit/pda' role='participant'/>"),
            user(
                "<item affiliation='member' role='participant'/><status code='100'/><status code='110'/><status code='210'/>"
            ),
            user(
                "<item affiliation='member' nick='oldhag' role='participant'/><status code='303'/><status code='110'/>"
            )
            .replacing("<status code='303'/><status code='110'/>", with: "<status code='110'/><status code='303'/>"),
            user(
                "<item affiliation='none' role='none'><actor nick='Fluellen'/><reason>Avaunt, you cullion!</reason></item>"
                    + "<status code='307'/>"),
            user(
                "<item affiliation='none' role='none'/><destroy jid='coven@chat.shakespeare.lit'><reason>Macbeth doth come.</reason></destroy>"
            ),
            user(
                "<invite from='crone1@shakespeare.lit/desktop'><reason>Hey Hecate!</reason></invite><password>cauldronburn</password>"
            ),
            user(
                "<invite to='wiccarocks@shakespeare.lit/laptop'><reason>Hi</reason><continue thread='e0ffe42'/></invite>"
            ),
            user("<decline from='hecate@shakespeare.lit'><reason>Sorry, I&apos;m too busy.</reason></decline>"),
        ])
    func userInformation(document: String) throws { try checkRoundTrip(RoomUser.self, document) }

    @Test("an unknown role or affiliation is an error and gives no permission")
    func badItem() {
        for item in ["<item role='king'/>", "<item affiliation='king'/>"] {
            #expect(throws: XMLDecodingError.self) { try RoomUser(from: XMLElement(parsing: Self.user(item))) }
        }
    }

    @Test("lists, roles and ownership")
    func administration() throws {
        try checkRoundTrip(
            RoomListRequest.self,
            "<query xmlns='http://jabber.org/protocol/muc#admin'><item affiliation='outcast'/></query>")
        try checkRoundTrip(
            RoomListChange.self,
            "<query xmlns='http://jabber.org/protocol/muc#admin'><item nick='pistol' role='none'><reason>Avaunt!</reason></item></query>"
        )
        try checkRoundTrip(
            RoomAdministration.self,
            "<query xmlns='http://jabber.org/protocol/muc#admin'><item affiliation='outcast' jid='earlofcambridge@shakespeare.lit'>"
                + "<reason>Treason</reason></item></query>")
        try checkRoundTrip(RoomConfigurationRequest.self, "<query xmlns='http://jabber.org/protocol/muc#owner'/>")
        try checkRoundTrip(
            RoomOwnerRequest.self,
            "<query xmlns='http://jabber.org/protocol/muc#owner'><x xmlns='jabber:x:data' type='submit'/></query>")
        try checkRoundTrip(
            RoomOwnerRequest.self,
            "<query xmlns='http://jabber.org/protocol/muc#owner'><destroy jid='darkcave@chat.shakespeare.lit'>"
                + "<reason>Macbeth doth come.</reason></destroy></query>")
    }

    @Test("direct invitations; a full address is not a room")
    func directInvitation() throws {
        try checkRoundTrip(
            DirectInvitation.self,
            "<x xmlns='jabber:x:conference' continue='true' jid='darkcave@macbeth.shakespeare.lit' password='cauldronburn'"
                + " reason='Hey Hecate!' thread='e0ffe42b28561960c6b12b944a092794b9683a38'/>")
        #expect(throws: XMLDecodingError.self) {
            try DirectInvitation(from: XMLElement(parsing: "<x xmlns='jabber:x:conference' jid='a@b.example/c'/>"))
        }
    }

    @Test("occupant ids and moderation")
    func moderation() throws {
        try checkRoundTrip(OccupantIdentifier.self, "<occupant-id xmlns='urn:xmpp:occupant-id:0' id='dd72603deec9'/>")
        try checkRoundTrip(
            ModerationRequest.self,
            "<moderate id='stanza-id-1' xmlns='urn:xmpp:message-moderate:1'><retract xmlns='urn:xmpp:message-retract:1'/>"
                + "<reason>Inappropriate</reason></moderate>")
        try checkRoundTrip(
            EarlierModerationRequest.self,
            "<apply-to id='stanza-id-1' xmlns='urn:xmpp:fasten:0'><moderate xmlns='urn:xmpp:message-moderate:0'>"
                + "<retract xmlns='urn:xmpp:message-retract:0'/><reason>Inappropriate</reason></moderate></apply-to>")
        let (earlier, present) = ("urn:xmpp:message-moderate:0", "urn:xmpp:message-moderate:1")
        #expect(RoomInformation(features: [earlier]).hasModeration)
        #expect(RoomInformation(features: [earlier]).hasEarlierModerationOnly)
        #expect(!RoomInformation(features: [earlier, present]).hasEarlierModerationOnly)
        #expect(!RoomInformation().hasModeration)
    }

    @Test("joining without history requests zero characters (§7.2.14)")
    func noHistory() {
        let entrance = XMLElement(RoomEntrance(history: RoomEntrance.History.none))
        #expect(entrance.firstChild?["maxchars"] == "0")
    }

    @Test("temporary errors are retried")
    func temporary() {
        for condition in [StanzaError.Condition.conflict, .itemNotFound, .remoteServerTimeout, .serviceUnavailable] {
            #expect(GroupChatError(entrance: StanzaError(condition)).isTemporary)
        }
        for condition in [StanzaError.Condition.notAuthorized, .registrationRequired, .forbidden, .notAllowed, .gone] {
            #expect(!GroupChatError(entrance: StanzaError(condition)).isTemporary)
        }
        #expect(GroupChatError(RoomDeparture(.serviceShutDown)).isTemporary)
        #expect(!GroupChatError(RoomDeparture(.kicked)).isTemporary)
    }

    @Test(
        "bookmarks",
        arguments: [
            "<conference xmlns='urn:xmpp:bookmarks:1'/>",
            "<conference xmlns='urn:xmpp:bookmarks:1' name='The Play' autojoin='true'><nick>JC</nick><password>p</password>"
                + "<extensions><state xmlns='http://myclient.example/bookmark/state' minimized='true'/></extensions></conference>",
        ])
    func bookmark(document: String) throws { try checkRoundTrip(Bookmark.self, document) }

    private static let voice =
        "<message xmlns='jabber:client' from='coven@chat.shakespeare.lit' id='approve' to='crone1@shakespeare.lit/pda'>"
        + "<x xmlns='jabber:x:data' type='form'><title>Voice request</title><field var='FORM_TYPE' type='hidden'>"
        + "<value>http://jabber.org/protocol/muc#request</value></field>"
        + "<field var='muc#role' type='list-single'><value>participant</value></field>"
        + "<field var='muc#jid' type='jid-single'><value>hag66@shakespeare.lit/pda</value></field>"
        + "<field var='muc#roomnick' type='text-single'><value>thirdwitch</value></field>"
        + "<field var='muc#request_allow' type='boolean'><value>false</value></field></x></message>"

    @Test("a room forwards a request for voice, and nobody else does")
    func voiceRequest() throws {
        let request = try #require(VoiceRequest(Message(from: XMLElement(parsing: Self.voice))))
        #expect(request.room == (try JID("coven@chat.shakespeare.lit")))
        #expect(request.nickname == "thirdwitch")
        #expect(request.address == (try JID("hag66@shakespeare.lit/pda")))
        let answer = request.answer(isGranted: true)
        #expect(answer.to == request.room)
        let form = try #require(try answer.payload(DataForm.self))
        #expect(form["muc#request_allow"]?.isTrue == true)
        #expect(form["muc#roomnick"]?.values == ["thirdwitch"])
        #expect(form.kind == .submit)
        for (old, new) in [
            ("from='coven@chat.shakespeare.lit'", "from='coven@chat.shakespeare.lit/thirdwitch'"),
            ("<value>participant</value>", "<value>moderator</value>"),
            ("<value>thirdwitch</value>", "<value></value>"), ("type='form'", "type='submit'"),
            ("muc#request<", "muc#other<"),
        ] {
            let other = try Message(from: XMLElement(parsing: Self.voice.replacing(old, with: new)))
            #expect(VoiceRequest(other) == nil)
        }
        let own = VoiceRequest.request(to: request.room)
        #expect(try own.payload(DataForm.self)?["muc#role"]?.values == ["participant"])
    }

    @Test("how long one must wait in a room (XEP-0500)", arguments: ["20", "0", "-5", "soon"])
    func slowMode(value: String) {
        let form = DataForm(
            kind: .result,
            fields: [
                .init(name: "FORM_TYPE", kind: .hidden, values: ["http://jabber.org/protocol/muc#roominfo"]),
                .init(name: "muc#roominfo_slow_mode_duration", values: [value]),
            ])
        let duration = RoomInformation(DiscoveryInformation(forms: [form])).slowModeDuration
        #expect(duration == (value == "20" ? .seconds(20) : nil))
    }

    @Test("the hashes of the picture of a room")
    func avatarHashes() throws {
        let hash = "a31c4bd04de69663cfd7f424a8453f4674da37ff"
        let values = [
            hash, "b9b256f999ded52c2fa14fb007c2e5b979450cbb".uppercased(), "short", String(repeating: "z", count: 40),
        ]
        let form = DataForm(
            kind: .result,
            fields: [
                .init(name: "FORM_TYPE", kind: .hidden, values: ["http://jabber.org/protocol/muc#roominfo"]),
                .init(name: "muc#roominfo_avatarhash", kind: .textMulti, values: values),
            ])
        #expect(
            RoomInformation(DiscoveryInformation(forms: [form])).avatarHashes == [
                hash, "b9b256f999ded52c2fa14fb007c2e5b979450cbb",
            ])
    }

    @Test("the information of a room")
    func information() throws {
        let answer = try DiscoveryInformation(
            from: XMLElement(
                parsing: "<query xmlns='http://jabber.org/protocol/disco#info'>"
                    + "<identity category='conference' name='A Dark Cave' type='text'/>"
                    + "<feature var='http://jabber.org/protocol/muc'/><feature var='muc_passwordprotected'/>"
                    + "<feature var='muc_hidden'/><feature var='muc_membersonly'/><feature var='muc_nonanonymous'/>"
                    + "<x xmlns='jabber:x:data' type='result'><field var='FORM_TYPE' type='hidden'>"
                    + "<value>http://jabber.org/protocol/muc#roominfo</value></field>"
                    + "<field var='muc#roominfo_description'><value>The place for all good witches!</value></field>"
                    + "<field var='muc#roominfo_subject'><value>Spells</value></field>"
                    + "<field var='muc#roominfo_occupants'><value>3</value></field>"
                    + "<field var='muc#roominfo_contactjid'><value>crone1@shakespeare.lit</value></field></x></query>"))
        let information = RoomInformation(answer)
        #expect(information.name == "A Dark Cave")
        #expect(information.isRoom && information.needsPassword && information.isHidden && information.isForMembersOnly)
        #expect(information.isNonAnonymous && !information.isModerated && !information.hasOccupantIdentifiers)
        #expect(information.description == "The place for all good witches!")
        #expect(information.subject == "Spells")
        #expect(information.occupantCount == 3)
        #expect(information.contacts == [try JID("crone1@shakespeare.lit")])
    }

    @Test(
        "the meanings of self-ping responses",
        arguments: [
            (nil, .inside), (.serviceUnavailable, .inside), (.featureNotImplemented, .inside), (.itemNotFound, .inside),
            (.remoteServerNotFound, .unknown), (.remoteServerTimeout, .unknown), (.notAcceptable, .outside),
            (.notAllowed, .outside), (.badRequest, .outside),
        ] as [(StanzaError.Condition?, SelfPingVerdict)])
    func selfPing(condition: StanzaError.Condition?, verdict: SelfPingVerdict) {
        let failure = condition.map { ClientError(.refused, "", cause: StanzaError($0)) }
        #expect(SelfPingVerdict(failure) == verdict)
        #expect(SelfPingVerdict(ClientError(.timedOut, "")) == .unknown)
    }

    @Test(
        "each refusal of a room has its meaning",
        arguments: [
            (.conflict, .nicknameTaken), (.notAuthorized, .passwordRequired), (.registrationRequired, .membersOnly),
            (.forbidden, .banned), (.serviceUnavailable, .full), (.itemNotFound, .notFound),
            (.notAllowed, .creationForbidden), (.notAcceptable, .nicknameRefused), (.gone, .gone),
            (.remoteServerNotFound, .unreachable), (.internalServerError, .refused),
        ] as [(StanzaError.Condition, GroupChatError.Code)])
    func refusals(condition: StanzaError.Condition, code: GroupChatError.Code) {
        #expect(GroupChatError(entrance: StanzaError(condition)).code == code)
    }

    private func event(_ document: String, isFromOccupant: Bool = false) throws -> GroupChatEvent? {
        GroupChatEvent(
            try Message(from: XMLElement(parsing: document)), isFromOccupant: isFromOccupant)
    }

    @Test("invitations: the room and the inviter are told apart")
    func invitations() throws {
        let mediated = Self.user(
            "<invite from='crone1@shakespeare.lit'><reason>Hi</reason></invite><password>p</password>")
        let legacy = "<x xmlns='jabber:x:conference' jid='coven@chat.example'/>"
        #expect(
            try event("<message xmlns='jabber:client' from='coven@chat.example'>\(mediated)\(legacy)</message>")
                == .invitation(
                    RoomInvitation(
                        room: try JID("coven@chat.example"), inviter: try JID("crone1@shakespeare.lit"), password: "p",
                        reason: "Hi", isMediated: true)))
        #expect(
            try event("<message xmlns='jabber:client' from='crone1@shakespeare.lit/desktop'>\(legacy)</message>")
                == .invitation(
                    RoomInvitation(
                        room: try JID("coven@chat.example"), inviter: try JID("crone1@shakespeare.lit"),
                        isMediated: false)))
        let decline = Self.user("<decline from='hecate@shakespeare.lit'/>")
        #expect(
            try event("<message xmlns='jabber:client' from='coven@chat.example'>\(decline)</message>")
                == .invitationDeclined(
                    room: try JID("coven@chat.example"), by: try JID("hecate@shakespeare.lit"), reason: nil))
    }

    @Test("an occupant cannot send in the name of the room")
    func forgedInvitation() throws {
        let mediated = Self.user("<invite from='boss@example.org'/>")
        for type in ["", "type='groupchat'", "type='chat'", "type='error'"] {
            let document =
                "<message xmlns='jabber:client' \(type) from='coven@chat.example/mallory'>\(mediated)</message>"
            #expect(try event(document, isFromOccupant: true) == nil)
        }
        let error = "<message xmlns='jabber:client' type='error' from='coven@chat.example'>\(mediated)</message>"
        #expect(try event(error) == nil)
    }

    @Test("hats are accepted if the room announces them, and invalid hats are left out")
    func hats() throws {
        let hats =
            "<hats xmlns='urn:xmpp:hats:0'><hat title='Host' uri='http://x.example/hats#host' hue='327.25'/></hats>"
        try checkRoundTrip(RoomHats.self, hats)
        let broken = hats.replacing("<hat title", with: "<hat uri='u'/><hat title='T'/><hat title")
        #expect(try RoomHats(from: XMLElement(parsing: broken)).hats.map(\.title) == ["Host"])
        let presence = try Presence(
            from: XMLElement(
                parsing: "<presence xmlns='jabber:client' from='a@b.example/Harry'>\(hats)"
                    + Self.user("<item affiliation='owner' role='moderator'/>") + "</presence>"))
        let trusted = try #require(RoomPresence(presence, trustsIdentifiers: false, trustsHats: true))
        #expect(trusted.occupant.hats.map(\.uri) == ["http://x.example/hats#host"])
        let untrusted = try #require(RoomPresence(presence, trustsIdentifiers: false))
        #expect(untrusted.occupant.hats.isEmpty)
    }

    @Test("occupant ids are only accepted in rooms that announce them")
    func occupantIdentifiers() throws {
        let presence = try Presence(
            from: XMLElement(
                parsing: "<presence xmlns='jabber:client' from='coven@chat.example/hag'>"
                    + Self.user("<item affiliation='none' role='participant'/>")
                    + "<occupant-id xmlns='urn:xmpp:occupant-id:0' id='forged'/></presence>"))
        #expect(RoomPresence(presence, trustsIdentifiers: false)?.occupantID == nil)
        #expect(RoomPresence(presence, trustsIdentifiers: true)?.occupantID == "forged")
        #expect(RoomPresence(Presence(), trustsIdentifiers: true) == nil)
    }

    @Test("the ids of sent messages are removed in the order of sending")
    func recent() {
        var recent = RecentIdentifiers()
        for number in 0...RecentIdentifiers.limit { recent.remember("\(number)") }
        recent.remember("5")
        #expect(!recent.contains("0"))
        #expect(recent.contains("1") && recent.contains("\(RecentIdentifiers.limit)"))
    }
}
