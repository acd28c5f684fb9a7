import ChatEngine
import ChatStore
import Testing
import WindowFixtures
import XMPPAddress

@testable import ChatApp
@testable import ChatModel
@testable import GTKBinding

extension WindowTests {
    /// Uses every control of the windows once. A control without an effect fails.
    @MainActor
    @Suite("Every control has an effect")
    struct CrawlerTests {
        init() throws {
            try #require(Toolkit.isReady)
            RoomVisitor.useStyle
        }

        /// Opens the chooser for files, which belongs to the desktop.
        private static let choosers: Set<String> = ["Send pictures or files"]

        private func crawl(
            _ title: String, _ sample: TalkSample, skipping skipped: Set<String> = [],
            _ open: @escaping () async throws -> Window
        ) async throws {
            let home = sample.home
            var toasts: [String] = []
            let crawler = WindowCrawler(
                open: open,
                state: {
                    toasts += sample.context.takePendingToasts()
                    return "\(home.preferences.values) \(home.conversations.rows.elements) \(toasts)"
                }, skipped: skipped.union(Self.choosers))
            let report = try await crawler.crawl()
            let count = report.controls.count
            print("\(title): \(count) controls, \(count - report.withoutEffect.count) with effect")
            #expect(count > 0)
            #expect(report.unconnected.isEmpty, "\(title): \(report.unconnected)")
            #expect(report.withoutEffect.isEmpty, "\(title): \(report.withoutEffect)")
        }

        private func sample() async throws -> TalkSample {
            let sample = try await TalkSample(isEnabled: false)
            try await sample.save(
                StoredContact(address: sample.romeo, name: sampleWords("Romeo"), subscription: .both))
            for index in 0..<ConversationFilterBar.usefulCount {
                try await sample.say("Soft!", ago: 5, in: try sample.key("friend\(index)@verona.example"))
            }
            try await sample.say("But soft!", ago: 2)
            try await sample.say("Ay me!", ago: 1, isOwn: true)
            let count = ConversationFilterBar.usefulCount + 1
            #expect(
                await Toolkit.eventually {
                    sample.home.contacts.rows.elements.count == 1 && sample.home.conversations.all.count == count
                })
            return sample
        }

        @Test("the main window with a conversation")
        func main() async throws {
            let sample = try await sample()
            try await crawl("main window", sample) {
                let main = try MainWindow.shown(sample.context)
                main.window.setDefaultSize(width: 1100, height: 700)
                main.open(sample.key)
                _ = await Toolkit.eventually {
                    guard let timeline = main.conversation?.timeline, timeline.isOpened else { return false }
                    // The button to the newest message comes and goes while the list finds its place.
                    return timeline.timeline.isAtNewest && timeline.scroller.remaining < 2
                        && !timeline.newestPlace.isRevealed
                }
                main.window.retain(main)
                return main.window
            }
            await sample.end()
        }

        @Test("windows about people: contacts, a new one, a conversation to begin, the own address")
        func people() async throws {
            let sample = try await sample()
            let context = sample.context
            try await crawl("new conversation", sample) {
                try #require(NewConversationWindow.show(context, over: nil)).window
            }
            try await crawl("add a contact", sample) {
                try #require(ContactAdditionWindow.show("nurse@capulet.example", context, over: nil)).window
            }
            try await crawl("join a room", sample) {
                let home = sample.home
                let accounts = home.accounts.rows.elements.compactMap { home.account($0.id) }
                return RoomEntryWindow.show(RoomEntryModel(accounts: accounts), context).window
            }
            try await crawl("contacts", sample) {
                let main = try MainWindow.shown(context)
                main.window.setDefaultSize(width: 1100, height: 700)
                _ = await Toolkit.eventually { sample.home.phase == .ready && main.sidebar.isMapped }
                main.showContacts()
                main.window.retain(main)
                return main.window
            }
            try await crawl("share", sample) {
                let accounts = sample.home.chatAccounts
                let view = ShareWindow(InvitationModel(accounts: accounts) { _ in "Juliet" }, over: nil)
                view.present()
                return view.window
            }
            await sample.end()
        }

        @Test("the preferences")
        func preferences() async throws {
            let sample = try await sample()
            try await crawl("preferences", sample) { ProgramPreferencesWindow.show(sample.home, over: nil).window }
            // It writes a file for the desktop of the user.
            try await crawl("general preferences", sample, skipping: ["Start when you log in"]) {
                let window = ProgramPreferencesWindow.show(sample.home, over: nil).window
                await WindowCrawler.use("General General", in: window)
                return window
            }
            await sample.end()
        }

        @Test("the people of a room")
        func room() async throws {
            let sample = try await sample()
            let key = try sample.key("orchard@rooms.example", .room)
            try await crawl("room", sample) {
                let model = RoomModel(key, store: sample.home.store, environment: sample.home.environment)
                model.show(
                    RoomState(
                        isInside: true, nickname: "Jule",
                        people: [
                            RoomState.Person(nickname: "Jule", standing: .owner, isModerator: true, isOwn: true),
                            RoomState.Person(nickname: "Romeo", address: sample.romeo),
                        ]))
                let about = RoomWindow(model, sample.context)
                about.present()
                return about.window
            }
            await sample.end()
        }
    }
}
