import CGTK
import ChatStore
import ChatStoreTesting
import ServerFixtures
import Testing
import WindowFixtures
import XMPPAddress

@testable import ChatApp
@testable import ChatModel
@testable import GTKBinding

extension WindowTests {
    @MainActor
    @Suite("Invitation links of a server")
    struct InvitationLiveTests {
        init() throws { try #require(Toolkit.isReady) }

        @Test(
            "the link of a server that invites is shown and copied; with it a newcomer creates an account, and both are contacts"
        )
        func newcomer() async throws {
            let server = try await ServerKind.prosody012.shared(
                ServerOptions {
                    $0.addedModules = ["invites", "invites_adhoc", "invites_register"]
                    $0.configurationLines = [
                        "allow_user_invites = true", "allow_contact_invites = true", "registration_invite_only = true",
                    ]
                })
            let juliet = try await RoomVisitor("juliet", on: server)
            let preferences = ProgramPreferencesWindow.show(juliet.home, over: nil, account: juliet.id)
            let page = try #require(preferences.account)
            #expect(await Toolkit.eventually { page.share.isMapped })
            gtk_widget_activate(page.share.widget)
            let sharing = try #require(page.sharing)
            let start = "xmpp:\(juliet.address)?roster;preauth="
            func link() -> String? { WindowCrawler.texts(of: sharing.window).first { $0.hasPrefix("xmpp:") } }
            #expect(await Toolkit.eventually { link()?.hasPrefix(start) == true })
            #expect(
                WindowCrawler.texts(of: sharing.window).contains {
                    $0.contains("Those without an account can create one on your server.")
                })
            let text = try #require(link())
            sharing.copyLink.click()
            #expect(await Toolkit.eventually(asking: { (try? await Clipboard.text()) == text }))
            sharing.window.close()
            preferences.window.close()

            // Without the link nobody can create an account there.
            let home = ChatHome(store: MemoryStore(), accountStorage: MemoryAccountStorage())
            home.prepare = { $0.use(server) }
            await home.start()
            let signIn = SignInWindow.add(home, over: nil, invitation: AccountInvitation(text))
            let view = try #require(signIn.flow.registration)
            #expect(await WindowCrawler.click("Continue", in: signIn.window))
            #expect(await Toolkit.eventually { view.userName.isMapped })
            view.userName.text = "rosaline-\(String(UInt64.random(in: 0...UInt64.max), radix: 36))"
            for row in [view.password, view.repeated] { row.text = "rose of Verona" }
            #expect(await WindowCrawler.click("Create Account", in: signIn.window))
            #expect(await Toolkit.eventually { home.accounts.rows.elements.first?.connection.isOnline == true })
            let newcomer = try #require(home.accounts.rows.elements.first?.address)
            for (home, other) in [(home, juliet.address), (juliet.home, newcomer)] {
                #expect(
                    await Toolkit.eventually {
                        home.contacts.rows.elements.map(\.address) == [other]
                            && home.contacts.rows.elements.first?.section == .online
                    })
            }
            #expect(juliet.home.contacts.requests.elements.isEmpty && home.contacts.requests.elements.isEmpty)
            signIn.window.close()
            await home.stop()
            await juliet.home.stop()
        }
    }
}
