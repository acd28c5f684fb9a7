import ChatFixtures
import ChatStoreTesting
import ServerFixtures
import Testing
import WindowFixtures

@testable import ChatApp
@testable import ChatModel
@testable import GTKBinding

extension WindowTests {
    /// Uses every control of every window and menu once. A control without an effect fails.
    @MainActor
    @Suite("Every control has an effect")
    struct CrawlerTests {
        init() throws {
            try #require(Toolkit.isReady)
            RoomVisitor.useStyle
        }

        /// Uses the controls of some windows.
        static func crawl(_ scenes: [Scene], state: @escaping () async -> String) async throws {
            var all = 0
            for scene in scenes {
                let report = try await WindowCrawler(scene: scene, state: state).crawl()
                let count = report.controls.count
                all += count
                print("\(scene.title): \(count) controls, \(count - report.withoutEffect.count) with effect")
                #expect(report.unconnected.isEmpty, "\(scene.title): \(report.unconnected)")
                #expect(report.withoutEffect.isEmpty, "\(scene.title): \(report.withoutEffect)")
            }
            #expect(all > 0)
            print("\(all) controls")
        }

        /// Notes what a program says beside its windows.
        private static func toasts(of context: AppContext) -> () -> [String] {
            var toasts: [String] = []
            return {
                toasts += context.takePendingToasts()
                return toasts
            }
        }

        private func crawl(_ choose: (Scenes) -> [Scene]) async throws {
            let scenes = try await Scenes()
            let toasts = Self.toasts(of: scenes.context)
            try await Self.crawl(choose(scenes)) {
                let policies = await scenes.sample.storage.policies
                return "\(scenes.state(toasts())) \(policies)"
            }
            await scenes.end()
        }

        @Test("the main window: list, conversation, header, field, with a room, contacts, finding, selecting, replying")
        func main() async throws { try await crawl { $0.mainWindows + [$0.tools] } }

        @Test("the menus of the main window: presence, conversation, message, contact, groups, days, program")
        func menus() async throws { try await crawl { $0.mainMenus + [$0.program] } }

        @Test("windows about people: a new conversation, a contact and its dialogs, messages, the address of the user")
        func people() async throws { try await crawl(\.people) }

        @Test("windows about rooms: joining, creating, people and their menu, the page, invitations, settings")
        func rooms() async throws { try await crawl(\.rooms) }

        @Test("the preferences: general, data, an account, its password, removing it")
        func preferences() async throws { try await crawl { $0.preferences + [$0.removal] } }

        @Test("signing in: the first page, an account, a provider, an invitation, a further account")
        func signIn() async throws { try await crawl { $0.signIn + $0.unfolded + [$0.newAccount] } }

        @Test("with a connection: a contact, a stranger, a room of the user with its people and settings, the account")
        func online() async throws {
            let scenes = try await OnlineScenes(on: try await ServerKind.prosody13.shared())
            let toasts = Self.toasts(of: scenes.juliet.context)
            try await Self.crawl(scenes.questions + scenes.all) {
                let policies = await scenes.juliet.accountStorage.policies
                return "\(scenes.state(toasts())) \(policies)"
            }
            await scenes.end()
        }

        @Test("the form of a provider")
        func registration() async throws {
            let server = try await ServerKind.prosody13.shared()
            let home = ChatHome(store: MemoryStore(), accountStorage: MemoryAccountStorage())
            home.prepare = { $0.use(server) }
            await home.start()
            try await Self.crawl([RegistrationScenes(server: server, home: home).form]) {
                "\(home.accounts.rows.elements)"
            }
            await home.stop()
        }

        @Test("devices and keys: lists, menus, questions, the lock of a conversation")
        func encryption() async throws {
            let sample = try await EncryptionSample(isEnabled: false)
            let scenes = KeyScenes(sample)
            let toasts = Self.toasts(of: sample.talk.context)
            try await Self.crawl(scenes.all + scenes.further) { "\(await scenes.state()) \(toasts())" }
            await sample.talk.end()
        }

        @Test("shared media, the viewer, files before they are sent")
        func media() async throws {
            let sample = try await SharedMediaSample.make()
            try await sample.picturesAndVoice()
            // Others would be downloaded from a server that is not there.
            try await sample.localFiles()
            let scenes = MediaScenes(sample)
            let toasts = Self.toasts(of: sample.talk.context)
            try await Self.crawl(scenes.all + scenes.further) { "\(scenes.state) \(toasts())" }
            await sample.talk.context.playback.stop()
            await sample.talk.end()
        }
    }
}
