import CGTK
import ChatEngine
import ChatFixtures
import ChatModel
import ChatStore
import ChatStoreTesting
import ServerFixtures
import Testing
import WindowFixtures
import XMPPAddress
import XMPPClient
import XMPPStanzas

@testable import ChatApp
@testable import GTKBinding

extension WindowTests {
    @MainActor
    @Suite("Contacts with a real server")
    struct ContactLiveTests {
        init() throws { try #require(Toolkit.isReady) }

        /// A user who is online.
        private func home(_ account: ServerFixtures.Account, _ server: RunningServer) async throws -> ChatHome {
            let address = try JID(account.address)
            let accountStorage = MemoryAccountStorage()
            await accountStorage.save(AccountAccess(address: address))
            await accountStorage.save(password: account.password, of: address)
            let home = ChatHome(store: MemoryStore(), accountStorage: accountStorage)
            home.prepare = { configuration in
                configuration.use(server)
                configuration.loginTimeout = .seconds(120)
            }
            await home.start()
            #expect(await Toolkit.eventually { home.accounts.rows.elements.first?.connection.isOnline == true })
            return home
        }

        @Test(
            "S0-80, S0-81, S2-2, S2-28, S2-30, S2-37, S2-38: a contact is requested, accepts in the bar, shows presence, is renamed, grouped, blocked and deleted"
        )
        func friendship() async throws {
            let server = try await ServerKind.prosody13.shared()
            let (juliet, romeo) = (try await server.newAccount("juliet"), try await server.newAccount("romeo"))
            let hers = try await home(juliet, server)
            let his = try await home(romeo, server)
            let (herContext, hisContext) = (AppContext(home: hers), AppContext(home: his))
            let bar = herContext.requestBar()
            let window = Window("Test", width: 900, height: 200, bar.root)
            window.present()

            let adding = try #require(ContactAdditionWindow.show(juliet.address, hisContext, over: nil))
            adding.view.name.text = sampleWords("Juliet")
            adding.view.message.text = sampleWords("We met at the feast.")
            adding.view.page.onContinue()
            #expect(await Toolkit.eventually { his.contacts.rows.elements.first?.name == "Juliet" })
            #expect(await Toolkit.eventually { !hisContext.takePendingToasts().isEmpty })
            #expect(await Toolkit.eventually { his.contacts.rows.elements.first?.isPending == true })

            #expect(await Toolkit.eventually { bar.isRevealed })
            #expect(bar.texts.joined().contains("We met at the feast."))
            bar.accept.click()
            #expect(await Toolkit.eventually { !bar.isRevealed })
            #expect(await Toolkit.eventually { hers.contacts.rows.elements.first?.section == .online })
            #expect(await Toolkit.eventually { his.contacts.rows.elements.first?.section == .online })
            // He has sent a request first, so she need not accept another one.
            #expect(his.contacts.requests.elements.isEmpty)

            let id = try #require(hers.contacts.rows.elements.first?.id)
            let page = try #require(ContactWindow.show(id, herContext, over: nil))
            let model = page.view.actions.model
            #expect(await Toolkit.eventually { model.subscription == .both && !model.devices.isEmpty })
            page.view.actions.rename(to: sampleWords("My Romeo"))
            #expect(await Toolkit.eventually { page.view.texts.contains(sampleWords("My Romeo")) })
            page.view.actions.move(to: [sampleWords("Friends"), " "])
            #expect(await Toolkit.eventually { model.groups == [sampleWords("Friends")] })
            #expect(model.remark == "My Romeo")
            #expect(await Toolkit.eventually { hers.contacts.groups(of: id.account) == ["Friends"] })
            await Toolkit.picture(page.window, "contact-online")

            page.view.actions.block().answer("block")
            #expect(await Toolkit.eventually { model.isBlocked && page.view.texts.contains("Blocked") })
            await Toolkit.picture(page.window, "contact-blocked")
            let preferences = ProgramPreferencesWindow.show(hers, over: nil, account: id.account)
            let blocked = try #require(preferences.account?.blocked)
            #expect(await Toolkit.eventually { blocked.rows[id.address]?.button.isSensitive == true })
            #expect(await Toolkit.eventually { blocked.model.entries.map(\.name) == ["My Romeo"] })
            preferences.window.setDefaultSize(width: 620, height: 780)
            await Toolkit.picture(preferences.window, "account-blocked")
            blocked.rows[id.address]?.button.click()
            #expect(await Toolkit.eventually { blocked.rows.isEmpty })
            #expect(
                await Toolkit.eventually {
                    blocked.message == "Nobody is blocked. You can block people from their contact page."
                })
            preferences.window.close()
            #expect(await Toolkit.eventually { !model.isBlocked })

            page.view.actions.delete().answer("cancel")
            await Toolkit.settle()
            #expect(model.isContact)
            page.view.actions.delete().answer("delete")
            #expect(await Toolkit.eventually { hers.contacts.rows.elements.isEmpty })
            #expect(await Toolkit.eventually { ContactWindow.isOpen(id) == false })
            #expect(await Toolkit.eventually { !herContext.takePendingToasts().isEmpty })
            window.destroy()
            await hers.stop()
            await his.stop()
        }

        @Test("S0-13, S0-14, S2-16: each state of a contact is shown with its text; who goes offline is offline")
        func presences() async throws {
            let server = try await ServerKind.prosody13.shared()
            let (juliet, romeo) = (try await server.newAccount("juliet"), try await server.newAccount("romeo"))
            let hers = try await home(juliet, server)
            let his = try await home(romeo, server)
            let hisID = try #require(his.accounts.rows.elements.first?.id)
            let him = try #require(his.account(hisID))
            let context = AppContext(home: hers)
            let bar = context.requestBar()
            let view = context.contactsView()
            let window = Window(
                "Contacts", width: 360, height: 560, Box.vertical(bar.root, view.root.expand(.horizontal)))
            window.present()
            _ = try await him.contacts.add(try JID(juliet.address))
            #expect(await Toolkit.eventually { bar.isRevealed })
            bar.accept.click()
            #expect(await Toolkit.eventually { view.items.compactMap(\.contact).first?.section == .online })
            let id = try #require(hers.contacts.rows.elements.first?.id)
            let page = try #require(ContactWindow.show(id, context, over: nil))
            let states: [(Presence.Show?, String, ContactPresence.Section)] = [
                (.chat, "wants to chat", .online), (nil, "online", .online), (.away, "away", .away),
                (.extendedAway, "away for longer", .away), (.doNotDisturb, "busy", .away),
            ]
            for (show, word, section) in states {
                await him.setPresence(OwnPresence(show: show, status: "in the \(word) orchard"))
                let text = "in the \(word) orchard"
                #expect(await Toolkit.eventually { WindowCrawler.texts(of: page.window).contains("\(word) · \(text)") })
                #expect(await Toolkit.eventually { WindowCrawler.texts(of: window).contains(text) })
                #expect(view.items.compactMap(\.contact).first?.section == section)
            }
            await his.stop()
            #expect(await Toolkit.eventually { view.items.compactMap(\.contact).first?.section == .offline })
            #expect(await Toolkit.eventually { !WindowCrawler.texts(of: window).contains("in the busy orchard") })
            #expect(WindowCrawler.texts(of: window).contains { $0.hasPrefix("Offline") })
            window.destroy()
            await hers.stop()
        }

        /// Two users who see each other online.
        private func friends() async throws -> (hers: ChatHome, his: ChatHome) {
            let server = try await ServerKind.prosody13.shared()
            let (juliet, romeo) = (try await server.newAccount("juliet"), try await server.newAccount("romeo"))
            let hers = try await home(juliet, server)
            let his = try await home(romeo, server)
            let her = try #require(hers.chatAccounts.first)
            let him = try #require(his.chatAccounts.first)
            _ = try await him.contacts.add(her.address)
            #expect(await Toolkit.eventually { !hers.contacts.requests.elements.isEmpty })
            try await her.contacts.acceptRequest(of: him.address)
            _ = try await her.contacts.add(him.address)
            #expect(
                await Toolkit.eventually {
                    [hers, his].allSatisfy { $0.contacts.rows.elements.first?.section == .online }
                })
            return (hers, his)
        }

        /// Does with the mouse what a hand does in a window.
        private func hand(in window: Window, _ words: [String]) async -> Bool {
            var status: Int32?
            let all = ["xdotool", "search", "--onlyvisible", "--name", "^\(window.title)$"] + words
            Task { status = (try? await OutsideProgram.run(all))?.status ?? -1 }
            let isDone = await Toolkit.eventually { status != nil }
            return isDone && status == 0
        }

        @Test(
            "S0-82: a contact is deleted after a question, and then the user is gone from the other list"
        )
        func deletion() async throws {
            let (hers, his) = try await friends()
            let (herContext, hisContext) = (AppContext(home: hers), AppContext(home: his))
            let (herView, hisView) = (herContext.contactsView(), hisContext.contactsView())
            let other = Window("His", width: 300, height: 300, hisView.root)
            other.present()
            let window = Window("Hers", width: 400, height: 560, Box.vertical(herView.root.expand(.horizontal)))
            window.present()
            #expect(
                await Toolkit.eventually {
                    herView.items.contains { $0.contact != nil } && hisView.items.contains { $0.contact != nil }
                })
            await Toolkit.settle()
            // As a swipe or the key Delete does.
            herView.delete(try #require(herView.items.compactMap(\.contact).first))
            #expect(await Toolkit.eventually { herView.deletion != nil })
            herView.deletion?.answer("cancel")
            herView.deletion?.close()
            await Toolkit.settle()
            #expect(herView.items.contains { $0.contact != nil })
            let before = herView.deletion
            herView.delete(try #require(herView.items.compactMap(\.contact).first))
            #expect(await Toolkit.eventually { herView.deletion !== before })
            herView.deletion?.answer("delete")
            herView.deletion?.close()
            #expect(await Toolkit.eventually { herView.items.isEmpty })
            #expect(await Toolkit.eventually { hisView.items.isEmpty })
            #expect(WindowCrawler.texts(of: other).contains("No Contacts Yet"))
            window.destroy()
            other.destroy()
            withExtendedLifetime((herContext, hisContext)) {}
            await hers.stop()
            await his.stop()
        }

        @Test(
            "after the minutes chosen in the preferences a contact sees the user as away, until there is input in a window"
        )
        func away() async throws {
            let (hers, his) = try await friends()
            let clock = ManualClock()
            let environment = ModelEnvironment(now: { clock.messageTime }, clock: clock)
            let watch = AwayWatch(hers, bus: nil, environment: environment)
            let context = AppContext(home: his)
            let her = try #require(his.contacts.rows.elements.first?.id)
            let page = try #require(ContactWindow.show(her, context, over: nil))
            let preferences = ProgramPreferencesWindow.show(hers, over: nil)
            preferences.window.show(try #require(preferences.general))
            await Toolkit.settle()
            #expect(try preferences.window.chosen(inRow: "Show me as away") == 2)
            try preferences.window.choose(1, inRow: "Show me as away")
            #expect(await Toolkit.eventually { hers.preferences.values.minutesUntilAway == 5 })
            await Toolkit.settle()
            #expect(await Toolkit.eventually { clock.sleeperCount == 1 })
            clock.advance(by: .seconds(299))
            await Toolkit.settle()
            #expect(his.contacts.rows.elements.first?.section == .online)
            clock.advance(by: .seconds(1))
            #expect(await Toolkit.eventually { his.contacts.rows.elements.first?.section == .away })
            #expect(await Toolkit.eventually { WindowCrawler.texts(of: page.window).contains { $0.hasPrefix("away") } })
            // Her own choice stays.
            #expect(hers.presence.show == nil)

            // A hand moves the mouse.
            #expect(await hand(in: preferences.window, ["mousemove", "--window", "%1", "50", "60"]))
            #expect(await hand(in: preferences.window, ["mousemove", "--window", "%1", "90", "80"]))
            #expect(await Toolkit.eventually { his.contacts.rows.elements.first?.section == .online })

            try preferences.window.choose(0, inRow: "Show me as away")
            #expect(await Toolkit.eventually { clock.sleeperCount == 0 })
            clock.advance(by: .seconds(24 * 3600))
            await Toolkit.settle()
            #expect(his.contacts.rows.elements.first?.section == .online)
            preferences.window.close()
            page.window.close()
            watch.end()
            await hers.stop()
            await his.stop()
        }

        @Test(
            "who works in another program is not away, where the desktop says so",
            arguments: PrivateIdleTime.Desktop.allCases)
        func elsewhere(_ desktop: PrivateIdleTime.Desktop) async throws {
            let (hers, his) = try await friends()
            let bus = try PrivateBus()
            let session = try PrivateIdleTime(on: bus, like: desktop, idle: .seconds(20))
            let clock = ManualClock()
            let environment = ModelEnvironment(now: { clock.messageTime }, clock: clock)
            let watch = AwayWatch(hers, bus: try MessageBus(address: bus.address), environment: environment)
            #expect(await Toolkit.eventually { clock.sleeperCount == 1 })
            // Ten minutes without input here, but 20 seconds ago there was some elsewhere.
            clock.advance(by: .seconds(600))
            #expect(await Toolkit.eventually { clock.sleeperCount == 1 })
            #expect(his.contacts.rows.elements.first?.section == .online)
            try session.set(.seconds(600))
            clock.advance(by: .seconds(580))
            #expect(await Toolkit.eventually { his.contacts.rows.elements.first?.section == .away })
            try session.set(.seconds(1))
            #expect(await Toolkit.eventually { clock.sleeperCount == 1 })
            clock.advance(by: .seconds(30))
            #expect(await Toolkit.eventually { his.contacts.rows.elements.first?.section == .online })
            watch.end()
            await hers.stop()
            await his.stop()
        }
    }
}
