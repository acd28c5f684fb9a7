import ChatFixtures
import ChatStore
import ChatStoreTesting
import EndToEndEncryption
import Testing
import Waiting
import XMLStreaming
import XMPPAddress
import XMPPClient

@testable import ChatEngine
@testable import OMEMO

@Suite("The keys of this device", .timeLimit(.minutes(10)))
struct OwnDeviceTests {
    let server = KeyServer()
    let store = MemoryStore()
    let identities = TestIdentities()

    private func bob(later seconds: Int64 = 0) async throws -> SealingDevice {
        try await SealingDevice(
            "bob@b.test", on: server, store: store, identities: identities,
            time: SealingDevice.time.advanced(by: seconds * 1_000))
    }

    @Test("a start without the keyring makes no new device, and the next one with it goes on")
    func withoutKeyring() async throws {
        let alice = try await SealingDevice("alice@a.test", on: server)
        let before = try await bob()
        try await before.receive(try await alice.seal("one", to: before.address))
        let sessions = try await before.records(SessionShelf.prefix)
        let keys = try await before.records("omemo/")
        identities.silent.withLock { $0 = ["keyring"] }
        let error = await #expect(throws: ProtectionError.self) { try await bob() }
        #expect(error?.code == .ownKeys && error?.isTemporary == true)
        let left = try await before.records("omemo/")
        #expect(left == keys && !sessions.isEmpty)
        identities.silent.withLock { $0 = [] }
        let after = try await bob()
        #expect(after.protection.device == before.protection.device)
        try await after.receive(try await alice.seal("two", to: after.address, id: "m2"))
        #expect(try await after.timeline(with: alice.address).map(\.text.body) == ["one", "two"])
    }

    @Test("messages that come without the keyring are read when it is there again, in the same rows")
    func postponed() async throws {
        let alice = try await SealingDevice("alice@a.test", on: server)
        let before = try await bob()
        identities.silent.withLock { $0 = ["keyring"] }
        let protection = OMEMOProtection(
            OMEMOSettings(identities: identities), store: store, account: before.id, address: before.address,
            now: { SealingDevice.time })
        await #expect(throws: ProtectionError.self) { try await protection.load() }
        let recorder = SessionRecorder(
            store: store, account: before.id, address: before.address, protection: protection,
            now: { SealingDevice.time })
        for text in ["one", "two"] {
            let message = try await alice.seal(text, to: before.address, id: text)
            try await recorder.commit(
                SessionChange(received: [ReceivedStanza(XMLElement(message))], resumption: nil))
        }
        let closed = try await before.timeline(with: alice.address)
        #expect(
            closed.map(\.protection)
                == Array(repeating: .notOpened(scheme: nil, reason: "own-keys"), count: 2))
        // Without the keys they wait.
        try await recorder.openPostponed(of: protection.parts.context)
        #expect(try await before.records(PostponedStanza.prefix).count == 2)
        identities.silent.withLock { $0 = [] }
        try await protection.load()
        try await recorder.openPostponed(of: protection.parts.context)
        let opened = try await before.timeline(with: alice.address)
        #expect(opened.map(\.text.body) == ["one", "two"] && opened.map(\.id) == closed.map(\.id))
        #expect(try await before.records(PostponedStanza.prefix).isEmpty)
        for count in 0..<100 {
            #expect(throws: ProtectionError.self) { try PostponedStanza([UInt8](repeating: 1, count: count)) }
        }
    }

    @Test("a message that was not opened in time changes nothing, and is opened later")
    func late() async throws {
        let alice = try await SealingDevice("alice@a.test", on: server)
        let bob = try await bob()
        let message = try await alice.seal("late", to: bob.address)
        let route = ReceivedRoute(
            .live, in: ConversationAddress(alice.address, kind: .direct),
            from: MessageOrigin(in: .direct, sender: alice.address, occupantID: nil, stay: nil, isOutgoing: false),
            at: SealingDevice.time)
        let failure = await Task { () -> ProtectionError? in
            withUnsafeCurrentTask { $0?.cancel() }
            do throws(ProtectionError) {
                _ = try await bob.protection.open(message, by: route)
                return nil
            } catch { return error }
        }.value
        #expect(failure != nil && failure?.change == nil)
        #expect(try await bob.protection.memory.values(beginningWith: SessionShelf.prefix).isEmpty)
        let work = bob.protection.parts.context.work
        work.send()
        await work.wait()
        try await bob.keep(await bob.protection.postponement(of: message, by: route))
        // The service opens it in its next round, which begins now.
        let isTold = Gate()
        let round = Task {
            await work.wait()
            if !Task.isCancelled { isTold.open() }
        }
        await eventually { isTold.isOpen }
        round.cancel()
        #expect(isTold.isOpen)
        // One that is late again begins no round at once: that would occupy the account without a pause.
        work.send()
        await work.wait()
        try await bob.keep(await bob.protection.postponement(of: message, by: route))
        let next = Gate()
        let other = Task {
            await work.wait()
            if !Task.isCancelled { next.open() }
        }
        for _ in 0..<100 { await Task.yield() }
        #expect(!next.isOpen)
        other.cancel()
        #expect(try await bob.recorder.openPostponed(of: bob.protection.parts.context))
        #expect(try await bob.timeline(with: alice.address).map(\.text.body) == ["late"])
        #expect(try await bob.records(PostponedStanza.prefix).isEmpty)
    }

    @Test("where the identity was in a file, a keyring that does not run holds nothing up")
    func lostFile() async throws {
        let before = try await bob()
        try await before.keep(ProtectionChange([.init(OwnKeys.placeName, Array("file".utf8))]))
        identities.silent.withLock { $0 = ["keyring"] }
        let after = try await bob()
        #expect(after.protection.fingerprint != before.protection.fingerprint)
        #expect(try await after.records(OwnKeys.placeName).map(\.value) == [Array("keyring".utf8)])
    }

    @Test("of several identities the one of the records counts")
    func severalSeeds() async throws {
        struct Two: OMEMOIdentities {
            let seeds: [[UInt8]]

            func search() async throws -> IdentitySearch {
                IdentitySearch(seeds.enumerated().map { .init($1, in: "place \($0)") })
            }

            func save(_ seed: [UInt8]) async throws -> String { throw CancellationError() }
        }
        let before = try await bob()
        let own = try before.protection.own().identity.seed.bytes
        let other = try IdentityKeyPair.random(using: before.protection.cryptography).seed.bytes
        let device = OwnDevice(
            Two(seeds: [other, own]), memory: before.protection.memory, cryptography: before.protection.cryptography,
            now: { SealingDevice.time })
        try await device.load()
        #expect(device.loaded?.keys.device.number == before.protection.device)
        #expect(try await before.records(OwnKeys.placeName).map(\.value) == [Array("place 1".utf8)])
    }

    @Test(
        "a damaged record of our keys makes a new device with the same identity, and a damaged one-time key is removed")
    func damaged() async throws {
        let before = try await bob()
        let name = try #require(try await before.records(OwnPreKey.prefix).first?.name)
        try await before.keep(ProtectionChange([.init(name, [1, 2, 3])]))
        let same = try await bob()
        #expect(same.protection.device == before.protection.device)
        var draft = KeyDraft(same.protection.memory)
        var keys = try same.protection.own().keys
        let isRefilled = try await same.protection.ownDevice.refill(&keys, &draft)
        #expect(isRefilled)
        #expect(try await same.protection.ownDevice.unusedPreKeys(draft).count == OMEMOLimits.publishedPreKeys)
        let record = try #require(try await before.records(OwnKeys.name).first?.value)
        try await before.keep(ProtectionChange([.init(OwnKeys.name, Array(record.prefix(30)))]))
        let after = try await bob()
        #expect(after.protection.fingerprint == before.protection.fingerprint)
        #expect(after.protection.device != before.protection.device)
        let retired = try #require(before.protection.device)
        #expect(try await after.records(OwnKeys.retiredName).map(\.value) == [Array("\(retired)".utf8)])
        // That of a later version is left alone.
        try await after.keep(ProtectionChange([.init(OwnKeys.name, [OwnKeys.version + 1] + record.dropFirst())]))
        let error = await #expect(throws: ProtectionError.self) { try await bob() }
        #expect(error?.code == .ownKeys)
    }

    @Test("used one-time keys are replaced, so that 100 are published again")
    func refill() async throws {
        let bob = try await bob()
        for number in 0..<30 {
            let peer = try await SealingDevice("peer\(number)@a.test", on: server)
            try await bob.receive(try await peer.seal("hello", to: bob.address))
        }
        let device = bob.protection.ownDevice
        var draft = KeyDraft(bob.protection.memory)
        #expect(try await device.unusedPreKeys(draft).count == 70)
        var keys = try bob.protection.own().keys
        let last = keys.lastPreKey
        let isRefilled = try await device.refill(&keys, &draft)
        #expect(isRefilled)
        let unused = try await device.unusedPreKeys(draft)
        #expect(unused.count == 100 && keys.lastPreKey == last + 30)
        #expect(unused.suffix(30).map(\.id) == Array(last + 1...last + 30))
    }

    @Test("the signed key is another one after a week, and messages that were encrypted with the earlier one are read")
    func weeklyKey() async throws {
        let alice = try await SealingDevice("alice@a.test", on: server)
        let before = try await bob()
        let message = try await alice.seal("last week", to: before.address)
        for (days, isDue) in [(6, false), (8, true)] as [(Int64, Bool)] {
            let later = try await bob(later: days * 86_400)
            var own = try later.protection.own()
            let id = own.keys.currentSignedKey.pair.id
            let isChanged = try own.keys.rotate(now: later.protection.seconds, using: later.protection.cryptography)
            #expect(isChanged == isDue && (own.keys.currentSignedKey.pair.id != id) == isDue)
            later.protection.ownDevice.replace(own)
            guard isDue else { continue }
            try await later.receive(message)
            #expect(try await later.timeline(with: alice.address).map(\.text.body) == ["last week"])
            // Others begin with the new one.
            let carol = try await SealingDevice("carol@c.test", on: server)
            try await later.receive(try await carol.seal("today", to: later.address))
            #expect(try await later.timeline(with: carol.address).map(\.text.body) == ["today"])
        }
    }
}
