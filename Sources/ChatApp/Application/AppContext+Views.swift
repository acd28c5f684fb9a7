internal import ChatEngine
internal import ChatModel
internal import ChatStore
internal import GTKBinding

/// Creates every view with its model and closures. Only this file and the types beside it (``ConversationBuilder``,
/// ``RoomViews``, ``EncryptionViews``) decide which view depends on what.
extension AppContext {
    /// The main window as a place to show dialogs and toasts.
    var windowContext: WindowContext {
        WindowContext(
            window: { [weak self] in self?.window?.window }, showToast: { [weak self] in self?.showToast($0) },
            showUndo: { [weak self] in self?.window?.showUndo($0, $1) })
    }

    // MARK: Lists

    func welcomeView() -> WelcomeView {
        WelcomeView(
            home.accounts, home.conversations, invitation: { [weak self] in self?.invitation(to: $0) },
            showToast: windowContext.showToast,
            showProfile: { [weak self] id in
                guard let self else { return }
                ProgramPreferencesWindow.show(self.home, over: self.window?.window, account: id)
            })
    }

    func conversationListView(menu: Menu) -> ConversationListView {
        ConversationListView(
            home.conversations, SearchModel(store: home.store, environment: home.environment),
            contacts: home.contacts, accounts: home.accounts, avatars: home.avatars, menu: menu,
            rowMenu: { [weak self] in self?.conversationMenu($0) })
    }

    func conversationMenu(_ row: ConversationRow) -> ConversationMenu {
        let key = row.key
        return ConversationMenu(
            row, home.conversations, account: home.account(key.account),
            isRoom: home.rooms.rows[.init(account: key.account, address: key.address)] != nil, windowContext,
            leave: { [weak self] in
                self?.rooms.joining.askToLeave(key, title: row.title, over: self?.window?.window)
            },
            willDelete: { [weak self] in
                if self?.window?.openKey == key { self?.window?.closeConversation() }
            })
    }

    func contactsView() -> ContactsView {
        ContactsView(
            home.contacts, home.avatars, actions: { [weak self] in self?.contactActions($0) },
            addContact: { [weak self] in self?.addContact($0) })
    }

    // MARK: Bars of the main window

    /// - Parameter account: the only one that it is about; `nil` for all.
    func connectionNotice(about account: AccountID? = nil) -> ConnectionNotice {
        ConnectionNotice(home.accounts, home.environment, about: account) { [home] account in
            Task { await home.connectNow(account) }
        } signIn: { [weak self] account in
            if let self { SignInWindow.signInAgain(account, self.home, over: self.window?.window) }
        }
    }

    func requestBar() -> RequestBar {
        RequestBar(home.contacts, home.accounts, home.avatars) { [weak self] in self?.contactActions($0) }
    }

    // MARK: Contacts

    /// `nil` when the account is not running.
    func contactActions(_ id: ContactRow.ID) -> ContactActions? {
        guard let account = home.account(id.account) else { return nil }
        let actions = ContactActions(
            ContactModel(id, account: account, environment: home.environment), windowContext,
            knownGroups: { [home] in home.contacts.groups(of: id.account) },
            open: { [weak self] in self?.open($0) }, showPage: { [weak self] in self?.showContact($0) })
        actions.showCommands = { [weak actions] in
            guard let actions else { return }
            CommandWindow(
                CommandModel(id.address, account: account), name: actions.model.name, over: actions.window()
            ).present()
        }
        return actions
    }

    func contactView(_ actions: ContactActions) -> ContactView {
        let model = actions.model
        let accounts = home.accounts.rows
        return ContactView(
            actions, home.avatars,
            media: SharedMediaGroup(sharedMedia(of: model.conversation)) { [weak model] in model?.name ?? "" },
            encryption: encryption.group(
                of: model.conversation, name: { [weak model] in model?.name ?? "" },
                window: { [weak actions] in actions?.window() }),
            ownAddress: accounts.elements.count > 1 ? accounts[model.id.account]?.address : nil)
    }

    // MARK: Conversations

    func conversationView(_ key: ConversationKey) -> ConversationView { ConversationBuilder(self, key).view() }

    func sharedMedia(of key: ConversationKey) -> SharedMediaSource {
        SharedMediaSource(
            key: key, playback: playback, window: windowContext,
            model: { [home] kinds, pageSize in
                SharedMediaModel(
                    key, kinds: kinds, store: home.store, environment: home.environment, pageSize: pageSize)
            },
            prepareDownloads: { [weak self] in await self?.prepareDownloads(of: key.account) },
            downloads: { [weak self] in self?.downloads(of: key.account) },
            showMessage: { [weak self] in self?.open(key, at: $0) })
    }
}

extension ChatHome: AccountActions, OwnPresenceActions, SignInActions {}
