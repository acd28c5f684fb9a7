import ChatFixtures
import ChatStore
import Foundation
import Testing
import XMLStreaming
import XMPPAddress
import XMPPClient
import XMPPStanzas
import XMPPStream

@testable import ChatEngine

@Suite("Files in the cache: of queued messages, and received inside of messages")
@MainActor
struct KeptContentsTests {
    private static func message(_ fixture: ModelFixture, _ hash: ContentHash, id: String) -> OutgoingMessage {
        OutgoingMessage(
            sender: fixture.juliet, originID: id, time: ModelFixture.time(1),
            content: .text(
                MessageText(
                    "", attachments: [Attachment(kind: .file, contentHash: hash.description, isLocal: true)])))
    }

    @Test("a file of the queue stays until its message is sent or cancelled, even after a crash")
    func queue() async throws {
        let fixture = try await ModelFixture()
        let folder = try SpareFolder()
        var media = try await MediaCache.open(at: folder.path, budget: 10)
        var contents = QueuedContents(store: fixture.store, account: fixture.account, media: media)
        let first = try await media.insert(Array("first.".utf8))
        let (key, store) = (fixture.key, fixture.store)
        let message = Self.message(fixture, first, id: "a")
        let id = try await contents.holding([Attachment(kind: .file, contentHash: first.description)]) {
            () throws(StoreError) in
            try await store.write { store throws(StoreError) in try store.send(message, in: key) }
        }
        let second = try await media.insert(Array("second".utf8))
        #expect(await media.contains(first))
        #expect(await media.size > 10)

        // The program is killed and started again: the store determines which files are needed, not the pins.
        await media.close()
        media = try await MediaCache.open(at: folder.path, budget: 10, pinned: [first])
        contents = QueuedContents(store: fixture.store, account: fixture.account, media: media)
        let following = Task { [contents] in await contents.run() }
        try await store.write { store throws(StoreError) in
            try store.advance(id, to: .failed(FailureReason(.notSent, condition: "no-upload")))
        }
        await contents.update()
        _ = try await media.insert(Array("third.".utf8))
        #expect(await media.contains(first))
        #expect(await !media.contains(second))

        try await store.write { store throws(StoreError) in
            try store.sendAgain(id)
            try store.advance(id, to: .sentToServer)
        }
        // When the cache is full, the file is evicted as soon as it is not pinned any more.
        var number = 0
        await eventually {
            number += 1
            _ = try? await media.insert(Array("more \(number)".utf8))
            return await !media.contains(first)
        }
        #expect(await !media.contains(first))
        #expect(await media.size <= 10)
        following.cancel()
        await following.value
    }

    @Test("files stored by a program that died before queueing their message are released")
    func forgotten() async throws {
        let fixture = try await ModelFixture()
        let folder = try SpareFolder()
        let media = try await MediaCache.open(at: folder.path, budget: 100)
        let aside = try await media.insert(Array("aside".utf8), isKept: true)
        let contents = QueuedContents(store: fixture.store, account: fixture.account, media: media)
        let following = Task { await contents.run() }
        await eventually { await media.kept.isEmpty }
        #expect(await media.kept.isEmpty)
        #expect(await media.contains(aside))
        following.cancel()
        await following.value
    }

    @Test("a file received inside a message is in the cache, live or from the archive, and its message refers to it")
    func inline() async throws {
        let fixture = try await ModelFixture()
        let folder = try SpareFolder()
        let media = try await MediaCache.open(at: folder.path, budget: 1_000_000)
        let recorder = SessionRecorder(
            store: fixture.store, account: fixture.account, address: fixture.juliet, media: media,
            now: { ModelFixture.time(10) })
        let content = Array("a small voice".utf8)
        let xml = """
            <message xmlns='jabber:client' from='romeo@montague.example/x' to='juliet@capulet.example' type='chat' \
            id='v'><subject>VoiceMessage</subject><body>VoiceMessage</body>\
            <VoiceMessage>\(Data(content).base64EncodedString())</VoiceMessage></message>
            """
        let element = try XMLElement(parsing: xml)
        try await recorder.commit(SessionChange(received: [ReceivedStanza(element)], resumption: nil))
        let hash = ContentHash(of: content)
        let attachment = try #require(try await fixture.all().first?.text.attachments.first)
        #expect(attachment.isLocal && attachment.kind == .voice && attachment.contentHash == hash.description)
        #expect(try await media.content(of: hash) == content)

        // The file was evicted, and arrives again from the archive.
        await media.remove(hash)
        let message = try Message(from: element)
        #expect(await recorder.keepContents(of: [message]) == [hash.description])
        #expect(await media.contains(hash))
    }
}
