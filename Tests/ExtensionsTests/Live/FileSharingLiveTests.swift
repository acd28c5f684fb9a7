import Cryptography
import FileSharing
import Foundation
import MessageFeatures
import ServerFixtures
import Testing
import XMPPAddress
import XMPPClient
import XMPPStanzas

@Suite("Pictures, voice and files on real servers")
struct FileSharingLiveTests {
    /// Sends `file`, receives its message, downloads the file and passes the stored file to `check`.
    private func exchange(
        _ file: OutgoingFile, form: FileSharing.Form, on server: any PrivateServer,
        _ check: @escaping @Sendable (_ offer: FileOffer, _ stored: ReceivedFile) throws -> Void
    ) async throws {
        try await server.withTwo { romeo, juliet in
            let events = juliet.events(.messages)
            let sender = try #require(romeo[FileSharing.self])
            let receiver = try #require(juliet[FileSharing.self])
            let progress = Progress()
            let token = try await sender.send(file, to: try #require(await juliet.address), form: form) {
                progress.note($0.completed)
            }
            let offer = try await events.firstMessage { try FileOffer(in: $0) }
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
            defer { try? FileManager.default.removeItem(atPath: folder) }
            let stored = try await receiver.fetch(offer, into: folder, fileExtension: { _ in "png" })
            #expect(try [UInt8](Data(contentsOf: URL(fileURLWithPath: stored.path))) == file.content)
            #expect(stored.sha256 == SHA256.hash(file.content))
            #expect(stored.byteCount == UInt64(file.content.count))
            #expect(stored.path.hasPrefix(folder + "/"))
            if form == .upload { #expect(progress.last == Int64(file.content.count)) }
            try await token.reached(.delivered)
            try check(offer, stored)
            // A second file of the same name does not replace the first.
            let again = try await receiver.fetch(offer, into: folder, fileExtension: { _ in "png" })
            #expect(again.path != stored.path)
        }
    }

    private final class Progress: @unchecked Sendable {
        // Proof: every access is under the lock.
        private let lock = NSLock()
        private var bytes: Int64 = 0
        func note(_ count: Int64) { lock.withLock { bytes = max(bytes, count) } }
        var last: Int64 { lock.withLock { bytes } }
    }

    private static let content = (0..<70_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }

    @Test(
        "S0-94, S0-97: a picture is uploaded, announced in three forms, downloaded and verified",
        arguments: LiveServer.allCases)
    func upload(kind: LiveServer) async throws {
        let file = OutgoingFile(
            kind: .picture, name: "très cool 照片.png", mediaType: "image/png", content: Self.content, width: 320,
            height: 200)
        try await exchange(file, form: .upload, on: kind.server) { offer, stored in
            #expect(offer.kind == .picture)
            #expect(offer.metadata.width == 320)
            #expect(offer.metadata.fileName == "très cool 照片.png")
            #expect(stored.isVerified)
            #expect(stored.path.hasSuffix("très cool 照片.png"))
        }
    }

    @Test(
        "S0-93, S0-96, S0-101, S0-102: picture and voice inside of the message, in both directions",
        arguments: LiveServer.allCases, [FileKind.picture, .voice])
    func inline(kind: LiveServer, fileKind: FileKind) async throws {
        let file = OutgoingFile(
            kind: fileKind, name: "../../20260912romeo", mediaType: "application/octet-stream", content: Self.content)
        try await exchange(file, form: .inline, on: kind.server) { offer, stored in
            #expect(offer.kind == fileKind)
            #expect(offer.source == .content(Self.content))
            #expect(stored.path.hasSuffix("/20260912romeo.png"))
        }
    }

    @Test(
        "without an upload service a small picture is sent inside of the message, a large file is refused with a message"
    )
    func withoutService() async throws {
        let server = try await PrivateProsody.shared(ServerOptions { $0.removedModules = ["http_file_share"] })
        let file = OutgoingFile(kind: .picture, name: "a.png", mediaType: "image/png", content: Self.content)
        try await exchange(file, form: .automatic, on: server) { offer, _ in
            #expect(offer.source == .content(Self.content))
        }
        try await server.withTwo { romeo, juliet in
            let receiver = try #require(await juliet.address)
            var large = file
            large.content = [UInt8](repeating: 1, count: InlineMedia.maximumSize + 1)
            let error = await #expect(throws: FileSharingError.self) {
                try await romeo[FileSharing.self]?.send(large, to: receiver)
            }
            #expect(error?.code == .noUploadService)
        }
    }

    @Test("a file is uploaded from the disk as it is", arguments: LiveServer.allCases)
    func uploadFromDisk(kind: LiveServer) async throws {
        try await kind.server.withTwo { romeo, _ in
            let sharing = try #require(romeo[FileSharing.self])
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let file = folder.appendingPathComponent("file")
            try Data(Self.content).write(to: file)
            let size = UInt64(Self.content.count)
            let url = try await sharing.upload(
                fileAt: file.path, size: size, name: "a.bin", mediaType: "application/octet-stream")
            var message = Message()
            message.offer(FileMetadata(mediaType: "application/octet-stream", fileName: "a.bin", size: size), at: url)
            let offer = try #require(try FileOffer(in: message))
            let stored = try await sharing.fetch(offer, into: folder.path, fileExtension: { _ in "bin" })
            #expect(stored.sha256 == SHA256.hash(Self.content))
        }
    }

    @Test("a file above the service's limit is refused before it is sent", arguments: LiveServer.allCases)
    func tooLarge(kind: LiveServer) async throws {
        let server = try await kind.server
        try await server.withTwo { romeo, juliet in
            let sharing = try #require(romeo[FileSharing.self])
            let limit = try #require(try await sharing.service()?.maximumSize)
            let file = OutgoingFile(
                kind: .file, name: "big.bin", mediaType: "application/octet-stream",
                content: [UInt8](repeating: 0, count: Int(limit) + 1))
            let receiver = try #require(await juliet.address)
            let error = await #expect(throws: FileSharingError.self) { try await sharing.send(file, to: receiver) }
            #expect(error?.code == .tooLarge)
        }
    }

    /// An upload service that returns different addresses.
    private struct HostileSlots: StanzaInterceptor {
        let getURL: String

        func willReceive(_ stanza: AnyStanza, in session: Session) async -> Interception {
            guard case .iq(var iq) = stanza, let payload = iq.payload, var slot = try? UploadSlot(from: payload) else {
                return .pass(stanza)
            }
            slot.getURL = getURL
            iq.payloads = []
            iq.payloads.append(slot)
            return .pass(.iq(iq))
        }
    }

    @Test(
        "a file is only sent if the address for others is https",
        arguments: ["javascript:alert(1)", "http://files.example/a", "file:///etc/passwd"])
    func hostileSlot(address: String) async throws {
        let server = try await LiveServer.prosody.server
        var configuration = try server.configuration(try await server.newAccount("romeo"))
        configuration.interceptors = [HostileSlots(getURL: address)]
        try await Client(configuration).run { romeo in
            let sharing = try #require(romeo[FileSharing.self])
            let file = OutgoingFile(
                kind: .file, name: "a.bin", mediaType: "application/octet-stream", content: Self.content)
            let error = await #expect(throws: FileSharingError.self) { try await sharing.upload(file) }
            #expect(error?.code == .insecureAddress)
        }
    }

    @Test("a file that differs from its announcement is not stored")
    func wrongHash() async throws {
        try await LiveServer.prosody.server.withTwo { romeo, _ in
            let sharing = try #require(romeo[FileSharing.self])
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
            defer { try? FileManager.default.removeItem(atPath: folder) }
            let file = OutgoingFile(
                kind: .file, name: "a.bin", mediaType: "application/octet-stream", content: Self.content)
            let address = try await sharing.upload(file)
            var message = Message(type: .chat, body: address)
            message.append(
                SharedFile(metadata: FileMetadata(size: 70_000, hashes: [.sha256(of: [1, 2, 3])]), urls: [address]))
            let offer = try #require(try FileOffer(in: message))
            let error = await #expect(throws: FileSharingError.self) { try await sharing.fetch(offer, into: folder) }
            #expect(error?.code == .wrongHash)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
        }
    }
}
