import ChatStore
import ChatStoreTesting
import MessageFeatures
import Testing
import XMPPAddress
import XMPPStanzas

@testable import ChatEngine
@testable import OMEMO

@Suite("What others can make the encryption store and believe", .timeLimit(.minutes(10)))
struct StrangerTests {
    let server = KeyServer()

    @Test("of strangers the last ones are remembered, contacts and decisions always, and nothing is owed to strangers")
    func strangers() async throws {
        let bob = try await SealingDevice("bob@b.test", on: server, strangerLimit: 3)
        let friend = try await SealingDevice("friend@a.test", on: server)
        try await bob.addContact(friend.address)
        try await bob.receive(try await friend.seal("I am a friend", to: bob.address))
        var strangers: [SealingDevice] = []
        for number in 0..<6 {
            let stranger = try await SealingDevice("s\(number)@m.test", on: server)
            strangers.append(stranger)
            try await bob.receive(try await stranger.seal("hello", to: bob.address))
            if number == 0 {
                let key = try #require(stranger.protection.fingerprint)
                try await bob.protection.setTrust(.verified, of: key, at: stranger.address)
            }
        }
        let kept = [friend, strangers[0]] + strangers.suffix(3)
        let addresses = Set(kept.map(\.address.description))
        func accounts(_ prefix: String, at place: Int) async throws -> Set<String> {
            Set(try await bob.records(prefix).map { $0.name.split(separator: "/").map(String.init)[place] })
        }
        #expect(try await accounts(KnownKey.prefix, at: 2) == addresses)
        #expect(try await accounts(KnownKey.ownerPrefix, at: 3) == addresses)
        #expect(try await accounts(SessionShelf.prefix, at: 3) == addresses)
        #expect(try await accounts("omemo/conversation/", at: 3) == addresses)
        #expect(try await accounts(OwedMessage.prefix, at: 3) == [friend.address.description])
        for stranger in strangers {
            #expect(try await bob.timeline(with: stranger.address).map(\.text.body) == ["hello"])
        }
    }

    @Test("an account that writes with ever new device ids has no more sessions than it can have devices")
    func sessions() async throws {
        let bob = try await SealingDevice("bob@b.test", on: server)
        let alice = try await SealingDevice("alice@a.test", on: server)
        try await bob.receive(try await alice.seal("one", to: bob.address))
        let record = try #require(try await bob.records(SessionShelf.prefix).first)
        let prefix = SessionShelf.prefix(.current, alice.address)
        let id = bob.id
        try await bob.store.write { writer throws(StoreError) in
            try writer.save(
                ProtectionChange((1..<100).map { .init("\(prefix)\($0)", record.value) }), of: id)
        }
        let other = try await SealingDevice("alice@a.test", on: server)
        try await bob.receive(try await other.seal("two", to: bob.address, id: "m2"))
        let names = try await bob.records(prefix).map(\.name)
        #expect(names.count == 100)
        // Those that are announced stay.
        for device in [alice, other] {
            let number = try #require(device.protection.device)
            #expect(names.contains("\(prefix)\(number)"))
        }
        #expect(try await bob.timeline(with: alice.address).map(\.text.body) == ["one", "two"])
    }

    @Test("records of keys without an index are found in it after the next start")
    func index() async throws {
        let (store, identities) = (MemoryStore(), TestIdentities())
        let bob = try await SealingDevice("bob@b.test", on: server, store: store, identities: identities)
        let alice = try await SealingDevice("alice@a.test", on: server)
        try await bob.receive(try await alice.seal("one", to: bob.address))
        let index = try await bob.records(KnownKey.ownerPrefix)
        let id = bob.id
        try await store.write { writer throws(StoreError) in
            try writer.save(ProtectionChange(index.map { .init($0.name, nil) }), of: id)
        }
        let again = try await SealingDevice("bob@b.test", on: server, store: store, identities: identities)
        #expect(!index.isEmpty)
        #expect(try await again.records(KnownKey.ownerPrefix) == index)
    }

    private func plain(
        _ content: MessageContent, from sender: SealingDevice, to receiver: SealingDevice, id: String
    ) throws -> Message {
        let conversation = ConversationAddress(receiver.address, kind: .direct)
        var message = try #require(MessageBuilder().message(content, id: id, in: conversation))
        message.from = try JID("\(sender.address)/a")
        return message
    }

    @Test("clear text in an encrypted conversation is marked, unless the person has chosen clear text")
    func clear() async throws {
        let bob = try await SealingDevice("bob@b.test", on: server)
        let alice = try await SealingDevice("alice@a.test", on: server)
        try await bob.receive(try plain(.text(MessageText("before")), from: alice, to: bob, id: "p1"))
        try await bob.receive(try await alice.seal("sealed", to: bob.address))
        try await bob.receive(try plain(.text(MessageText("after")), from: alice, to: bob, id: "p2"))
        let conversation = ConversationAddress(alice.address, kind: .direct)
        try await bob.protection.setPolicy(.never, of: conversation)
        try await bob.receive(try plain(.text(MessageText("chosen")), from: alice, to: bob, id: "p3"))
        let seen = try await bob.timeline(with: alice.address)
        #expect(seen.map(\.text.body) == ["before", "sealed", "after", "chosen"])
        #expect(seen.map(\.protection.isSealed) == [false, true, false, false])
        #expect(seen.filter { $0.protection == .clear }.map(\.text.body) == ["after"])
    }

    @Test("a file in clear without a text is marked as well")
    func clearFile() async throws {
        let bob = try await SealingDevice("bob@b.test", on: server)
        let alice = try await SealingDevice("alice@a.test", on: server)
        try await bob.receive(try await alice.seal("sealed", to: bob.address))
        var message = try plain(
            .text(MessageText("", attachments: [ChatStore.Attachment(kind: .file, url: "https://files.test/1/x")])),
            from: alice, to: bob, id: "f1")
        message.body = nil
        try await bob.receive(message)
        let seen = try await bob.timeline(with: alice.address)
        #expect(seen.last?.text.attachments.count == 1 && seen.last?.protection == .clear)
    }

    @Test(
        "an encrypted message is not changed in clear, except by what the older generation cannot encrypt",
        arguments: OMEMOGeneration.allCases)
    func changes(generation: OMEMOGeneration) async throws {
        let bob = try await SealingDevice("bob@b.test", on: server, [generation])
        let alice = try await SealingDevice("alice@a.test", on: server, [generation])
        try await bob.receive(try await alice.seal("I agree to 10", to: bob.address))
        try await bob.receive(
            try plain(.correction(of: .sent(id: "m1"), MessageText("I agree to 1000")), from: alice, to: bob, id: "p1"))
        var seen = try await bob.timeline(with: alice.address)
        #expect(seen.map(\.text.body) == ["I agree to 10", "I agree to 1000"])
        #expect(seen.map(\.editTime) == [nil, nil] && seen.last?.protection == .clear)
        try await bob.receive(try plain(.reactions(to: .sent(id: "m1"), ["👍"]), from: alice, to: bob, id: "p2"))
        try await bob.receive(try plain(.retraction(of: .sent(id: "m1")), from: alice, to: bob, id: "p3"))
        seen = try await bob.timeline(with: alice.address)
        let isLegacy = generation == .legacy
        #expect(seen.first?.isRetracted == isLegacy)
        #expect(seen.first?.reactions.count == (isLegacy ? 1 : 0))
        // Encrypted ones apply.
        let correction = MessageContent.correction(of: .sent(id: "m5"), MessageText("twelve"))
        try await bob.receive(try await alice.seal("ten", to: bob.address, id: "m5"))
        try await bob.receive(try await alice.seal(correction, to: bob.address, id: "m6"))
        #expect(try await bob.timeline(with: alice.address).last?.text.body == "twelve")
    }

    @Test("a message in a room for which there is no session is followed by a repair for that member")
    func roomRepair() async throws {
        let bob = try await SealingDevice("bob@b.test", on: server)
        let alice = try await SealingDevice("alice@a.test", on: server)
        server.setMembers([alice.address, bob.address])
        let room = ConversationAddress(try JID("room@c.test"), kind: .room)
        let occupant = try JID("room@c.test/alice")
        bob.protection.occupants.set(alice.address, of: occupant)
        var (opened, failure) = (OpenedMessage?.none, ProtectionError?.none)
        func open(_ id: String) async throws {
            var message = Message(to: room.address, type: .groupchat, id: id)
            message.body = id
            try await alice.protection.prepare(room)
            let sealed = try await alice.protection.seal(message, in: room)
            try await alice.keep(sealed.change)
            message = sealed.message
            message.from = occupant
            let origin = MessageOrigin(in: .room, sender: occupant, occupantID: nil, stay: nil, isOutgoing: false)
            let route = ReceivedRoute(.live, in: room, from: origin, at: SealingDevice.time)
            do throws(ProtectionError) {
                opened = try await bob.protection.open(message, by: route)
            } catch {
                failure = error
            }
        }
        try await open("first")
        #expect(opened?.message.body == "first")
        try await bob.keep(opened?.change)
        // The session is established, and lost at Bob's side.
        var draft = KeyDraft(bob.protection.memory)
        let device = PeerDevice(
            generation: .current, address: alice.address, device: try alice.protection.own().keys.device)
        let empty = try #require(try await bob.protection.emptyMessage(for: device, nil, &draft))
        try await bob.keep(draft.finish())
        var answer = Message(to: alice.address, type: .chat, id: "e")
        answer.from = try JID("bob@b.test/b")
        answer.payloads.append(empty)
        try await alice.receive(answer)
        try await bob.keep(ProtectionChange([.init(SessionShelf.name(device), nil)]))
        try await open("second")
        #expect(failure?.code == .noSession)
        let records = try #require(failure?.change).records
        #expect(records.map(\.name) == [OwedMessage.name(device)])
        let owed = try OwedMessage(try #require(records.first?.value))
        #expect(owed.kind == .repair && owed.room == room.address)
    }

    @Test("of many keys for one device a message of each generation has few that are tried", arguments: [1, 5_000])
    func manyKeys(count: Int) async throws {
        for generation in OMEMOGeneration.allCases {
            let server = KeyServer()
            let alice = try await SealingDevice("alice@a.test", on: server, [generation])
            let bob = try await SealingDevice("bob@b.test", on: server, [generation])
            var message = try await alice.seal("one", to: bob.address)
            let name = OMEMOElement.name(of: generation)
            var element = try OMEMOElement(from: try #require(message.payloads.first(name)))
            let key = try #require(element.keys.first)
            // Each one costs an agreement of keys, if its session is tried.
            var wrong = key
            wrong.bytes[wrong.bytes.count - 1] ^= 1
            element.keys = Array(repeating: wrong, count: count - 1) + [key]
            message.payloads.removeAll(named: name)
            message.payloads.append(element)
            try await bob.receive(message)
            let seen = try await bob.timeline(with: alice.address)
            #expect(seen.map(\.text.body) == [count == 1 ? "one" : ""])
        }
    }

    @Test("repairs of long ago do not keep a new one from being recorded")
    func oldRepairs() async throws {
        let (alice, bob) = (
            try await SealingDevice("alice@a.test", on: server), try await SealingDevice("bob@b.test", on: server)
        )
        try await bob.addContact(alice.address)
        var old = OwedMessage()
        old.repaired(now: SealingDevice.time.millisecondsSince1970 / 1000 - 2 * 86_400)
        let record = try #require(old.record)
        try await bob.keep(
            ProtectionChange(
                (1...OwedMessage.limit).map { .init("\(OwedMessage.prefix)4/mallory@m.test/\($0)", record) }))
        try await bob.receive(try await alice.seal("one", to: bob.address))
        let names = try await bob.records(OwedMessage.prefix).map(\.name)
        #expect(names == [OwedMessage.name(try alice.device())])
    }

    @Test("a new device in an encrypted conversation is noted, the devices that an account has when it is met are not")
    func newDevice() async throws {
        let (store, identities) = (MemoryStore(), TestIdentities())
        var alice = try await SealingDevice("alice@a.test", on: server, store: store, identities: identities)
        let bobs = [
            try await SealingDevice("bob@b.test", on: server), try await SealingDevice("bob@b.test", on: server),
        ]
        let bob = bobs[0].address
        let key = alice.key(bob)
        @Sendable func notices() async throws -> [ConversationNotice] {
            try await store.read { reader throws(StoreError) in
                guard let id = try reader.conversation(key) else { return [] }
                let times = MessageTime(millisecondsSince1970: .min)...MessageTime(millisecondsSince1970: .max)
                return try reader.notices(of: id, in: times).map(\.notice)
            }
        }
        try await alice.receive(try await bobs[0].seal("one", to: alice.address))
        _ = try await alice.seal("two", to: bob)
        #expect(try await notices().map(\.kind) == [.began])
        let later = SealingDevice.time.advanced(by: 2 * 3_600_000)
        alice = try await SealingDevice("alice@a.test", on: server, store: store, identities: identities, time: later)
        let third = try await SealingDevice("bob@b.test", on: server)
        let own = try await SealingDevice("alice@a.test", on: server)
        for number in 3...4 { _ = try await alice.seal("\(number)", to: bob, id: "m\(number)") }
        let seen = try await notices().filter { $0.kind == .newDevice }
        #expect(seen.count == 2)
        #expect(Set(seen.map(\.key?.fingerprint)) == [third.protection.fingerprint, own.protection.fingerprint])
    }
}
