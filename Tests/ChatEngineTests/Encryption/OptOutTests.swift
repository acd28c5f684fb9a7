import ChatStore
import Testing
import XMLStreaming
import XMPPAddress
import XMPPStanzas

@testable import ChatEngine
@testable import OMEMO

@Suite("An account asks for messages without encryption", .timeLimit(.minutes(10)))
struct OptOutTests {
    let server = KeyServer()

    private func notices(of device: SealingDevice, with peer: JID) async throws -> [ConversationNotice.Kind] {
        let key = device.key(peer)
        let all = MessageTime(millisecondsSince1970: .min)...MessageTime(millisecondsSince1970: .max)
        return try await device.store.read { reader throws(StoreError) in
            guard let id = try reader.conversation(key) else { return [] }
            return try reader.notices(of: id, in: all).map(\.notice.kind)
        }
    }

    /// Alice and Bob write to each other, and Alice asks.
    private func asked(
        _ reason: String = "<reason>Our archive\n must have it.</reason>"
    ) async throws -> (alice: SealingDevice, bob: SealingDevice) {
        let alice = try await SealingDevice("alice@a.test", on: server, [.current])
        let bob = try await SealingDevice("bob@b.test", on: server, [.current])
        try await bob.receive(try await alice.seal("one", to: bob.address))
        try await bob.receive(try await request(of: alice, to: bob, reason))
        return (alice, bob)
    }

    private func request(of alice: SealingDevice, to bob: SealingDevice, _ reason: String) async throws -> Message {
        let element = try XMLElement(parsing: "<opt-out xmlns='urn:xmpp:omemo:2'>\(reason)</opt-out>")
        return try await alice.seal(
            Envelope([element], from: alice.address.description, to: nil, time: nil), to: bob, id: "o1")
    }

    @Test("nothing is sent until the person decides: in clear, or encrypted all the same", arguments: [true, false])
    func decision(isClear: Bool) async throws {
        let (alice, bob) = try await asked()
        let conversation = ConversationAddress(alice.address, kind: .direct)
        #expect(try await notices(of: bob, with: alice.address) == [.began, .optOut])
        let seen = try await bob.timeline(with: alice.address)
        #expect(seen.map(\.text.body) == ["one", "Our archive must have it."])
        #expect(seen.allSatisfy { $0.protection.isSealed })
        let error = await #expect(throws: ProtectionError.self) {
            try await bob.seal("two", to: alice.address, id: "b1")
        }
        #expect(error?.code == .optedOut && error?.isTemporary == false)
        #expect(await bob.protection.forecast(for: conversation, isSending: true).outcome == .refused(.optedOut))
        // To ask again changes nothing.
        var again = try await request(of: alice, to: bob, "")
        again.id = "o2"
        try await bob.receive(again)
        #expect(try await notices(of: bob, with: alice.address) == [.began, .optOut])
        try await bob.protection.setPolicy(isClear ? .never : .always, of: conversation)
        let message = try await bob.seal("two", to: alice.address, id: "b1")
        #expect((message.body == "two") == isClear)
        guard !isClear else { return }
        try await alice.receive(message)
        #expect(try await alice.timeline(with: bob.address).last?.text.body == "two")
    }

    @Test("an account that encrypts again has changed its mind, but not by a message of before")
    func reverted() async throws {
        let (alice, bob) = try await asked("")
        let conversation = ConversationAddress(alice.address, kind: .direct)
        #expect(try await bob.timeline(with: alice.address).map(\.text.body) == ["one"])
        for (seconds, isAsked) in [(-60, true), (60, false)] as [(Int64, Bool)] {
            var draft = KeyDraft(bob.protection.memory)
            try await draft.noteEncrypted(
                .init(conversation: conversation, time: SealingDevice.time.advanced(by: seconds * 1_000)))
            let optOut = try await draft.encryption(of: conversation).optOut
            #expect((optOut != nil) == isAsked)
        }
    }

    @Test("a device that is not trusted cannot end a conversation")
    func untrusted() async throws {
        let alice = try await SealingDevice("alice@a.test", on: server, [.current])
        let bob = try await SealingDevice("bob@b.test", on: server, [.current])
        try await bob.receive(try await alice.seal("one", to: bob.address))
        let other = try await SealingDevice("alice@a.test", on: server, [.current])
        _ = try await bob.seal("hello", to: alice.address, id: "b1")
        try await bob.protection.setTrust(
            .distrusted, of: try #require(other.protection.fingerprint), at: alice.address)
        _ = try await other.seal("begin", to: bob.address, id: "m2")
        try await bob.receive(try await request(of: other, to: bob, ""))
        #expect(try await notices(of: bob, with: alice.address) == [.began])
        _ = try await bob.seal("two", to: alice.address, id: "b2")
    }

    @Test("the record of a conversation keeps the request, and those of earlier versions are read")
    func record() throws {
        var known = ConversationEncryption()
        (known.wasEncrypted, known.began, known.optOut) = (true, 1_800_000_000, 1_800_000_100)
        #expect(try ConversationEncryption(known.record) == known)
        for count in 0..<known.record.count {
            #expect(throws: ProtectionError.self) { try ConversationEncryption(Array(known.record.prefix(count))) }
        }
        known.optOut = nil
        // Version 2 ended here.
        #expect(try ConversationEncryption([2] + known.record.dropFirst().dropLast()) == known)
    }
}
