internal import ChatModel
internal import GTKBinding

extension DesktopProgram {
    /// What can be done about accounts and preferences from anywhere.
    func addAccountActions() {
        application.add(Action("preferences") { [weak self] in self?.showPreferences() })
        application.add(
            Action("add-account") { [weak self] in
                guard let self, let desk = self.desk else { return }
                SignInWindow.add(desk.home, over: self.window?.window)
            })
    }

    func showPreferences() {
        guard let desk else { return }
        PreferencesView.show(desk.home, over: window?.window)
    }

    /// Brings a conversation up in front of everything.
    func openConversation(number: Int64) {
        showWindow()
        desk?.openConversation(number: number)
    }

    /// Opens what an `xmpp:` address is about; an invitation is asked about first.
    func open(_ address: String, _ desk: Desk) {
        guard let invitation = AccountInvitation(address) else { return desk.open(address: address) }
        if window?.open(invitation) == true { return }
        SignInWindow.add(desk.home, over: window?.window, invitation: invitation)
    }
}
