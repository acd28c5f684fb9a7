import AccountRegistration
import ChatStore
import DataForms
import GTKBinding
import ServerFixtures
import Testing
import WindowFixtures

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

        @Test("what is wrong is said beside the button and marked in the field; a server that is not there is named")
        func failures() async throws {
            let home = try await ChatHome.unreachable()
            let model = home.signIn()
            let view = SignInView(model)
            let bar = HeaderBar(title: WindowTitle("Hongyan"))
            let window = Window("Test", width: 480, height: 680, Box.vertical(bar, view.root.expand(.vertical)))
            window.present()
            view.address.text = "juliet"
            view.page.onContinue()
            #expect(await Toolkit.turn { view.page.failure.isVisible })
            #expect(model.failure?.field == .address)
            view.address.text = "juliet@capulet.example"
            view.password.text = "secret"
            await Toolkit.picture(window, "sign-in")
            view.page.onContinue()
            #expect(await Toolkit.turn { view.page.failure.text.contains("capulet.example") && !model.isWorking })
            await Toolkit.picture(window, "sign-in-unreachable")
            window.destroy()
            await home.stop()
        }

        @Test("who has no account chooses; there is always a way back, and nothing of a closed window is left")
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
            #expect(await Toolkit.turn { Object.liveCount <= before })
            await home.stop()
        }

        @Test("the button of a page is there whenever it is the person's turn, also after work on another page")
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

        @Test("a provider's form: what is read, what is chosen, and the picture whose letters are typed")
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
            // What the person has chosen is in what is sent to the provider.
            let sent = query.answered(with: model.answers)
            #expect(sent.form?.fields.first { $0.name == "plan" }?.values == ["s"])
            #expect(sent.form?.fields.first { $0.name == "terms" }?.values == ["1"])
            window.destroy()
            await home.stop()
        }

        @Test("with a real server: the certificate is asked about, trusted, and the account goes online")
        func live() async throws {
            let server = try await ServerKind.prosody13.shared()
            let account = try await server.newAccount("juliet")
            let home = ChatHome(store: MemoryStore(), keeper: MemoryAccounts())
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
            #expect(await Toolkit.turn { model.certificates.details != nil })
            #expect(await Toolkit.turn { flow.questions.last?.shown != nil })
            let question = try #require(flow.questions.last?.shown)
            await Toolkit.picture(question.dialog, "certificate")
            model.certificates.answer(.trustAlways)
            #expect(await Toolkit.turn { done != nil })
            let id = try #require(done)
            #expect(await Toolkit.turn { home.accounts.rows[id]?.connection.isOnline == true })
            window.destroy()
            await home.stop()
        }
    }
}
