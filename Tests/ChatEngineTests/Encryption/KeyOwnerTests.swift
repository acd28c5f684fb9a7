import ChatStore
import GroupChat
import MessageFeatures
import Testing
import XMLStreaming
import XMPPAddress
import XMPPStanzas

@testable import ChatEngine
@testable import OMEMO

@Suite("Whose a key is, and who has sent a message", .timeLimit(.minutes(10)))
struct KeyOwnerTests {
    let server = KeyServer()
    let mallory: JID

    init() throws { mallory = try JID("mallory@m.test") }

    private func pair(_ generation: OMEMOGeneration) async throws -> (alice: SealingDevice, bob: SealingDevice) {
        (
            try await SealingDevice("alice@a.test", on: server, [generation]),
            try await SealingDevice("bob@b.test", on: server, [generation])
        )
    }

    @Test("an account that copies the keys of another silences nobody", arguments: OMEMOGeneration.allCases)
    func copiedKey(generation: OMEMOGeneration) async throws {
        let (alice, bob) = try await pair(generation)
        _ = try await bob.protection.devices(of: alice.address)
        try server.announce(alice.protection, [generation], at: mallory)
        _ = try await bob.protection.devices(of: mallory)
        for number in 1...2 {
            try await bob.receive(try await alice.seal("the owner", to: bob.address, id: "m\(number)"))
        }
        #expect(try await bob.timeline(with: alice.address).map(\.text.body) == ["the owner", "the owner"])
        _ = try await bob.seal("hello", to: alice.address, id: "b1")
        // Now it is known whose it is.
        await #expect(throws: ProtectionError.self) { try await bob.seal("hello", to: mallory, id: "b2") }
        // A copy that is made later changes nothing.
        let eve = try JID("eve@e.test")
        try server.announce(alice.protection, [generation], at: eve)
        await #expect(throws: ProtectionError.self) { try await bob.seal("hello", to: eve, id: "b3") }
        try await bob.receive(try await alice.seal("still", to: bob.address, id: "m3"))
        #expect(try await bob.timeline(with: alice.address).last?.text.body == "still")
    }

    @Test("an account that announced the key of another before that one was met takes it only in the older generation")
    func keyTakenFirst() async throws {
        for generation in OMEMOGeneration.allCases {
            let server = KeyServer()
            let alice = try await SealingDevice("alice@a.test", on: server, [generation])
            let bob = try await SealingDevice("bob@b.test", on: server, [generation])
            try server.announce(alice.protection, [generation], at: mallory)
            _ = try await bob.protection.devices(of: mallory)
            try await bob.receive(try await alice.seal("the owner", to: bob.address))
            guard generation == .legacy else {
                #expect(try await bob.timeline(with: alice.address).map(\.text.body) == ["the owner"])
                continue
            }
            #expect(
                try await bob.timeline(with: alice.address).map(\.protection) == [
                    .notOpened(scheme: generation.namespace, reason: "forged")
                ])
            // The person compares the fingerprints.
            _ = try await bob.protection.devices(of: alice.address)
            try await bob.protection.setTrust(
                .verified, of: try #require(alice.protection.fingerprint), at: alice.address)
            try await bob.receive(try await alice.seal("again", to: bob.address, id: "m2"))
            #expect(try await bob.timeline(with: alice.address).last?.text.body == "again")
        }
    }

    @Test("an envelope that names no sender proves nothing")
    func envelopeWithoutSender() async throws {
        let (alice, bob) = try await pair(.current)
        _ = try await bob.protection.devices(of: alice.address)
        // It begins the session.
        _ = try await alice.seal("lost", to: bob.address, id: "m0")
        var envelope = Envelope(
            Array(Message.chat(to: bob.address, body: "nameless").payloads), from: alice.address.description, to: nil,
            time: nil)
        envelope.from = nil
        let message = try await alice.seal(envelope, to: bob, id: "m1")
        var stolen = message
        stolen.from = try JID("mallory@m.test/x")
        try await bob.receive(stolen)
        #expect(
            try await bob.timeline(with: mallory).map(\.protection) == [
                .notOpened(scheme: "urn:xmpp:omemo:2", reason: "forged")
            ])
        try await bob.receive(message)
        #expect(try await bob.timeline(with: alice.address).map(\.text.body) == ["nameless"])
        let record = try #require(try await bob.records(KnownKey.prefix(alice.address)).first?.value)
        #expect(try KnownKey(record).claim == .used)
    }

    @Test("only the archive of the room says which account an occupant has", arguments: [true, false])
    func archivedAddress(isOwnArchive: Bool) async throws {
        let (alice, bob) = try await pair(.legacy)
        let room = ConversationAddress(try JID("room@c.test"), kind: .room)
        let occupant = try JID("room@c.test/somebody")
        let stranger = try await SealingDevice("mallory@m.test", on: server, [.legacy])
        server.setMembers([alice.address, bob.address, stranger.address])
        _ = try await bob.protection.devices(of: alice.address)
        var message = Message(to: room.address, type: .groupchat, id: "m1")
        message.body = "hello"
        try await stranger.protection.prepare(room)
        let sealed = try await stranger.protection.seal(message, in: room)
        try await stranger.keep(sealed.change)
        message = sealed.message
        message.from = occupant
        message.payloads.append(
            try XMLElement(
                parsing:
                    "<x xmlns='http://jabber.org/protocol/muc#user'><item affiliation='member' jid='alice@a.test/x' role='participant'/></x>"
            ))
        let origin = MessageOrigin(in: .room, sender: occupant, occupantID: nil, stay: nil, isOutgoing: false)
        let route = ReceivedRoute(
            .archive, archive: isOwnArchive ? room.address : bob.address, in: room, from: origin,
            at: SealingDevice.time, isStamped: true)
        let opened = try await bob.protection.open(message, by: route)
        // At the account of Alice the device is a stranger.
        #expect(
            opened.protection
                == .encrypted(
                    scheme: "eu.siacs.conversations.axolotl", device: stranger.protection.fingerprint,
                    trust: isOwnArchive ? .undecided : .trusted))
    }

    @Test("an envelope of another time is refused, against the clock of this device only if it is a day off")
    func time() async throws {
        let (alice, bob) = try await pair(.current)
        _ = try await alice.seal("lost", to: bob.address, id: "m0")
        func envelope(_ seconds: Int64, _ id: String) async throws -> Message {
            let time = SealingDevice.time.millisecondsSince1970 + seconds * 1_000
            return try await alice.seal(
                Envelope(
                    Array(Message.chat(to: bob.address, body: id).payloads), from: alice.address.description, to: nil,
                    time: Timestamp(millisecondsSince1970: time).description), to: bob, id: id)
        }
        try await bob.receive(try await envelope(-3_600, "late"), try await envelope(-2 * 86_400, "older"))
        var seen = try await bob.timeline(with: alice.address)
        #expect(seen.map(\.text.body) == ["late", ""])
        #expect(seen.last?.protection == .notOpened(scheme: "urn:xmpp:omemo:2", reason: "wrong-time"))
        // Nothing of the session is lost.
        try await bob.receive(try await alice.seal("now", to: bob.address, id: "m3"))
        seen = try await bob.timeline(with: alice.address)
        #expect(seen.last?.text.body == "now")
        let origin = MessageOrigin(
            in: .direct, sender: alice.address, occupantID: nil, stay: nil, isOutgoing: false)
        for (seconds, isRefused) in [(-3_600, true), (60, false)] as [(Int64, Bool)] {
            let message = try await envelope(seconds, "archived")
            let route = ReceivedRoute(
                .archive, archive: bob.address, in: ConversationAddress(alice.address, kind: .direct), from: origin,
                at: SealingDevice.time, isStamped: true)
            do {
                try await bob.keep(try await bob.protection.open(message, by: route).change)
                #expect(!isRefused)
            } catch let error as ProtectionError {
                #expect(isRefused && error.code == .wrongTime)
                if let change = error.change { await bob.protection.discarded(change) }
            }
        }
    }

    @Test("a device is not known to be missing from a list that is not here, and is not written to all the same")
    func unknownList() async throws {
        let (alice, bob) = try await pair(.current)
        let hidden = try await SealingDevice("alice@a.test", on: server, [.current])
        let message = try await hidden.seal("offline", to: bob.address)
        try server.announce(hidden.protection, [])
        bob.protection.connect(to: nil)
        try await bob.receive(message)
        #expect(
            try await bob.timeline(with: alice.address).map(\.protection) == [
                .encrypted(scheme: "urn:xmpp:omemo:2", device: hidden.protection.fingerprint, trust: .trusted)
            ])
        bob.protection.connect(to: server)
        let answer = try await bob.seal("who?", to: alice.address, id: "b1")
        try await alice.receive(answer)
        try await hidden.receive(answer)
        #expect(try await alice.timeline(with: bob.address).map(\.text.body) == ["who?"])
        #expect(
            try await hidden.timeline(with: bob.address).map(\.protection) == [
                .notOpened(scheme: "urn:xmpp:omemo:2", reason: "other-device")
            ])
    }

    @Test("what is left of a message without its encrypted elements is marked as clear text")
    func strippedElements() async throws {
        let alice = try await SealingDevice("alice@a.test", on: server)
        let bob = try await SealingDevice("bob@b.test", on: server)
        let old = try await SealingDevice("bob@b.test", on: server, [.legacy])
        try await bob.receive(try await alice.seal("one", to: bob.address))
        var message = try await alice.seal("two", to: old.address, id: "m2")
        #expect(message.body != nil)
        for generation in OMEMOGeneration.allCases {
            message.payloads.removeAll(named: OMEMOElement.name(of: generation))
        }
        try await bob.receive(message)
        let seen = try await bob.timeline(with: alice.address)
        #expect(seen.count == 2 && seen.last?.protection == .clear)
        #expect(seen.last?.text.body.contains("two") == false)
    }

    @Test(
        "a text stands beside the encrypted elements only for programs of the older generation",
        arguments: [true, false])
    func fallback(isLegacy: Bool) async throws {
        let alice = try await SealingDevice("alice@a.test", on: server)
        let bob = try await SealingDevice("bob@b.test", on: server, isLegacy ? [.legacy] : [.current])
        let message = try await alice.seal("one", to: bob.address)
        #expect((message.body != nil) == isLegacy)
        #expect(message.processingHints == [.store], "Archives store it without a text as well.")
        // An account without encryption shows a sentence.
        let plain = MessageReader(address: bob.address)
        let read = plain.read(message, .init(.live, time: SealingDevice.time))
        guard case .message(let copy, _)? = read.first else {
            Issue.record("\(read)")
            return
        }
        guard !isLegacy else {
            #expect(copy.protection == .none)
            return
        }
        #expect(copy.protection == .notOpened(scheme: "urn:xmpp:omemo:2", reason: "not-supported"))
        #expect(copy.content.text?.body.isEmpty == true)
        // An empty message is none.
        var empty = message
        var element = try OMEMOElement(from: try #require(empty.payloads.first(OMEMOElement.name(of: .current))))
        element.payload = nil
        empty.payloads.removeAll(named: OMEMOElement.name(of: .current))
        empty.payloads.append(element)
        #expect(plain.read(empty, .init(.live, time: SealingDevice.time)).isEmpty)
    }

    @Test("beside a room that was encrypted no private message goes in clear")
    func privateMessage() async throws {
        let alice = try await SealingDevice("alice@a.test", on: server)
        let room = try JID("room@c.test")
        let occupant = ConversationAddress(try JID("room@c.test/bob"), kind: .occupant)
        let message = Message.chat(to: occupant.address, body: "secret")
        try await alice.protection.prepare(occupant)
        #expect(try await alice.protection.seal(message, in: occupant).message.body == "secret")
        var draft = KeyDraft(alice.protection.memory)
        try await draft.noteEncrypted(
            .init(conversation: ConversationAddress(room, kind: .room), time: SealingDevice.time))
        try await alice.keep(draft.finish())
        try await alice.protection.prepare(occupant)
        let error = await #expect(throws: ProtectionError.self) {
            try await alice.protection.seal(message, in: occupant)
        }
        #expect(error?.code == .privateRoomMessage)
    }

    @Test("after the other side went back to an old copy its messages say why they are lost", arguments: [20, 70])
    func restoredPeer(count: Int) async throws {
        for generation in OMEMOGeneration.allCases {
            let server = KeyServer()
            let alice = try await SealingDevice("alice@a.test", on: server, [generation])
            let bob = try await SealingDevice("bob@b.test", on: server, [generation])
            try await bob.addContact(alice.address)
            try await bob.receive(try await alice.seal("one", to: bob.address, id: "m0"))
            try await alice.receive(try await bob.seal("answer", to: alice.address, id: "b1"))
            let copy = try await alice.records(SessionShelf.prefix)
            var sent: [Message] = []
            for number in 1...count {
                sent.append(try await alice.seal("\(number)", to: bob.address, id: "m\(number)"))
                try await bob.receive(try #require(sent.last))
            }
            // What the server delivers again is here.
            try await bob.receive(sent[0], try #require(sent.last))
            #expect(try await bob.timeline(with: alice.address).count == count + 1)
            for record in try await bob.records(OwedMessage.prefix) {
                let owed = try OwedMessage(try #require(record.value))
                #expect(owed.kind != .repair)
            }
            try await alice.keep(ProtectionChange(copy))
            try await bob.receive(try await alice.seal("after", to: bob.address, id: "after"))
            let last = try #require(try await bob.timeline(with: alice.address).last)
            #expect(
                last.protection
                    == .notOpened(
                        scheme: generation.namespace, reason: generation == .current ? "requested" : "key-discarded"))
            let owed = try #require(try await bob.records(OwedMessage.prefix).first?.value)
            #expect(try OwedMessage(owed).kind == .repair)
        }
    }
}
