import ChatFixtures
import ChatStore
import ChatStoreTesting
import EndToEndEncryption
import MessageFeatures
import Testing
import XMLStreaming
import XMPPAddress
import XMPPClient
import XMPPStanzas

@testable import ChatEngine
@testable import OMEMO

@Suite("OMEMO between devices without a server", .timeLimit(.minutes(10)))
struct EncryptionTests {
    let server = KeyServer()

    private func pair(
        _ generations: Set<OMEMOGeneration> = [.current, .legacy]
    ) async throws -> (alice: SealingDevice, bob: SealingDevice) {
        (
            try await SealingDevice("alice@a.test", on: server, generations),
            try await SealingDevice("bob@b.test", on: server, generations)
        )
    }

    private func names(_ message: Message) -> [String] {
        message.payloads.filter { $0.localName == "encrypted" }.map(\.namespace)
    }

    @Test("each device of a receiver gets the newest generation that it announces, in one stanza")
    func generations() async throws {
        let alice = try await SealingDevice("alice@a.test", on: server)
        let new = try await SealingDevice("bob@b.test", on: server)
        let old = try await SealingDevice("bob@b.test", on: server, [.legacy])
        let message = try await alice.seal("larkspur", to: new.address)
        #expect(names(message) == ["urn:xmpp:omemo:2", "eu.siacs.conversations.axolotl"])
        #expect(!XMLElement(message).description.contains("larkspur"))
        for device in [new, old] {
            try await device.receive(message)
            #expect(try await device.timeline(with: alice.address).map(\.text.body) == ["larkspur"])
        }
        #expect(
            try await old.timeline(with: alice.address).map(\.protection) == [
                .encrypted(
                    scheme: "eu.siacs.conversations.axolotl", device: alice.protection.fingerprint, trust: .trusted)
            ])
        // The other devices of the account read the reply as well.
        let answer = try await old.seal("iris", to: alice.address, id: "m2")
        try await alice.receive(answer)
        #expect(try await alice.timeline(with: new.address).map(\.text.body) == ["iris"])
    }

    @Test("corrections and replies reach the older generation, reactions do not, and no emoji is sent in clear")
    func legacyContents() async throws {
        let (alice, bob) = try await pair([.legacy])
        try await bob.receive(try await alice.seal("tow", to: bob.address))
        let correction = MessageContent.correction(of: .sent(id: "m1"), MessageText("two"))
        try await bob.receive(try await alice.seal(correction, to: bob.address, id: "m2"))
        #expect(try await bob.timeline(with: alice.address).map(\.text.body) == ["two"])
        let error = await #expect(throws: ProtectionError.self) {
            try await alice.seal(.reactions(to: .sent(id: "m1"), ["🌻"]), to: bob.address, id: "m3")
        }
        #expect(error?.code == .notCarried)
        try await bob.receive(try await alice.seal(.retraction(of: .sent(id: "m1")), to: bob.address, id: "m4"))
        #expect(try await bob.timeline(with: alice.address).first?.isRetracted == true)
    }

    @Test("without a device nothing changes; from the first encrypted message on nothing is sent in clear")
    func policies() async throws {
        let alice = try await SealingDevice("alice@a.test", on: server)
        let bob = try JID("bob@b.test")
        #expect(try await alice.seal("open", to: bob).body == "open")
        let device = try await SealingDevice("bob@b.test", on: server)
        #expect(names(try await alice.seal("closed", to: bob)) == ["urn:xmpp:omemo:2"])
        // The server drops the list.
        try server.announce(device.protection, [])
        let error = await #expect(throws: ProtectionError.self) { try await alice.seal("secret", to: bob) }
        #expect(error?.code == .noDevice)
        let strict = try await SealingDevice("carol@c.test", on: server, policy: .always)
        await #expect(throws: ProtectionError.self) { try await strict.seal("secret", to: bob) }
        let open = try await SealingDevice("dave@d.test", on: server, policy: .never)
        #expect(try await open.seal("open", to: alice.address).body == "open")
    }

    @Test("the person decides for a conversation and for a key")
    func decisions() async throws {
        let (alice, bob) = try await pair()
        let conversation = ConversationAddress(bob.address, kind: .direct)
        try await bob.receive(try await alice.seal("one", to: bob.address))
        try await alice.protection.setPolicy(.never, of: conversation)
        #expect(try await alice.seal("open", to: bob.address, id: "m2").body == "open")
        try await alice.protection.setPolicy(nil, of: conversation)
        #expect(await alice.protection.forecast(for: conversation).policy == .whenPossible)
        let key = try #require(try await alice.protection.devices(of: bob.address).first?.fingerprint)
        #expect(key == bob.protection.fingerprint)
        try await alice.protection.setTrust(.distrusted, of: key, at: bob.address)
        let error = await #expect(throws: ProtectionError.self) {
            try await alice.seal("two", to: bob.address, id: "m3")
        }
        #expect(error?.code == .distrusted)
        try await alice.protection.setTrust(.verified, of: key, at: bob.address)
        try await bob.receive(try await alice.seal("three", to: bob.address, id: "m4"))
        #expect(try await bob.timeline(with: alice.address).map(\.text.body) == ["one", "three"])
        // From the first comparison on a new device is not trusted blindly.
        let other = try await SealingDevice("bob@b.test", on: server)
        let message = try await alice.seal("four", to: bob.address, id: "m5")
        try await other.receive(message)
        #expect(try await other.timeline(with: alice.address).allSatisfy(\.protection.isNotOpened))
    }

    @Test("a private message in a room is refused where encryption is wanted")
    func privateMessage() async throws {
        let alice = try await SealingDevice("alice@a.test", on: server, policy: .always)
        let occupant = ConversationAddress(try JID("room@c.test/bob"), kind: .occupant)
        try await alice.protection.prepare(occupant)
        let error = await #expect(throws: ProtectionError.self) {
            try await alice.protection.seal(Message.chat(to: occupant.address, body: "secret"), in: occupant)
        }
        #expect(error?.code == .privateRoomMessage)
    }

    // MARK: Attacks

    @Test("a repeated message is not a second one, whatever names it has", arguments: OMEMOGeneration.allCases)
    func replay(generation: OMEMOGeneration) async throws {
        let (alice, bob) = try await pair([generation])
        let first = try await alice.seal("once", to: bob.address)
        try await bob.receive(first)
        try await bob.receive(try await alice.seal("twice", to: bob.address, id: "m2"))
        var again = first
        again.id = "other"
        again.payloads.removeAll(named: OriginIdentifier.name)
        again.append(OriginIdentifier("other"))
        try await bob.receive(again)
        try await bob.receive(again, first)
        #expect(try await bob.timeline(with: alice.address).map(\.text.body) == ["once", "twice"])
        #expect(try await bob.timeline(with: alice.address).allSatisfy { !$0.protection.isNotOpened })
    }

    @Test(
        "somebody's message under another sender's name is refused, and the true one is read",
        arguments: OMEMOGeneration.allCases)
    func swappedSender(generation: OMEMOGeneration) async throws {
        let (alice, bob) = try await pair([generation])
        let mallory = try JID("mallory@m.test")
        let known = try await alice.seal("first", to: bob.address)
        // Bob knows Alice's key from her list.
        _ = try await bob.seal("hello", to: alice.address, id: "b1")
        var stolen = known
        stolen.from = try JID("mallory@m.test/x")
        try await bob.receive(stolen)
        #expect(
            try await bob.timeline(with: mallory).map(\.protection) == [
                .notOpened(scheme: generation.namespace, reason: "forged")
            ])
        #expect(try await bob.timeline(with: mallory).map(\.text.body) == [""])
        try await bob.receive(known)
        #expect(try await bob.timeline(with: alice.address).map(\.text.body) == ["first"])
    }

    @Test("an account that announces the key of another takes nothing from its owner")
    func copiedKey() async throws {
        let (alice, bob) = try await pair([.current])
        let mallory = try JID("mallory@m.test")
        try server.announce(alice.protection, [.current], at: mallory)
        // Bob has seen the key at Mallory's account first.
        _ = try await bob.seal("hello", to: mallory, id: "b1")
        try await bob.receive(try await alice.seal("the owner", to: bob.address))
        #expect(try await bob.timeline(with: alice.address).map(\.text.body) == ["the owner"])
        _ = try await bob.seal("hello", to: alice.address, id: "b2")
        // Now it is proven whose it is.
        await #expect(throws: ProtectionError.self) { try await bob.seal("hello", to: mallory, id: "b3") }
    }

    @Test("an envelope with another sender is refused")
    func forgedEnvelope() async throws {
        let bob = try await SealingDevice("bob@b.test", on: server)
        let mallory = try await SealingDevice("mallory@m.test", on: server, claiming: "alice@a.test")
        try await bob.receive(try await mallory.seal("from Alice", to: bob.address))
        let seen = try await bob.timeline(with: mallory.address)
        #expect(seen.map(\.text.body) == [""])
        #expect(seen.map(\.protection) == [.notOpened(scheme: "urn:xmpp:omemo:2", reason: "forged")])
        #expect(try await bob.records(SessionShelf.prefix).isEmpty)
    }

    @Test("a device that its account does not announce is not trusted, and never written to")
    func unannounced() async throws {
        let bob = try await SealingDevice("bob@b.test", on: server)
        let alice = try await SealingDevice("alice@a.test", on: server)
        let hidden = try await SealingDevice("alice@a.test", on: server)
        let message = try await hidden.seal("trust me", to: bob.address)
        try server.announce(hidden.protection, [])
        try await bob.receive(message)
        #expect(
            try await bob.timeline(with: alice.address).map(\.protection) == [
                .encrypted(
                    scheme: "urn:xmpp:omemo:2", device: hidden.protection.fingerprint, trust: .undecided)
            ])
        #expect(bob.protection.unlisted.take() == [alice.address], "The list here may be old.")
        let answer = try await bob.seal("who?", to: alice.address, id: "b1")
        try await alice.receive(answer)
        try await hidden.receive(answer)
        #expect(try await alice.timeline(with: bob.address).map(\.text.body) == ["who?"])
        #expect(
            try await hidden.timeline(with: bob.address).map(\.protection) == [
                .notOpened(scheme: "urn:xmpp:omemo:2", reason: "other-device")
            ])
    }

    @Test("a device that has the current generation is not addressed in the older one when its announcement is hidden")
    func downgrade() async throws {
        let (alice, bob) = try await pair()
        try await bob.receive(try await alice.seal("one", to: bob.address))
        try server.announce(bob.protection, [.legacy])
        let message = try await alice.seal("two", to: bob.address, id: "m2")
        #expect(names(message) == ["urn:xmpp:omemo:2"])
        // Where the newer element is taken out of a copy, nothing changes of the message.
        var stripped = message
        stripped.payloads.removeAll(named: OMEMOElement.name(of: .current))
        try await bob.receive(message, stripped)
        #expect(try await bob.timeline(with: alice.address).map(\.text.body) == ["one", "two"])
    }

    @Test("a device whose part of a message is dropped on the way does not read it in the older generation")
    func droppedElement() async throws {
        let alice = try await SealingDevice("alice@a.test", on: server)
        let new = try await SealingDevice("bob@b.test", on: server)
        let old = try await SealingDevice("bob@b.test", on: server, [.legacy])
        var message = try await alice.seal("one", to: new.address)
        message.payloads.removeAll(named: OMEMOElement.name(of: .current))
        try await old.receive(message)
        #expect(try await old.timeline(with: alice.address).map(\.text.body) == ["one"])
        try await new.receive(message)
        #expect(
            try await new.timeline(with: alice.address).map(\.protection) == [
                .notOpened(scheme: "eu.siacs.conversations.axolotl", reason: "other-device")
            ])
    }

    @Test("giant counters are refused and change nothing", arguments: [UInt32.max, UInt32.max - 1, 5_000])
    func counters(counter: UInt32) async throws {
        let (alice, bob) = try await pair([.current])
        try await bob.receive(try await alice.seal("one", to: bob.address))
        try await alice.receive(try await bob.seal("answer", to: alice.address, id: "b1"))
        let before = try await bob.records(SessionShelf.prefix)
        let next = try await alice.seal("two", to: bob.address, id: "m2")
        var element = try OMEMOElement(from: try #require(next.payloads.first(OMEMOElement.name(of: .current))))
        let read = try RatchetMessage(element.keys[0].bytes, generation: .current)
        let giant = RatchetMessage(
            .current, ratchetKey: read.ratchetKey, counter: counter, previousCount: counter,
            ciphertext: read.ciphertext
        ) { _ in [UInt8](repeating: 1, count: 32) }
        element.keys[0].bytes = giant.bytes
        var forged = next
        forged.id = "m3"
        forged.payloads.removeAll(named: OMEMOElement.name(of: .current))
        forged.payloads.removeAll(named: OriginIdentifier.name)
        forged.payloads.append(element)
        try await bob.receive(forged)
        #expect(try await bob.records(SessionShelf.prefix) == before)
        #expect(try await bob.timeline(with: alice.address).last?.protection.isNotOpened == true)
        try await bob.receive(next)
        #expect(try await bob.timeline(with: alice.address).map(\.text.body).contains("two"))
    }

    @Test("a key that changes under the same device number is for the person to decide; its messages are read")
    func changedKey() async throws {
        let (alice, bob) = try await pair()
        try await bob.receive(try await alice.seal("one", to: bob.address))
        _ = try await bob.seal("answer", to: alice.address, id: "b1")
        // Another identity with Alice's number.
        let other = try await SealingDevice("alice@a.test", on: server, [])
        let number = try alice.protection.own().keys.device
        try other.useDevice(number)
        try server.announce(other.protection, [.current, .legacy])
        try await bob.receive(try await other.seal("two", to: bob.address, id: "m2"))
        let seen = try await bob.timeline(with: alice.address).filter { !$0.isOutgoing }
        #expect(
            seen.last?.protection
                == .encrypted(
                    scheme: "urn:xmpp:omemo:2", device: other.protection.fingerprint, trust: .undecided))
        let error = await #expect(throws: ProtectionError.self) {
            try await bob.seal("to whom?", to: alice.address, id: "b2")
        }
        #expect(error?.code == .undecided)
    }

    // MARK: Files

    @Test(
        "a file is encrypted before it is uploaded, and opened only if nothing of it was changed",
        arguments: [true, false])
    func file(isLegacy: Bool) async throws {
        let (alice, bob) = try await pair(isLegacy ? [.legacy] : [.current])
        let conversation = ConversationAddress(bob.address, kind: .direct)
        var file = ChatStore.Attachment(kind: .file, mediaType: "application/pdf", name: "plan.pdf", size: 100_000)
        let sealing = try #require(try await alice.protection.sealing(file, in: conversation))
        let content = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        var cipher = sealing.cipher
        var sealed: [UInt8] = []
        for start in stride(from: 0, to: content.count, by: 30_000) {
            sealed += try cipher.process(Array(content[start..<min(start + 30_000, content.count)]), isLast: false)
        }
        sealed += try cipher.process([], isLast: true)
        #expect(sealed.count == content.count + 16 && Array(sealed.prefix(100)) != Array(content.prefix(100)))
        let insecure = #expect(throws: ProtectionError.self) { try sealing.link("http://files.test/1/x") }
        #expect(insecure?.code == .insecureFileService)
        file.url = try sealing.link("https://files.test/1/x")
        let message = try await alice.seal(
            .text(MessageText("", attachments: [file])), to: bob.address)
        #expect(!XMLElement(message).description.contains("files.test"))
        try await bob.receive(message)
        let got = try #require(try await bob.timeline(with: alice.address).first)
        #expect(got.text.body.isEmpty)
        let attachment = try #require(got.text.attachments.first)
        #expect(attachment.url == file.url)
        let opening = try #require(try bob.protection.opening(attachment))
        #expect(opening.address == "https://files.test/1/x")
        var reverse = opening.cipher
        var opened: [UInt8] = []
        for start in stride(from: 0, to: sealed.count, by: 7) {
            opened += try reverse.process(Array(sealed[start..<min(start + 7, sealed.count)]), isLast: false)
        }
        opened += try reverse.process([], isLast: true)
        #expect(opened == content)
        // One bit.
        sealed[50_000] ^= 1
        var other = try #require(try bob.protection.opening(attachment)).cipher
        let (changed, error) = (
            sealed, try #require(throws: ProtectionError.self) { _ = try other.process(sealed, isLast: true) }
        )
        #expect(error.code == .damaged && changed.count == sealed.count)
    }

    @Test("the key of an encrypted file is never sent in clear")
    func fileKey() async throws {
        let alice = try await SealingDevice("alice@a.test", on: server)
        let key = String(repeating: "ab", count: 44)
        let error = await #expect(throws: ProtectionError.self) {
            try await alice.seal("aesgcm://files.test/1#\(key)", to: JID("bob@b.test"))
        }
        #expect(error?.code == .noDevice)
    }

    // MARK: Ends of the process

    @Test("a message that was decrypted and not stored is decrypted when it comes again", arguments: [false, true])
    func crash(isProcessNew: Bool) async throws {
        let (store, keyring) = (ProtectionTests.FailingStore(), TestIdentities())
        let alice = try await SealingDevice("alice@a.test", on: server)
        var bob = try await SealingDevice("bob@b.test", on: server, store: store, identities: keyring)
        for number in 0..<3 {
            let message = try await alice.seal("\(number)", to: bob.address, id: "m\(number)")
            store.fails.withLock { $0 = true }
            await #expect(throws: StoreError.self) { try await bob.receive(message) }
            store.fails.withLock { $0 = false }
            if isProcessNew {
                bob = try await SealingDevice("bob@b.test", on: server, store: store, identities: keyring)
            }
            try await bob.receive(message)
            try await alice.receive(try await bob.seal("answer", to: alice.address, id: "b\(number)"))
        }
        let read = try await bob.timeline(with: alice.address).filter { !$0.isOutgoing }
        #expect(read.map(\.text.body) == ["0", "1", "2"])
        #expect(try await alice.timeline(with: bob.address).map(\.text.body) == ["answer", "answer", "answer"])
    }

    @Test("a message that repeats the key exchange of a session that is gone says so, and a new session is owed")
    func repeatedExchange() async throws {
        let (alice, bob) = try await pair([.current])
        try await bob.addContact(alice.address)
        try await bob.receive(try await alice.seal("one", to: bob.address))
        let id = bob.id
        for record in try await bob.records(SessionShelf.prefix) {
            try await bob.store.write { writer throws(StoreError) in
                try writer.save(ProtectionChange([.init(record.name, nil)]), of: id)
            }
        }
        // Without an answer of Bob, Alice repeats her key exchange in each message.
        try await bob.receive(try await alice.seal("two", to: bob.address, id: "m2"))
        let seen = try await bob.timeline(with: alice.address)
        #expect(seen.map(\.text.body) == ["one", ""])
        #expect(seen.last?.protection == .notOpened(scheme: "urn:xmpp:omemo:2", reason: "requested"))
        let owed = try #require(try await bob.records(OwedMessage.prefix).first?.value)
        #expect(try OwedMessage(owed).kind == .repair)
    }

    @Test("a repair that becomes necessary while an answer is sent is still owed")
    func settling() {
        var owed = OwedMessage()
        owed.kind = .repair
        owed.settle(.answer, isSent: true, now: 1_000)
        #expect(owed.kind == .repair)
        owed.settle(.repair, isSent: true, now: 1_000)
        #expect(owed.kind == .none && owed.record != nil, "The repair is remembered.")
        owed.kind = .answer
        owed.settle(.answer, isSent: true, now: 1_001)
        #expect(owed.kind == .none)
    }

    @Test("a message for which there is no session says so, and a new session is owed, a few times a day")
    func repair() async throws {
        let (alice, bob) = try await pair([.current])
        try await bob.addContact(alice.address)
        try await bob.receive(try await alice.seal("one", to: bob.address))
        try await alice.receive(try await bob.seal("answer", to: alice.address, id: "b1"))
        for record in try await bob.records(SessionShelf.prefix) {
            let id = bob.id
            try await bob.store.write { writer throws(StoreError) in
                try writer.save(ProtectionChange([.init(record.name, nil)]), of: id)
            }
        }
        try await bob.receive(try await alice.seal("two", to: bob.address, id: "m2"))
        #expect(
            try await bob.timeline(with: alice.address).last?.protection
                == .notOpened(scheme: "urn:xmpp:omemo:2", reason: "requested"))
        let device = PeerDevice(
            generation: .current, address: alice.address, device: try alice.protection.own().keys.device)
        let name = OwedMessage.name(device)
        var owed = try OwedMessage(try #require(try await bob.records(name).first?.value))
        #expect(owed.kind == .repair && owed.mayRepair(now: 1_000))
        for _ in 0..<3 { owed.repaired(now: 1_000) }
        #expect(!owed.mayRepair(now: 1_001) && owed.mayRepair(now: 1_000 + 86_401))
        // What the service does when the account is online.
        var draft = KeyDraft(bob.protection.memory)
        let element = try #require(
            try await bob.protection.emptyMessage(for: device, try await server.bundle(of: device), &draft))
        let change = try #require(draft.finish())
        let id = bob.id
        try await bob.store.write { writer throws(StoreError) in try writer.save(change, of: id) }
        await bob.protection.stored(change)
        var message = Message(to: alice.address, type: .chat, id: "e1")
        message.from = try JID("bob@b.test/b")
        message.payloads.append(element)
        try await alice.receive(message)
        #expect(try await alice.timeline(with: bob.address).count == 1)
        try await bob.receive(try await alice.seal("three", to: bob.address, id: "m3"))
        #expect(try await bob.timeline(with: alice.address).last?.text.body == "three")
    }
}
