import ChatStore
import GTKBinding
import ServerFixtures
import Testing
import WindowFixtures
import XMPPAddress

@testable import ChatApp
@testable import ChatEngine
@testable import ChatModel

extension WindowTests {
    @MainActor
    @Suite("What is done with a stranger, on a real server")
    struct StrangerLiveTests {
        init() async throws {
            try #require(Toolkit.isReady)
            await WindowCrawler.close()
        }

        /// Juliet's window with the conversation of Romeo, who has written although he is no contact.
        @MainActor
        private struct Meeting {
            let juliet: RoomVisitor
            let romeo: RoomVisitor
            let window: Window
            let view: ConversationView
            let bar: StrangerBar

            init(on server: RunningServer) async throws {
                let (juliet, romeo) = (
                    try await RoomVisitor("juliet", on: server), try await RoomVisitor("romeo", on: server)
                )
                let key = Self.key(romeo.address, of: juliet)
                _ = try await romeo.account.send(
                    .text(MessageText("Come you to make confession?")), in: Self.key(juliet.address, of: romeo))
                try #require(await Toolkit.eventually { juliet.home.conversations.all[key] != nil })
                let view = juliet.context.conversationView(key)
                let window = Window("Stranger", width: 560, height: 480, view.root)
                window.present()
                let bar = try #require(view.stranger)
                try #require(await Toolkit.eventually { bar.root.isRevealed && bar.add.isSensitive })
                (self.juliet, self.romeo, self.window, self.view, self.bar) = (juliet, romeo, window, view, bar)
            }

            static func key(_ address: JID, of visitor: RoomVisitor) -> ConversationKey {
                ConversationKey(account: visitor.id, address: address, kind: .direct)
            }

            private func messages(_ address: JID, of visitor: RoomVisitor) async throws -> [StoredMessage] {
                let key = Self.key(address, of: visitor)
                return try await visitor.home.store.read { reader throws(StoreError) in
                    guard let id = try reader.conversation(key) else { return [] }
                    return try reader.timeline(of: id, .newest, limit: 10)
                }
            }

            /// Whether what he writes now does not reach her. Whether he is told so depends on the server.
            func refusesMore() async throws -> Bool {
                _ = try await romeo.account.send(
                    .text(MessageText("Let me in!")), in: Self.key(juliet.address, of: romeo))
                // The server has it, and then she has all that the server had for her.
                try await romeo.account.settle()
                try await juliet.account.settle()
                return try await messages(romeo.address, of: juliet).count == 1
            }

            func end() async {
                view.close()
                window.destroy()
                await juliet.home.stop()
                await romeo.home.stop()
            }
        }

        @Test("Add asks the stranger, who accepts and is a contact")
        func add() async throws {
            let meeting = try await Meeting(on: try await ServerKind.prosody13.shared())
            let (juliet, romeo) = (meeting.juliet, meeting.romeo)
            try #require(await WindowCrawler.click("Add to Contacts", in: meeting.window))
            try #require(await Toolkit.eventually { !meeting.bar.root.isRevealed })
            try #require(
                await Toolkit.eventually {
                    romeo.home.contacts.requests.elements.map(\.address) == [juliet.address]
                })
            let bar = romeo.context.requestBar()
            let window = Window("His", width: 560, height: 200, bar.root)
            window.present()
            try #require(await Toolkit.eventually { bar.isRevealed })
            bar.accept.click()
            for (home, other) in [(juliet.home, romeo.address), (romeo.home, juliet.address)] {
                try #require(
                    await Toolkit.eventually {
                        home.contacts.rows.elements.first?.address == other
                            && home.contacts.rows.elements.first?.section == .online
                    })
            }
            window.destroy()
            await meeting.end()
        }

        @Test("Block asks first; the stranger can write no more and is not told why")
        func block() async throws {
            let meeting = try await Meeting(on: try await ServerKind.prosody13.shared())
            try #require(await WindowCrawler.click("Block…", in: meeting.window))
            try #require(await WindowCrawler.answer("Cancel"))
            await Toolkit.settle()
            #expect(meeting.bar.root.isRevealed)
            try #require(await WindowCrawler.click("Block…", in: meeting.window))
            try #require(await WindowCrawler.answer("Block"))
            try #require(await Toolkit.eventually { !meeting.bar.root.isRevealed })
            #expect(try await meeting.refusesMore())
            await meeting.end()
        }

        @Test("Report tells the operators of the server the reason, and blocks")
        func report() async throws {
            let server = try await ServerKind.prosody13.shared(
                ServerOptions { $0.addedModules = ["spam_reporting"] })
            let meeting = try await Meeting(on: server)
            try #require(await WindowCrawler.click("Report…", in: meeting.window))
            try #require(await Toolkit.eventually { WindowCrawler.question != nil })
            let question = try #require(WindowCrawler.question)
            try #require(await WindowCrawler.click("Threats, insults or other abuse", in: question))
            try #require(await WindowCrawler.type("He climbs over walls.", into: "More about it", in: question))
            try #require(await WindowCrawler.answer("Report and Block"))
            try #require(await Toolkit.eventually { !meeting.bar.root.isRevealed })
            let report = "report of abuse from JID '\(meeting.romeo.address)', He climbs over walls."
            try #require(await Toolkit.eventually { server.log.contains(report) })
            #expect(try await meeting.refusesMore())
            await meeting.end()
        }
    }
}
