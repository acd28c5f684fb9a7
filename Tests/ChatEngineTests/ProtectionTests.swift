import ChatFixtures
import ChatStore
import ChatStoreTesting
import Foundation
import HongyanTesting
import MessageFeatures
import MessageHistory
import Synchronization
import Testing
import TransportLayer
import XMLStreaming
import XMPPAddress
import XMPPClient
import XMPPStanzas

@testable import ChatEngine

@Suite("Messages that are sealed end to end, against a server in memory", .timeLimit(.minutes(10)))
struct ProtectionTests {
    /// A device with the test's encryption.
    struct Device: Sendable {
        let account: ChatAccount
        let store: any LocalStore
        let id: AccountID
        let protection: ReversingProtection
        let wire = WireLog()
        let media: MediaCache?

        init(
            _ name: String, on server: MemoryServer, store: any LocalStore = MemoryStore(), media: MediaCache? = nil,
            uploader: (any AttachmentUploader)? = nil, omitted: [ProtectionError.Recipient] = [],
            willOpen: @escaping @Sendable (String) async throws(ProtectionError) -> Void = { _ in }
        ) async throws {
            var configuration = try server.account(name)
            let address = configuration.address
            configuration.add { [wire] _ in wire }
            self.store = store
            self.media = media
            id = try await store.write { writer throws(StoreError) in try writer.addAccount(address.bare) }
            protection = ReversingProtection(
                "device of \(name)", store: store, account: id, omitted: omitted, willOpen: willOpen)
            account = ChatAccount(
                id, configuration: configuration, store: store, media: media, uploader: uploader,
                protection: protection)
        }

        var address: JID { account.address }

        func key(_ peer: JID) -> ConversationKey { ConversationKey(account: id, address: peer, kind: .direct) }

        @discardableResult
        func write(_ body: String, to peer: JID) async throws -> MessageID {
            try await account.send(.text(MessageText(body)), in: key(peer))
        }

        func timeline(with peer: JID) async throws -> [StoredMessage] {
            let key = key(peer)
            return try await store.read { reader throws(StoreError) in
                guard let id = try reader.conversation(key) else { return [] }
                return try reader.timeline(of: id, .newest, limit: 100)
            }
        }

        /// The timeline when it is as the closure wants it.
        func timeline(
            with peer: JID, when isGood: @Sendable ([StoredMessage]) -> Bool
        ) async throws -> [StoredMessage] {
            let changes = store.changes()
            var messages = try await timeline(with: peer)
            var iterator = changes.makeAsyncIterator()
            while !isGood(messages), await iterator.next() != nil { messages = try await timeline(with: peer) }
            return messages
        }
    }

    static func run(_ devices: [Device], _ body: () async throws -> Void) async throws {
        let lives = devices.map { device in Task { try await device.account.run() } }
        defer { for life in lives { life.cancel() } }
        for device in devices {
            let events = device.account.events()
            if await device.account.connectionState.isOnline { continue }
            for await event in events {
                if case .connection(let state) = event, state.isOnline { break }
            }
        }
        try await body()
    }

    @Test("text, correction and reaction: the server sees none of them, both sides store what protects them")
    func live() async throws {
        let server = MemoryServer()
        let alice = try await Device("alice", on: server)
        let bob = try await Device("bob", on: server)
        try await Self.run([alice, bob]) {
            let first = try await alice.write("the larkspur", to: bob.address)
            let sent = try await alice.store.read { reader throws(StoreError) in try reader.message(first) }
            let origin = try #require(sent?.originID)
            _ = try await alice.account.send(
                .correction(of: .sent(id: origin), MessageText("the larkspur blooms")), in: alice.key(bob.address))
            _ = try await bob.timeline(with: alice.address) { $0.first?.text.body == "the larkspur blooms" }
            _ = try await bob.account.send(.reactions(to: .sent(id: origin), ["🌻"]), in: bob.key(alice.address))
            let own = try await alice.timeline(with: bob.address) { $0.first?.reactions.map(\.emoji) == ["🌻"] }
            #expect(
                own.map(\.protection) == [
                    .encrypted(scheme: ReversingProtection.scheme, device: "device of alice", trust: .verified)
                ])
        }
        let got = try await bob.timeline(with: alice.address)
        #expect(got.map(\.text.body) == ["the larkspur blooms"])
        #expect(
            got.map(\.protection) == [
                .encrypted(scheme: ReversingProtection.scheme, device: "device of alice", trust: .trusted)
            ])
        for wire in [alice.wire.text, bob.wire.text] {
            #expect(wire.contains("urn:test:reversed"))
            #expect(!wire.contains("larkspur") && !wire.contains("urn:xmpp:reactions"))
        }
        #expect(bob.protection.routes.map(\.route) == [.live, .live])
        #expect(bob.protection.routes.allSatisfy { $0.origin.sender.bare == alice.address && !$0.origin.isOutgoing })
    }

    @Test("what cannot be opened is a message with its reason, in its place, and gets no receipt")
    func notOpened() async throws {
        let server = MemoryServer()
        let alice = try await Device("alice", on: server)
        let bob = try await Device("bob", on: server) { text throws(ProtectionError) in
            if text.contains("two") { throw ProtectionError(.keyMissing, "No key.", scheme: "urn:test:reversed") }
        }
        // Receipts go to those to whom something was written.
        try await Self.run([alice, bob]) {
            try await bob.write("zero", to: alice.address)
            _ = try await alice.timeline(with: bob.address) { $0.count == 1 }
            for text in ["one", "two", "three"] { try await alice.write(text, to: bob.address) }
            let got = try await bob.timeline(with: alice.address) { $0.count == 4 }
            #expect(got.map(\.text.body) == ["zero", "one", "", "three"])
            #expect(got[2].protection == .notOpened(scheme: "urn:test:reversed", reason: "key-missing"))
            // Without stream management the response to a ping says that the server has a message; a receipt can be
            // earlier.
            let own = try await alice.timeline(with: bob.address) { messages in
                messages.last?.state == .delivered && messages.allSatisfy { $0.state != .queued }
            }
            #expect(own.map(\.state) == [.delivered, .delivered, .sentToServer, .delivered])
            #expect(await bob.account.connectionState.isOnline)
        }
    }

    @Test("a message that takes long to open is overtaken by none")
    func order() async throws {
        let server = MemoryServer()
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let (begun, begin) = AsyncStream.makeStream(of: Void.self)
        let alice = try await Device("alice", on: server)
        let bob = try await Device("bob", on: server) { text throws(ProtectionError) in
            guard text.contains("slow") else { return }
            begin.yield()
            for await _ in gate { break }
        }
        try await Self.run([alice, bob]) {
            try await alice.write("slow", to: bob.address)
            for await _ in begun { break }
            try await alice.write("quick", to: bob.address)
            _ = try await alice.timeline(with: bob.address) { $0.count == 2 && $0.last?.state == .sentToServer }
            #expect(try await bob.timeline(with: alice.address).isEmpty)
            open.yield()
            let got = try await bob.timeline(with: alice.address) { $0.count == 2 }
            #expect(got.map(\.text.body) == ["slow", "quick"])
        }
    }

    @Test("opening is waited for no longer than its limit, and what comes later is not remembered")
    func limit() async throws {
        let store = MemoryStore()
        let address = try JID("bob@xmpp.test")
        let id = try await store.write { writer throws(StoreError) in try writer.addAccount(address) }
        let protection = ReversingProtection("bob", store: store, account: id) { _ in
            // Until it is cancelled.
            try? await Task.sleep(for: .seconds(3600))
        }
        var protector = MessageProtector(protection)
        protector.openingLimit = .milliseconds(20)
        var step = ProtectionStep(protector)
        let message = try Self.sealed("late", number: 0)
        let origin = MessageOrigin(in: .direct, sender: try JID("alice@xmpp.test"), isOutgoing: false)
        let route = ReceivedRoute(
            .live, in: ConversationAddress(try JID("alice@xmpp.test"), kind: .direct), from: origin)
        let opened = await step.open(message, by: route)
        #expect(opened.protection == .notOpened(scheme: nil, reason: "timed-out"))
        await step.discard()
        await eventually { protection.discarded == 1 }
        #expect(protection.discarded == 1)
    }

    /// A stanza from Alice, as it is on the wire.
    static func sealed(_ body: String, number: Int, claims: String = "", inner: String = "") throws -> Message {
        let text = "<message xmlns='jabber:client'><body>\(body)</body>\(inner)</message>"
        return try Message(
            from: XMLElement(
                parsing: """
                    <message xmlns='jabber:client' from='alice@xmpp.test/a' to='bob@xmpp.test' type='chat' id='m\(number)'>\
                    <body>This message is sealed.</body>\(claims)\
                    <sealed xmlns='urn:test:reversed' device='alice' number='\(number)'>\
                    \(String(text.reversed()).replacing("&", with: "&amp;").replacing("<", with: "&lt;"))</sealed></message>
                    """))
    }

    /// A store that refuses some writes.
    final class FailingStore: LocalStore {
        let store = MemoryStore()
        let fails = Mutex(false)

        func read<Result: Sendable>(
            _ body: @escaping @Sendable (any StoreReader) throws(StoreError) -> Result
        ) async throws(StoreError) -> Result { try await store.read(body) }

        func write<Result: Sendable>(
            _ body: @escaping @Sendable (any StoreWriter) throws(StoreError) -> Result
        ) async throws(StoreError) -> Result {
            if fails.withLock(\.self) { throw StoreError(.diskFull, "The disk is full.") }
            return try await store.write(body)
        }

        func changes() -> StoreChangeSequence { store.changes() }

        func close() async { await store.close() }
    }

    @Test("a message that was opened and not stored is opened again when it comes again", arguments: [false, true])
    func crash(isProcessNew: Bool) async throws {
        let store = FailingStore()
        let address = try JID("bob@xmpp.test")
        let id = try await store.write { writer throws(StoreError) in try writer.addAccount(address) }
        var protection = ReversingProtection("bob", store: store, account: id)
        func recorder() -> SessionRecorder {
            SessionRecorder(store: store, account: id, address: address, protection: protection) {
                MessageTime(millisecondsSince1970: 1_000)
            }
        }
        var current = recorder()
        let change = SessionChange(
            received: [ReceivedStanza(XMLElement(try Self.sealed("once", number: 7)))], resumption: nil)
        store.fails.withLock { $0 = true }
        await #expect(throws: StoreError.self) { try await current.commit(change) }
        #expect(protection.discarded == 1 && protection.stored == 0)
        store.fails.withLock { $0 = false }
        if isProcessNew {
            protection = ReversingProtection("bob", store: store, account: id)
            current = recorder()
        }
        try await current.commit(change)
        let key = ConversationKey(account: id, address: try JID("alice@xmpp.test"), kind: .direct)
        let (bodies, records) = try await store.read { reader throws(StoreError) in
            let conversation = try reader.conversation(key)
            return (
                try conversation.map { id throws(StoreError) in
                    try reader.timeline(of: id, .newest, limit: 10).map(\.text.body)
                },
                try reader.protectionRecords(of: id, beginningWith: "opened/")
            )
        }
        #expect(bodies == ["once"])
        #expect(records.map(\.name) == ["opened/alice/7"])
        #expect(protection.stored == 1)
    }

    @Test("what only servers may say is not believed from inside a sealed message")
    func claims() async throws {
        let store = MemoryStore()
        let address = try JID("bob@xmpp.test")
        let id = try await store.write { writer throws(StoreError) in try writer.addAccount(address) }
        let recorder = SessionRecorder(
            store: store, account: id, address: address,
            protection: ReversingProtection("bob", store: store, account: id)
        ) { MessageTime(millisecondsSince1970: 1_000_000) }
        recorder.ownArchive(assignsIdentifiers: true)
        let inner = """
            <stanza-id xmlns='urn:xmpp:sid:0' by='bob@xmpp.test' id='forged'/>\
            <delay xmlns='urn:xmpp:delay' from='bob@xmpp.test' stamp='1970-01-01T00:00:01Z'/>
            """
        let message = try Self.sealed(
            "true", number: 1, claims: "<stanza-id xmlns='urn:xmpp:sid:0' by='bob@xmpp.test' id='true'/>", inner: inner)
        try await recorder.commit(SessionChange(received: [ReceivedStanza(XMLElement(message))], resumption: nil))
        let stored = try await store.read { reader throws(StoreError) in
            let list = try reader.conversations()
            return list.first?.lastMessage
        }
        #expect(stored?.text.body == "true")
        #expect(stored?.archiveReference?.id == "true")
        #expect(stored?.time == MessageTime(millisecondsSince1970: 1_000_000))
    }

    @Test("what cannot be sealed now waits with what is behind it; what cannot be sealed at all has failed")
    func sealing() async throws {
        let server = MemoryServer(users: ["alice", "bob", "carol"])
        let (bob, carol) = (try await server.peer("bob"), try await server.peer("carol"))
        let recipients = [ProtectionError.Recipient(bob.address.bare, device: "1", .unreachable)]
        let alice = try await Device("alice", on: server, omitted: recipients)
        let unreachable = ProtectionError(.unreachable, "No keys.", recipients: recipients, isTemporary: true)
        // Until the test has seen that it waits.
        alice.protection.failSealing(
            to: bob.address.bare, Array(repeating: unreachable, count: SendBackoff.keyRequests))
        alice.protection.failSealing(to: carol.address.bare, [ProtectionError(.noDevice, "No device.")])
        let first = try await alice.write("first", to: bob.address.bare)
        let failing = try await alice.write("failing", to: carol.address.bare)
        try await alice.write("second", to: bob.address.bare)
        let after = try await alice.write("after", to: carol.address.bare)
        try await Self.run([alice]) {
            let own = try await alice.timeline(with: carol.address.bare) { $0.last?.state == .sentToServer }
            #expect(own.map(\.id) == [failing, after])
            #expect(own.map(\.unreadable) == [[], recipients])
            #expect(own.first?.state == .failed(FailureReason(.notSent, condition: "not-sealed:no-device")))
            func waiting() async throws -> [QueuedMessage] {
                try await alice.store.read { reader throws(StoreError) in try reader.sendQueue(of: alice.id) }
            }
            #expect(await eventually { (try? await waiting().first?.notBefore) != nil })
            #expect(try await waiting().map(\.content.text?.body) == ["first", "second"])
            #expect(try await waiting().first?.message.id == first)
            alice.protection.failSealing(to: bob.address.bare, [])
            // After the backoff of five seconds or, where that was over already, the next one.
            for number in 1...2 {
                #expect(await bob.message()?.payloads.first(ReversingProtection.sealed)?["number"] == "\(number)")
            }
        }
        #expect(!alice.wire.text.contains("first") && !alice.wire.text.contains("failing"))
    }

    /// The upload service: addresses and contents.
    final class Shelf: AttachmentUploader {
        let files = Mutex<[String: [UInt8]]>([:])
        let media: MediaCache

        init(_ media: MediaCache) { self.media = media }

        func upload(
            _ attachment: ChatStore.Attachment, in session: Session, progress: @escaping @Sendable (Int) -> Void
        ) async throws(AttachmentFailure) -> String {
            guard let hash = attachment.contentHash.flatMap(ContentHash.init),
                let bytes = (try? await media.content(of: hash)) ?? nil
            else { throw AttachmentFailure(.fileGone) }
            let url = "https://files.test/\(attachment.name ?? "")"
            files.withLock { $0[url] = bytes }
            return url
        }
    }

    @Test(
        "a file is sealed before it is uploaded and opened after it was downloaded; the service learns neither name nor content"
    )
    func file() async throws {
        let server = MemoryServer()
        let (here, there) = (try SpareFolder(), try SpareFolder())
        let media = try await MediaCache.open(at: here.path, budget: 10 << 20)
        let shelf = Shelf(media)
        let alice = try await Device("alice", on: server, media: media, uploader: shelf)
        let bob = try await Device(
            "bob", on: server, media: try await MediaCache.open(at: there.path, budget: 10 << 20))
        // More than one piece, and no multiple of one.
        let content = (0..<700_001).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let hash = try await media.insert(content, isKept: true)
        let file = ChatStore.Attachment(
            kind: .file, mediaType: "application/pdf", name: "plan.pdf", size: Int64(content.count),
            contentHash: hash.description, isLocal: true)
        try await Self.run([alice, bob]) {
            _ = try await alice.account.send(
                .text(MessageText("", attachments: [file])), in: alice.key(bob.address))
            let got = try await bob.timeline(with: alice.address) { !$0.isEmpty }
            let message = try #require(got.first)
            let attachment = try #require(message.text.attachments.first)
            #expect(attachment.name == "plan.pdf" && attachment.size == Int64(content.count))
            #expect(message.protection != .none)
            let fetcher = AttachmentFetcher(
                store: bob.store, media: try #require(bob.media), protection: bob.protection
            ) { url, path, limit, _ throws(TransportError) in
                let bytes = shelf.files.withLock { $0[url] ?? [] }
                precondition(Int64(bytes.count) <= limit)
                _ = FileManager.default.createFile(atPath: path, contents: Data(bytes))
            }
            let path = try await fetcher.fetch(0, of: message.id, limit: Int64(content.count))
            #expect(FileManager.default.contents(atPath: path).map(Array.init) == content)
        }
        let files = shelf.files.withLock { $0 }
        #expect(files.count == 1)
        #expect(files.values.first?.count == content.count + 4)
        #expect(files.values.first != content)
        #expect(files.keys.allSatisfy { !$0.contains("plan") })
        #expect(!alice.wire.text.contains("plan.pdf") && !alice.wire.text.contains("files.test"))
        // The sealed copy is gone, and the file may be evicted.
        #expect(await media.kept.isEmpty)
        #expect(await media.size == Int64(content.count))
    }

    @Test("a stanza, and the stanza in a carbon, is decoded once on its way through recorder and extensions")
    func decodedOnce() async throws {
        let server = MemoryServer()
        let bob = try await Device("bob", on: server)
        try await Self.run([bob]) {
            let session = try #require(bob.account.session)
            let events = session.events(.messages)
            func text(_ id: String) -> String {
                """
                <body>O</body><request xmlns='urn:xmpp:receipts'/><origin-id xmlns='urn:xmpp:sid:0' id='\(id)'/>\
                <reply xmlns='urn:xmpp:reply:0' id='x' to='bob@xmpp.test'/>
                """
            }
            _ = try await server.send(
                "<message from='alice@xmpp.test/a' to='bob@xmpp.test' type='chat' id='live'>\(text("o1"))</message>",
                to: "bob")
            _ = try await server.send(
                """
                <message from='bob@xmpp.test' to='bob@xmpp.test' id='outer'><received xmlns='urn:xmpp:carbons:2'>\
                <forwarded xmlns='urn:xmpp:forward:0'><message xmlns='jabber:client' from='alice@xmpp.test/a' \
                to='bob@xmpp.test/other' type='chat' id='copy'>\(text("o2"))</message></forwarded></received></message>
                """, to: "bob")
            var received: [String: Message] = [:]
            for await batch in events {
                for case .message(let message) in batch { received[message.id ?? ""] = message }
                if received["outer"] != nil { break }
            }
            let live = try #require(received["live"])
            // Each asks for what it needs: the recorder, the carbons and this test.
            let outer = try #require(received["outer"])
            let copy = try #require(Carbon(in: outer, for: bob.address)?.message)
            for message in [live, outer, copy] {
                let decoded = try #require(message.payloads.decoded)
                #expect(!decoded.decodings.isEmpty)
                #expect(decoded.decodings.values.allSatisfy { $0 == 1 }, "\(decoded.decodings)")
            }
            // The recorder and the session have one value, so that the tag is read once as well.
            #expect(outer.payloads.decoded?.requests["ReceivedCopy"] == 3)
            #expect(live.payloads.decoded?.requests["OriginIdentifier"] ?? 0 >= 1)
            #expect(try await bob.timeline(with: JID("alice@xmpp.test")).map(\.wireID) == ["live", "copy"])
        }
    }
}
