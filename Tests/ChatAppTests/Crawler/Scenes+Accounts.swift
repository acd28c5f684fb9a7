import ChatEngine
import Testing
import WindowFixtures

@testable import ChatApp
@testable import ChatModel
@testable import GTKBinding

/// The main menu with the entries of the whole program.
extension Scenes {
    /// The program as it runs, with this user's conversations. Quitting ends them, so it is the last entry that is used.
    var program: Scene {
        Scene(title: "main menu", menu: Scene.menu(of: "Main Menu")) { [self] in
            let program = DesktopProgram(isUnique: false)
            try program.application.register()
            program.addActions()
            program.use(context)
            program.showWindow()
            let main = try #require(program.window)
            main.window.setDefaultSize(width: 1100, height: 700)
            main.window.retain(program)
            _ = await Toolkit.eventually { [home = sample.home] in home.phase == .ready && main.sidebar.isMapped }
            return main.window
        }
    }
}

/// The preferences and the accounts.
extension Scenes {
    private func preferences(_ page: (ProgramPreferencesWindow) -> PreferencesPage?) -> Window {
        let view = ProgramPreferencesWindow.show(sample.home, over: nil)
        if let page = page(view) { view.window.show(page) }
        return view.window
    }

    /// The page of Juliet's account.
    private func account() async -> ProgramPreferencesWindow {
        let (home, id) = (sample.home, sample.account)
        // The use before this one may have enabled it.
        await home.setEnabled(false, id)
        _ = await Toolkit.eventually { home.accounts.rows[id]?.isEnabled == false }
        return ProgramPreferencesWindow.show(home, over: nil, account: id)
    }

    var preferences: [Scene] {
        [
            Scene(title: "preferences") { [self] in preferences { _ in nil } },
            Scene(
                title: "general preferences",
                exceptions: ["Start when you log in": "it writes a file for the desktop of the user"]
            ) { [self] in preferences { $0.general } },
            Scene(title: "data preferences", exceptions: ["With pictures and files": Self.isRead]) { [self] in
                preferences { $0.data.page }
            },
            Scene(title: "account page", exceptions: ["Choose a Picture…": Self.choosesFile]) { [self] in
                await account().window
            },
            Scene(
                title: "change the password",
                exceptions: ["New password": Self.isRead, "Confirm password": Self.isRead]
            ) { [self] in
                let view = await account()
                view.account?.changePassword()
                return try #require(view.account?.passwordQuestion?.dialog)
            },
            Scene(title: "keyboard shortcuts") { ShortcutsWindow.show(over: nil) },
        ]
    }

    /// The question whether to remove an account. The last answer removes it, so nothing can be used after that.
    var removal: Scene {
        Scene(title: "sign out and remove") { [self] in
            let view = await account()
            await Toolkit.settle()
            try #require(await WindowCrawler.click("Sign Out and Remove…", in: view.window))
            _ = await Toolkit.eventually { WindowCrawler.question != nil }
            return try #require(WindowCrawler.question)
        }
    }

    private func flow(_ title: String, _ page: @escaping @MainActor (SignInFlow) -> Void) -> Scene {
        var exceptions = ["Encrypted from the first byte": Self.isRead]
        for provider in KnownProvider.all {
            exceptions[provider.domain] = Self.isRead
            // The tip is the address.
            exceptions[provider.rules] = "it opens a web page"
        }
        return Scene(title: title, exceptions: exceptions) { [sample] in
            let flow = SignInFlow(sample.home, isFirst: true)
            let window = Window("Hongyan", width: 460, height: 680, flow.root)
            flow.window = { [weak window] in window }
            window.retain(flow)
            page(flow)
            window.present()
            return window
        }
    }

    var signIn: [Scene] {
        [
            flow("first page") { _ in }, flow("sign in") { $0.showSignIn() },
            flow("choice of a provider") { $0.showRegistration() }, flow("invitation") { $0.showInvitation() },
        ]
    }

    /// The page after a further account was created.
    var newAccount: Scene {
        // The preferences are open, at the page of the account.
        func showsAccount() -> Bool {
            let texts = WidgetTree.toplevels.map { WidgetTree.texts(in: $0.widget) }
            let removal = Control.names(["Sign Out and Remove…"])
            return texts.contains { !removal.isDisjoint(with: $0) && $0.contains("juliet@capulet.example") }
        }
        let effects: [String: @MainActor () -> Bool] = [
            "Done": { [self] in furtherAccount?.isMapped != true && !showsAccount() },
            "Choose a Name and Picture…": { [self] in furtherAccount?.isMapped != true && showsAccount() },
        ]
        return Scene(title: "a further account", effects: effects) { [self] in
            let signIn = SignInWindow.add(sample.home, over: nil)
            let flow = signIn.flow
            furtherAccount = signIn.window
            // As after the form of a provider, which needs a server.
            flow.showNewAccount(sample.account)
            _ = await Toolkit.eventually {
                flow.newAccount?.own.code.code != nil && flow.newAccount?.done.isMapped == true
            }
            return signIn.window
        }
    }

    /// What unfolds in these pages.
    var unfolded: [Scene] {
        [
            flow("server settings") { $0.showSignIn() }.part { window in
                _ = await WindowCrawler.click("Server settings", in: window)
                return await Scene.group(with: "Host")(window)
            },
            flow("another provider") { $0.showRegistration() }.part { window in
                _ = await WindowCrawler.click("Other provider…", in: window)
                return await Scene.group(with: "Provider")(window)
            },
        ]
    }
}
