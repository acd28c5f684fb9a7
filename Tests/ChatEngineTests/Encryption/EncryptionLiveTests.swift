import ChatFixtures
import ChatStore
import ChatStoreTesting
import Cryptography
import EndToEndEncryption
import Foundation
import GroupChat
import HongyanTesting
import ServerFixtures
import Synchronization
import Testing
import TransportLayer
import XMLStreaming
import XMPPAddress
import XMPPClient
import XMPPStanzas

@testable import ChatEngine

@Suite("OMEMO between accounts on real servers", .timeLimit(.minutes(20)))
struct EncryptionLiveTests {
    static let scheme = "urn:xmpp:omemo:2"

    static func person(
        _ account: ServerFixtures.Account, on server: RunningServer, store: any LocalStore = MemoryStore(),
        identities: TestIdentities = TestIdentities(), policy: EncryptionPolicy = .whenPossible,
        configure: (inout ClientConfiguration) -> Void = { _ in }
    ) async throws -> Person {
        var settings = ChatAccountPolicy()
        settings.encryption = OMEMOSettings(identities: identities, policy: policy)
        return try await Person(account, on: server, store: store, policy: settings, configure: configure)
    }

    /// Returns when the accounts have published their keys.
    static func waitUntilAnnounced(_ people: [Person]) async throws {
        for person in people {
            let encryption = try #require(person.account.encryption)
            try #require(await eventually { encryption.isAnnounced })
        }
    }

    /// Returns when the program of the watcher has the device in both lists of its account: the server tells of a list
    /// after it was published.
    static func waitUntilKnown(_ device: Person, to watcher: Person) async throws {
        let number = try #require(device.account.encryption?.device)
        try #require(
            await eventually {
                guard let lists = watcher.account.session?[OMEMODevices.self] else { return false }
                let listing = await lists.devices(of: device.address)
                return listing.devices.first { $0.id.number == number }?.generations.count == 2
            })
    }

    static func sealed(by person: Person, _ trust: DeviceTrust = .trusted) -> MessageProtection {
        .encrypted(scheme: scheme, device: person.account.encryption?.fingerprint, trust: trust)
    }

    @Test(
        "live, as a carbon and from the archive each device reads each message; a later device is told why it cannot",
        arguments: AccountLiveTests.servers)
    func devices(kind: ServerKind) async throws {
        let server = try await kind.shared()
        let (first, second) = (try await server.newAccount("romeo"), try await server.newAccount("juliet"))
        let romeo = try await Self.person(first, on: server)
        let phone = try await Self.person(second, on: server)
        let tablet = try await Self.person(second, on: server)
        try await romeo.whileRunning {
            try await phone.whileRunning {
                // Two devices that are new at the same time can overwrite each other's announcement, and make it good
                // later.
                try await Self.waitUntilAnnounced([romeo, phone])
                try await tablet.whileRunning {
                    try await Self.waitUntilAnnounced([tablet])
                    try await Self.waitUntilKnown(tablet, to: phone)
                    try await Self.waitUntilKnown(phone, to: tablet)
                    try await romeo.write("nightingale", to: phone)
                    for device in [phone, tablet] {
                        try await device.wait(for: romeo) { $0.map(\.text.body) == ["nightingale"] }
                    }
                    let written = try await phone.write("it is the lark", to: romeo)
                    for (device, peer) in [(romeo, phone), (tablet, romeo)] {
                        try await device.wait(for: peer) { $0.last?.text.body == "it is the lark" }
                    }
                    let id = try #require(
                        try await phone.store.read { reader throws(StoreError) in try reader.message(written)?.originID
                        })
                    _ = try await phone.account.send(
                        .correction(of: .sent(id: id), MessageText("it was the lark")), in: phone.key(romeo.address))
                    _ = try await romeo.account.send(.reactions(to: .sent(id: id), ["🐦"]), in: romeo.key(phone.address))
                    for (device, peer) in [(romeo, phone), (tablet, romeo), (phone, romeo)] {
                        try await device.wait(for: peer) {
                            $0.last?.text.body == "it was the lark" && $0.last?.reactions.map(\.emoji) == ["🐦"]
                        }
                    }
                }
            }
        }
        #expect(
            try await tablet.timeline(with: romeo.address).map(\.protection) == [
                Self.sealed(by: romeo), Self.sealed(by: phone),
            ])
        // What was read is read again from the archive, and loses nothing; a device that comes later has no key for it.
        let laptop = try await Self.person(second, on: server)
        try await phone.whileRunning {
            try await laptop.whileRunning {
                try await laptop.wait(for: romeo) { messages in
                    messages.count >= 2
                        && messages.allSatisfy {
                            $0.protection == .notOpened(scheme: Self.scheme, reason: "other-device")
                        }
                }
                try await phone.wait(for: romeo) { $0.map(\.text.body) == ["nightingale", "it was the lark"] }
            }
        }
        // A program without keys sees no word.
        let plain = try await Person(second, on: server)
        try await plain.whileRunning {
            try await plain.wait(for: romeo) { messages in
                messages.count >= 2
                    && messages.allSatisfy {
                        $0.text.body.isEmpty
                            && $0.protection == .notOpened(scheme: Self.scheme, reason: "not-supported")
                    }
            }
        }
    }

    @Test("the first message finds somebody who is offline, and each side may be another process each time")
    func offline() async throws {
        for kind in AccountLiveTests.servers {
            let server = try await kind.shared()
            let names = [try await server.newAccount("romeo"), try await server.newAccount("juliet")]
            let (store, keyring) = (MemoryStore(), TestIdentities())
            let (romeoStore, romeoKeyring) = (MemoryStore(), TestIdentities())
            let juliet = try await Self.person(names[1], on: server, store: store, identities: keyring)
            try await juliet.whileRunning { try await Self.waitUntilAnnounced([juliet]) }
            for round in 0..<3 {
                let romeo = try await Self.person(names[0], on: server, store: romeoStore, identities: romeoKeyring)
                try await romeo.whileRunning {
                    try await romeo.write("night \(round)", to: juliet)
                    try await romeo.write("day \(round)", to: juliet)
                    try await romeo.wait(for: juliet) { $0.allSatisfy { $0.state != .queued } }
                }
                let juliet = try await Self.person(names[1], on: server, store: store, identities: keyring)
                try await juliet.whileRunning {
                    try await juliet.wait(for: romeo) { messages in
                        let texts = messages.filter { !$0.isOutgoing }.map(\.text.body)
                        return texts == (0...round).flatMap { ["night \($0)", "day \($0)"] }
                    }
                    try await juliet.write("answer \(round)", to: romeo)
                    try await juliet.wait(for: romeo) { $0.allSatisfy { $0.state != .queued } }
                }
                #expect(
                    try await juliet.timeline(with: romeo.address).allSatisfy {
                        if case .encrypted = $0.protection { true } else { false }
                    })
            }
            let romeo = try await Self.person(names[0], on: server, store: romeoStore, identities: romeoKeyring)
            try await romeo.whileRunning {
                try await romeo.wait(for: juliet) { messages in
                    messages.filter { !$0.isOutgoing }.map(\.text.body) == (0..<3).map { "answer \($0)" }
                }
            }
        }
    }

    @Test("in a room of members, live and for one who was away", arguments: AccountLiveTests.servers)
    func room(kind: ServerKind) async throws {
        let server = try await kind.shared()
        let names = [try await server.newAccount("romeo"), try await server.newAccount("juliet")]
        let (store, keyring) = (MemoryStore(), TestIdentities())
        let romeo = try await Self.person(names[0], on: server)
        let juliet = try await Self.person(names[1], on: server, store: store, identities: keyring)
        let room = try JID("tomb-\(romeo.address.local ?? "")@conference.\(server.domain)")
        let key = RoomLiveTests.key(romeo, room)
        try await romeo.whileRunning {
            try await juliet.whileRunning {
                try await Self.waitUntilAnnounced([romeo, juliet])
                try await Self.enterPrivate(room, romeo, juliet)
                for text in ["here", "will I remain"] {
                    _ = try await romeo.account.send(.text(MessageText(text)), in: key)
                }
                _ = try await juliet.account.send(.text(MessageText("with worms")), in: RoomLiveTests.key(juliet, room))
                for person in [romeo, juliet] {
                    try await person.wait(in: RoomLiveTests.key(person, room)) { messages in
                        Set(messages.map(\.text.body)) == ["here", "will I remain", "with worms"]
                            && messages.allSatisfy { $0.state != .queued }
                    }
                }
            }
            let waiting = try await romeo.account.send(.text(MessageText("O true apothecary")), in: key)
            try await romeo.wait(in: key) { $0.contains { $0.id == waiting && $0.state != .queued } }
        }
        let again = try await Self.person(names[1], on: server, store: store, identities: keyring)
        try await again.whileRunning {
            try await again.wait(in: RoomLiveTests.key(again, room)) { messages in
                messages.contains { $0.text.body == "O true apothecary" }
            }
        }
        let seen = try await again.timeline(in: RoomLiveTests.key(again, room))
        #expect(
            seen.filter { !$0.isOutgoing }.map(\.protection) == Array(repeating: Self.sealed(by: romeo), count: 3))
        #expect(seen.filter(\.isOutgoing).map(\.protection) == [Self.sealed(by: juliet, .verified)])
    }

    /// Takes the first request for a bundle out of the stream, once it is set to do so.
    private final class LostBundle: StanzaInterceptor {
        private let isLost: Mutex<Bool>

        init(isSet: Bool = true) { isLost = Mutex(!isSet) }

        func set() { isLost.withLock { $0 = false } }

        func willSend(_ stanza: AnyStanza, in session: Session) async -> Interception {
            guard case .iq = stanza, XMLElement(stanza)["type"] == "get",
                XMLElement(stanza).description.contains("bundles")
            else { return .pass(stanza) }
            let isFirst = isLost.withLock { isLost in
                defer { isLost = true }
                return !isLost
            }
            return isFirst ? .drop : .pass(stanza)
        }
    }

    @Test(
        "a profile that was restored from an old copy is noticed, and both sides read each other again",
        arguments: [false, true])
    func restored(isFirstCheckLost: Bool) async throws {
        let server = try await ServerKind.prosody13.shared()
        let names = [try await server.newAccount("romeo"), try await server.newAccount("juliet")]
        let folder = try SpareFolder()
        let keyring = TestIdentities()
        @Sendable func romeo(_ name: String) async throws -> (Person, any LocalStore) {
            let store = try await SQLiteStore.open(at: folder.path + "/" + name)
            let person = try await Self.person(names[0], on: server, store: store, identities: keyring) {
                if name == "old", isFirstCheckLost { $0.interceptors.append(LostBundle()) }
            }
            return (person, store)
        }
        let juliet = try await Self.person(names[1], on: server)
        try await juliet.whileRunning {
            try await Self.waitUntilAnnounced([juliet])
            let (first, store) = try await romeo("now")
            try await first.whileRunning {
                try await Self.waitUntilAnnounced([first])
                try await Self.talk(first, juliet, "one")
            }
            await store.close()
            try FileManager.default.copyItem(atPath: folder.path + "/now", toPath: folder.path + "/old")
            let (second, later) = try await romeo("now")
            try await second.whileRunning {
                for word in ["two", "three"] { try await Self.talk(second, juliet, word) }
            }
            await later.close()
            let (restored, old) = try await romeo("old")
            let before = try await Self.lastPreKey(of: restored)
            try await restored.whileRunning {
                for word in ["four", "five"] { try await Self.talk(restored, juliet, word) }
            }
            // Numbers that were given before are not given again.
            #expect(try await Self.lastPreKey(of: restored) >= before + 100)
            await old.close()
        }
    }

    private static func lastPreKey(of person: Person) async throws -> UInt32 {
        let encryption = try #require(person.account.encryption)
        let id = person.id
        let records = try await person.store.read { reader throws(StoreError) in
            try reader.protectionRecords(of: id, beginningWith: OwnKeys.name)
        }
        return try OwnKeys(try #require(records.first?.value), using: encryption.cryptography).lastPreKey
    }

    /// Each reads a message of the other.
    private static func talk(_ one: Person, _ other: Person, _ word: String) async throws {
        for (sender, receiver) in [(one, other), (other, one)] {
            try await sender.write("\(word) of \(sender.address)", to: receiver)
            try await receiver.wait(for: sender) { messages in
                messages.contains { $0.text.body == "\(word) of \(sender.address)" && $0.protection != .none }
            }
        }
    }

    @Test(
        "a device that has lost its sessions makes new ones by itself, and gets what it could not read",
        arguments: [false, true])
    func repair(isFirstRequestLost: Bool) async throws {
        let server = try await ServerKind.ejabberd2412.shared()
        let names = [try await server.newAccount("romeo"), try await server.newAccount("juliet")]
        let romeo = try await Self.person(names[0], on: server)
        let loss = LostBundle(isSet: false)
        let juliet = try await Self.person(names[1], on: server) { $0.interceptors.append(loss) }
        try await romeo.whileRunning {
            try await juliet.whileRunning {
                try await Self.waitUntilAnnounced([romeo, juliet])
                try await Self.talk(romeo, juliet, "one")
                try await Self.loseSessions(of: juliet)
                if isFirstRequestLost { loss.set() }
                try await romeo.write("two", to: juliet)
                // Neither has the other as a contact.
                try await juliet.wait(for: romeo) { messages in
                    messages.contains { $0.text.body == "two" && $0.protection == Self.sealed(by: romeo) }
                }
                try await Self.waitForRepair(by: juliet, of: romeo)
                try await Self.talk(romeo, juliet, "three")
            }
        }
        #expect(try await romeo.timeline(with: juliet.address).allSatisfy { !$0.protection.isNotOpened })
    }

    @Test(
        "what a device could not decrypt comes again from the device that has sent it",
        arguments: AccountLiveTests.servers)
    func copies(kind: ServerKind) async throws {
        let server = try await kind.shared()
        let names = [try await server.newAccount("romeo"), try await server.newAccount("juliet")]
        let romeo = try await Self.person(names[0], on: server)
        let romeos = try await Self.person(names[0], on: server)
        let juliet = try await Self.person(names[1], on: server)
        try await romeo.befriend(juliet)
        try await romeo.whileRunning {
            try await juliet.whileRunning {
                try await romeos.whileRunning {
                    try await Self.waitUntilAnnounced([romeo, romeos, juliet])
                    for device in [romeo, romeos] { try await Self.waitUntilKnown(device, to: juliet) }
                    try await Self.waitUntilKnown(romeos, to: romeo)
                    try await Self.talk(romeo, juliet, "one")
                    try await Self.talk(romeos, juliet, "one more")
                    try await Self.loseSessions(of: juliet)
                    try await Self.loseSessions(of: romeos)
                    try await romeo.write("two", to: juliet)
                    for (device, peer) in [(juliet, romeo.address), (romeos, juliet.address)] {
                        let key = device.key(peer)
                        try await device.wait(in: key) { messages in
                            messages.contains { $0.text.body == "two" && $0.protection == Self.sealed(by: romeo) }
                        }
                        #expect(try await device.timeline(in: key).count { $0.text.body == "two" } == 1)
                    }
                    try await Self.talk(romeo, juliet, "three")
                    // What the other device of Romeo could not read of that comes again, too.
                    for (device, peer) in [(juliet, romeo.address), (romeos, juliet.address), (romeo, juliet.address)] {
                        try await device.wait(in: device.key(peer)) { messages in
                            messages.contains { $0.text.body == "three of \(juliet.address)" }
                                && messages.allSatisfy { !$0.protection.isNotOpened }
                        }
                    }
                }
            }
        }
        #expect(try await romeos.timeline(with: romeo.address).isEmpty)
    }

    @Test("a device whose encryption is turned off is removed from the lists, and comes back when it is turned on")
    func turnedOff() async throws {
        let server = try await ServerKind.prosody13.shared()
        let name = try await server.newAccount("romeo")
        let (store, identities) = (MemoryStore(), TestIdentities())
        @Sendable func announced(by person: Person) async -> Set<UInt32>? {
            guard let session = person.account.session else { return nil }
            let listing = await OMEMODevices(session, using: OpenSSLCryptography()).devices(of: person.address)
            return listing.failures.isEmpty ? Set(listing.devices.map(\.id.number)) : nil
        }
        var device: UInt32?
        for _ in 1...2 {
            let on = try await Self.person(name, on: server, store: store, identities: identities)
            try await on.whileRunning {
                try await Self.waitUntilAnnounced([on])
                let device = try #require(on.account.encryption?.device)
                try #require(await eventually { await announced(by: on) == [device] })
            }
            device = on.account.encryption?.device
            let off = try await Person(name, on: server, store: store)
            try await off.whileRunning {
                try #require(await eventually { await announced(by: off) == [] })
            }
        }
        #expect(device != nil)
    }

    /// Removes the sessions of a device that has just received its first message, as if its profile was damaged.
    static func loseSessions(of person: Person) async throws {
        // Its answer to the key exchange stores the session again. Nothing is recorded as owed once it is sent.
        await eventually { (try? await owed(by: person)) == .some(nil) }
        try #require(try await owed(by: person) == nil)
        let id = person.id
        try await person.store.write { writer throws(StoreError) in
            let sessions = try writer.protectionRecords(of: id, beginningWith: SessionShelf.prefix)
            try writer.save(ProtectionChange(sessions.map { .init($0.name, nil) }), of: id)
        }
    }

    /// Waits until the other device has a new session beside the lost one: what it writes before cannot be decrypted.
    static func waitForRepair(by person: Person, of other: Person) async throws {
        let id = other.id
        @Sendable func isRepaired() async throws -> Bool {
            let records = try await other.store.read { reader throws(StoreError) in
                try reader.protectionRecords(of: id, beginningWith: SessionShelf.prefix)
            }
            return try records.contains { try $0.value.map { try SessionShelf($0).sessions.count } ?? 0 > 1 }
        }
        await eventually { (try? await isRepaired()) == true }
        try #require(try await isRepaired())
        await eventually { (try? await owed(by: person)) == OwedMessage.Kind.none }
        try #require(try await owed(by: person) == OwedMessage.Kind.none)
    }

    static func owed(by person: Person) async throws -> OwedMessage.Kind? {
        let id = person.id
        let records = try await person.store.read { reader throws(StoreError) in
            try reader.protectionRecords(of: id, beginningWith: OwedMessage.prefix)
        }
        return try records.first?.value.map { try OwedMessage($0).kind }
    }

    @Test(
        "a file, a picture and a voice message go encrypted through the upload service, and are here again as they were",
        arguments: [
            ChatStore.Attachment(kind: .file, mediaType: "application/pdf", name: "plan.pdf"),
            ChatStore.Attachment(kind: .picture, mediaType: "image/png", name: "plan.png", width: 640, height: 480),
            ChatStore.Attachment(kind: .voice, mediaType: "audio/ogg", name: "plan.ogg", duration: 1_500),
        ])
    func file(described: ChatStore.Attachment) async throws {
        let server = try await ServerKind.prosody13.shared()
        let names = [try await server.newAccount("romeo"), try await server.newAccount("juliet")]
        let (here, there) = (try SpareFolder(), try SpareFolder())
        let media = try await MediaCache.open(at: here.path, budget: 10 << 20)
        let shelf = ProtectionTests.Shelf(media)
        var policy = ChatAccountPolicy()
        policy.encryption = OMEMOSettings(identities: TestIdentities())
        let romeo = try await Person(names[0], on: server, policy: policy, media: media, uploader: shelf)
        let juliet = try await Self.person(names[1], on: server)
        let content = (0..<700_001).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let hash = try await media.insert(content, isKept: true)
        var file = described
        (file.size, file.contentHash, file.isLocal) = (Int64(content.count), hash.description, true)
        let sent = file
        let cache = try await MediaCache.open(at: there.path, budget: 10 << 20)
        try await romeo.whileRunning {
            try await juliet.whileRunning {
                try await Self.waitUntilAnnounced([romeo, juliet])
                _ = try await romeo.account.send(
                    .text(MessageText("", attachments: [sent])), in: romeo.key(juliet.address))
                try await juliet.wait(for: romeo) { $0.first?.text.attachments.first?.name == sent.name }
                let message = try #require(try await juliet.timeline(with: romeo.address).first)
                var got = try #require(message.text.attachments.first)
                #expect(got.url?.hasPrefix("aesgcm://files.test/") == true)
                (got.url, got.isLocal) = (nil, true)
                #expect(got == sent, "Its description is in the envelope (XEP-0448).")
                #expect(message.protection == Self.sealed(by: romeo))
                let fetcher = AttachmentFetcher(
                    store: juliet.store, media: cache, protection: juliet.account.protection
                ) { url, path, limit, _ throws(TransportError) in
                    let bytes = shelf.files.withLock { $0[url] ?? [] }
                    _ = FileManager.default.createFile(atPath: path, contents: Data(bytes.prefix(Int(limit))))
                }
                let path = try await fetcher.fetch(0, of: message.id, limit: Int64(content.count))
                #expect(FileManager.default.contents(atPath: path).map(Array.init) == content)
            }
        }
        let files = shelf.files.withLock { $0 }
        #expect(files.values.map(\.count) == [content.count + 16])
        #expect(files.keys.allSatisfy { !$0.contains("plan") })
        // Other programs recognise pictures and voice by the extension; the kind of a document is not told.
        let shown = described.kind == .file ? "" : String(described.name?.suffix(4) ?? "")
        #expect(files.keys.allSatisfy { shown.isEmpty ? !$0.hasSuffix(".pdf") : $0.hasSuffix(shown) }, "\(files.keys)")
    }

    /// A room for its two members, in which both are.
    static func enterPrivate(_ address: JID, _ owner: Person, _ member: Person) async throws {
        try await owner.account.rooms.create(
            address, nickname: "owner", settings: RoomSettings(access: .membersOnly))
        let chat = try #require(owner.account.session?[GroupChat.self])
        let room = try #require(chat.room(address))
        try await room.setAffiliation(.member, of: member.address)
        try await member.account.rooms.enter(address, nickname: "member")
    }
}
