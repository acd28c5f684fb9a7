import ChatStore
import Foundation
import ServerFixtures
import Testing
import WindowFixtures

@testable import ChatApp
@testable import ChatEngine
@testable import ChatModel
@testable import GTKBinding

extension WindowTests {
    @MainActor
    @Suite("Files from device to device with a real server")
    struct DirectFileLiveTests {
        init() throws { try #require(Toolkit.isReady) }

        /// A conversation in a window.
        private func open(_ key: ConversationKey, of user: ProgramUser) async -> (Window, ConversationView) {
            await user.context.prepareDownloads(of: key.account)
            let view = user.context.conversationView(key)
            let window = Window("Files", width: 560, height: 480, view.root)
            window.present()
            _ = await Toolkit.eventually { view.timeline.position.isOpened }
            return (window, view)
        }

        private func line(_ view: ConversationView) -> DirectFileLine? {
            guard let message = view.timeline.timeline.messages.last else { return nil }
            return view.timeline.bubble(of: message.id)?.files.directLines.first
        }

        private func state(_ view: ConversationView) -> MessageState? { view.timeline.timeline.messages.last?.state }

        @Test("a file is offered in one window, and declined and accepted in the other")
        func answers() async throws {
            let server = try await PrivateProsody.shared(ServerOptions { $0.removedModules = ["http_file_share"] })
            let romeo = try await ProgramUser("romeo", on: server, encrypts: false)
            let juliet = try await ProgramUser("juliet", on: server, encrypts: false)
            try await romeo.befriend(juliet)
            let (account, key) = (try romeo.account, try romeo.key(juliet))
            let media = try #require(account.media)
            let received = try #require(try juliet.account.media)

            let bytes = Array("a,b\n1,2\n".utf8)
            let hash = try await media.insert(bytes)
            let file = Attachment(
                kind: .file, mediaType: "text/csv", name: "accounts.csv", size: Int64(bytes.count),
                contentHash: hash.description, isLocal: true)
            let (hisWindow, his) = await open(key, of: romeo)
            let (herWindow, hers) = await open(try juliet.key(romeo), of: juliet)
            let content = MessageContent.text(MessageText("", attachments: [file]))

            _ = try await account.send(content, in: key)
            #expect(await Toolkit.eventually { line(his)?.state.text == "Offered to the contact" })
            #expect(
                await Toolkit.eventually { line(hers)?.accept.isMapped == true && line(hers)?.decline.isMapped == true }
            )
            await Toolkit.settle()
            #expect(line(hers)?.state.text == "The contact sends it if you accept it.")
            #expect(hers.timeline.timeline.messages.last?.text.attachments.first?.name == "accounts.csv")
            await Toolkit.picture(hisWindow, "file-offered")
            await Toolkit.picture(herWindow, "file-offer")
            // GTK clicks by code a quarter of a second later, and not if the row was drawn again meanwhile.
            #expect(
                await Toolkit.eventually {
                    if line(hers)?.decline.isMapped == true { line(hers)?.decline.click() }
                    return line(hers)?.state.text == "Declined"
                })
            #expect(
                await Toolkit.eventually {
                    state(his) == .failed(FailureReason(.notSent, condition: AttachmentFailure.Code.declined.rawValue))
                })
            await Toolkit.picture(hisWindow, "file-declined")

            let before = try #require(hers.timeline.timeline.messages.last?.id)
            _ = try await account.send(content, in: key)
            #expect(await Toolkit.eventually { hers.timeline.timeline.messages.last?.id != before })
            #expect(
                await Toolkit.eventually { line(hers)?.accept.isMapped == true && line(hers)?.decline.isMapped == true }
            )
            await Toolkit.settle()
            #expect(
                await Toolkit.eventually {
                    if line(hers)?.accept.isMapped == true { line(hers)?.accept.click() }
                    return state(his) == .delivered
                })
            #expect(
                await Toolkit.eventually {
                    hers.timeline.timeline.messages.last?.text.attachments.first?.isLocal == true
                })
            #expect(await Toolkit.eventually { line(hers)?.root.isVisible == false })
            #expect(await Toolkit.eventually { line(his)?.root.isVisible == false })
            #expect(try await received.content(of: hash) == bytes)
            await Toolkit.picture(herWindow, "file-accepted")
            hisWindow.destroy()
            herWindow.destroy()
            his.close()
            hers.close()
            for user in [romeo, juliet] {
                await user.end()
                ProgramUser.remove(user.folder)
            }
        }
    }
}
