import ChatStore
import ChatStoreTesting
import EndToEndEncryption
import Testing
import XMPPAddress
import XMPPClient

@testable import ChatEngine
@testable import OMEMO

@Suite("What people are told about encryption, and decide", .timeLimit(.minutes(10)))
struct ForecastTests {
    let server = KeyServer()
    let bobsAddress: JID
    let conversation: ConversationAddress

    init() throws {
        bobsAddress = try JID("bob@b.test")
        conversation = ConversationAddress(bobsAddress, kind: .direct)
    }

    private func alice(_ policy: EncryptionPolicy = .whenPossible) async throws -> SealingDevice {
        try await SealingDevice("alice@a.test", on: server, policy: policy)
    }

    private func bob() async throws -> SealingDevice { try await SealingDevice("bob@b.test", on: server) }

    @Test("a forecast says that a message goes in clear, is encrypted or is refused, and why; it begins no session")
    func forecast() async throws {
        let alice = try await alice()
        let protection = alice.protection
        #expect(await protection.forecast(for: conversation).outcome == .clear(.noDevice([bobsAddress])))
        let bob = try await bob()
        var forecast = await protection.forecast(for: conversation)
        #expect(forecast.outcome == .encrypted && forecast.unreadable.isEmpty && !forecast.wasEncrypted)
        #expect(forecast.policy == .whenPossible && !forecast.isOwnPolicy)
        #expect(try await alice.records(SessionShelf.prefix).isEmpty)

        try await bob.receive(try await alice.seal("one", to: bobsAddress))
        let second = try await self.bob()
        let key = try #require(second.protection.fingerprint)
        _ = try await protection.devices(of: bobsAddress)
        try await protection.setTrust(.distrusted, of: key, at: bobsAddress)
        forecast = await protection.forecast(for: conversation)
        let number = try #require(second.protection.device)
        #expect(forecast.outcome == .encrypted && forecast.wasEncrypted)
        #expect(forecast.unreadable == [.init(bobsAddress, device: "\(number)", .distrusted)])

        let first = try #require(bob.protection.fingerprint)
        try await protection.setTrust(.distrusted, of: first, at: bobsAddress)
        forecast = await protection.forecast(for: conversation)
        #expect(forecast.outcome == .refused(.distrusted) && forecast.unreadable.count == 2)

        try await protection.setPolicy(.never, of: conversation)
        forecast = await protection.forecast(for: conversation)
        #expect(forecast.outcome == .clear(.policy) && forecast.isOwnPolicy && forecast.policy == .never)
    }

    @Test("a stranger who has written first does not learn from a request that the conversation was opened")
    func stranger() async throws {
        let alice = try await alice()
        let bob = try await bob()
        try await alice.receive(try await bob.seal("hello", to: try JID("alice@a.test")))
        let requests = server.requests(for: bobsAddress)
        #expect(await alice.protection.forecast(for: conversation).outcome == .stranger)
        #expect(server.requests(for: bobsAddress) == requests)
        #expect(await alice.protection.forecast(for: conversation, isSending: true).outcome == .encrypted)
        #expect(server.requests(for: bobsAddress) == requests + 1)
    }

    @Test("a forecast for a private message in a room, and while offline, says what is known")
    func unusualForecasts() async throws {
        let occupant = ConversationAddress(try JID("room@c.test/bob"), kind: .occupant)
        let open = try await alice()
        #expect(await open.protection.forecast(for: occupant).outcome == .clear(.room(.privateRoomMessage)))
        let strict = try await alice(.always)
        #expect(await strict.protection.forecast(for: occupant).outcome == .refused(.privateRoomMessage))
        #expect(await strict.protection.forecast(for: conversation).outcome == .refused(.noDevice))
        strict.protection.connect(to: nil)
        #expect(await strict.protection.forecast(for: conversation).outcome == .unknown)
    }

    @Test("the devices of an account are those that it announces and those that are known, our own too")
    func devices() async throws {
        let alice = try await alice()
        let (first, second) = (try await bob(), try await bob())
        var devices = try await alice.protection.devices(of: bobsAddress)
        let keys = Set([first, second].map(\.protection.fingerprint))
        #expect(Set(devices.map(\.fingerprint)) == keys)
        #expect(devices.allSatisfy { $0.isAnnounced == true && $0.trust == .trusted && !$0.isThisDevice })
        #expect(devices.allSatisfy { $0.generations == [.current, .legacy] && $0.fingerprintGroups.count == 8 })
        try server.announce(second.protection, [])
        devices = try await alice.protection.devices(of: bobsAddress)
        #expect(devices.map(\.isAnnounced) == [true, false])
        #expect(devices.last?.fingerprint == second.protection.fingerprint)
        alice.protection.connect(to: nil)
        #expect(try await alice.protection.devices(of: bobsAddress).map(\.isAnnounced) == [nil, nil])

        let other = try await bob()
        let own = try await other.protection.devices(of: bobsAddress)
        #expect(own.first?.isThisDevice == true && own.first?.fingerprint == other.protection.fingerprint)
        #expect(own.map(\.isAnnounced) == [true, true])
    }

    @Test("a device that sent nothing for 30 days is unused, if another one of the account was used")
    func unused() {
        let now = MessageTime(millisecondsSince1970: 1_800_000_000_000)
        let long = now.advanced(by: -EncryptionDevice.unusedTime - 1)
        var devices = [EncryptionDevice(device: 1, lastSeen: long), EncryptionDevice(device: 2, lastSeen: long)]
        devices.markUnused(now: now)
        #expect(devices.map(\.isUnused) == [false, false])
        devices.append(EncryptionDevice(device: 3, lastSeen: now))
        devices.markUnused(now: now)
        #expect(devices.map(\.isUnused) == [true, true, false])
    }

    @Test("a link with the keys of an account verifies them, and one that names other keys verifies nothing")
    func verification() async throws {
        let (alice, bob) = (try await alice(), try await bob())
        let key = try #require(bob.protection.fingerprint)
        let link = try #require(try await bob.protection.verificationLink(for: bobsAddress))
        let outcome = try await alice.protection.verify(with: try #require(VerificationLink(link.uri)))
        #expect(outcome.verified == [key] && outcome.contradicting.isEmpty && outcome.unknown.isEmpty)
        #expect(try await alice.protection.devices(of: bobsAddress).map(\.trust) == [.verified])
        #expect(try await alice.protection.verificationLink(for: bobsAddress)?.entries == link.entries)

        let mallory = try await SealingDevice("mallory@m.test", on: server)
        let foreign = try #require(mallory.protection.fingerprint.flatMap(KeyFingerprint.init))
        let number = try bob.protection.own().keys.device
        let carol = try await SealingDevice("carol@c.test", on: server)
        var forged = link
        forged.entries.append(.init(number, foreign))
        let refused = try await carol.protection.verify(with: forged)
        #expect(refused.contradicting == [foreign.digits] && refused.verified.isEmpty)
        #expect(try await carol.protection.devices(of: bobsAddress).map(\.trust) == [.trusted])
        forged.entries = [.init(nil, foreign)]
        let unknown = try await carol.protection.verify(with: forged)
        #expect(unknown.unknown == [foreign.digits] && unknown.verified.isEmpty)
        // What the person has decided is not changed by a link.
        try await carol.protection.setTrust(.distrusted, of: key, at: bobsAddress)
        #expect(try await carol.protection.verify(with: link).contradicting == [key])
        #expect(try await carol.protection.devices(of: bobsAddress).map(\.trust) == [.distrusted])
    }

    @Test("a key that is forgotten is a new one, and its sessions are gone")
    func forgetting() async throws {
        let (alice, bob) = (try await alice(), try await bob())
        try await bob.receive(try await alice.seal("one", to: bobsAddress))
        let key = try #require(bob.protection.fingerprint)
        try await alice.protection.setTrust(.distrusted, of: key, at: bobsAddress)
        try await alice.protection.forget(key, at: bobsAddress)
        #expect(try await alice.records(SessionShelf.prefix).isEmpty)
        #expect(try await alice.records(KnownKey.prefix).isEmpty)
        try await bob.receive(try await alice.seal("two", to: bobsAddress, id: "m2"))
        #expect(try await bob.timeline(with: alice.address).map(\.text.body) == ["one", "two"])
    }

    @Test("an old device of our own account is removed from its lists")
    func removal() async throws {
        let (old, new) = (try await bob(), try await bob())
        try await new.protection.removeDevice(try #require(old.protection.device))
        let left = try await new.protection.devices(of: bobsAddress).filter { $0.isAnnounced == true }
        #expect(left.map(\.isThisDevice) == [true])
    }

    @Test("decisions are reported with the address that they concern")
    func events() async throws {
        let (alice, _) = (try await alice(), try await bob())
        let addresses = alice.protection.events.stream().compactMap { event -> JID? in
            if case .encryption(let address) = event { address } else { nil }
        }
        var reported = addresses.makeAsyncIterator()
        try await alice.protection.setPolicy(.always, of: conversation)
        #expect(await reported.next() == bobsAddress)
        let key = try #require(try await alice.protection.devices(of: bobsAddress).first?.fingerprint)
        #expect(await reported.next() == bobsAddress)
        try await alice.protection.setTrust(.verified, of: key, at: bobsAddress)
        #expect(await reported.next() == bobsAddress)
    }

    private func notices(of device: SealingDevice, with peer: JID) async throws -> [ConversationNotice] {
        let key = device.key(peer)
        let all = MessageTime(millisecondsSince1970: .min)...MessageTime(millisecondsSince1970: .max)
        return try await device.store.read { reader throws(StoreError) in
            guard let id = try reader.conversation(key) else { return [] }
            return try reader.notices(of: id, in: all).map(\.notice)
        }
    }

    @Test("the timeline can say when encryption began and ended, and which key is new or another one")
    func notices() async throws {
        let (alice, bob) = (try await alice(), try await bob())
        try await alice.receive(try await bob.seal("one", to: alice.address))
        try await alice.receive(try await bob.seal("two", to: alice.address, id: "m2"))
        #expect(try await notices(of: alice, with: bobsAddress).map(\.kind) == [.began])
        try await alice.protection.setTrust(
            .verified, of: try #require(bob.protection.fingerprint), at: bobsAddress)
        let new = try await self.bob()
        try await alice.receive(try await new.seal("three", to: alice.address, id: "m3"))
        try await alice.receive(try await new.seal("four", to: alice.address, id: "m4"))
        let other = try await SealingDevice("bob@b.test", on: server, [])
        let number = try bob.protection.own().keys.device
        try other.useDevice(number)
        try server.announce(other.protection, [.current, .legacy])
        try await alice.receive(try await other.seal("five", to: alice.address, id: "m5"))
        try await alice.protection.setPolicy(.never, of: conversation)
        try await alice.protection.setPolicy(.never, of: conversation)
        try await alice.protection.setPolicy(nil, of: conversation)
        let seen = try await notices(of: alice, with: bobsAddress)
        #expect(seen.map(\.kind) == [.began, .newKey, .changedKey, .ended, .began])
        let keys = seen.map(\.key?.fingerprint)
        #expect(keys == [nil, new.protection.fingerprint, other.protection.fingerprint, nil, nil])
    }

    @Test("a new key that a forecast finds is recorded, so that its notice comes once")
    func forecastNotice() async throws {
        let (alice, bob) = (try await alice(), try await bob())
        try await bob.receive(try await alice.seal("one", to: bobsAddress))
        try await alice.receive(try await bob.seal("two", to: alice.address))
        try await alice.protection.setTrust(
            .verified, of: try #require(bob.protection.fingerprint), at: bobsAddress)
        let new = try await self.bob()
        let number = try #require(new.protection.device)
        for _ in 1...3 {
            let forecast = await alice.protection.forecast(for: conversation, isSending: true)
            #expect(forecast.unreadable == [.init(bobsAddress, device: "\(number)", .undecided)])
        }
        try await bob.receive(try await alice.seal("three", to: bobsAddress, id: "m3"))
        try await alice.receive(try await new.seal("four", to: alice.address, id: "m4"))
        let seen = try await notices(of: alice, with: bobsAddress)
        #expect(seen.map(\.kind) == [.newKey])
        #expect(seen.last?.key?.fingerprint == new.protection.fingerprint)
    }

    @Test("a contact's new device is noticed when it is announced, that of a stranger is not requested")
    func announcedDevice() async throws {
        let (alice, bob) = (try await alice(), try await bob())
        try await alice.receive(try await bob.seal("one", to: alice.address))
        try await alice.protection.setTrust(
            .verified, of: try #require(bob.protection.fingerprint), at: bobsAddress)
        let new = try await self.bob()
        let listing = try #require(await server.devices(of: [bobsAddress])[bobsAddress])
        await alice.protection.listChanged(listing)
        #expect(try await notices(of: alice, with: bobsAddress).map(\.kind) == [.began])
        try await alice.addContact(bobsAddress)
        for _ in 1...2 { await alice.protection.listChanged(listing) }
        let seen = try await notices(of: alice, with: bobsAddress)
        #expect(seen.map(\.kind) == [.began, .newKey])
        #expect(seen.last?.key?.fingerprint == new.protection.fingerprint)
    }

    @Test("whether a waiting message will be encrypted is known where nothing can be sent in clear")
    func waiting() async throws {
        let (alice, bob) = (try await alice(), try await bob())
        func expected(_ policy: EncryptionPolicy?) async throws -> WaitingProtection {
            let key = alice.key(bobsAddress)
            return try await alice.store.read { reader throws(StoreError) in
                try WaitingProtection(of: key, policy, in: reader)
            }
        }
        #expect(try await expected(nil) == .none)
        #expect(try await expected(.never) == .none)
        #expect(try await expected(.whenPossible) == .unknown)
        #expect(try await expected(.always) == .encrypted)
        try await bob.receive(try await alice.seal("one", to: bobsAddress))
        #expect(try await expected(.whenPossible) == .encrypted)
        #expect(try await expected(.never) == .clear)
        try await alice.protection.setPolicy(.never, of: conversation)
        #expect(try await expected(.always) == .clear)
        let occupant = ConversationKey(account: alice.id, address: try JID("room@c.test/bob"), kind: .occupant)
        let privately = try await alice.store.read { reader throws(StoreError) in
            try WaitingProtection(of: occupant, .always, in: reader)
        }
        #expect(privately == .none)
    }

    @Test("a server that does not answer: known devices are encrypted for; without any, a message waits and then fails")
    func silence() async throws {
        let (alice, bob) = (try await alice(), try await bob())
        server.setSilent(true, bobsAddress)
        #expect(await alice.protection.forecast(for: conversation).outcome == .waits(.unreachable))
        let key = alice.key(bobsAddress)
        let id = try await alice.store.write { writer throws(StoreError) in
            try writer.send(
                OutgoingMessage(
                    sender: alice.address, originID: "q1", time: SealingDevice.time,
                    content: .text(MessageText("secret"))), in: key)
        }
        let stanzas = QueuedStanzas(
            store: alice.store, account: alice.id, tellsActivity: { _ in true }, protector: alice.recorder.protector,
            now: { SealingDevice.time })
        var results: [String] = []
        while let entry = try await alice.store.read({ reader throws(StoreError) in try reader.queued(id) }) {
            switch try await stanzas.sealed(entry, to: key) {
            case .waits: results.append("waits")
            case .failed: results.append("failed")
            case .stanza(let message): Issue.record("sent: \(message)")
            }
        }
        #expect(results.count == SendBackoff.keyRequests && results.last == "failed")
        #expect(results.dropLast().allSatisfy { $0 == "waits" })
        #expect(
            try await alice.timeline(with: bobsAddress).last?.state
                == .failed(FailureReason(.notSent, condition: "not-sealed:unreachable")))

        server.setSilent(false, bobsAddress)
        try await bob.receive(try await alice.seal("one", to: bobsAddress))
        server.setSilent(true, bobsAddress)
        #expect(await alice.protection.forecast(for: conversation).outcome == .encrypted)
        try await bob.receive(try await alice.seal("two", to: bobsAddress, id: "m2"))
        #expect(try await bob.timeline(with: alice.address).map(\.text.body) == ["one", "two"])
    }

    @Test("unused devices are encrypted for until the person decides otherwise")
    func excluded() async throws {
        let store = MemoryStore()
        let identities = TestIdentities()
        let (old, new) = (try await bob(), try await bob())
        let before = try await SealingDevice("alice@a.test", on: server, store: store, identities: identities)
        _ = try await before.protection.devices(of: bobsAddress)
        let later = SealingDevice.time.advanced(by: EncryptionDevice.unusedTime + 86_400_000)
        let alice = try await SealingDevice(
            "alice@a.test", on: server, store: store, identities: identities, time: later)
        try await alice.addContact(bobsAddress)
        try await alice.receive(try await new.seal("I am here", to: alice.address))
        let devices = try await alice.protection.devices(of: bobsAddress)
        #expect(devices.filter(\.isUnused).map(\.fingerprint) == [old.protection.fingerprint])
        #expect(await alice.protection.forecast(for: conversation).unreadable.isEmpty)
        try await alice.protection.setExcludesUnusedDevices(true)
        let number = try #require(old.protection.device)
        #expect(
            await alice.protection.forecast(for: conversation).unreadable
                == [.init(bobsAddress, device: "\(number)", .unused)])
        #expect(await alice.protection.forecast(for: conversation).outcome == .encrypted)
    }

    @Test("a profile whose identity has changed gets a new device, and the old one must be removed")
    func otherIdentity() async throws {
        let store = MemoryStore()
        let before = try await SealingDevice("alice@a.test", on: server, store: store)
        let after = try await SealingDevice("alice@a.test", on: server, store: store)
        let retired = try #require(before.protection.device)
        #expect(after.protection.device != retired && after.protection.fingerprint != before.protection.fingerprint)
        #expect(try await after.records(OwnKeys.retiredName).map(\.value) == [Array("\(retired)".utf8)])
        // Two devices of one account read each other.
        let bob = try await bob()
        let message = try await after.seal("one", to: bobsAddress)
        try await bob.receive(message)
        #expect(try await bob.timeline(with: after.address).map(\.text.body) == ["one"])
    }
}
