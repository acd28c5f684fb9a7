import ChatFixtures
import ChatStore
import Foundation
import Synchronization
import Testing
import TransportLayer
import XMPPAddress

@testable import ChatEngine
@testable import ChatModel

/// Serves content by URL, when allowed.
private final class FakeWeb: Sendable {
    private let state = Mutex(State())

    private struct State {
        var contents: [String: [UInt8]] = [:]
        var asked: [String] = []
        var paths: [String] = []
        var atOnce = 0
        var mostAtOnce = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
        var isHeld = false
        var failures = 0
    }

    init(_ contents: [String: [UInt8]]) { state.withLock { $0.contents = contents } }

    var asked: [String] { state.withLock { $0.asked } }
    var paths: [String] { state.withLock { $0.paths } }
    var mostAtOnce: Int { state.withLock { $0.mostAtOnce } }
    var waiting: Int { state.withLock { $0.waiting.count } }
    func fail(times: Int) { state.withLock { $0.failures = times } }
    func hold() { state.withLock { $0.isHeld = true } }
    func letGo() {
        let waiting = state.withLock { state in
            state.isHeld = false
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    func get(
        _ url: String, _ path: String, _ limit: Int, _ progress: HTTPClient.ProgressHandler?
    ) async throws(TransportError) {
        let (content, fails) = state.withLock { state in
            state.asked.append(url)
            state.paths.append(path)
            state.atOnce += 1
            state.mostAtOnce = max(state.mostAtOnce, state.atOnce)
            defer { if state.failures > 0 { state.failures -= 1 } }
            return (state.contents[url], state.failures > 0)
        }
        defer { state.withLock { $0.atOnce -= 1 } }
        guard let content, !fails else { throw TransportError(.connectionReset, "cut") }
        guard content.count <= limit else { throw TransportError(.tooLarge, "large") }
        progress?(.init(completed: Int64(content.count / 2), total: Int64(content.count)))
        await withCheckedContinuation { continuation in
            let goesOn = state.withLock { state in
                if state.isHeld { state.waiting.append(continuation) }
                return !state.isHeld
            }
            if goesOn { continuation.resume() }
        }
        if Task.isCancelled { throw TransportError(.cancelled, "cancelled") }
        guard FileManager.default.createFile(atPath: path, contents: Data(content)) else {
            throw TransportError(.system, "not written")
        }
    }
}

@Suite("Downloading attachments")
@MainActor
struct AttachmentDownloadTests {
    /// A message with a file, a cache and a server.
    @MainActor
    private final class Scene {
        let fixture: ModelFixture
        let folder: SpareFolder
        let web: FakeWeb
        var media: MediaCache
        var downloads: AttachmentDownloads

        init(_ web: FakeWeb, isContact: Bool = true) async throws {
            fixture = try await ModelFixture()
            if isContact {
                let (account, contact) = (fixture.account, StoredContact(address: fixture.romeo))
                try await fixture.store.write { store throws(StoreError) in try store.save(contact, of: account) }
            }
            folder = try SpareFolder()
            self.web = web
            media = try await MediaCache.open(at: folder.path + "/media", budget: 1_000_000)
            downloads = Self.downloads(fixture, media, web)
        }

        static func downloads(_ fixture: ModelFixture, _ media: MediaCache, _ web: FakeWeb) -> AttachmentDownloads {
            AttachmentDownloads(
                AttachmentFetcher(store: fixture.store, media: media) {
                    url, path, limit, progress throws(TransportError) in
                    try await web.get(url, path, limit, progress)
                })
        }

        /// Simulates a restart of the program.
        func restart() async throws {
            await media.close()
            media = try await MediaCache.open(at: folder.path + "/media", budget: 1_000_000)
            downloads = Self.downloads(fixture, media, web)
        }

        func receive(_ attachment: Attachment, id: String = "f") async throws -> MessageID {
            try await fixture.receive(.text(MessageText("", attachments: [attachment])), id: id, at: 1)
        }

        func attachment(_ message: MessageID) async throws -> Attachment? {
            try await fixture.store.read { store throws(StoreError) in
                try store.message(message)?.text.attachments.first
            }
        }
    }

    private nonisolated static let url = "https://files.example/../../etc/passwd"
    private static let text = Array("a file".utf8)

    @Test("a download is verified, stored by its hash, recorded, and found after a restart without another request")
    func restart() async throws {
        let scene = try await Scene(FakeWeb([Self.url: Self.text]))
        let claimed = Attachment(
            kind: .file, mediaType: "image/png", name: "../../.bashrc", size: 6, url: Self.url,
            contentHash: ContentHash(of: Self.text).description)
        let id = try await scene.receive(claimed)
        let download = scene.downloads.download(of: id, attachment: claimed)
        #expect(scene.downloads.download(of: id, attachment: claimed) === download)
        await download.look()
        #expect(download.phase == .absent)
        download.start()
        await eventually { if case .here = download.phase { true } else { false } }
        guard case .here(let path) = download.phase else {
            Issue.record("\(download.phase)")
            return
        }
        #expect(FileManager.default.contents(atPath: path).map(Array.init) == Self.text)
        #expect(path.hasSuffix("/content/\(ContentHash(of: Self.text))"))
        #expect(scene.web.paths.allSatisfy { $0.hasPrefix(scene.folder.path + "/media/incoming/") })
        #expect(scene.web.paths.allSatisfy { !FileManager.default.fileExists(atPath: $0) })
        let noted = try #require(try await scene.attachment(id))
        #expect(noted.isLocal && noted.contentHash == claimed.contentHash && noted.name == claimed.name)

        try await scene.restart()
        let again = scene.downloads.download(of: id, attachment: noted)
        await again.look()
        #expect(again.phase == .here(path: path))
        let other = try await scene.receive(claimed, id: "g")
        let same = scene.downloads.download(of: other, attachment: claimed)
        same.start()
        await eventually { same.phase == .here(path: path) }
        #expect(same.phase == .here(path: path))
        #expect(scene.web.asked.count == 1)
        #expect(try await scene.attachment(other)?.isLocal == true)
    }

    @Test("a downloaded picture has its real type and dimensions, whatever its sender announced")
    func facts() async throws {
        let picture = Sample.bitmap(width: 30, height: 20)
        let scene = try await Scene(FakeWeb([Self.url: picture]))
        let id = try await scene.receive(Attachment(kind: .file, mediaType: "text/plain", url: Self.url))
        _ = try await scene.downloads.fetcher.fetch(0, of: id)
        let noted = try #require(try await scene.attachment(id))
        #expect(noted.kind == .picture && noted.mediaType == "image/bmp")
        #expect(noted.width == 30 && noted.height == 20 && noted.size == Int64(picture.count))
        #expect(noted.contentHash == ContentHash(of: picture).description)
    }

    @Test("a picture that is here already, because of another message, is examined when it is looked up")
    func factsOfKnownContent() async throws {
        let picture = Sample.bitmap(width: 30, height: 20)
        let scene = try await Scene(FakeWeb([Self.url: picture]), isContact: false)
        let first = try await scene.receive(Attachment(kind: .file, url: Self.url))
        _ = try await scene.downloads.fetcher.fetch(0, of: first)
        let claimed = Attachment(
            kind: .picture, size: Int64(picture.count), url: Self.url,
            contentHash: ContentHash(of: picture).description)
        let id = try await scene.receive(claimed, id: "again")
        let download = scene.downloads.download(of: id, attachment: claimed)
        await download.look()
        guard case .here = download.phase else {
            Issue.record("\(download.phase)")
            return
        }
        let noted = try #require(try await scene.attachment(id))
        #expect(noted.isLocal && noted.mediaType == "image/bmp" && noted.width == 30 && noted.height == 20)
        #expect(scene.web.asked.count == 1)
    }

    @Test("progress is shown; a cancelled or failed download can be started again")
    func cancelAndRetry() async throws {
        let scene = try await Scene(FakeWeb([Self.url: Self.text]))
        let attachment = Attachment(kind: .file, url: Self.url)
        let id = try await scene.receive(attachment)
        let download = scene.downloads.download(of: id, attachment: attachment)
        scene.web.hold()
        download.start()
        await eventually { download.phase == .fetching(0.5) }
        #expect(download.phase == .fetching(0.5))
        download.cancel()
        #expect(download.phase == .absent)
        scene.web.letGo()
        scene.web.fail(times: 1)
        download.start()
        await eventually { if case .failed = download.phase { true } else { false } }
        guard case .failed(let failure) = download.phase else {
            Issue.record("\(download.phase)")
            return
        }
        #expect(failure.isTemporary && failure.code == .notDownloaded)
        download.start()
        await eventually { if case .here = download.phase { true } else { false } }
        #expect(download.phase != .absent && !download.isRunning)
    }

    @Test("a file without an address that no device offers is gone, and stays so")
    func gone() async throws {
        let scene = try await Scene(FakeWeb([Self.url: Self.text]))
        let attachment = Attachment(kind: .picture, name: "rose.png", size: 6)
        let id = try await scene.receive(attachment)
        let download = scene.downloads.download(of: id, attachment: attachment)
        download.startAutomatically()
        await download.look()
        await eventually { download.phase == .gone }
        #expect(download.phase == .gone && download.offer == nil)
        download.start()
        await eventually { download.phase == .gone }
        #expect(download.phase == .gone && scene.web.asked.isEmpty)
    }

    @Test(
        "a file that is too large, of another size or another content is rejected and not stored",
        arguments: [
            (Attachment(kind: .file, size: 1 << 40, url: url), AttachmentFailure.Code.tooLarge),
            (Attachment(kind: .file, size: 7, url: url), AttachmentFailure.Code.wrongContent),
            (
                Attachment(kind: .file, url: url, contentHash: String(repeating: "0", count: 64)),
                AttachmentFailure.Code.wrongContent
            ), (Attachment(kind: .file), AttachmentFailure.Code.fileGone),
        ])
    func refused(attachment: Attachment, code: AttachmentFailure.Code) async throws {
        let scene = try await Scene(FakeWeb([Self.url: Self.text]))
        let id = try await scene.receive(attachment)
        do throws(AttachmentFailure) {
            _ = try await scene.downloads.fetcher.fetch(0, of: id)
            Issue.record("it was taken")
        } catch {
            #expect(error.code == code && !error.isTemporary)
        }
        #expect(await scene.media.size == 0)
        #expect(try await scene.attachment(id) == attachment)
    }

    @Test("a voice message can be played as soon as it is downloaded, however long decoding its duration takes")
    func slowMeasuring() async throws {
        // An unknown type, so it stays what its sender called it.
        let scene = try await Scene(FakeWeb([Self.url: [UInt8](repeating: 7, count: 64)]))
        let gate = FakeWeb([Self.url: []])
        gate.hold()
        let (web, spare) = (scene.web, scene.folder.path + "/spare")
        let downloads = AttachmentDownloads(
            AttachmentFetcher(
                store: scene.fixture.store, media: scene.media,
                measure: { _ in
                    try? await gate.get(Self.url, spare, 1, { _ in })
                    return 8_350
                },
                download: { url, path, limit, progress throws(TransportError) in
                    try await web.get(url, path, limit, progress)
                }))
        let attachment = Attachment(kind: .voice, url: Self.url)
        let id = try await scene.receive(attachment)
        let download = downloads.download(of: id, attachment: attachment)
        download.start()
        await eventually { gate.waiting == 1 }
        #expect(gate.waiting == 1)
        guard case .here = download.phase else {
            Issue.record("\(download.phase)")
            return
        }
        #expect(try await scene.attachment(id)?.isLocal == true)
        #expect(try await scene.attachment(id)?.duration == nil)
        gate.letGo()
        await eventually { (try? await scene.attachment(id)?.duration) == 8_350 }
        #expect(try await scene.attachment(id)?.duration == 8_350)
    }

    @Test("files from strangers are only downloaded on request, including voice messages")
    func stranger() async throws {
        let scene = try await Scene(FakeWeb([Self.url: Self.text]), isContact: false)
        for kind in [Attachment.Kind.picture, .voice] {
            let attachment = Attachment(kind: kind, size: 6, url: Self.url)
            let id = try await scene.receive(attachment, id: "\(kind)")
            let download = scene.downloads.download(of: id, attachment: attachment)
            await download.look()
            #expect(await scene.downloads.automaticDownloadSender(of: download) == nil)
            download.startAutomatically()
            download.start()
            await eventually { if case .here = download.phase { true } else { false } }
        }
        #expect(scene.web.asked.count == 2, "Once for each, and only because it was asked for.")
        // The user replies, so the sender is no stranger any more.
        try await scene.fixture.receive(
            .text(MessageText("thanks")), id: "t", at: 3, from: scene.fixture.juliet, isOutgoing: true)
        let id = try await scene.receive(Attachment(kind: .picture, url: Self.url), id: "later")
        let download = scene.downloads.download(of: id, attachment: Attachment(kind: .picture, url: Self.url))
        #expect(await scene.downloads.automaticDownloadSender(of: download) == scene.fixture.romeo)
    }

    @Test("few downloads run at a time; only small pictures and voice messages start automatically")
    func limits() async throws {
        let urls = (0..<6).map { "https://files.example/\($0)" }
        let scene = try await Scene(FakeWeb(Dictionary(uniqueKeysWithValues: urls.map { ($0, Array($0.utf8)) })))
        scene.web.hold()
        var downloads: [AttachmentDownload] = []
        for (number, url) in urls.enumerated() {
            let attachment = Attachment(kind: .voice, url: url)
            let id = try await scene.receive(attachment, id: "v\(number)")
            downloads.append(scene.downloads.download(of: id, attachment: attachment))
            downloads[number].startAutomatically()
        }
        let others = urls.count - AttachmentDownloads.parallelLimit
        await eventually {
            scene.web.waiting == AttachmentDownloads.parallelLimit
                && downloads.filter { $0.phase == .waiting }.count == others
        }
        #expect(downloads.filter { $0.phase == .waiting }.count == others)
        // A waiting download is cancelled without a request.
        let cancelled = try #require(downloads.firstIndex { $0.phase == .waiting })
        downloads.remove(at: cancelled).cancel()
        scene.web.letGo()
        await eventually { downloads.allSatisfy { if case .here = $0.phase { true } else { false } } }
        #expect(scene.web.asked.count == 5 && scene.web.mostAtOnce == AttachmentDownloads.parallelLimit)

        for unwanted in [
            Attachment(kind: .file, url: urls[5]), Attachment(kind: .video, url: urls[5]),
            Attachment(kind: .picture, size: AttachmentDownloads.automaticLimit + 1, url: urls[5]),
        ] {
            let id = try await scene.receive(unwanted, id: "u\(unwanted.kind)")
            let download = scene.downloads.download(of: id, attachment: unwanted)
            download.startAutomatically()
            #expect(!download.isRunning)
        }
    }

    @Test("the progress of an upload changes the view of its attachment, but neither the store nor the timeline")
    func uploading() async throws {
        let fixture = try await ModelFixture()
        let folder = try SpareFolder()
        let media = try await MediaCache.open(at: folder.path + "/media", budget: 1_000_000)
        let progress = UploadProgress()
        let downloads = AttachmentDownloads(
            AttachmentFetcher(store: fixture.store, media: media), uploads: progress)
        let picture = Attachment(kind: .picture, contentHash: "00", isLocal: true)
        let id = try await fixture.send(.text(MessageText("", attachments: [picture])), id: "p", at: 1)
        let timeline = fixture.timeline()
        await timeline.open()
        let following = Task { await timeline.run() }
        let mirror = Mirror(timeline.items)
        let changes = fixture.store.changes()
        let download = downloads.download(of: id, attachment: picture)
        #expect(download.uploaded == nil)
        for percent in 0...100 { progress.show(.uploading(percent), of: id, at: 0) }
        await eventually { download.uploaded == 1 }
        #expect(download.uploaded == 1)
        // A later observer sees it at once.
        let later = AttachmentDownloads(AttachmentFetcher(store: fixture.store, media: media), uploads: progress)
        #expect(later.download(of: id, attachment: picture).uploaded == 1)
        progress.show(nil, of: id, at: 0)
        await eventually { download.uploaded == nil }
        #expect(download.uploaded == nil)
        // This is the first change of the store since then, and of the timeline.
        #expect(mirror.diffCount == 0)
        try await fixture.store.write { store throws(StoreError) in try store.advance(id, to: .sentToServer) }
        var iterator = changes.makeAsyncIterator()
        #expect(await iterator.next()?.messages.values.first == [id])
        await eventually { mirror.diffCount == 1 }
        #expect(mirror.diffCount == 1)
        following.cancel()
        await media.close()
    }
}
