import Testing
import WindowFixtures

@testable import ChatApp
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
        static func crawl(_ context: AppContext, _ scenes: [Scene], state: @escaping ([String]) -> String) async throws
        {
            var all = 0
            for scene in scenes {
                var toasts: [String] = []
                let crawler = WindowCrawler(
                    scene: scene,
                    state: {
                        toasts += context.takePendingToasts()
                        return state(toasts)
                    })
                let report = try await crawler.crawl()
                let count = report.controls.count
                all += count
                print("\(scene.title): \(count) controls, \(count - report.withoutEffect.count) with effect")
                #expect(report.unconnected.isEmpty, "\(scene.title): \(report.unconnected)")
                #expect(report.withoutEffect.isEmpty, "\(scene.title): \(report.withoutEffect)")
            }
            #expect(all > 0)
            print("\(all) controls")
        }

        private func crawl(_ choose: (Scenes) -> [Scene]) async throws {
            let scenes = try await Scenes()
            try await Self.crawl(scenes.context, choose(scenes)) { scenes.state($0) }
            await scenes.end()
        }

        @Test("the main window: list, conversation, header, field")
        func main() async throws { try await crawl { Array($0.mainWindows.prefix(1)) } }

        @Test("the menus of the main window: program, presence, conversation, message, contact, groups, days")
        func menus() async throws { try await crawl(\.mainMenus) }

        @Test("windows about people: a new conversation, a contact and its dialogs, messages, the address of the user")
        func people() async throws { try await crawl(\.people) }

        @Test("windows about rooms: joining, creating, people and their menu, the page, invitations, settings")
        func rooms() async throws { try await crawl(\.rooms) }

        @Test("the preferences: accounts, general, data")
        func preferences() async throws { try await crawl { Array($0.preferences.prefix(3)) } }
    }
}
