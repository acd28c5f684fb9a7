import ChatStore
import MessageFeatures
import ServerFixtures
import Synchronization
import Testing
import TransportLayer
import WindowFixtures

@testable import ChatApp
@testable import ChatEngine
@testable import ChatModel
@testable import GTKBinding

extension WindowTests {
    @MainActor
    @Suite("Cards of links with a real server")
    struct LinkCardLiveTests {
        init() throws { try #require(Toolkit.isReady) }

        /// The links whose pages a user's program has opened.
        private final class Opened: Sendable {
            private let links = Mutex<[String]>([])
            var all: [String] { links.withLock { $0 } }
            func add(_ link: String) { links.withLock { $0.append(link) } }
        }

        private func user(_ name: String, on server: PrivateProsody) async throws -> (ProgramUser, Opened) {
            let (user, opened) = (try await ProgramUser(name, on: server, encrypts: false), Opened())
            let http = HTTPClient(configuration: .init(trust: .certificateAuthority(server.authorityFile)))
            user.context.describeLink = { link in
                opened.add(link)
                return await LinkDescriber(http).describe(link)
            }
            return (user, opened)
        }

        /// A page on the file server, which one of them has sent to the other.
        private func page(_ html: String, from sender: ProgramUser, to other: ProgramUser) async throws -> String {
            let media = try #require(try sender.account.media)
            let hash = try await media.insert(Array(html.utf8))
            await media.pin(hash)
            let file = Attachment(
                kind: .file, mediaType: "text/html", name: "page.html", size: Int64(html.utf8.count),
                contentHash: hash.description, isLocal: true)
            _ = try await sender.account.send(
                .text(MessageText("", attachments: [file])), in: try sender.key(other))
            let isThere = await Toolkit.eventually(asking: {
                (try? await other.messages(with: sender).first?.text.attachments.first?.url) ?? nil != nil
            })
            #expect(isThere)
            return try #require(try await other.messages(with: sender).first?.text.attachments.first?.url)
        }

        private func open(_ key: ConversationKey, of user: ProgramUser) async -> (Window, ConversationView) {
            let view = user.context.conversationView(key)
            let window = Window("Links", width: 560, height: 480, view.root)
            window.present()
            _ = await Toolkit.eventually { view.timeline.position.isOpened }
            return (window, view)
        }

        /// The title on the card of the newest message, once its text is shown; `nil` without a card.
        private func card(below text: String, in view: ConversationView) async -> String? {
            func bubble() -> MessageBubble? {
                view.timeline.timeline.messages.last.flatMap { view.timeline.bubble(of: $0.id) }
            }
            let isShown = await Toolkit.eventually {
                view.timeline.timeline.messages.last?.text.body == text && bubble()?.body.isVisible == true
            }
            #expect(isShown)
            return bubble()?.card.flatMap { $0.root.isMapped ? $0.title.text : nil }
        }

        @Test(
            "a link gets a card above the field and in both windows; not if the writer removes it, or does not want cards"
        )
        func cards() async throws {
            let server = try await PrivateProsody.shared
            let (juliet, hersOpened) = try await user("juliet", on: server)
            let (romeo, hisOpened) = try await user("romeo", on: server)
            try await juliet.befriend(romeo)
            let link = try await page(
                "<html><head><title>The Orchard</title><meta name=description content='Walls, high'></head></html>",
                from: romeo, to: juliet)
            let (herWindow, hers) = await open(try juliet.key(romeo), of: juliet)
            let (hisWindow, his) = await open(try romeo.key(juliet), of: romeo)
            let (herComposer, hisComposer) = (try #require(hers.composer), try #require(his.composer))

            // He does not want cards, and writes before she does, who does.
            juliet.home.preferences.values.describesLinks = true
            let answer = "I was there: \(link)"
            hisComposer.entry.insert(answer)
            let first = "Come to \(link)"
            herComposer.entry.insert(first)
            #expect(await Toolkit.eventually { herComposer.link.root.isRevealed })
            #expect(herComposer.link.title.text == "The Orchard")
            #expect(hersOpened.all == [link] && hisOpened.all.isEmpty && !hisComposer.link.root.isRevealed)
            await Toolkit.picture(herWindow, "composer-link")
            #expect(herComposer.pressed(.enter))
            #expect(await Toolkit.eventually { !herComposer.link.root.isRevealed })
            for view in [hers, his] { #expect(await card(below: first, in: view) == "The Orchard") }
            #expect(hisComposer.pressed(.enter))
            for view in [his, hers] { #expect(await card(below: answer, in: view) == nil) }
            // Who receives a link opens nothing.
            #expect(hersOpened.all == [link] && hisOpened.all.isEmpty)

            let second = "Or to \(link)#wall"
            herComposer.entry.insert(second)
            #expect(await Toolkit.eventually { herComposer.link.root.isRevealed })
            herComposer.link.cancel.click()
            #expect(await Toolkit.eventually { !herComposer.link.root.isRevealed })
            #expect(herComposer.entry.text == second)
            #expect(herComposer.pressed(.enter))
            for view in [hers, his] { #expect(await card(below: second, in: view) == nil) }
            for window in [herWindow, hisWindow] { window.destroy() }
            for view in [hers, his] { view.close() }
            for user in [juliet, romeo] {
                await user.end()
                ProgramUser.remove(user.folder)
            }
        }
    }
}
