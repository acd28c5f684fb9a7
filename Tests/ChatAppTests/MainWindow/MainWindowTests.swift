import ChatStore
import ChatStoreTesting
import GTKBinding
import Testing
import WindowFixtures
import XMPPAddress

@testable import ChatApp
@testable import ChatModel

extension WindowTests {
    @MainActor
    @Suite("Main window")
    struct MainWindowTests {
        init() throws { try #require(Toolkit.isReady) }

        @Test("a problem of the accounts at the start is shown as soon as there is a window")
        func earlyProblem() async throws {
            let store = MemoryStore()
            await store.close()
            let home = ChatHome(store: store, accountStorage: MemoryAccountStorage())
            let context = AppContext(home: home)
            await home.start()
            #expect(context.takePendingToasts() == [Wording.failure(StoreError(.closed, ""))])
            await home.stop()
        }

        @Test("the window can be 360 pixels wide with any content")
        func narrow() async throws {
            let sample = try await TalkSample()
            let name = String(repeating: sampleWords("Wolfeschlegelsteinhausenbergerdorff"), count: 4)
            try await sample.save(StoredContact(address: sample.romeo, name: name))
            try await sample.say(
                "https://example.org/" + String(repeating: "abcdefghijklmnopqrstuvwxyz", count: 8), ago: 9)
            try await sample.say(String(repeating: "W", count: 400), ago: 8, isOwn: true)
            try await sample.say("```\n" + String(repeating: "let w = 1; ", count: 40) + "\n```", ago: 7)
            try await sample.say("🌹🌹🌹🌹🌹🌹", ago: 6)
            try await sample.say("> > " + String(repeating: sampleWords("quoted "), count: 40), ago: 5)
            try await sample.say(
                .text(
                    MessageText(
                        "",
                        attachments: [
                            Attachment(kind: .picture, name: "wide.png", width: 8000, height: 600),
                            Attachment(kind: .picture, name: "panorama", width: 320, height: 20),
                            Attachment(kind: .voice, size: 90_000, duration: 3_600_000),
                            Attachment(
                                kind: .file, name: String(repeating: sampleWords("report "), count: 20) + ".pdf",
                                size: 1 << 30),
                        ])), ago: 4)
            try await sample.say("look", ago: 3, isOwn: true)
            let reactions = ["👍", "❤️", "😂", "😮", "😢", "🙏", "🌹", "🎉"]
            try await sample.say(.reactions(to: sample.lastReference, reactions), ago: 2)
            try await sample.say(.text(MessageText(sampleWords("yes"), reply: sample.lastReference)), ago: 1)
            let failed = try await sample.say(String(repeating: sampleWords("never "), count: 30), isOwn: true)
            try await sample.write { store throws(StoreError) in
                try store.advance(
                    failed,
                    to: .failed(
                        FailureReason(
                            .refused, condition: "x", text: String(repeating: sampleWords("because "), count: 30))))
            }
            let window = try MainWindow.shown(sample.context)
            await Toolkit.settle()
            let borders = await Toolkit.borders(of: window.window)
            #expect(window.window.minimumWidth - borders <= 360)
            // Including the notice about an unreachable account.
            #expect(await Toolkit.eventually { window.notice.isShown })
            await Toolkit.settle()
            #expect((1...360).contains(window.conversations.root.width), "\(window.conversations.root.width)")
            window.open(sample.key)
            #expect(await Toolkit.eventually { window.conversation?.timeline.bubble(of: failed) != nil })
            await Toolkit.settle()
            #expect(window.window.minimumWidth - borders <= 360)
            window.window.setDefaultSize(width: 360, height: 640)
            #expect(await Toolkit.eventually { window.window.width <= 360 && window.leaflet.isFolded })
            await Toolkit.settle()
            #expect(window.window.minimumWidth - borders <= 360)
            window.conversation?.timeline.scroller.offset = 0
            await Toolkit.picture(window.window, "main-long-top")
            window.conversation?.timeline.position.showNewest()
            #expect(await Toolkit.eventually { window.conversation?.timeline.timeline.isAtNewest == true })
            await Toolkit.picture(window.window, "main-long")
            let offset = window.conversation?.timeline.scroller.offset ?? 0
            window.conversation?.timeline.scroller.offset = offset - 500
            await Toolkit.picture(window.window, "main-long-middle")
            window.closeConversation()
            await Toolkit.settle()
            await Toolkit.picture(window.window, "main-list")
            #expect(window.window.minimumWidth - borders <= 360)
            window.close(permanently: true)
            await sample.end()
        }

        @Test("switching conversations repeatedly leaves nothing behind")
        func switching() async throws {
            let sample = try await TalkSample()
            let other = try sample.key("nurse@capulet.example")
            try await sample.fill(40)
            try await sample.fill(40, in: other)
            let window = try MainWindow.shown(sample.context)
            struct Left { weak var view: ConversationView? }
            var opened: [Left] = []
            var first: (objects: Int, rows: Int)?
            for round in 0..<90 {
                let key = round.isMultiple(of: 2) ? sample.key : other
                window.open(key)
                let isThere = await Toolkit.eventually { window.conversation?.timeline.position.isOpened == true }
                try #require(isThere)
                opened.append(Left(view: window.conversation))
                guard round % 30 == 29 else { continue }
                // Without an open conversation: the number of rows that a list creates in advance is up to GTK.
                window.closeConversation()
                #expect(await Toolkit.eventually { opened.allSatisfy { $0.view == nil } })
                await Toolkit.settle()
                guard let first else {
                    first = (Object.liveCount, ListRows.liveCount)
                    continue
                }
                // A leak of one object per conversation would be thirty objects.
                _ = await Toolkit.eventually {
                    Object.liveCount <= first.objects + 10 && ListRows.liveCount <= first.rows + 10
                }
                #expect(Object.liveCount <= first.objects + 10)
                #expect(ListRows.liveCount <= first.rows + 10)
            }
            window.close(permanently: true)
            await sample.end()
        }

        @Test("a closed window leaves nothing behind")
        func closing() async throws {
            let sample = try await TalkSample()
            try await sample.fill(40)
            await Toolkit.settle()
            let (objects, rows) = (Object.liveCount, ListRows.liveCount)
            do {
                let window = try MainWindow.shown(sample.context)
                window.open(sample.key)
                #expect(await Toolkit.eventually { window.conversation?.timeline.rows.isEmpty == false })
                await Toolkit.settle()
                window.close(permanently: true)
            }
            #expect(await Toolkit.eventually { Object.liveCount <= objects && ListRows.liveCount <= rows })
            #expect(
                Object.liveCount <= objects, "\(Object.liveCount - objects) objects, \(ListRows.liveCount - rows) rows")
            await sample.end()
        }
    }
}
