import AccountRegistration
import ChatFixtures
import ChatStore
import ChatStoreTesting
import DataForms
import Foundation
import GTKBinding
import ServerFixtures
import Testing
import WindowFixtures
import XMPPAddress
import XMPPClient

@testable import ChatApp
@testable import ChatModel

extension WindowTests {
    @MainActor
    @Suite("Signing in")
    struct SignInTests {
        init() throws { try #require(Toolkit.isReady) }

        private func window(_ flow: SignInFlow) -> Window {
            let window = Window("Test", width: 480, height: 680, flow.root)
            flow.window = { [weak window] in window }
            window.present()
            return window
        }

        @Test(
            "S0-73, S0-75, S0-77, S1-15, S2-14: errors are shown beside the button and mark the field; an unreachable server is named"
        )
        func failures() async throws {
            let home = try await ChatHome.unreachable()
            let model = home.signIn()
            let view = SignInView(model)
            let bar = HeaderBar(title: WindowTitle("Hongyan"))
            let window = Window("Test", width: 480, height: 680, Box.vertical(bar, view.root.expand(.vertical)))
            window.present()
            view.address.text = "juliet"
            view.page.onContinue()
            #expect(await Toolkit.eventually { view.page.failure.isVisible })
            #expect(model.failure?.field == .address)
            // The field to correct has the focus.
            #expect(view.address.containsFocus)
            view.password.grabFocus()
            #expect(!view.address.containsFocus)
            view.page.onContinue()
            #expect(await Toolkit.eventually { view.address.containsFocus })
            view.address.text = "juliet@capulet.example"
            view.password.text = "secret"
            await Toolkit.picture(window, "sign-in")
            view.page.onContinue()
            #expect(await Toolkit.eventually { view.page.failure.text.contains("capulet.example") && !model.isWorking })
            await Toolkit.picture(window, "sign-in-unreachable")
            window.destroy()
            await home.stop()
        }

        @Test("S0-74, S1-16: a server that never answers is named, and the user can try again")
        func timeout() async throws {
            let server = try await ServerKind.prosody13.shared()
            let juliet = try await server.newAccount("juliet")
            let proxy = try FaultProxy(to: server.port)
            defer { proxy.stop() }
            // It accepts, and then nothing comes.
            proxy.configure { ($0.stallsUpstream, $0.stallsDownstream) = (true, true) }
            let home = try await ChatHome.unreachable()
            home.prepare = { configuration in
                configuration.host = proxy.host
                configuration.port = proxy.port
                configuration.trust = .certificateAuthority(server.authorityFile)
                configuration.loginTimeout = .seconds(1)
            }
            let view = SignInView(home.signIn())
            let window = Window("Test", width: 480, height: 680, view.root)
            window.present()
            view.address.text = juliet.address
            view.password.text = juliet.password
            view.page.onContinue()
            #expect(await Toolkit.eventually { view.page.failure.isVisible })
            #expect(WindowCrawler.texts(of: window).contains { $0.contains("did not respond in time") })
            #expect(view.page.button.isSensitive)
            #expect(home.accounts.rows.elements.isEmpty)
            window.destroy()
            await home.stop()
        }

        @Test(
            "without an account the user chooses a way in; each page has a way back; a closed window leaves nothing behind"
        )
        func flow() async throws {
            let home = try await ChatHome.unreachable()
            await Toolkit.settle()
            let before = Object.liveCount
            do {
                let flow = SignInFlow(home, isFirst: true)
                let window = window(flow)
                await Toolkit.picture(window, "welcome")
                flow.showSignIn()
                flow.showRegistration()
                await Toolkit.picture(window, "provider")
                flow.showInvitation()
                await Toolkit.picture(window, "invitation")
                flow.cancelWork()
                window.destroy()
            }
            #expect(await Toolkit.eventually { Object.liveCount <= before })
            await home.stop()
        }

        @Test("the button of a page is visible whenever the user can continue, also after work on another page")
        func button() async throws {
            let page = FormPage(title: "Test", description: nil, button: "Go")
            let window = Window("Test", width: 480, height: 680, page.root)
            window.present()
            #expect(page.button.isVisible)
            page.show(progress: "Working")
            page.show(isButtonNeeded: true)
            #expect(!page.button.isVisible)
            page.show(isButtonNeeded: false)
            page.show(progress: nil)
            #expect(!page.button.isVisible)
            page.show(isButtonNeeded: true)
            #expect(page.button.isVisible)
            window.destroy()
        }

        @Test("P1-18: a newcomer without a server chooses one by its country and rules, and types nothing")
        func provider() async throws {
            let home = try await ChatHome.unreachable()
            let model = home.register()
            let view = RegistrationView(model)
            let window = Window("Test", width: 480, height: 680, view.root)
            window.present()
            #expect(await Toolkit.eventually { view.providers.buttons.first?.isMapped == true })
            let texts = WindowCrawler.texts(of: window)
            #expect(KnownProvider.all.count >= 4)
            for known in KnownProvider.all {
                #expect(texts.contains(known.domain) && texts.contains(Wording.provider(known)), "\(texts)")
            }
            #expect(texts.filter { $0 == "Rules" }.count == KnownProvider.all.count)
            #expect(!view.provider.isMapped)
            let chosen = KnownProvider.all[1].domain
            view.providers.buttons[1].isActive = true
            #expect(model.provider == chosen && !view.provider.isMapped)
            #expect(await WindowCrawler.click("Continue", in: window))
            #expect(
                await Toolkit.eventually {
                    !model.isWorking && model.failure?.message.contains(chosen) == true
                })
            // Another one can still be typed.
            view.providers.buttons.last?.isActive = true
            #expect(await Toolkit.eventually { view.provider.isMapped && view.provider.containsFocus })
            #expect(model.provider.isEmpty)
            window.destroy()
            await home.stop()
        }

        @Test("S2-18: a provider's form shows texts, choices and the CAPTCHA picture")
        func form() async throws {
            let home = try await ChatHome.unreachable()
            let model = home.register(AccountInvitation("xmpp:juliet@example.org?register;preauth=T"))
            let form = DataForm(
                kind: .form, instructions: [sampleWords("Choose a plan and prove that you are human.")],
                fields: [
                    DataFormField(
                        name: "plan", kind: .listSingle, label: sampleWords("Plan"), values: ["l"],
                        options: [
                            .init(label: sampleWords("Small"), value: "s"),
                            .init(label: sampleWords("Large"), value: "l"),
                        ]),
                    DataFormField(name: "terms", kind: .boolean, label: sampleWords("I agree to the terms of use")),
                    DataFormField(name: "email", label: sampleWords("E-mail")),
                    DataFormField(name: "ocr", label: sampleWords("The letters in the picture"), isRequired: true),
                ])
            let view = RegistrationFormView(model)
            let page = Box.vertical(
                HeaderBar(title: WindowTitle("example.org")), view.root.margins(horizontal: 12, vertical: 12))
            let window = Window("Test", width: 480, height: 680, page)
            window.present()
            let query = RegistrationQuery(form: form)
            view.show(RegistrationForm(query))
            #expect(model.answers["plan"] == ["l"])
            await Toolkit.picture(window, "provider-form")
            try window.choose(0, inRow: sampleWords("Plan"))
            try window.click(row: sampleWords("I agree to the terms of use"))
            // The choices are part of the submitted form.
            let sent = query.answered(with: model.answers)
            #expect(sent.form?.fields.first { $0.name == "plan" }?.values == ["s"])
            #expect(sent.form?.fields.first { $0.name == "terms" }?.values == ["1"])
            window.destroy()
            await home.stop()
        }

        @Test(
            "S0-76, S1-18, S2-12: with a real server: the certificate is confirmed and trusted, and the account connects"
        )
        func live() async throws {
            let server = try await ServerKind.prosody13.shared()
            let account = try await server.newAccount("juliet")
            let home = ChatHome(store: MemoryStore(), accountStorage: MemoryAccountStorage())
            await home.start()
            let flow = SignInFlow(home, isFirst: true)
            let window = window(flow)
            var done: AccountID?
            flow.onDone = { done = $0 }
            let model = home.signIn()
            (model.address, model.password) = (account.address, account.password)
            (model.host, model.port) = (server.host, String(server.port))
            flow.showSignIn(model, reason: nil)
            model.start()
            #expect(await Toolkit.eventually { model.certificates.details != nil })
            #expect(await Toolkit.eventually { flow.questions.last?.shown != nil })
            let question = try #require(flow.questions.last?.shown)
            await Toolkit.picture(question.dialog, "certificate")
            model.certificates.answer(.trustAlways)
            #expect(await Toolkit.eventually { done != nil })
            let id = try #require(done)
            #expect(await Toolkit.eventually { home.accounts.rows[id]?.connection.isOnline == true })
            window.destroy()
            await home.stop()
        }

        @Test(
            "S0-72: host and port are typed beside the address, the login has a deadline, and the account has a resource"
        )
        func place() async throws {
            let server = try await ServerKind.prosody13.shared()
            let juliet = try await server.newAccount("juliet")
            let proxy = try FaultProxy(to: server.port)
            defer { proxy.stop() }
            proxy.configure { ($0.stallsUpstream, $0.stallsDownstream) = (true, true) }
            let home = ChatHome(store: MemoryStore(), accountStorage: MemoryAccountStorage())
            func prepare(timeout: Duration) {
                home.prepare = { configuration in
                    configuration.trust = .certificateAuthority(server.authorityFile)
                    configuration.loginTimeout = timeout
                }
            }
            prepare(timeout: .seconds(1))
            await home.start()
            let view = SignInView(home.signIn())
            let window = Window("Test", width: 480, height: 680, view.root)
            window.present()
            view.address.text = juliet.address
            view.password.text = juliet.password
            view.server.host.text = proxy.host
            view.server.port.text = "70000"
            view.page.button.click()
            #expect(await Toolkit.eventually { view.page.failure.text.contains("65535") })
            view.server.port.text = String(proxy.port)
            view.page.button.click()
            #expect(await Toolkit.eventually { view.page.failure.text.contains("did not respond in time") })
            proxy.heal()
            prepare(timeout: .seconds(120))
            view.page.button.click()
            #expect(await Toolkit.eventually { home.accounts.rows.elements.first?.connection.isOnline == true })
            let bound = try #require(await home.chatAccounts.first?.session?.address)
            // The domain is not the host.
            #expect(bound.bare.description == juliet.address && bound.domain == server.domain)
            #expect(bound.resource?.isEmpty == false)
            #expect(proxy.counters.accepted >= 2)
            window.destroy()
            await home.stop()
        }

        @Test(
            "S1-4: host, port and address are in a file apart from the password, and a change there is used at the next start"
        )
        func settings() async throws {
            let server = try await ServerKind.prosody13.shared()
            let juliet = try await server.newAccount("juliet")
            let (first, second) = (try FaultProxy(to: server.port), try FaultProxy(to: server.port))
            defer { second.stop() }
            let prepare: @MainActor (inout ClientConfiguration) -> Void = {
                $0.trust = .certificateAuthority(server.authorityFile)
            }
            let user = try await ProgramUser()
            defer { ProgramUser.remove(user.folder) }
            user.home.prepare = prepare
            await user.home.start()
            let view = SignInView(user.home.signIn())
            let window = Window("Test", width: 480, height: 680, view.root)
            window.present()
            view.address.text = juliet.address
            view.password.text = juliet.password
            view.server.host.text = first.host
            view.server.port.text = String(first.port)
            view.page.button.click()
            #expect(await Toolkit.eventually { user.home.accounts.rows.elements.first?.connection.isOnline == true })
            window.destroy()
            await user.end()
            first.stop()

            let file = user.folder + "/config/accounts.json"
            let text = try String(contentsOfFile: file, encoding: .utf8)
            #expect(text.contains(juliet.address) && text.contains(first.host) && !text.contains(juliet.password))
            let changed = text.replacingOccurrences(of: String(first.port), with: String(second.port))
            try #require(changed != text)
            try changed.write(toFile: file, atomically: true, encoding: .utf8)

            let again = try await ProgramUser(in: user.folder)
            again.home.prepare = prepare
            await again.home.start()
            #expect(await Toolkit.eventually { again.home.accounts.rows.elements.first?.connection.isOnline == true })
            #expect(second.counters.accepted >= 1)
            await again.end()
        }

        /// Creates an account with a random name, which is returned.
        private func create(_ view: RegistrationView, in window: Window, at domain: String) async -> String {
            view.providers.buttons.last?.isActive = true
            view.provider.text = domain
            #expect(await WindowCrawler.click("Continue", in: window))
            #expect(await Toolkit.eventually { view.userName.isMapped })
            let name = "new-\(String(UInt64.random(in: 0...UInt64.max), radix: 36))"
            func shows(_ text: String) -> Bool { WindowCrawler.texts(of: window).contains(text) }
            #expect(await Toolkit.eventually { shows("Your address will end with @\(domain)") })
            view.userName.text = name
            #expect(await Toolkit.eventually { shows("Your address will be \(name)@\(domain)") })
            view.password.text = "rose of Verona"
            view.repeated.text = "rose of Mantua"
            #expect(await WindowCrawler.click("Create Account", in: window))
            #expect(await Toolkit.eventually { view.repeated.containsFocus })
            view.repeated.text = "rose of Verona"
            #expect(await WindowCrawler.click("Create Account", in: window))
            return name
        }

        @Test("a later account sees its address, too: as text and QR code, with the link of an invitation")
        func later() async throws {
            let server = try await ServerKind.prosody13.shared()
            let home = try await ChatHome.unreachable("juliet@capulet.example", isEnabled: false)
            home.prepare = { configuration in
                configuration.host = server.host
                configuration.port = server.port
                configuration.trust = .certificateAuthority(server.authorityFile)
            }
            let signIn = SignInWindow.add(home, over: nil)
            signIn.flow.showRegistration()
            let name = try await create(
                #require(signIn.flow.registration), in: signIn.window, at: server.domain)
            let address = "\(name)@\(server.domain)"
            #expect(
                await Toolkit.eventually { WindowCrawler.texts(of: signIn.window).contains("You are \(address)") })
            let page = try #require(signIn.flow.newAccount)
            #expect(page.done.hasFocus && !page.own.address.hasSelection)
            await Toolkit.picture(signIn.window, "new-account")
            #expect(await WindowCrawler.click("Copy Address", in: signIn.window))
            #expect(await Toolkit.eventually(asking: { (try? await Clipboard.text()) == address }))
            #expect(await WindowCrawler.click("Copy Invitation Link", in: signIn.window))
            let link = "xmpp:\(address)?roster"
            #expect(await Toolkit.eventually(asking: { (try? await Clipboard.text())?.hasPrefix(link) == true }))
            #expect(await WindowCrawler.click("Choose a Name and Picture…", in: signIn.window))
            let id = try #require(home.accounts.rows.elements.last).id
            #expect(await Toolkit.eventually { !signIn.window.isMapped })
            let preferences = ProgramPreferencesWindow.show(home, over: nil)
            #expect(await Toolkit.eventually { preferences.account?.id == id })
            preferences.window.close()
            await home.stop()
        }

        @Test("S1-7: an account is created and signed in, disconnected by its switch and connected again")
        func life() async throws {
            let server = try await ServerKind.prosody13.shared()
            let romeo = try await RoomVisitor("romeo", on: server)
            let home = ChatHome(store: MemoryStore(), accountStorage: MemoryAccountStorage())
            home.prepare = { $0.use(server) }
            await home.start()
            let view = RegistrationView(home.register())
            let window = Window("Test", width: 480, height: 680, view.root)
            window.present()
            let name = await create(view, in: window, at: server.domain)
            #expect(await Toolkit.eventually { home.accounts.rows.elements.first?.connection.isOnline == true })
            let row = try #require(home.accounts.rows.elements.first)
            #expect(row.address.description == "\(name)@\(server.domain)")
            window.destroy()

            // What a contact sees.
            let account = try #require(home.account(row.id))
            _ = try await romeo.account.contacts.add(row.address)
            #expect(await Toolkit.eventually { !home.contacts.requests.elements.isEmpty })
            try await account.contacts.acceptRequest(of: romeo.address)
            #expect(await Toolkit.eventually { romeo.home.contacts.rows.elements.first?.section == .online })
            let preferences = ProgramPreferencesWindow.show(home, over: nil, account: row.id)
            await Toolkit.settle()
            try preferences.window.click(row: "Use this account")
            #expect(await Toolkit.eventually { romeo.home.contacts.rows.elements.first?.section == .offline })
            #expect(await Toolkit.eventually { home.accounts.rows[row.id]?.connection.isOnline == false })
            try preferences.window.click(row: "Use this account")
            #expect(await Toolkit.eventually { romeo.home.contacts.rows.elements.first?.section == .online })
            preferences.window.close()
            await home.stop()
            await romeo.home.stop()
        }
    }
}
