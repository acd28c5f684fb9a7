import ChatFixtures
import ChatStore
import Foundation
import OMEMO
import ServerFixtures
import Testing
import TransportLayer
import XMPPAddress
import XMPPClient

@testable import ChatEngine

extension ProfanityLiveTests {
    @Test(
        "a picture and a sound arrive in both directions as they were, and the upload service has neither in clear",
        arguments: AccountLiveTests.servers)
    func files(kind: ServerKind) async throws {
        let server = try await kind.shared()
        let names = [try await server.newAccount("romeo"), try await server.newAccount("juliet")]
        let (folder, cache) = (try SpareFolder(), try SpareFolder())
        let media = try await MediaCache.open(at: cache.path, budget: 10 << 20)
        var policy = ChatAccountPolicy()
        policy.encryption = OMEMOSettings(identities: TestIdentities(), policy: .always)
        let romeo = try await Person(
            names[0], on: server, policy: policy, media: media, uploader: ServiceUploader(media: media))
        let peer = try await Self.profanity(names[1], on: server, folder)
        defer { peer.stop() }
        let juliet = try JID(names[1].address)
        /// What anybody gets who asks the service.
        let http = HTTPClient(configuration: .init(trust: .certificateAuthority(server.authorityFile)))
        @Sendable func expectSealed(_ content: [UInt8], at link: String) async throws {
            let address = try #require(EncryptedFileLink(link)?.address)
            #expect(address.hasPrefix("https://localhost:\(server.httpsPort)/"))
            let stored = try await http.download(address, limit: 10 << 20).body
            #expect(stored.count == content.count + 16)
            // Of random bytes one in 256 is the same.
            #expect(zip(stored, content).count { $0 == $1 } < content.count / 20)
        }
        let files: [(description: ChatStore.Attachment, ours: [UInt8], theirs: [UInt8])] = [
            (
                .init(kind: .picture, mediaType: "image/bmp", name: "balcony.bmp", width: 201, height: 150),
                Sample.bitmap(width: 201, height: 150), Sample.bitmap(width: 99, height: 101)
            ),
            (
                .init(kind: .voice, mediaType: "audio/wav", name: "song.wav", duration: 2_000),
                Sample.sound(seconds: 2), Sample.sound(seconds: 1.3)
            ),
        ]
        try await romeo.whileRunning {
            try await EncryptionLiveTests.waitUntilAnnounced([romeo])
            _ = try await romeo.account.send(.text(MessageText("nightingale")), in: romeo.key(juliet))
            #expect(await peer.next("nightingale").last?.contains("nightingale") == true)
            for line in ["/msg \(names[0].address)", "/omemo start"] { try peer.type(line) }
            for (file, content, _) in files {
                var file = file
                file.contentHash = try await media.insert(content, isKept: true).description
                (file.size, file.isLocal) = (Int64(content.count), true)
                _ = try await romeo.account.send(
                    .text(MessageText("", attachments: [file])), in: romeo.key(juliet))
                let line = try #require(await peer.next("aesgcm://").last)
                let link = String(line[try #require(line.range(of: "aesgcm://")).lowerBound...])
                try await expectSealed(content, at: link)
                let path = "\(folder.path)/saved-\(file.name ?? "")"
                try peer.type("/url save \(link) \(path)")
                await eventually { FileManager.default.contents(atPath: path).map(Array.init) == content }
                #expect(FileManager.default.contents(atPath: path).map(Array.init) == content)
            }
            let fetcher = try #require(await romeo.account.fetcher)
            for (file, _, content) in files {
                let name = try #require(file.name)
                try Data(content).write(to: URL(filePath: "\(folder.path)/\(name)"))
                try peer.type("/sendfile \(folder.path)/\(name)")
                @Sendable func isHere(_ message: StoredMessage) -> Bool {
                    !message.isOutgoing && message.text.attachments.first?.url?.contains(name) == true
                }
                try await romeo.wait(in: romeo.key(juliet)) { $0.contains(where: isHere) }
                let message = try #require(try await romeo.timeline(with: juliet).first(where: isHere))
                guard case .encrypted(Self.scheme, _, .trusted) = message.protection else {
                    Issue.record("\(message.protection)")
                    continue
                }
                let path = try await fetcher.fetch(0, of: message.id)
                #expect(FileManager.default.contents(atPath: path).map(Array.init) == content)
                try await expectSealed(content, at: try #require(message.text.attachments.first?.url))
                let fetched = try await romeo.timeline(with: juliet).first(where: isHere)?.text.attachments.first
                #expect(fetched?.kind == file.kind)
            }
        }
    }
}
