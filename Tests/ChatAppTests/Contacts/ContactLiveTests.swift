import ChatModel
import ChatStore
import ServerFixtures
import Testing
import WindowFixtures
import XMPPAddress
import XMPPClient

@testable import ChatApp
@testable import GTKBinding

extension WindowTests {
    @MainActor
    @Suite("Contacts with a real server")
    struct ContactLiveTests {
        init() throws { try #require(Toolkit.isReady) }

        /// Somebody who is online.
        private func home(_ account: ServerFixtures.Account, _ server: RunningServer) async throws -> ChatHome {
            let address = try JID(account.address)
            let keeper = MemoryAccounts()
            await keeper.save(AccountAccess(address: address))
            await keeper.save(password: account.password, of: address)
            let home = ChatHome(store: MemoryStore(), keeper: keeper)
            home.prepare = { configuration in
                configuration.host = server.host
                configuration.port = server.port
                configuration.trust = .certificateAuthority(server.authorityFile)
                configuration.loginTimeout = .seconds(120)
            }
            await home.start()
            #expect(await Toolkit.turn { home.accounts.rows.elements.first?.connection.isOnline == true })
            return home
        }

        @Test("somebody is asked, says yes in the bar, is seen, gets a name and groups, is blocked, and is deleted")
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
            #expect(await Toolkit.turn { his.contacts.rows.elements.first?.name == "Juliet" })
            #expect(await Toolkit.turn { !hisContext.takePendingToasts().isEmpty })
            #expect(his.contacts.rows.elements.first?.isPending == true)

            #expect(await Toolkit.turn { bar.isRevealed })
            #expect(bar.texts.joined().contains("We met at the feast."))
            bar.accept.click()
            #expect(await Toolkit.turn { !bar.isRevealed })
            #expect(await Toolkit.turn { hers.contacts.rows.elements.first?.section == .online })
            #expect(await Toolkit.turn { his.contacts.rows.elements.first?.section == .online })
            // He has asked first, so nobody has to say yes twice.
            #expect(his.contacts.requests.elements.isEmpty)

            let id = try #require(hers.contacts.rows.elements.first?.id)
            let page = try #require(ContactWindow.show(id, herContext, over: nil))
            let model = page.view.actions.model
            #expect(await Toolkit.turn { model.subscription == .both && !model.devices.isEmpty })
            page.view.actions.rename(to: sampleWords("My Romeo"))
            #expect(await Toolkit.turn { page.view.texts.contains(sampleWords("My Romeo")) })
            page.view.actions.move(to: [sampleWords("Friends"), " "])
            #expect(await Toolkit.turn { model.groups == [sampleWords("Friends")] })
            #expect(model.remark == "My Romeo" && hers.contacts.groups(of: id.account) == ["Friends"])
            await Toolkit.picture(page.window, "contact-online")

            page.view.actions.block().answer("block")
            #expect(await Toolkit.turn { model.isBlocked && page.view.texts.contains("Blocked") })
            await Toolkit.picture(page.window, "contact-blocked")
            let preferences = ProgramPreferencesWindow.show(hers, over: nil, account: id.account)
            let blocked = try #require(preferences.account?.blocked)
            #expect(await Toolkit.turn { blocked.rows[id.address]?.button.isSensitive == true })
            #expect(blocked.model.entries.map(\.name) == ["My Romeo"])
            preferences.window.setDefaultSize(width: 620, height: 780)
            await Toolkit.picture(preferences.window, "account-blocked")
            blocked.rows[id.address]?.button.click()
            #expect(await Toolkit.turn { blocked.rows.isEmpty })
            #expect(blocked.message == "Nobody. Whom you do not want to hear from you block on the contact page.")
            preferences.window.close()
            #expect(await Toolkit.turn { !model.isBlocked })

            page.view.actions.delete().answer("cancel")
            await Toolkit.settle()
            #expect(model.isContact)
            page.view.actions.delete().answer("delete")
            #expect(await Toolkit.turn { hers.contacts.rows.elements.isEmpty })
            #expect(await Toolkit.turn { ContactWindow.isOpen(id) == false })
            #expect(await Toolkit.turn { !herContext.takePendingToasts().isEmpty })
            window.destroy()
            await hers.stop()
            await his.stop()
        }
    }
}
