internal import GTKBinding
internal import Localization
internal import UserProfile

extension DesktopProgram {
    /// What can be done in the whole program, with its keys.
    func addActions() {
        application.add(Action("quit") { [weak self] in self?.quit() })
        application.add(Action("about") { [weak self] in self?.showAbout() })
        // Notifications name a conversation by its number.
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
        about.show(comments: localized("Talk, send pictures and speak over XMPP."))
        about.present()
    }
}
