import GroupChat
import HongyanTesting
import MessageSemantics
import OMEMO
import Synchronization
import Testing
import Waiting
import XMLStreaming
import XMPPAddress
import XMPPClient
import XMPPStanzas

@testable import EndToEndEncryption

@Suite("For whom a message is encrypted", .timeLimit(.minutes(5)))
struct RecipientTests {
    /// A room in memory: its features, and its members by affiliation.
    private final class Room: Sendable {
        struct State: Sendable {
            var features = ["http://jabber.org/protocol/muc", "muc_nonanonymous", "muc_membersonly"]
            var members: [String: [String]] = [
                "owner": ["romeo@xmpp.test"], "admin": ["juliet@capulet.lit/balcony"],
                "member": ["mercutio@montague.lit", "juliet@capulet.lit"],
            ]
            var forbidden: Set<String> = []
            var requests = 0
        }
        let state = Mutex(State())

        func answer(_ element: XMLElement) -> [String]? {
            guard case .iq(let iq)? = try? AnyStanza(element), iq.to?.domain == "conference.capulet.lit",
                let payload = iq.payload
            else { return nil }
            let state = state.withLock { state in
                state.requests += 1
                return state
            }
            let start = "<iq type='result' id='\(iq.id ?? "")' from='coven@conference.capulet.lit'>"
            if payload.name.namespace == "http://jabber.org/protocol/disco#info" {
                let features = state.features.map { "<feature var='\($0)'/>" }.joined()
                return [
                    start
                        + "<query xmlns='http://jabber.org/protocol/disco#info'><identity category='conference' type='text'/>"
                        + features + "</query></iq>"
                ]
            }
            guard let affiliation = (try? RoomListRequest(from: payload))?.affiliation?.rawValue else { return nil }
            if state.forbidden.contains(affiliation) {
                return [MemoryNodes.text(error(iq, .forbidden))]
            }
            let items = state.members[affiliation, default: []].map {
                "<item affiliation='\(affiliation)' jid='\($0)'/>"
            }
            return [
                start + "<query xmlns='http://jabber.org/protocol/muc#admin'>\(items.joined())</query></iq>"
            ]
        }

        private func error(_ iq: IQ, _ condition: StanzaError.Condition) -> IQ {
            var error = IQ.error(for: iq, StanzaError(condition))
            error.from = iq.to
            return error
        }
    }

    private let stage: DevicesStage
    private let room = Room()
    private let coven: ConversationAddress

    init() throws {
        stage = try DevicesStage()
        coven = ConversationAddress(try JID("coven@conference.capulet.lit"), kind: .room)
    }

    private func run(
        _ body: @escaping @Sendable (_ devices: OMEMODevices, _ session: Session) async throws -> Void
    ) async throws {
        await stage.server.answer { [room] in room.answer($0) }
        try await stage.runAlone(body)
    }

    private func refused(_ code: ProtectionError.Code, _ change: @Sendable (inout Room.State) -> Void) async throws {
        room.state.withLock { change(&$0) }
        try await run { devices, _ in
            let error = await #expect(throws: ProtectionError.self) { try await devices.recipients(in: coven) }
            #expect(error?.code == code)
            #expect(error?.isTemporary == (code == .unreachable))
            #expect(error?.recipients.map(\.address) == [coven.address])
        }
    }

    @Test("a conversation of two has one recipient, and a private message in a room is refused")
    func direct() async throws {
        try await run { devices, _ in
            let juliet = try JID("juliet@capulet.lit/balcony")
            let recipients = try await devices.recipients(in: ConversationAddress(juliet, kind: .direct))
            #expect(recipients == [juliet.bare])
            let witch = ConversationAddress(try JID("coven@conference.capulet.lit/witch"), kind: .occupant)
            let error = await #expect(throws: ProtectionError.self) { try await devices.recipients(in: witch) }
            #expect(error?.code == .privateRoomMessage)
        }
    }

    @Test("in a room these are its owners, admins and members, each once and without this account")
    func members() async throws {
        try await run { devices, _ in
            let recipients = try await devices.recipients(in: coven)
            #expect(recipients.map(\.description) == ["juliet@capulet.lit", "mercutio@montague.lit"])
            #expect(room.state.withLock(\.requests) == 4)
            _ = try await devices.recipients(in: coven)
            #expect(room.state.withLock(\.requests) == 4)
            stage.clock.advance(by: .seconds(60))
            _ = try await devices.recipients(in: coven)
            #expect(room.state.withLock(\.requests) == 8)
        }
    }

    @Test("a room that hides addresses is refused")
    func anonymous() async throws {
        try await refused(.anonymousRoom) { $0.features = ["http://jabber.org/protocol/muc", "muc_membersonly"] }
    }

    @Test("a room that anybody can enter is refused")
    func open() async throws {
        try await refused(.publicRoom) {
            $0.features = ["http://jabber.org/protocol/muc", "muc_nonanonymous", "muc_open"]
        }
    }

    @Test("a room that does not tell its members is refused", arguments: ["owner", "admin", "member"])
    func secret(affiliation: String) async throws {
        try await refused(.membersUnknown) { $0.forbidden = [affiliation] }
    }

    @Test("a room of which a whole server is a member is refused")
    func domain() async throws {
        try await refused(.membersUnknown) { $0.members["member"]?.append("capulet.lit") }
    }

    @Test("a room with too many members is refused")
    func crowd() async throws {
        try await refused(.tooManyRecipients) { state in
            state.members["member"] = (0..<501).map { "person\($0)@capulet.lit" }
        }
    }

    @Test(
        "a change of a member is noticed before the next message",
        arguments: [
            // Somebody who is not present became a member, or is none any more.
            "<message from='coven@conference.capulet.lit'><x xmlns='http://jabber.org/protocol/muc#user'>"
                + "<item affiliation='member' jid='benvolio@montague.lit' role='none'/></x></message>",
            "<message from='coven@conference.capulet.lit'><x xmlns='http://jabber.org/protocol/muc#user'>"
                + "<item affiliation='none' jid='mercutio@montague.lit' role='none'/></x></message>",
            // An occupant did.
            "<presence from='coven@conference.capulet.lit/b'><x xmlns='http://jabber.org/protocol/muc#user'>"
                + "<item affiliation='member' jid='benvolio@montague.lit/x' role='participant'/></x></presence>",
            "<presence from='coven@conference.capulet.lit/m' type='unavailable'><x xmlns='http://jabber.org/protocol/muc#user'>"
                + "<item affiliation='none' jid='mercutio@montague.lit/x' role='none'/><status code='321'/></x></presence>",
            // The room is configured differently.
            "<message from='coven@conference.capulet.lit' type='groupchat'><x xmlns='http://jabber.org/protocol/muc#user'>"
                + "<status code='104'/></x></message>",
        ])
    func changes(stanza: String) async throws {
        try await run { devices, session in
            _ = try await devices.recipients(in: coven)
            room.state.withLock { $0.members["member"] = ["benvolio@montague.lit"] }
            let events = session.events([.messages, .presences])
            try await stage.send(stanza)
            for await _ in events { break }
            let recipients = try await devices.recipients(in: coven)
            #expect(recipients.map(\.description) == ["benvolio@montague.lit", "juliet@capulet.lit"])
        }
    }

    @Test("presence and messages of members change nothing")
    func noChange() async throws {
        try await run { devices, session in
            _ = try await devices.recipients(in: coven)
            let events = session.events(.messages)
            try await stage.send(
                "<presence from='coven@conference.capulet.lit/m'><x xmlns='http://jabber.org/protocol/muc#user'>"
                    + "<item affiliation='member' jid='mercutio@montague.lit/x' role='participant'/></x></presence>")
            try await stage.send(
                "<message from='coven@conference.capulet.lit/m' type='groupchat'><body>Hail</body></message>")
            for await _ in events { break }
            _ = try await devices.recipients(in: coven)
            #expect(room.state.withLock(\.requests) == 4)
        }
    }

    @Test("a change during the request is not lost")
    func overtaken() {
        let table = RoomMembersTable()
        let now = ContinuousInstant(sinceStart: .zero)
        let changes = table.beginRequest(of: coven.address)
        table.changed(coven.address)
        table.answered([stage.juliet], of: coven.address, changes: changes, now: now)
        #expect(table.members(of: coven.address, now: now) == nil)
        table.answered([stage.juliet], of: coven.address, changes: changes + 1, now: now)
        #expect(table.members(of: coven.address, now: now) == [stage.juliet])
    }
}
