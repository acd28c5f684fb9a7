import ChatFixtures
import ChatStore
import ChatStoreTesting
import Cryptography
import EndToEndEncryption
import MessageFeatures
import MessageHistory
import Testing
import XMLStreaming
import XMPPAddress
import XMPPClient
import XMPPStanzas

@testable import ChatEngine
@testable import OMEMO

@Suite("Copies of messages that could not be decrypted", .timeLimit(.minutes(10)))
struct CopyTests {
    let server = KeyServer()

    /// Alice and Bob, who know each other, with a session; Bob loses it, and cannot read `m2`.
    private func interrupted() async throws -> (alice: SealingDevice, bob: SealingDevice) {
        let alice = try await SealingDevice("alice@a.test", on: server, [.current])
        let bob = try await SealingDevice("bob@b.test", on: server, [.current])
        try await alice.addContact(bob.address)
        try await bob.addContact(alice.address)
        try await bob.receive(try await alice.seal("one", to: bob.address))
        try await alice.receive(try await bob.seal("answer", to: alice.address, id: "b1"))
        try await bob.loseSessions()
        try await bob.receive(try await alice.seal("two", to: bob.address, id: "m2"))
        return (alice, bob)
    }

    @Test("a copy takes the place of the message that could not be decrypted")
    func copied() async throws {
        let (alice, bob) = try await interrupted()
        let seen = try await bob.timeline(with: alice.address)
        #expect(seen.last?.protection == .notOpened(scheme: "urn:xmpp:omemo:2", reason: "requested"))
        // There is no session to request it in, and one is owed.
        #expect(try await bob.copyRequest(to: alice) == nil)
        try await bob.repair(alice)
        let request = try #require(try await bob.copyRequest(to: alice))
        #expect(request.payloads.first(OMEMOElement.name(of: .current))?.firstChild(Self.payload) == nil)
        // As an attribute or a text: the letters alone can be anywhere in Base64.
        let written = XMLElement(request).description
        #expect(!written.contains("'m2'") && !written.contains(">m2<"), "Servers do not see what is requested.")
        try await alice.receive(request)
        let copies = try #require(try await alice.requestedCopies(by: bob))
        #expect(copies.entries == [.init("m2", in: .requester)])
        #expect(copies.receiver == (try JID("bob@b.test/a")))
        let copy = try #require(try await alice.copy("two", id: "m2", for: bob))
        #expect(!XMLElement(copy).description.contains(">two<"))
        try await bob.receive(copy)
        let read = try await bob.timeline(with: alice.address)
        #expect(read.map(\.text.body) == ["one", "two"])
        #expect(read.map(\.id) == seen.map(\.id), "It is the same row.")
        #expect(
            read.last?.protection
                == .encrypted(scheme: "urn:xmpp:omemo:2", device: alice.protection.fingerprint, trust: .trusted))
        #expect(try await bob.records(MissingMessage.prefix).isEmpty)
        // The requests of both sides are no messages.
        #expect(try await alice.timeline(with: bob.address).map(\.text.body) == ["answer"])
        // One more copy is a repetition.
        try await bob.receive(try #require(try await alice.copy("two", id: "m2", for: bob)))
        #expect(try await bob.timeline(with: alice.address).count == 2)
    }

    private static let payload = XMLName("payload", "urn:xmpp:omemo:2")

    @Test("a device gets copies only of what was encrypted for its key, a few of each")
    func allowance() async throws {
        let (alice, bob) = try await interrupted()
        try await bob.repair(alice)
        // A device that was added later, and asks for what was sent before.
        let later = try await SealingDevice("bob@b.test", on: server, [.current])
        try await later.addContact(alice.address)
        try await later.repair(alice)
        try await alice.receive(try await later.request([.init("m1", in: .requester)], from: alice))
        #expect(try await alice.requestedCopies(by: later) == nil)
        #expect(try await alice.copy("one", id: "m1", for: later) == nil)
        // Of a message that was never sent to Bob, or of another conversation.
        try await alice.receive(
            try await bob.request(
                [
                    .init("m9", in: .requester), .init("m2", in: .account("carol@c.test")),
                    .init("m2", in: .requester), .init("m2", in: .requester),
                ], from: alice))
        #expect(try await alice.requestedCopies(by: bob)?.entries == [.init("m2", in: .requester)])
        for _ in 0..<Int(SentMessages.copyLimit) {
            #expect(try await alice.copy("two", id: "m2", for: bob) != nil)
        }
        #expect(try await alice.copy("two", id: "m2", for: bob) == nil)
        try await alice.keep(ProtectionChange([.init(RequestedCopies.name(try bob.device()), nil)]))
        try await alice.receive(try await bob.request([.init("m2", in: .requester)], from: alice))
        #expect(try await alice.requestedCopies(by: bob) == nil)
    }

    @Test("a device whose key is not trusted, or that has another key now, gets no copies")
    func trust() async throws {
        let (alice, bob) = try await interrupted()
        try await bob.repair(alice)
        let request = try #require(try await bob.copyRequest(to: alice))
        let key = try #require(bob.protection.fingerprint)
        try await alice.protection.setTrust(.distrusted, of: key, at: bob.address)
        try await alice.receive(request)
        #expect(try await alice.requestedCopies(by: bob) == nil)
        #expect(try await alice.copy("two", id: "m2", for: bob) == nil)
        // Somebody else with the same device number.
        try await alice.protection.setTrust(.trusted, of: key, at: bob.address)
        let other = try await SealingDevice("bob@b.test", on: server, [.current])
        try other.useDevice(try bob.protection.own().keys.device)
        try await other.addContact(alice.address)
        try await other.repair(alice)
        let changed = try #require(other.protection.fingerprint)
        try await alice.protection.setTrust(.verified, of: changed, at: bob.address)
        try await alice.receive(try await other.request([.init("m2", in: .requester)], from: alice))
        #expect(try await alice.requestedCopies(by: other) == nil)
    }

    @Test("a device of our own account gets a copy of what another one has sent, in its conversation")
    func ownDevice() async throws {
        let bob = try await SealingDevice("bob@b.test", on: server, [.current])
        let desk = try await SealingDevice("alice@a.test", on: server, [.current])
        let phone = try await SealingDevice("alice@a.test", on: server, [.current])
        func carbon(of message: Message) throws -> Message {
            try Message(
                from: XMLElement(
                    parsing: """
                        <message xmlns='jabber:client' from='alice@a.test' to='alice@a.test/phone' type='chat'>\
                        <sent xmlns='urn:xmpp:carbons:2'><forwarded xmlns='urn:xmpp:forward:0'>\
                        \(XMLElement(message).description)</forwarded></sent></message>
                        """))
        }
        try await phone.receive(try carbon(of: try await desk.seal("one", to: bob.address)))
        try await desk.receive(
            try await phone.seal("from the phone", to: bob.address, id: "p1", from: JID("alice@a.test/phone")))
        #expect(try await phone.timeline(with: bob.address).map(\.text.body) == ["one"])
        try await phone.loseSessions()
        try await phone.receive(try carbon(of: try await desk.seal("two", to: bob.address, id: "m2")))
        #expect(try await phone.timeline(with: bob.address).last?.protection.reason == "requested")
        try await phone.repair(desk)
        let request = try #require(try await phone.copyRequest(to: desk, from: "alice@a.test/phone"))
        try await desk.receive(request)
        let copies = try #require(try await desk.requestedCopies(by: phone))
        #expect(copies.entries == [.init("m2", in: .account("bob@b.test"))])
        let copy = try #require(
            try await desk.copy("two", id: "m2", for: phone, in: bob.address, from: "alice@a.test/desk"))
        try await phone.receive(copy)
        let seen = try await phone.timeline(with: bob.address)
        #expect(seen.map(\.text.body) == ["one", "two"] && seen.allSatisfy(\.isOutgoing))
        #expect(try await phone.timeline(with: phone.address).isEmpty)
    }

    @Test("nothing is requested of strangers, in the older generation, or of what is a week old")
    func unrequested() async throws {
        let stranger = try await SealingDevice("mallory@m.test", on: server, [.current])
        let friend = try await SealingDevice("alice@a.test", on: server)
        let bob = try await SealingDevice("bob@b.test", on: server)
        let old = try await SealingDevice("carol@c.test", on: server, [.legacy])
        for receiver in [bob, old] { try await receiver.addContact(friend.address) }
        for (sender, receiver) in [(stranger, bob), (friend, old)] {
            try await receiver.receive(try await sender.seal("one", to: receiver.address))
            try await receiver.loseSessions()
            try await receiver.receive(try await sender.seal("two", to: receiver.address, id: "m2"))
            #expect(try await receiver.timeline(with: sender.address).last?.protection.reason == "no-session")
            #expect(try await receiver.records(MissingMessage.prefix).isEmpty)
        }
        let conversation = ConversationAddress(friend.address, kind: .direct)
        let message = Message.chat(to: bob.address, body: "x", id: "m3")
        let now: Int64 = 1_800_000_000
        #expect(MissingMessage(message, "m3", in: conversation, sent: now - 8 * 86_400, now: now) == nil)
        #expect(MissingMessage(message, "m3", in: conversation, sent: now - 6 * 86_400, now: now) != nil)
    }

    @Test("a message that is here and is delivered again after its session was lost is not a missing one")
    func repeated() async throws {
        let (alice, bob) = (
            try await SealingDevice("alice@a.test", on: server, [.current]),
            try await SealingDevice("bob@b.test", on: server, [.current])
        )
        try await bob.addContact(alice.address)
        let message = try await alice.seal("one", to: bob.address)
        try await bob.receive(message)
        try await bob.keep(ProtectionChange([.init(OwedMessage.name(try alice.device()), nil)]))
        try await bob.loseSessions()
        try await bob.receive(message)
        let seen = try await bob.timeline(with: alice.address)
        #expect(seen.map(\.text.body) == ["one"] && seen.first?.protection.isNotOpened == false)
        #expect(try await bob.records(MissingMessage.prefix).isEmpty)
        #expect(try await bob.records(OwedMessage.prefix).isEmpty)
    }

    @Test("requests are repeated a few times, further and further apart, and end after a week")
    func repetition() throws {
        let now: Int64 = 1_800_000_000
        let alice = try JID("alice@a.test")
        let message = Message.chat(to: try JID("bob@b.test"), body: "x", id: "m3")
        var missing = try #require(
            MissingMessage(message, "m3", in: ConversationAddress(alice, kind: .direct), sent: now, now: now))
        var (time, times) = (now, [Int64]())
        while !missing.isOver(now: time) {
            if missing.isDue(now: time) {
                times.append((time - now) / 3_600)
                missing.requested(now: time)
                missing = try MissingMessage(missing.record)
            }
            time += 600
        }
        #expect(times == [0, 1, 5, 21, 85])
        #expect(time - now == MissingMessage.lifetime)
        missing.requested(now: time)
        #expect(!missing.isDue(now: time + 1_000_000))
    }

    @Test("a message that cannot be had any more says so")
    func givenUp() async throws {
        let (alice, bob) = try await interrupted()
        try await bob.repair(alice)
        var draft = KeyDraft(bob.protection.memory)
        let result = try await bob.protection.copyRequest(to: try alice.device(), isAllowed: false, &draft)
        #expect(result.element == nil && result.givenUp.isEmpty)
        // A key that is not trusted is not asked.
        try await bob.protection.setTrust(
            .distrusted, of: try #require(alice.protection.fingerprint), at: alice.address)
        let refused = try await bob.protection.copyRequest(to: try alice.device(), isAllowed: true, &draft)
        #expect(refused.element == nil && refused.givenUp.map(\.id) == ["m2"])
        let id = bob.id
        try await bob.store.write { writer throws(StoreError) in
            for missing in refused.givenUp { try writer.giveUp(missing, of: id) }
        }
        #expect(try await bob.timeline(with: alice.address).contains { $0.protection.reason == "key-missing" })
    }

    @Test("only the last messages for a key are remembered")
    func memory() throws {
        let cryptography: any OMEMOCryptography = OpenSSLCryptography()
        let keys = try (0..<2).map { _ in try IdentityKeyPair.random(using: cryptography).publicKey }
        var sent = SentMessages()
        for number in 0..<SentMessages.limit + 10 { sent.add("m\(number)", for: keys[0], using: cryptography) }
        sent = try SentMessages(sent.bytes)
        #expect(!sent.mayCopy("m9", for: keys[0], using: cryptography))
        #expect(sent.mayCopy("m10", for: keys[0], using: cryptography))
        #expect(!sent.mayCopy("m10", for: keys[1], using: cryptography))
        sent.add("again", for: keys[1], using: cryptography)
        #expect(!sent.mayCopy("m10", for: keys[0], using: cryptography))
        #expect(sent.bytes.count == 32 + 9)
    }

    @Test("a restored device still decrypts what was sent before it answered, and encrypts nothing in old sessions")
    func restored() async throws {
        let (alice, bob) = (
            try await SealingDevice("alice@a.test", on: server, [.current]),
            try await SealingDevice("bob@b.test", on: server, [.current])
        )
        try await bob.receive(try await alice.seal("one", to: bob.address))
        try await alice.receive(try await bob.seal("answer", to: alice.address, id: "b1"))
        let missed = try await alice.seal("two", to: bob.address, id: "m2")
        // What the service does when the server has higher numbers.
        try await bob.protection.change { (draft: inout KeyDraft) async throws(ProtectionError) in
            var keys = try bob.protection.own().keys
            try await bob.protection.renew(&keys, after: 500, 9, &draft)
        }
        try await bob.receive(missed)
        #expect(try await bob.timeline(with: alice.address).contains { $0.text.body == "two" })
        let shelf = try SessionShelf(try #require(try await bob.records(SessionShelf.prefix).first?.value))
        #expect(shelf.sessions.isEmpty && shelf.retired.count == 1)
        let next = try await bob.seal("three", to: alice.address, id: "b2")
        let element = try #require(next.payloads.first(OMEMOElement.name(of: .current)))
        #expect(try OMEMOElement(from: element).keys.allSatisfy(\.isKeyExchange), "It begins a new session.")
        try await alice.receive(next)
        #expect(try await alice.timeline(with: bob.address).last?.text.body == "three")
        let renewed = try SessionShelf(try #require(try await bob.records(SessionShelf.prefix).first?.value))
        #expect(renewed.sessions.count == 1 && renewed.retired.count == 1)
    }
}

extension MessageProtection {
    /// Why it could not be opened.
    fileprivate var reason: String? { if case .notOpened(_, let reason) = self { reason } else { nil } }
}

extension SealingDevice {
    /// As if its profile was damaged.
    func loseSessions() async throws {
        try await keep(ProtectionChange(try await records(SessionShelf.prefix).map { .init($0.name, nil) }))
    }

    private func stanza(_ element: OMEMOElement, to other: SealingDevice, from sender: String?) throws -> Message {
        var message = Message.empty(element, to: try other.device())
        message.from = try JID(sender ?? "\(address)/a")
        return try Message(from: XMLElement(parsing: XMLElement(message).description))
    }

    /// What the service does for an owed repair: a new session, which the other device gets.
    func repair(_ other: SealingDevice) async throws {
        let device = try other.device()
        let bundle = try await #require(protection.directory).bundle(of: device)
        let element = try await protection.changeQuietly { (draft: inout KeyDraft) async throws(ProtectionError) in
            draft.write(OwedMessage.name(device), nil)
            return try await protection.emptyMessage(for: device, bundle, &draft)
        }
        try await other.receive(try stanza(try #require(element), to: other, from: nil))
    }

    /// What the service requests from a device.
    func copyRequest(to other: SealingDevice, from sender: String? = nil) async throws -> Message? {
        let device = try other.device()
        let element = try await protection.changeQuietly { (draft: inout KeyDraft) async throws(ProtectionError) in
            try await protection.copyRequest(to: device, isAllowed: true, &draft).element
        }
        return try element.map { try stanza($0, to: other, from: sender) }
    }

    /// A request for any messages.
    func request(_ entries: [CopyRequest.Entry], from other: SealingDevice) async throws -> Message {
        let device = try other.device()
        let key = try await encrypt(try #require(CopyRequest(entries)).plaintext, for: device)
        return try stanza(
            OMEMOElement(.current, sender: try protection.own().keys.device, keys: [key]), to: other, from: nil)
    }

    func requestedCopies(by other: SealingDevice) async throws -> RequestedCopies? {
        try await records(RequestedCopies.name(try other.device())).first?.value.map { try RequestedCopies($0) }
    }

    /// The copy of a text as it arrives.
    func copy(
        _ text: String, id: String, for other: SealingDevice, in peer: JID? = nil, from sender: String? = nil
    ) async throws -> Message? {
        let (device, conversation) = (try other.device(), ConversationAddress(peer ?? other.address, kind: .direct))
        let message = try #require(MessageBuilder().message(.text(MessageText(text)), id: id, in: conversation))
        let sealed = try await protection.changeQuietly { (draft: inout KeyDraft) async throws(ProtectionError) in
            try await protection.copy(message, in: conversation, for: device, &draft)
        }
        guard var copy = sealed else { return nil }
        copy.from = try JID(sender ?? "\(address)/a")
        copy.to = try JID("\(other.address)/a")
        return try Message(from: XMLElement(parsing: XMLElement(copy).description))
    }
}
