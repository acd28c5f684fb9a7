import ChatEngine
import ChatFixtures
import ChatModel
import ChatStore
import GroupChat
import Testing
import XMPPAddress

@Suite("The people of a room")
@MainActor
struct RoomModelTests {
    private typealias Person = RoomState.Person

    private static func model() async throws -> (RoomModel, ModelFixture) {
        let fixture = try await ModelFixture()
        let key = try fixture.key("orchard@rooms.example", .room)
        return (RoomModel(key, store: fixture.store, environment: fixture.environment()), fixture)
    }

    @Test("owners stand before admins, moderators, members, others and those without a voice; each by name")
    func order() async throws {
        let (model, _) = try await Self.model()
        let mirror = Mirror(model.people)
        model.show(
            RoomState(
                isInside: true, nickname: "Jule", subject: "Stars",
                people: [
                    Person(nickname: "visitor", standing: .visitor, hasVoice: false),
                    Person(nickname: "Jule", id: "j", standing: .member, isOwn: true),
                    Person(nickname: "Émile"), Person(nickname: "dora"), Person(nickname: "frank"),
                    Person(nickname: "zoe", standing: .owner, isModerator: true),
                    Person(nickname: "adam", standing: .admin, isModerator: true),
                    Person(nickname: "bot", standing: .moderator, isModerator: true),
                ]))
        #expect(
            model.people.elements.map(\.nickname)
                == ["zoe", "adam", "bot", "Jule", "dora", "Émile", "frank", "visitor"])
        #expect(model.isInside && model.subject == "Stars" && model.own?.nickname == "Jule")
        #expect(model.nicknames.count == 7 && !model.nicknames.contains("Jule"))
        #expect(model.title == "orchard")
        _ = mirror.takeSteps()
        // Another nickname under the same lasting name is the same row.
        model.show(
            RoomState(
                isInside: true, nickname: "Juliet",
                people: [Person(nickname: "Juliet", id: "j", standing: .member, isOwn: true)]))
        #expect(mirror.takeSteps().count == 3)
        #expect(mirror.rows == model.people.elements)
        model.show(.outside)
        #expect(model.people.elements.isEmpty && !model.isInside && model.own == nil)
    }

    @Test("why one is not inside is known until one is inside; before anybody looked nothing is claimed")
    func absence() async throws {
        let (model, _) = try await Self.model()
        #expect(!model.isKnown && model.absence == nil)
        let absence = try #require(RoomAbsence(RoomDeparture(.kicked, actorNickname: "Tybalt")))
        model.show(RoomState(isInside: false, absence: absence))
        #expect(model.isKnown && !model.isInside && model.absence?.isTriedAgain == false)
        #expect(model.absence == absence)
        model.show(RoomState(isInside: true, nickname: "Jule", people: [Person(nickname: "Jule", isOwn: true)]))
        #expect(model.absence == nil && model.nickname == "Jule")
    }

    @Test("a nickname, or an account that the room tells, is found by any of its words")
    func search() async throws {
        let (model, fixture) = try await Self.model()
        model.show(
            RoomState(
                isInside: true, people: [Person(nickname: "R", address: fixture.romeo), Person(nickname: "Nurse")]))
        model.search("montague")
        #expect(model.people.elements.map(\.nickname) == ["R"])
        model.search("NURS")
        #expect(model.people.elements.map(\.nickname) == ["Nurse"])
        model.search("")
        #expect(model.people.elements.count == 2)
    }

    @Test("what may be done depends on who one is, and to whom it is done")
    func rights() async throws {
        let (model, fixture) = try await Self.model()
        let guest = Person(nickname: "guest", address: fixture.romeo)
        let mute = Person(nickname: "mute", standing: .visitor, hasVoice: false)
        let admin = Person(nickname: "admin", address: fixture.romeo, standing: .admin, isModerator: true)
        let owner = Person(nickname: "owner", address: fixture.romeo, standing: .owner, isModerator: true)
        func rights(_ own: Person) -> RoomRights {
            var own = own
            own.isOwn = true
            model.show(RoomState(isInside: true, people: [own, guest]))
            return model.rights
        }
        var mine = rights(Person(nickname: "me"))
        #expect(!mine.mayKick(guest) && !mine.mayBan(guest) && mine.mayChangeSubject && mine.mayInvite)
        mine = rights(Person(nickname: "me", standing: .visitor, hasVoice: false))
        #expect(!mine.mayChangeSubject)
        mine = rights(Person(nickname: "me", standing: .moderator, isModerator: true))
        #expect(mine.mayKick(guest) && !mine.mayBan(guest) && !mine.mayKick(admin) && !mine.mayKick(owner))
        #expect(mine.mayTakeVoice(from: guest) && mine.mayGiveVoice(to: mute) && !mine.mayGiveVoice(to: guest))
        #expect(!mine.mayTakeVoice(from: admin) && mine.mayTakeBackOthersMessages && !mine.mayMakeMember(guest))
        mine = rights(Person(nickname: "me", standing: .admin, isModerator: true))
        #expect(mine.mayBan(guest) && !mine.mayBan(mute) && !mine.mayBan(admin) && mine.mayMakeMember(guest))
        mine = rights(Person(nickname: "me", standing: .owner, isModerator: true))
        #expect(mine.mayBan(admin) && !mine.mayKick(owner) && mine.isOwner)
        model.show(.outside)
        #expect(!model.rights.mayInvite && !model.rights.mayKick(guest))
    }
}
