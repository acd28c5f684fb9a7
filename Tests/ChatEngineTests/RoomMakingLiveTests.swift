import ChatEngine
import ChatFixtures
import ChatStore
import GroupChat
import ServerFixtures
import Testing
import XMPPAddress
import XMPPClient

@Suite("Creating rooms and inviting people on real servers", .timeLimit(.minutes(20)))
struct RoomMakingLiveTests {
    /// Waits until a condition of an account is true.
    private static func wait(
        for account: ChatAccount, _ isTrue: @Sendable (ChatAccount) async -> Bool
    ) async throws {
        try #require(await eventually { await isTrue(account) })
    }

    @Test(
        "an owner reads and changes the settings of a room and the standing of people; the name is shown to others",
        arguments: AccountLiveTests.servers)
    func settings(kind: ServerKind) async throws {
        let server = try await kind.shared()
        let romeo = try await Person(try await server.newAccount("romeo"), on: server)
        let juliet = try await Person(try await server.newAccount("juliet"), on: server)
        try await romeo.whileRunning {
            try await juliet.whileRunning {
                try await Person.waitUntilOnline([romeo, juliet])
                let (one, other) = (romeo.account, juliet.account)
                let service = try #require(await one.rooms.service())
                let room = try JID("settings-\(romeo.address.local ?? "")@\(service)")
                try await one.rooms.create(
                    room, nickname: "romeo", settings: RoomSettings(name: "Before", access: .membersOnly))
                let before = try await one.rooms.configuration(of: room)
                #expect(before.name == "Before")
                #expect(before.isForMembersOnly == true)
                var after = before
                after.name = "Garden Club"
                after.isForMembersOnly = false
                after.password = "sesame"
                after.isModerated = true
                try await one.rooms.configure(room, after, before: before)
                let read = try await one.rooms.configuration(of: room)
                #expect(read.name == "Garden Club")
                #expect(read.isForMembersOnly == false)
                #expect(read.password == "sesame")
                #expect(read.isModerated == true)
                // What was not changed is as before.
                #expect(read.isListed == before.isListed)

                try await one.rooms.setStanding(.member, of: juliet.address, in: room)
                let expected = [
                    RoomAffiliate(address: romeo.address, standing: .owner),
                    RoomAffiliate(address: juliet.address, standing: .member),
                ]
                #expect(try await one.rooms.affiliates(of: room) == expected)
                try await one.rooms.setStanding(.banned, of: juliet.address, in: room)
                #expect(try await one.rooms.affiliates(of: room).last?.standing == .banned)
                await #expect(throws: GroupChatError.self) {
                    try await other.rooms.enter(room, nickname: "juliet", password: "sesame")
                }
                try await one.rooms.setStanding(nil, of: juliet.address, in: room)
                #expect(try await one.rooms.affiliates(of: room).count == 1)

                // Others learn the name from the room, not from its address.
                try await other.rooms.enter(room, nickname: "juliet", password: "sesame")
                let (store, id) = (juliet.store, other.id)
                try await Self.wait(for: other) { _ in
                    let kept = try? await store.read { reader throws(StoreError) in try reader.rooms(of: id) }
                    return kept?.first { $0.address == room }?.name == "Garden Club"
                }
                #expect(await one.rooms.shared(with: juliet.address) == [room])
                try await one.rooms.destroy(room)
            }
        }
    }

    @Test("an address of a person is no room, and that is known before joining", arguments: AccountLiveTests.servers)
    func people(kind: ServerKind) async throws {
        let server = try await kind.shared()
        let romeo = try await Person(try await server.newAccount("romeo"), on: server)
        let juliet = try await server.newAccount("juliet")
        try await romeo.whileRunning {
            try await Person.waitUntilOnline([romeo])
            let rooms = romeo.account.rooms
            let addresses = ["nobody@\(server.domain)", "\(juliet.username)@\(server.domain)", server.domain]
            for address in try addresses.map({ try JID($0) }) + [romeo.address] {
                // A join request would not be answered, and fail a minute later.
                await #expect("\(address)") {
                    try await rooms.enter(address, nickname: "romeo", password: nil)
                } throws: { error in
                    (error as? GroupChatError)?.code.description == "not a room"
                }
            }
        }
    }

    @Test(
        "a members-only room is created, closed to strangers, joined by invitation, and destroyed",
        arguments: AccountLiveTests.servers)
    func rooms(kind: ServerKind) async throws {
        let server = try await kind.shared()
        let romeo = try await Person(try await server.newAccount("romeo"), on: server)
        let juliet = try await Person(try await server.newAccount("juliet"), on: server)
        try await romeo.whileRunning {
            try await juliet.whileRunning {
                try await Person.waitUntilOnline([romeo, juliet])
                let (one, other) = (romeo.account, juliet.account)
                let service = try #require(await one.rooms.service())
                let room = try JID("secret-\(romeo.address.local ?? "")@\(service)")
                let settings = RoomSettings(name: "Secret", access: .membersOnly)
                try await one.rooms.create(room, nickname: "romeo", settings: settings)
                #expect(await one.rooms.inside() == [room])
                #expect(await one.bookmarks.all[room]?.joinsAutomatically == true)
                #expect(try await one.rooms.information(of: room).isForMembersOnly)
                await #expect(throws: GroupChatError.self) {
                    try await one.rooms.create(room, nickname: "romeo", settings: settings)
                }
                do throws(GroupChatError) {
                    try await other.rooms.enter(room, nickname: "juliet")
                    Issue.record("A stranger is in a room for members.")
                } catch {
                    #expect(error.code == .membersOnly)
                }

                try await one.rooms.invite(juliet.address, to: room, reason: "come")
                try await Self.wait(for: other) { await $0.invitations.waiting.count == 1 }
                #expect(await other.invitations.waiting.first?.room == room)
                do throws(GroupChatError) {
                    try await other.rooms.acceptInvitation(to: room, nickname: "romeo")
                    Issue.record("Two have one nickname.")
                } catch {
                    #expect(error.code == .nicknameTaken)
                }
                #expect(await other.invitations.waiting.count == 1)
                try await other.rooms.acceptInvitation(to: room, nickname: "juliet")
                #expect(await other.invitations.waiting.isEmpty)
                try await other.bookmarks.setJoinsAutomatically(false, room)
                // The notification of the bookmark before can be read after the change.
                try await Self.wait(for: other) { await $0.bookmarks.all[room]?.joinsAutomatically == false }
                #expect(await other.rooms.inside() == [room])
                try await other.bookmarks.setJoinsAutomatically(true, room)
                try await Self.wait(for: other) { await $0.bookmarks.all[room]?.joinsAutomatically == true }

                try await one.rooms.destroy(room)
                try await Self.wait(for: other) { await $0.rooms.inside().isEmpty }
                #expect(await one.bookmarks.all[room] == nil)
                // Otherwise the next start of either device would create it again.
                try await Self.wait(for: other) { await $0.bookmarks.all[room]?.joinsAutomatically == false }
                for person in [romeo, juliet] {
                    // The store is updated after the account.
                    let id = person.account.id
                    let store = person.store
                    try await Self.wait(for: person.account) { _ in
                        let kept = try? await store.read { reader throws(StoreError) in try reader.rooms(of: id) }
                        return kept?.map(\.address) == [room] && kept?.map(\.joinsAutomatically) == [false]
                    }
                }
            }
        }
    }

    @Test(
        "the owner gives a room a picture, which the others store, and removes it", arguments: AccountLiveTests.servers)
    func picture(kind: ServerKind) async throws {
        let server = try await kind.shared()
        let romeo = try await Person(try await server.newAccount("romeo"), on: server)
        let juliet = try await Person(try await server.newAccount("juliet"), on: server)
        try await romeo.whileRunning {
            try await juliet.whileRunning {
                try await Person.waitUntilOnline([romeo, juliet])
                let service = try #require(await romeo.account.rooms.service())
                let room = try JID("picture-\(romeo.address.local ?? "")@\(service)")
                try await romeo.account.rooms.create(
                    room, nickname: "romeo", settings: RoomSettings(name: "Picture", access: .everybody))
                try await juliet.account.rooms.enter(room, nickname: "juliet")
                try await romeo.account.rooms.setPicture(Sample.bitmap(width: 64, height: 64), of: room)
                for isThere in [true, false] {
                    if !isThere { try await romeo.account.rooms.setPicture(nil, of: room) }
                    // Prosody goes on announcing the hash of a picture that was removed, so others keep it.
                    for person in isThere || kind != .prosody13 ? [romeo, juliet] : [romeo] {
                        let (store, id) = (person.store, person.id)
                        try await Self.wait(for: person.account) { _ in
                            let kept = try? await store.read { reader throws(StoreError) in
                                try reader.avatarHashes(of: id)
                            }
                            return kept.map { ($0[room] != nil) == isThere } ?? false
                        }
                    }
                }
                await #expect(throws: OwnProfileFailure.self) {
                    try await juliet.account.rooms.setPicture(nil, of: room)
                }
                try await romeo.account.rooms.destroy(room)
            }
        }
    }

    /// What a device stores about the notifications of a room.
    private static func level(_ room: JID, of person: Person) async -> ConversationSettings.Notifications? {
        let key = ConversationKey(account: person.id, address: room, kind: .room)
        let settings = try? await person.store.read { reader throws(StoreError) in
            try reader.conversation(key).flatMap { id throws(StoreError) in try reader.conversation(id)?.settings }
        }
        return settings?.notifications
    }

    @Test(
        "what one device sets about the notifications of a room, another one follows; a choice without a connection outlasts the older one"
    )
    func notifications() async throws {
        let server = try await ServerKind.prosody13.shared()
        let name = try await server.newAccount("romeo")
        let (desk, phone) = (try await Person(name, on: server), try await Person(name, on: server))
        try await desk.whileRunning {
            let room = try await phone.whileRunning {
                try await Person.waitUntilOnline([desk, phone])
                let service = try #require(await desk.account.rooms.service())
                let room = try JID("quiet-\(desk.address.local ?? "")@\(service)")
                try await desk.account.rooms.create(
                    room, nickname: "romeo", settings: RoomSettings(name: "Quiet", access: .everybody))
                for level in [ConversationSettings.Notifications.none, .mentions, .all] {
                    try await desk.account.bookmarks.share(level, of: room)
                    try await Self.wait(for: phone.account) { _ in await Self.level(room, of: phone) == level }
                }
                return room
            }
            // The phone is offline now.
            let quiet = ConversationSettings.Notifications.none
            let key = ConversationKey(account: phone.id, address: room, kind: .room)
            try await phone.store.write { writer throws(StoreError) in
                try writer.update(ConversationSettings(notifications: quiet), of: writer.openConversation(key))
            }
            try await phone.account.bookmarks.share(quiet, of: room)
            try await phone.whileRunning {
                try await Self.wait(for: desk.account) { _ in await Self.level(room, of: desk) == quiet }
                #expect(await Self.level(room, of: phone) == quiet)
                // What another device sets later is followed again.
                try await desk.account.bookmarks.share(.mentions, of: room)
                try await Self.wait(for: phone.account) { _ in await Self.level(room, of: phone) == .mentions }
            }
            try await desk.account.rooms.destroy(room)
        }
    }

    private static func name(_ room: JID, of person: Person) async -> String? {
        let id = person.id
        let kept = try? await person.store.read { reader throws(StoreError) in try reader.rooms(of: id) }
        return kept?.first { $0.address == room }?.name
    }

    @Test(
        "a room that is renamed has the new name on each device, also on one that was offline, unless the user has named it"
    )
    func names() async throws {
        let server = try await ServerKind.prosody13.shared()
        let name = try await server.newAccount("romeo")
        let (desk, phone) = (try await Person(name, on: server), try await Person(name, on: server))
        @Sendable func isNamed(_ name: String, _ room: JID, _ devices: Person...) async throws {
            for device in devices {
                try await Self.wait(for: device.account) { _ in await Self.name(room, of: device) == name }
            }
        }
        try await desk.whileRunning {
            @Sendable func change(_ room: JID, to name: String) async throws {
                let before = try await desk.account.rooms.configuration(of: room)
                var after = before
                after.name = name
                try await desk.account.rooms.configure(room, after, before: before)
            }
            let room = try await phone.whileRunning {
                try await Person.waitUntilOnline([desk, phone])
                let service = try #require(await desk.account.rooms.service())
                let room = try JID("named-\(desk.address.local ?? "")@\(service)")
                try await desk.account.rooms.create(
                    room, nickname: "romeo", settings: RoomSettings(name: "First", access: .everybody))
                try await isNamed("First", room, desk, phone)
                return room
            }
            try await change(room, to: "Second")
            try await isNamed("Second", room, desk)
            try await phone.whileRunning {
                try await isNamed("Second", room, phone)
                try await phone.account.bookmarks.rename(room, to: "Mine")
                try await isNamed("Mine", room, desk, phone)
            }
            try await change(room, to: "Third")
            try await phone.whileRunning {
                try await Self.wait(for: phone.account) { await $0.rooms.inside() == [room] }
                for device in [desk, phone] {
                    try await device.account.settle()
                    #expect(await Self.name(room, of: device) == "Mine")
                }
                try await desk.account.bookmarks.rename(room, to: nil)
                try await isNamed("Third", room, desk, phone)
            }
            try await desk.account.rooms.destroy(room)
        }
    }

    @Test("the devices of a contact are known, and a request has its message")
    func devices() async throws {
        let server = try await ServerKind.prosody13.shared()
        let romeo = try await Person(try await server.newAccount("romeo"), on: server)
        let juliet = try await Person(try await server.newAccount("juliet"), on: server)
        try await romeo.whileRunning {
            try await juliet.whileRunning {
                try await Person.waitUntilOnline([romeo, juliet])
                _ = try await romeo.account.contacts.add(juliet.address, name: "Jule", message: "from the feast")
                try await Self.wait(for: juliet.account) { await $0.contacts.requests.count == 1 }
                #expect(await juliet.account.contacts.requests.first?.text == "from the feast")
                try await juliet.account.contacts.acceptRequest(of: romeo.address)
                let address = juliet.address
                try await Self.wait(for: romeo.account) { await $0.contacts.devices(of: address).count == 1 }
                #expect(await romeo.account.contacts.devices(of: address).first?.availability == .available)
            }
        }
    }
}
