import ChatFixtures
import ChatStore
import EndToEndEncryption
import OMEMO
import PublishSubscribe
import ServerFixtures
import Testing
import XMPPAddress

@testable import ChatEngine

@Suite("Devices and decisions on real servers", .timeLimit(.minutes(20)))
struct DecisionLiveTests {
    private func announced(_ account: JID, to person: Person) async throws -> Set<UInt32> {
        let encryption = try #require(person.account.encryption)
        return Set(try await encryption.devices(of: account).filter { $0.isAnnounced == true }.map(\.device))
    }

    /// The devices in both lists of an account as its server has them. A program's own view can be a moment older or
    /// newer: notifications of its changes arrive after them.
    private func published(by person: Person) async throws -> [Set<UInt32>] {
        let data = try #require(person.account.session?[PublishSubscribe.self])
        var lists: [Set<UInt32>] = []
        for generation in OMEMOGeneration.allCases {
            let item = try await data.items(of: generation.devicesNode, maximum: 1).items.last
            let list = try OMEMODeviceList(from: #require(item?.payload))
            lists.append(Set(list.devices.map(\.id.number)))
        }
        return lists
    }

    @Test(
        "an old device is removed from the lists, and a device that was removed announces itself again",
        arguments: AccountLiveTests.servers)
    func removal(kind: ServerKind) async throws {
        let server = try await kind.shared()
        let (first, second) = (try await server.newAccount("romeo"), try await server.newAccount("juliet"))
        let romeo = try await EncryptionLiveTests.person(first, on: server)
        let phone = try await EncryptionLiveTests.person(second, on: server)
        let tablet = try await EncryptionLiveTests.person(second, on: server)
        try await tablet.whileRunning { try await EncryptionLiveTests.waitUntilAnnounced([tablet]) }
        try await phone.whileRunning {
            try await EncryptionLiveTests.waitUntilAnnounced([phone])
            let encryption = try #require(phone.account.encryption)
            let (kept, old) = (try #require(encryption.device), try #require(tablet.account.encryption?.device))
            #expect(try await published(by: phone) == [[kept, old], [kept, old]])
            // Notifications of the lists before can be read after a change of this program.
            #expect(await eventually { (try? await announced(phone.address, to: phone)) == [kept, old] })
            try await encryption.removeDevice(old)
            #expect(try await published(by: phone) == [[kept], [kept]])
            #expect(await eventually { (try? await announced(phone.address, to: phone)) == [kept] })
            try await encryption.removeDevice(kept)
            #expect(try await published(by: phone) == [[], []])
            encryption.announceAgain()
            #expect(await eventually { (try? await published(by: phone)) == [[kept], [kept]] })
            #expect(await eventually { (try? await announced(phone.address, to: phone)) == [kept] })
            try await romeo.whileRunning {
                try await EncryptionLiveTests.waitUntilAnnounced([romeo])
                // A request that a busy server does not answer in time is repeated after a pause.
                var seen: [Set<UInt32>] = []
                let isSeen = await eventually {
                    seen.append((try? await announced(phone.address, to: romeo)) ?? [])
                    return seen.last == [kept]
                }
                #expect(isSeen, "\(seen.prefix(3)) … \(seen.suffix(3)), not \(kept)")
                let link = try #require(try await encryption.verificationLink(for: phone.address))
                let outcome = try await romeo.account.encryption?.verify(with: link)
                #expect(try outcome?.verified == [#require(encryption.fingerprint)])
                let conversation = romeo.key(phone.address).conversation
                #expect(await romeo.account.encryptionForecast(for: conversation).outcome == .encrypted)
                // A server that refuses all other domains is no server that does not answer.
                guard kind == .ejabberd2412 else { return }
                let silent = ConversationAddress(try JID("nobody@unreachable.invalid"), kind: .direct)
                let forecast = await romeo.account.encryptionForecast(for: silent)
                #expect(forecast.outcome == .waits(.unreachable))
                #expect(forecast.unreadable == [.init(silent.address, .unreachable)])
            }
        }
    }

    @Test(
        "nodes with keys that not everyone can read are named, and are open again after the next publication",
        arguments: AccountLiveTests.servers)
    func closedNodes(kind: ServerKind) async throws {
        let server = try await kind.shared()
        let juliet = try await EncryptionLiveTests.person(try await server.newAccount("juliet"), on: server)
        try await juliet.whileRunning {
            try await EncryptionLiveTests.waitUntilAnnounced([juliet])
            let encryption = try #require(juliet.account.encryption)
            #expect(try await encryption.closedNodes().isEmpty)
            let data = try #require(juliet.account.session?[PublishSubscribe.self])
            let device = try #require(encryption.device)
            let names = ["urn:xmpp:omemo:2:devices", "eu.siacs.conversations.axolotl.bundles:\(device)"]
            var configuration = NodeConfiguration()
            configuration.accessModel = .whitelist
            try await data.configure(names[0], configuration)
            try await data.removeNode(names[1])
            #expect(
                try await encryption.closedNodes() == [
                    ClosedNode(names[0], accessModel: "whitelist"), ClosedNode(names[1], accessModel: nil),
                ])
            encryption.announceAgain()
            #expect(await eventually { (try? await encryption.closedNodes()) == [] })
        }
    }

    @Test("a contact's new device is noticed before it writes, and before anything is sent to it")
    func newDevice() async throws {
        let server = try await ServerKind.prosody13.shared()
        let second = try await server.newAccount("juliet")
        let romeo = try await EncryptionLiveTests.person(try await server.newAccount("romeo"), on: server)
        let phone = try await EncryptionLiveTests.person(second, on: server)
        let tablet = try await EncryptionLiveTests.person(second, on: server)
        try await romeo.befriend(phone)
        try await romeo.whileRunning {
            try await phone.whileRunning {
                try await EncryptionLiveTests.waitUntilAnnounced([romeo, phone])
                _ = try await phone.account.send(.text(MessageText("one")), in: phone.key(romeo.address))
                try await romeo.wait(for: phone) { $0.first?.text.body == "one" }
                let encryption = try #require(romeo.account.encryption)
                try await encryption.setTrust(
                    .verified, of: try #require(phone.account.encryption?.fingerprint), at: phone.address)
                try await tablet.whileRunning {
                    try await EncryptionLiveTests.waitUntilAnnounced([tablet])
                    let new = tablet.account.encryption?.fingerprint
                    @Sendable func noticed() async throws -> [String?] {
                        let key = romeo.key(phone.address)
                        let all = MessageTime(millisecondsSince1970: .min)...MessageTime(millisecondsSince1970: .max)
                        return try await romeo.store.read { reader throws(StoreError) in
                            guard let id = try reader.conversation(key) else { return [] }
                            return try reader.notices(of: id, in: all).map(\.notice).filter { $0.kind == .newKey }
                                .map(\.key?.fingerprint)
                        }
                    }
                    await eventually { (try? await noticed().isEmpty) == false }
                    #expect(try await noticed() == [new])
                }
            }
        }
    }

    @Test(
        "members of a room who are no contacts: a device that lost its sessions gets new ones, and what it could not read",
        arguments: AccountLiveTests.servers)
    func roomRepair(kind: ServerKind) async throws {
        let server = try await kind.shared()
        let romeo = try await EncryptionLiveTests.person(try await server.newAccount("romeo"), on: server)
        let juliet = try await EncryptionLiveTests.person(try await server.newAccount("juliet"), on: server)
        let room = try JID("vault-\(romeo.address.local ?? "")@conference.\(server.domain)")
        let keys = [RoomLiveTests.key(romeo, room), RoomLiveTests.key(juliet, room)]
        @Sendable func say(_ text: String, _ place: Int) async throws {
            let people = [romeo, juliet]
            _ = try await people[place].account.send(.text(MessageText(text)), in: keys[place])
            try await people[1 - place].wait(in: keys[1 - place]) { $0.contains { $0.text.body == text } }
        }
        try await romeo.whileRunning {
            try await juliet.whileRunning {
                try await EncryptionLiveTests.waitUntilAnnounced([romeo, juliet])
                try await EncryptionLiveTests.enterPrivate(room, romeo, juliet)
                try await say("one", 0)
                try await say("two", 1)
                try await EncryptionLiveTests.loseSessions(of: juliet)
                _ = try await romeo.account.send(.text(MessageText("three")), in: keys[0])
                // A copy comes directly, and stands where the message does.
                try await juliet.wait(in: keys[1]) { $0.last?.text.body == "three" }
                try await EncryptionLiveTests.waitForRepair(by: juliet, of: romeo)
                try await say("four", 0)
            }
        }
        #expect(try await juliet.timeline(in: keys[1]).map(\.text.body) == ["one", "two", "three", "four"])
        #expect(try await juliet.timeline(with: romeo.address).isEmpty)
    }
}
