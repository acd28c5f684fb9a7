import Blocking
import EntityInformation
import GroupChat
import MessageFeatures
import Roster
import ServerFixtures
import Synchronization
import Testing
import XMPPAddress
import XMPPClient
import XMPPStanzas
import XMPPStream

@Suite("Rooms after a lost session, and moderation, on real servers")
struct RoomReturnLiveTests {
    private func newRoom() throws -> JID {
        try JID("room-\(String(UInt64.random(in: 0...UInt64.max), radix: 36))@conference.xmpp.test")
    }

    private func rooms(_ session: Session) throws -> GroupChat { try #require(session[GroupChat.self]) }

    @Test("a new session after a lost one joins its rooms again and gets the messages in between")
    func lostSession() async throws {
        let server = try await PrivateProsody.shared(ServerOptions(), release: .backports)
        let account = try await server.newAccount("romeo")
        var configuration = try server.configuration(account)
        // Nothing to resume: the room removes this device as soon as the connection is cut.
        configuration.usesStreamManagement = false
        let client = Client(configuration)
        let user = try #require(try JID(account.address).local)
        try await server.withTwo { juliet, _ in
            let address = try newRoom()
            let theirs = try await rooms(juliet).enter(address, nickname: "Juliet")
            try await client.run { romeo in
                try await romeo.send(Presence())
                let mine = try await rooms(romeo).enter(
                    address, nickname: "Romeo", history: RoomEntrance.History(maximumMessages: 20))
                let seen = theirs.events()
                let notices = try rooms(romeo).roomNotices()
                try await server.cutConnections(of: user)
                #expect(await seen.departure(of: "Romeo") != nil)
                try await theirs.send("while you were away").reached(.delivered)
                var events: [RoomEvent] = []
                for await notice in notices {
                    #expect(notice.room == address)
                    events.append(notice.event)
                    if case .message(let message) = notice.event, message.body == "while you were away" { break }
                }
                let entered = events.firstIndex { if case .entered = $0 { true } else { false } }
                let departed = events.firstIndex(of: .departed(RoomDeparture(.sessionLost)))
                #expect(try #require(departed) < (try #require(entered)))
                #expect(await mine.isInside)
                #expect(await mine.own?.nickname == "Romeo")
                #expect(Set(await mine.occupants.keys) == ["Juliet", "Romeo"])
            }
        }
    }

    @Test("a process that resumes the session of a crashed one knows its lists and is in its rooms again")
    func newProcess() async throws {
        let server = try await PrivateProsody.shared(ServerOptions(), release: .backports)
        let account = try await server.newAccount("romeo")
        var configuration = try server.configuration(account)
        configuration.reconnection = .never
        let user = try #require(try JID(account.address).local)
        let (address, stranger) = (try newRoom(), try JID("stranger@example.org"))
        let left = Mutex<ResumptionState?>(nil)
        await #expect(throws: ClientError.self) {
            try await Client(configuration).run { romeo in
                try await romeo.send(Presence())
                try await romeo[Blocking.self]?.block(stranger)
                try await rooms(romeo).enter(address, nickname: "Romeo")
                let bookmark = Bookmark(joinsAutomatically: true, nickname: "Romeo")
                try await romeo[Bookmarks.self]?.set(bookmark, for: address)
                _ = try await romeo.ping()
                let state = await romeo.resumptionState
                left.withLock { $0 = state }
                try await server.cutConnections(of: user)
                while await romeo.isOnline { try await Task.sleep(for: .milliseconds(10)) }
            }
        }
        let state = left.withLock { $0 }
        #expect(state != nil)
        configuration.resumption = state
        try await Client(configuration).run { romeo in
            #expect(await romeo.connectionState == .online(isResumed: true))
            try await withDeadline {
                #expect(await romeo[Blocking.self]?.blocked == [stranger])
                #expect(await romeo[Bookmarks.self]?.all.keys.contains(address) == true)
                #expect(await romeo[Roster.self]?.isPopulated == true)
                while await romeo[GroupChat.self]?.room(address)?.isInside != true {
                    try await Task.sleep(for: .milliseconds(10))
                }
            }
        }
    }

    @Test("a room that cannot be joined again has a reason")
    func barred() async throws {
        let server = try await PrivateProsody.shared(ServerOptions(), release: .backports)
        var configuration = try server.configuration(try await server.newAccount("romeo"))
        configuration.interceptors = [DeafToRooms()]
        let client = Client(configuration)
        try await server.withTwo { juliet, _ in
            let address = try newRoom()
            let theirs = try await rooms(juliet).enter(address, nickname: "Juliet")
            try await client.run { romeo in
                try await romeo.send(Presence())
                let notices = try rooms(romeo).roomNotices()
                let refused = await #expect(throws: GroupChatError.self) {
                    try await rooms(romeo).enter(address, nickname: "Juliet")
                }
                #expect(refused?.code == .nicknameTaken)
                let kept = await #expect(throws: GroupChatError.self) {
                    try await rooms(romeo).enter(address, RoomVisit(nickname: "Juliet", isKept: true))
                }
                #expect(kept?.code == .nicknameTaken)
                let mine = try await rooms(romeo).enter(address, nickname: "Romeo")
                // The room has kicked Romeo, and this device has not received that.
                try await theirs.ban(try #require(await romeo.address).bare)
                #expect(await mine.checkMembership() == false)
                #expect(await mine.visit == nil)
                var failures: [(GroupChatError.Code, Bool)] = []
                for await notice in notices {
                    if case .entranceFailed(let error, let isTriedAgain) = notice.event {
                        failures.append((error.code, isTriedAgain))
                    }
                    if failures.count == 3 { break }
                }
                #expect(failures.map(\.0) == [.nicknameTaken, .nicknameTaken, .banned])
                #expect(failures.map(\.1) == [false, true, false])
            }
        }
    }

    @Test(
        "a moderator retracts a message in the form that the room supports",
        arguments: [ServerKind.prosody012, .prosody13, .ejabberd2412])
    func moderation(kind: ServerKind) async throws {
        try await kind.shared().withTwo { romeo, juliet in
            let address = try newRoom()
            let mine = try await rooms(romeo).enter(address, nickname: "Romeo")
            #expect(await mine.information?.hasModeration == true)
            let theirs = try await rooms(juliet).enter(address, nickname: "Juliet")
            let (heard, seen) = (mine.events(), theirs.events())
            try await theirs.send("DM me for free magic potions!")
            let said = try #require(await heard.message())
            let id = try #require(said.archiveID(assignedBy: address))
            let refused = await #expect(throws: GroupChatError.self) { try await theirs.retract(id) }
            #expect(refused?.stanzaError?.condition == .forbidden)
            try await mine.retract(id, reason: "Inappropriate")
            for await event in seen {
                guard case .message(let message) = event, message.from == address,
                    let retraction = message.moderatedRetraction
                else { continue }
                #expect(retraction.messageID == id)
                #expect(retraction.moderation?.reason == "Inappropriate")
                #expect(retraction.moderation?.moderator == (try mine.address(of: "Romeo")))
                break
            }
        }
    }

    @Test("the program gets every message before anything else is read", arguments: LiveServer.allCases)
    func observer(kind: LiveServer) async throws {
        let server = try await kind.server
        var configuration = try server.configuration(try await server.newAccount("romeo"))
        let given = Given()
        configuration.extensions = []
        configuration.add { GroupChat($0, onMessage: { await given.add($0, $1) }) }
        let client = Client(configuration)
        try await server.withTwo { juliet, _ in
            let address = try newRoom()
            let theirs = try await rooms(juliet).enter(address, nickname: "Juliet")
            try await client.run { romeo in
                try await romeo.send(Presence())
                let mine = try await rooms(romeo).enter(address, nickname: "Romeo")
                let messages = romeo.events(.messages)
                for number in 0..<20 { try await theirs.send("\(number)") }
                try await theirs.send("end", privatelyTo: "Romeo")
                _ = try await messages.firstMessage { $0.body == "end" ? true : nil }
                let bodies = given.all
                #expect(bodies == (0..<20).map { "\(address) \($0)" } + ["\(address) end"])
                #expect(await mine.isInside)
            }
        }
    }
}

/// The messages that an observer received, with the address of the room.
private final class Given: Sendable {
    private let state = Mutex<[String]>([])

    var all: [String] { state.withLock(\.self) }

    func add(_ room: Room, _ message: Message) async {
        guard let body = message.body else { return }
        state.withLock { $0.append("\(room.address) \(body)") }
    }
}

/// Drops the room's presence of leaving occupants.
private struct DeafToRooms: StanzaInterceptor {
    func willReceive(_ stanza: AnyStanza, in session: Session) async -> Interception {
        if case .presence(let presence) = stanza, presence.type == .unavailable,
            presence.payloads.contains(RoomUser.name)
        {
            return .drop
        }
        return .pass(stanza)
    }
}
