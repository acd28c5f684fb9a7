internal import ChatModel
internal import GTKBinding
internal import Localization
internal import UserProfile

extension DesktopProgram {
    /// The actions of the whole program, with their keyboard shortcuts.
    func addActions() {
        application.add(Action("quit") { [weak self] in self?.quit() })
        application.add(Action("about") { [weak self] in self?.showAbout() })
        // Notifications identify a conversation by its number.
        application.add(
            Action(
                "open-conversation",
                text: { [weak self] text in
                    if let number = Int64(text) { self?.openConversation(number: number) }
                }))
        addAccountActions()
        for shortcut in Shortcuts.all { application.setShortcuts(shortcut.keys, for: shortcut.action) }
    }

    func showAbout() {
        let about = AboutWindow(
            localized("Hongyan"), version: Release.version, icon: Self.id,
            developer: localized("The Hongyan developers"),
            website: "", over: window?.window)
        about.show(comments: localized("Chat, pictures and voice messages over XMPP."))
        about.present()
    }

    /// The actions about accounts and preferences, available in every window.
    func addAccountActions() {
        application.add(Action("preferences") { [weak self] in self?.showPreferences() })
        application.add(
            Action("add-account") { [weak self] in
                guard let self, let context = self.context else { return }
                SignInWindow.add(context.home, over: self.window?.window)
            })
    }

    func showPreferences() {
        guard let context else { return }
        ProgramPreferencesWindow.show(context.home, over: window?.window)
    }

    /// Opens a conversation and raises the window.
    func openConversation(number: Int64) {
        showWindow()
        context?.openConversation(number: number)
    }
}
