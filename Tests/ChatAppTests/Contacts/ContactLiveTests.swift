import ChatEngine
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
                configuration.host = server.host
                configuration.port = server.port
                configuration.trust = .certificateAuthority(server.authorityFile)
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
    }
}
