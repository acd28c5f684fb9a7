import ChatStore
import ChatStoreTesting
import Foundation
import ServerFixtures
import Testing
import WindowFixtures
import XMPPAddress
import XMPPClient

@testable import ChatApp
@testable import ChatEngine
@testable import ChatModel
@testable import GTKBinding

extension WindowTests {
    @MainActor
    @Suite("Files from device to device with a real server")
    struct DirectFileLiveTests {
        init() throws { try #require(Toolkit.isReady) }

        /// A user who is online with a place for files, whose program finds no upload service.
        @MainActor
        private final class Owner {
            let home: ChatHome
            let context: AppContext
            let media: MediaCache
            let address: JID
            let account: ChatAccount
            private let folder: String

            init(_ name: String, _ server: RunningServer) async throws {
                let access = try await server.newAccount(name)
                address = try JID(access.address)
                folder = NSTemporaryDirectory() + "direct-" + UUID().uuidString
                media = try await MediaCache.open(at: folder, budget: 100 << 20)
                let storage = MemoryAccountStorage(media: media)
                await storage.save(AccountAccess(address: address))
                await storage.save(password: access.password, of: address)
                let home = ChatHome(store: MemoryStore(), accountStorage: storage)
                self.home = home
                home.prepare = { configuration in
                    configuration.host = server.host
                    configuration.port = server.port
                    configuration.trust = .certificateAuthority(server.authorityFile)
                    configuration.loginTimeout = .seconds(120)
                }
                await home.start()
                context = AppContext(home: home)
                #expect(await Toolkit.eventually { home.accounts.rows.elements.first?.connection.isOnline == true })
                let id = try #require(home.accounts.rows.elements.first?.id)
                account = try #require(home.account(id))
                await context.prepareDownloads(of: id)
            }

            func key(_ other: Owner) -> ConversationKey {
                ConversationKey(account: account.id, address: other.address, kind: .direct)
            }

            /// The conversation with the other in a window.
            func open(_ other: Owner) async -> (Window, ConversationView) {
                let view = context.conversationView(key(other))
                let window = Window("Files", width: 560, height: 480, view.root)
                window.present()
                _ = await Toolkit.eventually { view.timeline.isOpened }
                return (window, view)
            }

            func end() async {
                await home.stop()
                try? FileManager.default.removeItem(atPath: folder)
            }
        }

        private func line(_ view: ConversationView) -> DirectFileLine? {
            guard let message = view.timeline.timeline.messages.last else { return nil }
            return view.timeline.bubble(of: message.id)?.directLines.first
        }

        private func state(_ view: ConversationView) -> MessageState? { view.timeline.timeline.messages.last?.state }

        @Test("a file is offered in one window, and declined and accepted in the other")
        func answers() async throws {
            let server = try await ServerKind.prosody13.shared()
            let (romeo, juliet) = (try await Owner("romeo", server), try await Owner("juliet", server))
            _ = try await romeo.account.contacts.add(juliet.address)
            #expect(await Toolkit.eventually { !juliet.home.contacts.requests.elements.isEmpty })
            try await juliet.account.contacts.acceptRequest(of: romeo.address)
            #expect(await Toolkit.eventually { romeo.home.contacts.rows.elements.first?.section == .online })
            #expect(await Toolkit.eventually { juliet.home.contacts.rows.elements.first?.section == .online })

            let bytes = Array("a,b\n1,2\n".utf8)
            let hash = try await romeo.media.insert(bytes)
            let file = Attachment(
                kind: .file, mediaType: "text/csv", name: "accounts.csv", size: Int64(bytes.count),
                contentHash: hash.description, isLocal: true)
            let (hisWindow, his) = await romeo.open(juliet)
            let (herWindow, hers) = await juliet.open(romeo)
            let content = MessageContent.text(MessageText("", attachments: [file]))

            _ = try await romeo.account.send(content, in: romeo.key(juliet))
            #expect(await Toolkit.eventually { line(his)?.state.text == "Offered to the contact" })
            #expect(
                await Toolkit.eventually { line(hers)?.accept.isMapped == true && line(hers)?.decline.isMapped == true }
            )
            await Toolkit.settle()
            #expect(line(hers)?.state.text == "The contact sends it if you accept it.")
            #expect(hers.timeline.timeline.messages.last?.text.attachments.first?.name == "accounts.csv")
            await Toolkit.picture(hisWindow, "file-offered")
            await Toolkit.picture(herWindow, "file-offer")
            // GTK forgets a click by code when the row is drawn again in the next quarter of a second.
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
            _ = try await romeo.account.send(content, in: romeo.key(juliet))
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
            #expect(try await juliet.media.content(of: hash) == bytes)
            await Toolkit.picture(herWindow, "file-accepted")
            hisWindow.destroy()
            herWindow.destroy()
            his.close()
            hers.close()
            await romeo.end()
            await juliet.end()
        }
    }
}
