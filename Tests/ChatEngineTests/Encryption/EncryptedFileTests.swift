import ChatFixtures
import ChatStore
import ChatStoreTesting
import Cryptography
import FileSharing
import Foundation
import HongyanTesting
import HostileFixtures
import OMEMO
import ServerFixtures
import Synchronization
import Testing
import TransportLayer
import XMLStreaming
import XMPPAddress
import XMPPStanzas

@testable import ChatEngine

/// XEP-0448 beside XEP-0454.
@Suite("Encrypted files", .timeLimit(.minutes(10)))
struct EncryptedFileTests {
    private static let content = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    private static let address = "https://files.test/1/x"

    private let server = KeyServer()

    /// A file as another program sends it.
    struct Offer {
        var cipher: EncryptedSource.Cipher
        var url = EncryptedFileTests.address
        var key: [UInt8]
        var vector: [UInt8]
        var uploaded: [UInt8]
        var metadata: FileMetadata

        init(_ cipher: EncryptedSource.Cipher = .aes256GCM, hasTag: Bool = true) throws {
            let content = EncryptedFileTests.content
            self.cipher = cipher
            key = try SecureRandom.bytes(cipher.keyByteCount)
            vector = try SecureRandom.bytes(cipher.vectorByteCount)
            let sealed =
                cipher == .aes256CBC
                ? AESCBC.encrypt(content, key: key, vector: vector) : AESGCM.seal(content, key: key, nonce: vector)
            uploaded = try #require(sealed)
            if !hasTag { uploaded.removeLast(AESGCM.tagByteCount) }
            metadata = FileMetadata(
                mediaType: "application/octet-stream", fileName: "plan", size: UInt64(content.count),
                hashes: [FileHash(algorithm: "sha-256", value: HashFunction.sha256.hash(content))])
        }

        var file: SharedFile {
            SharedFile(
                metadata: metadata, urls: [],
                encrypted: [EncryptedSource(cipher, key: key, vector: vector, urls: [url])])
        }
    }

    /// Sends an offer in an encrypted message, and downloads it at the other side.
    private func transfer(
        _ offer: Offer, limit: Int64 = AttachmentFetcher.sizeLimit
    ) async throws -> (result: Result<[UInt8], AttachmentFailure>, requested: [String]) {
        let alice = try await SealingDevice("alice@a.test", on: server, [.current])
        let bob = try await SealingDevice("bob@b.test", on: server, [.current])
        var message = Message(to: bob.address, type: .chat, id: "f1")
        message.append(offer.file)
        let sealed = try await alice.seal(message)
        #expect(!XMLElement(sealed).description.contains("files.test"))
        try await bob.receive(sealed)
        let stored = try #require(try await bob.timeline(with: alice.address).first)
        #expect(stored.text.attachments.first?.name == "plan")
        let folder = try SpareFolder()
        let media = try await MediaCache.open(at: folder.path, budget: 10 << 20)
        let requested = Requests()
        let fetcher = AttachmentFetcher(store: bob.store, media: media, protection: bob.protection) {
            url, path, limit, _ throws(TransportError) in
            requested.add(url)
            guard offer.uploaded.count <= limit else { throw TransportError(.tooLarge, "too large") }
            _ = FileManager.default.createFile(atPath: path, contents: Data(offer.uploaded))
        }
        do throws(AttachmentFailure) {
            let path = try await fetcher.fetch(0, of: stored.id, limit: limit)
            return (.success(FileManager.default.contents(atPath: path).map(Array.init) ?? []), requested.all)
        } catch {
            return (.failure(error), requested.all)
        }
    }

    @Test("a file of each cipher is downloaded and decrypted", arguments: EncryptedSource.Cipher.allCases)
    func ciphers(cipher: EncryptedSource.Cipher) async throws {
        let (result, requested) = try await transfer(try Offer(cipher))
        #expect(try result.get() == Self.content)
        #expect(requested == [Self.address])
    }

    @Test("the tag is not required where a hash proves the content, and what follows the file is cut off")
    func withoutTag() async throws {
        #expect(try await transfer(try Offer(.aes256GCM, hasTag: false)).result.get() == Self.content)
        var padded = try Offer()
        padded.uploaded = try #require(
            AESGCM.seal(Self.content + [UInt8](repeating: 0, count: 999), key: padded.key, nonce: padded.vector))
        #expect(try await transfer(padded).result.get() == Self.content)
    }

    struct Attack: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var cipher = EncryptedSource.Cipher.aes256GCM
        var isRequested = true
        let code: AttachmentFailure.Code
        let change: @Sendable (inout Offer) -> Void
    }

    private static let attacks: [Attack] = [
        Attack(testDescription: "a smaller size", code: .wrongContent) { $0.metadata.size = 299_999 },
        Attack(testDescription: "a larger size", code: .wrongContent) { $0.metadata.size = 300_001 },
        Attack(testDescription: "a size that includes the tag", code: .wrongContent) { $0.metadata.size = 300_016 },
        Attack(testDescription: "a giant size", isRequested: false, code: .tooLarge) { $0.metadata.size = .max },
        Attack(testDescription: "a giant file", code: .tooLarge) {
            $0.uploaded += [UInt8](repeating: 0, count: 1 << 20)
        },
        Attack(testDescription: "another hash", code: .wrongContent) { $0.metadata.hashes[0].value[0] ^= 1 },
        Attack(testDescription: "another key", code: .notProtected) { $0.key[0] ^= 1 },
        Attack(testDescription: "a changed byte", code: .notProtected) { $0.uploaded[1_000] ^= 1 },
        Attack(testDescription: "a changed byte with CBC", cipher: .aes256CBC, code: .wrongContent) {
            $0.uploaded[1_000] ^= 1
        },
        Attack(testDescription: "CBC without a hash", cipher: .aes256CBC, isRequested: false, code: .notProtected) {
            $0.metadata.hashes = []
        },
        Attack(testDescription: "an http address", isRequested: false, code: .notProtected) {
            $0.url = "http://files.test/1/x"
        },
        Attack(testDescription: "an address of this computer's files", isRequested: false, code: .notProtected) {
            $0.url = "file:///etc/passwd"
        },
        Attack(testDescription: "a key of another length", isRequested: false, code: .notProtected) {
            $0.key.removeLast()
        },
        Attack(testDescription: "nothing uploaded", code: .notProtected) { $0.uploaded = [] },
    ]

    @Test("a file that is not what its message says is refused", arguments: attacks)
    func attack(attack: Attack) async throws {
        var offer = try Offer(attack.cipher)
        attack.change(&offer)
        let (result, requested) = try await transfer(offer, limit: 1 << 20)
        let failure = #expect(throws: AttachmentFailure.self) { try result.get() }
        #expect(failure?.code == attack.code)
        #expect(requested.isEmpty == !attack.isRequested)
    }

    @Test("an envelope has an encrypted source, the older generation the link")
    func generations() throws {
        let link = "aesgcm://files.test/1/x#" + String(repeating: "ab", count: 44)
        let attachment = ChatStore.Attachment(
            kind: .picture, mediaType: "image/png", name: "x.png", size: 7, url: link,
            contentHash: String(repeating: "cd", count: 32), thumbnail: [0xFF, 0xD8, 0xFF, 9])
        let message = try #require(
            MessageBuilder().message(
                .text(MessageText("", attachments: [attachment])), id: "1",
                in: ConversationAddress(try JID("bob@b.test"), kind: .direct)))
        let content = SealedContent(message)
        #expect(content.body == link)
        let file = try SharedFile(
            from: try #require(content.inside.first { $0.isNamed(SharedFile.name) }))
        #expect(file.urls.isEmpty && file.metadata.hashes.count == 1 && file.metadata.size == 7)
        #expect(file.metadata.thumbnails.map(\.content) == [[0xFF, 0xD8, 0xFF, 9]])
        for isForLegacy in [false, true] {
            #expect(!XMLElement(content.outside(isForLegacy: isForLegacy)).description.contains("data:"))
        }
        let bytes = [UInt8](repeating: 0xab, count: 44)
        #expect(
            file.encrypted == [
                EncryptedSource(
                    .aes256GCM, key: Array(bytes[12...]), vector: Array(bytes[..<12]), urls: ["https://files.test/1/x"])
            ])
    }

    @Test("output has no keys of files of any cipher")
    func output() {
        for scheme in ["aesgcm", "aes128gcm", "aes256cbc"] {
            #expect("see \(scheme)://f.test/1#abab".withoutFileKeys == "see \(scheme)://f.test/1#…")
        }
    }

    @Test(
        "the host of a link learns no key, and neither its redirects nor its content are trusted",
        arguments: [("/ok/300", 1), ("/to/http%3A%2F%2F127.0.0.1%3A1%2Fx", 1), ("/loop", 2)])
    func strangeHost(path: String, requests: Int) async throws {
        let host = try await HostileFileHost()
        let alice = try await SealingDevice("alice@a.test", on: server)
        let bob = try await SealingDevice("bob@b.test", on: server)
        let link = try #require(
            EncryptedFileLink(
                address: host.url(path), nonce: [UInt8](repeating: 0xab, count: 12),
                key: [UInt8](repeating: 0xcd, count: 32)))
        try await bob.receive(try await alice.seal(link.text, to: bob.address))
        let stored = try #require(try await bob.timeline(with: alice.address).first)
        #expect(stored.text.attachments.map(\.url) == [link.text])
        let folder = try SpareFolder()
        let media = try await MediaCache.open(at: folder.path, budget: 10 << 20)
        let fetcher = AttachmentFetcher(
            store: bob.store, media: media,
            transfers: .init(trust: .certificateAuthority(try await Certificates.shared.authorityFile)),
            protection: bob.protection)
        await #expect(throws: AttachmentFailure.self) { try await fetcher.fetch(0, of: stored.id) }
        #expect(requests == 1 ? host.requests.count == 1 : host.requests.count >= requests)
        for request in host.requests {
            #expect(!request.contains("#") && !request.contains("abab") && !request.contains("cdcd"), "\(request)")
        }
        #expect(try await bob.timeline(with: alice.address).first?.text.attachments.first?.isLocal == false)
        await host.stop()
    }

    @Test("a file that was uploaded before the conversation was encrypted is encrypted and uploaded again")
    func uploadedInClear() async throws {
        let alice = try await SealingDevice("alice@a.test", on: server)
        let bob = try await SealingDevice("bob@b.test", on: server)
        let key = alice.key(bob.address)
        func queue(_ id: String, _ file: ChatStore.Attachment) async throws -> QueuedMessage {
            let message = try await alice.store.write { writer throws(StoreError) in
                try writer.send(
                    OutgoingMessage(
                        sender: alice.address, originID: id, time: SealingDevice.time,
                        content: .text(MessageText("", attachments: [file]))), in: key)
            }
            return try #require(
                try await alice.store.read { reader throws(StoreError) in try reader.queued(message) })
        }
        let stanzas = QueuedStanzas(
            store: alice.store, account: alice.id, tellsActivity: { _ in true }, protector: alice.recorder.protector,
            now: { SealingDevice.time })
        let hash = HashFunction.sha256.hash(Self.content).map { String(format: "%02x", $0) }.joined()
        var file = ChatStore.Attachment(
            kind: .file, name: "plan", url: Self.address, contentHash: hash, isLocal: true)
        let entry = try await queue("q1", file)
        guard case .waits = try await stanzas.sealed(entry, to: key) else {
            Issue.record("It is sent.")
            return
        }
        let waiting = try #require(
            try await alice.store.read { reader throws(StoreError) in try reader.queued(entry.message.id) })
        #expect(waiting.hasFileToUpload && waiting.content.attachments.first?.url == nil)
        #expect(try await alice.records(SessionShelf.prefix).isEmpty, "Nothing was sealed.")
        // One that is encrypted goes, and so does a link to a file of others.
        let link = try #require(
            EncryptedFileLink(
                address: Self.address, nonce: [UInt8](repeating: 1, count: 12), key: [UInt8](repeating: 2, count: 32)))
        file.url = link.text
        let foreign = ChatStore.Attachment(kind: .file, name: "plan", url: Self.address)
        for (id, file) in [("q2", file), ("q3", foreign)] {
            guard case .stanza = try await stanzas.sealed(try await queue(id, file), to: key) else {
                Issue.record("\(id) is not sent.")
                continue
            }
        }
    }
}

private final class Requests: Sendable {
    private let state = Mutex<[String]>([])

    var all: [String] { state.withLock { $0 } }
    func add(_ url: String) { state.withLock { $0.append(url) } }
}
