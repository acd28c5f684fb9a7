import DataForms
import EntityInformation
import GroupChat
import MessageFeatures
import MessageSemantics
import PublishSubscribe
import ServerFixtures
import Testing
import XMPPAddress
import XMPPClient
import XMPPStanzas

@Suite("Rooms on real servers")
struct GroupChatLiveTests {
    private func newRoom() throws -> JID {
        try JID("room-\(String(UInt64.random(in: 0...UInt64.max), radix: 36))@conference.xmpp.test")
    }

    private func enter(_ session: Session, _ address: JID, _ nickname: String) async throws -> Room {
        try await #require(session[GroupChat.self]).enter(address, nickname: nickname)
    }

    @Test("S3-25: a room is created, joined, used and left", arguments: LiveServer.allCases)
    func talking(kind: LiveServer) async throws {
        try await kind.server.withTwo { romeo, juliet in
            let address = try newRoom()
            let mine = try await enter(romeo, address, "Romeo")
            #expect(await mine.own?.affiliation == .owner)
            #expect(await mine.own?.role == .moderator)
            let events = mine.events()
            let theirs = try await enter(juliet, address, "Juliet")
            #expect(Set(await theirs.occupants.keys) == ["Romeo", "Juliet"])
            _ = await events.first {
                if case .occupantEntered(let new) = $0 { new.nickname == "Juliet" } else { false }
            }
            let heard = mine.events()
            let token = try await theirs.send("你好 <&>")
            try await token.reached(.delivered)
            let said = try #require(await heard.message())
            #expect(said.body == "你好 <&>")
            #expect(said.from == (try mine.address(of: "Juliet")))
            #expect(await mine.occupants["Juliet"]?.role == .participant)
            #expect(!mine.isOwn(said) && theirs.isOwn(said))
            #expect(said.archiveID(assignedBy: address) != nil)
            _ = try await theirs.send("only you", privatelyTo: "Romeo")
            for await event in heard {
                guard case .privateMessage(let message) = event else { continue }
                #expect(message.body == "only you")
                #expect(message.from?.resource == "Juliet")
                break
            }
            try await mine.changeSubject(to: "Spells")
            let topic = theirs.events()
            if await theirs.subject?.text != "Spells" {
                _ = await topic.first { $0 == .subjectChanged(RoomSubject(text: "Spells", nickname: "Romeo")) }
            }
            await theirs.leave(status: "bye")
            #expect(await theirs.isInside == false)
            let left = await heard.departure(of: "Juliet")
            #expect(left?.cause == .left)
            await #expect(throws: GroupChatError.self) { try await theirs.send("too late") }
        }
    }

    @Test("nicknames: in use, changed, refused", arguments: LiveServer.allCases)
    func nicknames(kind: LiveServer) async throws {
        try await kind.server.withTwo { romeo, juliet in
            let address = try newRoom()
            let mine = try await enter(romeo, address, "Romeo")
            let error = await #expect(throws: GroupChatError.self) { _ = try await enter(juliet, address, "Romeo") }
            #expect(error?.code == .nicknameTaken)
            let theirs = try await enter(juliet, address, "Juliet")
            let refused = await #expect(throws: GroupChatError.self) { try await theirs.changeNickname(to: "Romeo") }
            #expect(refused?.code == .nicknameTaken)
            #expect(await theirs.nickname == "Juliet")
            let events = mine.events()
            try await theirs.changeNickname(to: "Capulet")
            #expect(await theirs.nickname == "Capulet")
            #expect(await theirs.visit?.nickname == "Capulet")
            _ = await events.first {
                if case .occupantRenamed("Juliet", let occupant) = $0 { occupant.nickname == "Capulet" } else { false }
            }
            #expect(Set(await mine.occupants.keys) == ["Romeo", "Capulet"])
        }
    }

    @Test("kicked with a reason, banned with a reason, and refused afterwards", arguments: LiveServer.allCases)
    func removal(kind: LiveServer) async throws {
        try await kind.server.withTwo { romeo, juliet in
            let address = try newRoom()
            let account = try #require(await juliet.address).bare
            let mine = try await enter(romeo, address, "Romeo")
            let theirs = try await enter(juliet, address, "Juliet")
            let events = theirs.events()
            try await mine.kick("Juliet", reason: "Avaunt!")
            let kicked = await events.departure()
            #expect(kicked?.cause == .kicked)
            #expect(kicked?.reason == "Avaunt!")
            #expect(await theirs.visit == nil)
            _ = try await enter(juliet, address, "Juliet")
            try await mine.ban(account, reason: "Treason")
            let banned = await events.departure()
            #expect(banned?.cause == .banned)
            #expect(banned?.reason == "Treason")
            #expect(try await mine.list(.outcast).map(\.address) == [account])
            let error = await #expect(throws: GroupChatError.self) { _ = try await enter(juliet, address, "Juliet") }
            #expect(error?.code == .banned)
            try await mine.setAffiliation(.none, of: account)
            #expect(try await mine.list(.outcast).isEmpty)
        }
    }

    @Test("configuration, passwords and destruction of a room", arguments: LiveServer.allCases)
    func configuration(kind: LiveServer) async throws {
        try await kind.server.withTwo { romeo, juliet in
            let address = try newRoom()
            let mine = try await enter(romeo, address, "Romeo")
            try await mine.configure([
                "muc#roomconfig_roomname": ["A Dark Cave"], "muc#roomconfig_passwordprotectedroom": ["1"],
                "muc#roomconfig_roomsecret": ["cauldronburn"],
            ])
            let rooms = try #require(juliet[GroupChat.self])
            let information = try await rooms.information(of: address)
            #expect(information.name == "A Dark Cave")
            #expect(information.needsPassword)
            let error = await #expect(throws: GroupChatError.self) {
                try await rooms.enter(address, nickname: "Juliet")
            }
            #expect(error?.code == .passwordRequired)
            let theirs = try await rooms.enter(address, nickname: "Juliet", password: "cauldronburn")
            let events = theirs.events()
            let other = try JID("elsewhere@conference.xmpp.test")
            try await mine.destroy(reason: "Macbeth doth come.", alternative: other)
            let departure = await events.departure()
            #expect(departure?.cause == .destroyed)
            #expect(departure?.reason == "Macbeth doth come.")
            #expect(departure?.alternative == other)
        }
    }

    @Test("invitations through the room and direct ones", arguments: LiveServer.allCases)
    func invitations(kind: LiveServer) async throws {
        try await kind.server.withTwo { romeo, juliet in
            let address = try newRoom()
            let account = try #require(await juliet.address)
            let mine = try await enter(romeo, address, "Romeo")
            let events = try #require(juliet[GroupChat.self]).events()
            try await mine.invite(account, reason: "all good witches")
            for await event in events {
                guard case .invitation(let invitation) = event else { continue }
                #expect(invitation.room == address)
                #expect(invitation.isMediated)
                #expect(invitation.reason == "all good witches")
                break
            }
            try await mine.inviteDirectly(account, reason: "you")
            for await event in events {
                guard case .invitation(let invitation) = event, !invitation.isMediated else { continue }
                #expect(invitation.room == address)
                #expect(invitation.inviter == (await romeo.address)?.bare)
                break
            }
        }
    }

    @Test("the service is discovered and lists its rooms", arguments: LiveServer.allCases)
    func discovery(kind: LiveServer) async throws {
        try await kind.server.withTwo { romeo, _ in
            let rooms = try #require(romeo[GroupChat.self])
            let service = try #require(try await rooms.service())
            #expect(service == (try JID("conference.xmpp.test")))
            let address = try newRoom()
            let room = try await enter(romeo, address, "Romeo")
            try await room.configure(["muc#roomconfig_publicroom": ["1"]])
            #expect(try await rooms.rooms(at: service).contains { $0.address == address })
            #expect(try await rooms.information(of: address).isRoom)
        }
    }

    @Test("an occupant that the room has lost detects it and joins again (XEP-0410)", arguments: LiveServer.allCases)
    func forgotten(kind: LiveServer) async throws {
        let server = try await kind.server
        var configuration = try server.configuration(try await server.newAccount("romeo"))
        configuration.interceptors = [DeafToDepartures()]
        let client = Client(configuration)
        try await server.withTwo { _, juliet in
            let address = try newRoom()
            _ = try await enter(juliet, address, "Juliet")
            try await client.run { romeo in
                let mine = try await enter(romeo, address, "Romeo")
                #expect(await mine.checkMembership())
                let events = mine.events()
                try await romeo.send(Presence(type: .unavailable, to: try mine.address(of: "Romeo")))
                #expect(await mine.checkMembership() == false)
                #expect(await mine.isInside)
                #expect(await events.departure()?.cause == .forgotten)
                try await mine.send("back again").reached(.delivered)
            }
        }
    }

    @Test("an occupant cannot send in the name of the room", arguments: LiveServer.allCases)
    func forgedNotice(kind: LiveServer) async throws {
        try await kind.server.withTwo { romeo, juliet in
            let address = try newRoom()
            let mine = try await enter(romeo, address, "Romeo")
            let theirs = try await enter(juliet, address, "Juliet")
            let events = mine.events()
            let account = try #require(await romeo.address)
            let reader = MessageReader(
                address: account, occupancies: try #require(romeo[GroupChat.self]).occupancies.all)
            var message = Message(type: .groupchat, body: "forged")
            message.append(
                MessageRetraction(of: "1", moderation: MessageModeration(by: try theirs.address(of: "Romeo"))))
            message.append(RoomUser(statuses: [.configurationChanged]))
            message.append(OccupantIdentifier("forged"))
            try await theirs.send(message)
            for await event in events {
                switch event {
                case .configurationChanged: Issue.record("an occupant was accepted as the room: \(event)")
                case .message(let message) where message.body == "forged":
                    let arrival = MessageReader.Arrival(.live, time: MessageTime(millisecondsSince1970: 1))
                    // A retraction that only the room may send is ignored, and so is the occupant's claim of an id.
                    #expect(reader.read(message, arrival).isEmpty)
                    var rest = message
                    rest.payloads.removeAll(named: MessageRetraction.name)
                    guard case .message(let copy, _)? = reader.read(rest, arrival).first else {
                        Issue.record("The rest of the message means nothing.")
                        return
                    }
                    #expect(copy.occupantID != "forged" && copy.sender.resource == "Juliet" && !copy.isOutgoing)
                    return
                default: break
                }
            }
        }
    }

    @Test("bookmarks reach the other device, which joins and leaves the room", arguments: LiveServer.allCases)
    func bookmarks(kind: LiveServer) async throws {
        try await kind.server.withTwoDevices { phone, desk in
            let address = try newRoom()
            let (mine, other) = (try #require(phone[Bookmarks.self]), try #require(desk[Bookmarks.self]))
            #expect(await mine.isPopulated)
            // Others cannot join a new room before its owner has opened it.
            _ = try await enter(phone, address, "Hag")
            let bookmark = Bookmark(title: "Witches", joinsAutomatically: true, nickname: "Hag")
            try await mine.set(bookmark, for: address)
            #expect(await mine.all == [address: bookmark])
            let rooms = try #require(desk[GroupChat.self])
            try await other.fetch()
            #expect(await other.all == [address: bookmark])
            while await rooms.room(address)?.isInside != true { try await Task.sleep(for: .milliseconds(10)) }
            try await mine.remove(address)
            try await other.fetch()
            #expect(await other.all.isEmpty)
        }
    }

    @Test("a bookmark of another user is ignored", arguments: LiveServer.allCases)
    func forgedBookmark(kind: LiveServer) async throws {
        try await kind.server.withTwo { romeo, juliet in
            let target = try #require(await juliet.address)
            let room = try newRoom()
            var message = Message(to: target, type: .headline)
            message.append(
                PublishSubscribeEvent.items(
                    node: Bookmark.node,
                    published: [
                        PublishedItem(id: room.description, payload: .init(Bookmark(joinsAutomatically: true)))
                    ],
                    retracted: []))
            try await romeo.send(message)
            _ = try await romeo.ping(target)
            #expect(await juliet[Bookmarks.self]?.all.isEmpty == true)
            #expect(juliet[GroupChat.self]?.room(room) == nil)
        }
    }
}

/// Drops the room's presence of a leaving occupant.
private struct DeafToDepartures: StanzaInterceptor {
    func willReceive(_ stanza: AnyStanza, in session: Session) async -> Interception {
        if case .presence(let presence) = stanza, presence.type == .unavailable,
            presence.payloads.contains(RoomUser.name)
        {
            return .drop
        }
        return .pass(stanza)
    }
}

extension AsyncStream<RoomEvent> {
    func message() async -> Message? {
        for await event in self {
            if case .message(let message) = event, message.body != nil { return message }
        }
        return nil
    }

    func departure() async -> RoomDeparture? {
        for await event in self {
            if case .departed(let departure) = event { return departure }
        }
        return nil
    }

    func departure(of nickname: String) async -> RoomDeparture? {
        for await event in self {
            if case .occupantLeft(let occupant, let departure) = event, occupant.nickname == nickname {
                return departure
            }
        }
        return nil
    }
}
