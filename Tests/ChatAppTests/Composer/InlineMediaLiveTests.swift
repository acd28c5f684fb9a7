import Foundation
import GTKBinding
import Media
import ServerFixtures
import Testing
import UserProfile
import WindowFixtures
import XMPPAddress

@testable import ChatApp
@testable import ChatEngine
@testable import ChatModel
@testable import ChatStore

extension WindowTests {
    @MainActor
    @Suite("Pictures and voice messages inside of the message")
    struct InlineMediaLiveTests {
        init() throws {
            try #require(Toolkit.isReady)
            RoomVisitor.useStyle
        }

        private static let withoutUploads = ServerOptions { $0.removedModules = ["http_file_share"] }

        private func users() async throws -> (ProgramUser, ProgramUser) {
            let server = try await PrivateProsody.shared(Self.withoutUploads)
            // Media inside of a message cannot be encrypted.
            let users = (
                try await ProgramUser("juliet", on: server, encrypts: false),
                try await ProgramUser("romeo", on: server, encrypts: false)
            )
            try await users.0.befriend(users.1)
            return users
        }

        private func end(_ users: ProgramUser...) async {
            for user in users {
                await user.end()
                ProgramUser.remove(user.folder)
            }
        }

        /// The attachments that somebody has received, once their files are there.
        private func received(_ count: Int, by user: ProgramUser, from other: ProgramUser) async throws -> [Attachment]
        {
            let isThere = await Toolkit.eventually(asking: {
                let attachments = (try? await user.messages(with: other))?.flatMap(\.text.attachments) ?? []
                return attachments.count == count && attachments.allSatisfy(\.isLocal)
            })
            #expect(isThere)
            return try await user.messages(with: other).flatMap(\.text.attachments)
        }

        @Test(
            "S0-93, S0-101, S0-102: without an upload service a picture and a recording go inside of the message, and are stored for each user"
        )
        func inline() async throws {
            let (juliet, romeo) = try await users()
            let key = try juliet.key(romeo)
            let media = try #require(juliet.home.media(of: key.account))
            // A recording that was interrupted is offered as soon as the conversation is open.
            let recordings = VoiceComposer.folder(of: key, in: media)
            try FileManager.default.createDirectory(atPath: recordings, withIntermediateDirectories: true)
            let voice = try await VoiceMessage.make(fromBytes: WritingSample.sound(seconds: 1))
            try Data(voice.bytes).write(to: URL(filePath: recordings + "/recording.ogg"))
            let main = try MainWindow.shown(juliet.context)
            main.open(key)
            let composer = try #require(main.conversation?.composer)
            #expect(await Toolkit.eventually { composer.voice?.composer.phase == .reviewing })
            await Toolkit.settle()
            composer.voice?.send.click()
            #expect(await Toolkit.eventually { composer.voice?.isBusy == false })

            #expect(composer.files.take(.picture(WritingSample.picture(64, 48))))
            let preview = try #require(composer.files.preview)
            #expect(await Toolkit.eventually { preview.selection.items.count == 1 && !preview.selection.isPreparing })
            await Toolkit.settle()
            preview.send.click()

            let attachments = try await received(2, by: romeo, from: juliet)
            #expect(Set(attachments.map(\.kind)) == [.picture, .voice])
            let sent = try await juliet.messages(with: romeo).flatMap(\.text.attachments)
            #expect(sent.allSatisfy { $0.isInline })
            let address = try romeo.account.address
            let folder = romeo.profile.mediaFolder(of: address)
            #expect(folder.contains(address.description))
            let his = try #require(romeo.home.media(of: try romeo.account.id))
            for attachment in attachments {
                let hash = try #require(attachment.contentHash.flatMap(ContentHash.init))
                let path = try #require(await his.file(of: hash))
                #expect(path.hasPrefix(folder + "/"))
                let bytes = Array(try Data(contentsOf: URL(filePath: path)))
                // What he has is what she has sent.
                #expect(try await media.content(of: hash) == bytes)
                #expect(attachment.kind == .picture || bytes == voice.bytes)
            }
            main.close(permanently: true)
            await end(juliet, romeo)
        }

        @Test("S0-98: no name of a file leads out of the folder of the user; empty content is refused")
        func names() async throws {
            let (juliet, romeo) = try await users()
            let his = try #require(romeo.home.media(of: try romeo.account.id))
            let names = ["../../../evil.png", "/etc/passwd", ".bashrc", " ", "a\u{202E}gnp.exe"]
            for (index, name) in names.enumerated() {
                let bytes = WritingSample.picture(64 + index, 48)
                let picture = try await Picture.png(of: bytes).bytes
                let hash = try await his.insert(picture)
                await his.pin(hash)
                let attachment = Attachment(
                    kind: .picture, mediaType: "image/png", name: name, size: Int64(picture.count),
                    contentHash: hash.description, isLocal: true)
                _ = try await romeo.account.send(
                    .text(MessageText("", attachments: [attachment])), in: try romeo.key(juliet))
            }
            let attachments = try await received(names.count, by: juliet, from: romeo)
            let media = try #require(juliet.home.media(of: try juliet.account.id))
            let folder = juliet.profile.mediaFolder(of: try juliet.account.address)
            for attachment in attachments {
                let hash = try #require(attachment.contentHash.flatMap(ContentHash.init))
                let path = try #require(await media.file(of: hash))
                #expect(path.hasPrefix(folder + "/") && path.hasSuffix(hash.description))
            }
            // As "Save As…" does for several files.
            let id = try juliet.account.id
            await juliet.context.prepareDownloads(of: id)
            let downloads = try #require(juliet.context.downloads(of: id))
            let target = juliet.folder + "/saved/here"
            try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: true)
            let files = try await juliet.messages(with: romeo).flatMap { message in
                message.text.attachments.map { downloads.download(of: message.id, attachment: $0) }
            }
            await FileOpening.save(files, into: target) { _ in }
            let saved = try FileManager.default.contentsOfDirectory(atPath: target)
            #expect(saved.count == names.count)
            #expect(saved.allSatisfy { !$0.hasPrefix(".") && !$0.contains("\u{202E}") }, "\(saved)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: juliet.folder + "/saved") == ["here"])
            #expect(!FileManager.default.fileExists(atPath: juliet.folder + "/evil.png"))
            await end(juliet, romeo)
        }
    }
}
