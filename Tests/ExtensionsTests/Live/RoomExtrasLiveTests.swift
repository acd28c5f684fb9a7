import GroupChat
import Profiles
import PublishSubscribe
import ServerFixtures
import Testing
import XMLStreaming
import XMPPAddress
import XMPPClient
import XMPPStanzas

/// What rooms offer besides talking: voice, registration, pictures, bookmarks of older programs.
@Suite("Voice, registration, pictures and old bookmarks of rooms", .timeLimit(.minutes(10)))
struct RoomExtrasLiveTests {
    private func newRoom() throws -> JID {
        try JID("room-\(String(UInt64.random(in: 0...UInt64.max), radix: 36))@conference.xmpp.test")
    }

    private func enter(_ session: Session, _ address: JID, _ nickname: String) async throws -> Room {
        try await #require(session[GroupChat.self]).enter(address, nickname: nickname)
    }

    @Test("a visitor asks for voice, and a moderator grants it (XEP-0045 §7.13)", arguments: ServerKind.allCases)
    func voice(kind: ServerKind) async throws {
        try await kind.shared().withTwo { romeo, juliet in
            let address = try newRoom()
            let mine = try await enter(romeo, address, "Romeo")
            try await mine.configure(["muc#roomconfig_moderatedroom": ["1"]])
            let theirs = try await enter(juliet, address, "Juliet")
            try await mine.setRole(.visitor, of: "Juliet")
            let (requests, changes) = (mine.events(), theirs.events())
            try await theirs.requestVoice()
            var asked: VoiceRequest?
            for await event in requests {
                guard case .voiceRequested(let request) = event else { continue }
                asked = request
                break
            }
            let request = try #require(asked)
            #expect(request.nickname == "Juliet")
            #expect(request.room == address)
            try await mine.answer(request, isGranted: true)
            _ = await changes.first {
                if case .occupantChanged(let own) = $0 {
                    own.nickname == "Juliet" && own.role == .participant
                } else {
                    false
                }
            }
            #expect(await theirs.own?.role == .participant)
        }
    }

    @Test("a nickname is registered, and nobody else gets it (XEP-0045 §7.10)", arguments: ServerKind.allCases)
    func registration(kind: ServerKind) async throws {
        try await kind.shared().withTwo { romeo, juliet in
            let address = try newRoom()
            let mine = try await enter(romeo, address, "Romeo")
            let rooms = try #require(juliet[GroupChat.self])
            // Only members can register with rooms of Prosody.
            try await mine.setAffiliation(.member, of: try #require(await juliet.address))
            // Prosody registers with the room, ejabberd with the service, where names are shared by all rooms.
            let place = kind.isProsody ? address : address.domainJID
            let nickname = "Juliet-\(String(UInt32.random(in: 0...UInt32.max), radix: 36))"
            guard case .open(let query) = try await rooms.registration(at: place) else {
                Issue.record("already registered")
                return
            }
            #expect(query.form != nil)
            try await rooms.register(nickname, at: place)
            #expect(try await rooms.registration(at: place) == .registered(nickname: nickname))
            let other = try #require(romeo[GroupChat.self])
            let error = await #expect(throws: GroupChatError.self) { try await other.register(nickname, at: place) }
            #expect(error?.code == .nicknameTaken)
            try await rooms.unregister(at: place)
            // Prosody has ended the membership too, and answers only members.
            if case .registered? = try? await rooms.registration(at: place) { Issue.record("still registered") }
        }
    }

    @Test("the owner publishes the picture of a room, and others see it (XEP-0486)", arguments: ServerKind.allCases)
    func picture(kind: ServerKind) async throws {
        try await kind.shared().withTwo { romeo, juliet in
            let address = try newRoom()
            let mine = try await enter(romeo, address, "Romeo")
            let theirs = try await enter(juliet, address, "Juliet")
            let (owner, guest) = (try #require(romeo[Profiles.self]), try #require(juliet[Profiles.self]))
            let picture = Avatar([UInt8]("<svg/>".utf8), mediaType: "image/svg+xml")
            let changes = theirs.events()
            try await owner.publish(picture, ofRoom: address)
            _ = await changes.first { if case .configurationChanged = $0 { true } else { false } }
            await mine.refreshInformation()
            let hashes = await mine.information?.avatarHashes ?? []
            // Prosody 0.12 and ejabberd 23.01 announce it in presence only.
            if !hashes.isEmpty {
                #expect(hashes == [picture.id])
            }
            #expect(try await guest.avatar(ofRoom: address, hashes: [picture.id])?.bytes == picture.bytes)
            let wrong = await #expect(throws: ProfileError.self) {
                try await guest.avatar(ofRoom: address, hashes: [String(repeating: "0", count: 40)])
            }
            #expect(wrong?.code == .wrongHash)
            await #expect(throws: ProfileError.self) { try await guest.publish(nil, ofRoom: address) }
            try await owner.publish(nil, ofRoom: address)
            #expect(try await guest.avatar(ofRoom: address, hashes: [picture.id]) == nil)
        }
    }

    /// Stores what an older program would have stored.
    private struct Storing: IQRequest {
        typealias Response = EmptyResponse
        static let name = PrivateXMLRequest.name
        static let iqType = IQ.Kind.set
        var bookmarks: LegacyBookmarks

        init(_ bookmarks: LegacyBookmarks) { self.bookmarks = bookmarks }

        init(from element: XMLElement) throws(XMLDecodingError) {
            guard let bookmarks = try element.decode(LegacyBookmarks.self) else {
                throw XMLDecodingError(Self.name, .missingElement(LegacyBookmarks.name))
            }
            self.bookmarks = bookmarks
        }

        func encode(to writer: inout XMLWriter) {
            writer.element(Self.name) { bookmarks.encode(to: &$0) }
        }
    }

    @Test("bookmarks of older programs are read, and adopted by the first change", arguments: ServerKind.allCases)
    func oldBookmarks(kind: ServerKind) async throws {
        // The module of Prosody that translates between the forms.
        let server = try await kind.shared(ServerOptions { if kind.isProsody { $0.removedModules = ["bookmarks"] } })
        let (council, cave) = (try newRoom(), try newRoom())
        try await server.withTwoDevices { phone, desk in
            let storage = LegacyBookmarks([
                .init(room: council, Bookmark(title: "Council of Oberon", nickname: "Puck")),
                .init(room: cave, Bookmark(title: "A Dark Cave")),
            ])
            _ = try await phone.request(Storing(storage))
            let bookmarks = try #require(desk[Bookmarks.self])
            try await bookmarks.fetch()
            #expect(await bookmarks.all.count == 2)
            #expect(await bookmarks.all[council]?.nickname == "Puck")
            try await bookmarks.remove(cave)
            #expect(await bookmarks.isLegacy == false)

            let other = try #require(phone[Bookmarks.self])
            try await other.fetch()
            #expect(await other.all == [council: Bookmark(title: "Council of Oberon", nickname: "Puck")])
            #expect(await other.isLegacy == false)
        }
    }
}
