import ChatFixtures
import ChatStore
import ChatStoreTesting
import ServerFixtures
import Testing
import XMPPAddress
import XMPPClient

@testable import ChatEngine

@Suite("Messages that are sealed end to end, on real servers", .timeLimit(.minutes(20)))
struct ProtectionLiveTests {
    /// A person whose devices have the test's encryption.
    static func person(
        _ account: ServerFixtures.Account, _ device: String, on server: RunningServer,
        store: any LocalStore = MemoryStore()
    ) async throws -> Person {
        let address = try JID(account.address)
        let id = try await store.write { writer throws(StoreError) in try writer.addAccount(address) }
        return try await Person(
            account, on: server, store: store,
            protection: ReversingProtection(device, store: store, account: id))
    }

    static func facts(_ device: String) -> MessageProtection {
        .encrypted(scheme: ReversingProtection.scheme, device: device, trust: .trusted)
    }

    @Test(
        "live, as a carbon and from the archive each device opens what it can; a program without the keys sees no word",
        arguments: AccountLiveTests.servers)
    func devices(kind: ServerKind) async throws {
        let server = try await kind.shared()
        let (first, second) = (try await server.newAccount("romeo"), try await server.newAccount("juliet"))
        let romeo = try await Self.person(first, "romeo's", on: server)
        let phone = try await Self.person(second, "phone", on: server)
        let tablet = try await Self.person(second, "tablet", on: server)
        try await romeo.whileRunning {
            try await phone.whileRunning {
                try await tablet.whileRunning {
                    try await Person.waitUntilOnline([romeo, phone, tablet])
                    try await romeo.write("nightingale", to: phone)
                    for device in [phone, tablet] {
                        try await device.wait(for: romeo) { $0.map(\.text.body) == ["nightingale"] }
                    }
                    let written = try await phone.write("it is the lark", to: romeo)
                    for (device, peer) in [(romeo, phone), (tablet, romeo)] {
                        try await device.wait(for: peer) { $0.contains { $0.text.body == "it is the lark" } }
                    }
                    let id = try #require(
                        try await phone.store.read { reader throws(StoreError) in try reader.message(written)?.originID
                        })
                    _ = try await phone.account.send(
                        .correction(of: .sent(id: id), MessageText("it was the lark")), in: phone.key(romeo.address))
                    _ = try await romeo.account.send(.reactions(to: .sent(id: id), ["🐦"]), in: romeo.key(phone.address))
                    for (device, peer) in [(romeo, phone), (tablet, romeo), (phone, romeo)] {
                        try await device.wait(for: peer) {
                            $0.contains { $0.text.body == "it was the lark" && $0.reactions.map(\.emoji) == ["🐦"] }
                        }
                    }
                }
            }
        }
        #expect(
            try await tablet.timeline(with: romeo.address).map(\.protection) == [
                Self.facts("romeo's"), Self.facts("phone"),
            ])
        // Everything is read again from the archive: a new device opens all, and nothing becomes two or loses its text.
        let laptop = try await Self.person(second, "laptop", on: server)
        for device in [laptop, phone] {
            try await device.whileRunning {
                try await device.wait(for: romeo) {
                    $0.map(\.text.body) == ["nightingale", "it was the lark"]
                        && $0.last?.reactions.map(\.emoji) == ["🐦"]
                }
            }
        }
        #expect(
            try await laptop.timeline(with: romeo.address).map(\.protection) == [
                Self.facts("romeo's"), Self.facts("phone"),
            ])
        // The same history for a program that has no keys shows what the server has.
        let plain = try await Person(second, on: server)
        try await plain.whileRunning {
            try await plain.wait(for: romeo) { messages in
                messages.count >= 2 && messages.allSatisfy { $0.text.body == ReversingProtection.fallback }
            }
        }
        #expect(try await plain.timeline(with: romeo.address).allSatisfy { $0.protection == .none })
    }

    @Test("in a room, live and for one who comes later", arguments: AccountLiveTests.servers)
    func room(kind: ServerKind) async throws {
        let server = try await kind.shared()
        let names = [try await server.newAccount("romeo"), try await server.newAccount("juliet")]
        let romeo = try await Self.person(names[0], "romeo's", on: server)
        let juliet = try await Self.person(names[1], "juliet's", on: server)
        let room = try JID("vault-\(romeo.address.local ?? "")@conference.\(server.domain)")
        try await romeo.whileRunning {
            try await juliet.whileRunning {
                try await Person.waitUntilOnline([romeo, juliet])
                try await romeo.account.rooms.enter(room, nickname: "romeo")
                try await juliet.account.rooms.enter(room, nickname: "juliet")
                for text in ["here", "will I remain"] {
                    _ = try await romeo.account.send(.text(MessageText(text)), in: RoomLiveTests.key(romeo, room))
                }
                _ = try await juliet.account.send(.text(MessageText("with worms")), in: RoomLiveTests.key(juliet, room))
                for person in [romeo, juliet] {
                    try await person.wait(in: RoomLiveTests.key(person, room)) { messages in
                        Set(messages.map(\.text.body)) == ["here", "will I remain", "with worms"]
                            && messages.allSatisfy { $0.state != .queued }
                    }
                }
                let tablet = try await Self.person(names[1], "tablet", on: server)
                try await tablet.whileRunning {
                    try await tablet.wait(in: RoomLiveTests.key(tablet, room)) { messages in
                        Set(messages.map(\.text.body)) == ["here", "will I remain", "with worms"]
                    }
                }
                let seen = try await tablet.timeline(in: RoomLiveTests.key(tablet, room))
                #expect(Set(seen.map(\.protection)) == [Self.facts("romeo's"), Self.facts("juliet's")])
                #expect(seen.map(\.isOutgoing) == seen.map { $0.text.body == "with worms" })
                let own = try await romeo.timeline(in: RoomLiveTests.key(romeo, room)).filter(\.isOutgoing)
                #expect(own.map(\.text.body) == ["here", "will I remain"])
            }
        }
    }
}
