internal import ChatEngine
internal import ChatModel
internal import ChatStore
internal import GTKBinding

/// Creates every view with its model and closures. No other file decides which view depends on what.
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

    /// - Parameter welcome: shown while there is no conversation.
    func conversationListView(menu: Menu, welcome: Widget? = nil) -> ConversationListView {
        ConversationListView(
            home.conversations, SearchModel(store: home.store, environment: home.environment),
            contacts: home.contacts, accounts: home.accounts, avatars: home.avatars, menu: menu, welcome: welcome,
            rowMenu: { [weak self] in self?.conversationMenu($0) })
    }

    func conversationMenu(_ row: ConversationRow) -> ConversationMenu {
        let key = row.key
        return ConversationMenu(
            row, home.conversations, account: home.account(key.account),
            isRoom: home.rooms.rows[.init(account: key.account, address: key.address)] != nil, windowContext,
            leave: { [weak self] in
                self?.roomJoining.askToLeave(key, title: row.title, over: self?.window?.window)
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

    func roomInvitationBar() -> RoomInvitationBar {
        RoomInvitationBar(home.contacts, home.accounts, roomJoining) { [weak self] in self?.window?.open($0) }
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
            encryption: encryptionGroup(
                of: model.conversation, name: { [weak model] in model?.name ?? "" },
                window: { [weak actions] in actions?.window() }),
            ownAddress: accounts.elements.count > 1 ? accounts[model.id.account]?.address : nil)
    }

    // MARK: Conversations

    func conversationView(_ key: ConversationKey) -> ConversationView {
        let account = home.account(key.account)
        let timeline = Timeline(
            key, store: home.store, actions: account, environment: home.environment,
            pageSize: ConversationView.pageSize, pages: ConversationView.pages)
        timeline.joinsAlbums = true
        let room = key.kind == .room ? RoomModel(key, store: home.store, environment: home.environment) : nil
        return ConversationView(
            ConversationParts(
                key: key, account: account,
                timeline: timeline,
                finder: ConversationFinder(key, store: home.store, environment: home.environment),
                services: timelineServices(of: key, room), room: room.map { roomPart($0) },
                composer: composerContext(
                    of: key, name: { [weak self, weak room] in room?.title ?? self?.name(of: key) ?? "" },
                    room: room),
                contact: key.kind == .direct
                    ? contactActions(ContactRow.ID(account: key.account, address: key.address)) : nil,
                conversations: home.conversations, contacts: home.contacts, accounts: home.accounts,
                prepareDownloads: { [weak self] in await self?.prepareDownloads(of: key.account) },
                showContact: { [weak self] in
                    self?.showContact(ContactRow.ID(account: key.account, address: key.address))
                }, notice: connectionNotice(about: key.account)))
    }

    private func timelineServices(of key: ConversationKey, _ room: RoomModel?) -> TimelineServices {
        TimelineServices(
            avatars: home.avatars, playback: playback, window: windowContext,
            downloads: { [weak self] in self?.downloads(of: key.account) }, deletions: deletions,
            forward: { [weak self] in if let self { ForwardingWindow($0, self).present() } },
            moderation: room.map { moderation(in: $0) },
            occupantAvatar: { [weak room] in room?.avatars[$0] },
            mayAddressEverybody: { [weak room] in room?.mayAddressEverybody($0) ?? false },
            isOnline: { [home] in home.accounts.rows[key.account]?.connection.isOnline ?? false },
            showDevices: home.account(key.account).flatMap { encryption($0) }.map { _ in
                { [weak self] notice in
                    guard let self, let address = notice.address else { return }
                    self.showDevices(
                        of: address, name: notice.name ?? address.description, as: key.account,
                        over: self.window?.window)
                }
            })
    }

    private func moderation(in room: RoomModel) -> TimelineServices.Moderation {
        let key = room.key
        return TimelineServices.Moderation(
            isAllowed: { [weak room] in room?.rights.mayRetractOthersMessages ?? false },
            delete: { [weak self] id throws(RoomFailure) in
                try await self?.home.account(key.account)?.rooms.retract(id, in: key.address)
            })
    }

    /// `nil` when the account is not running.
    private func composerContext(
        of key: ConversationKey, name: @escaping () -> String, room: RoomModel?
    ) -> ComposerContext? {
        guard let account = home.account(key.account) else { return nil }
        let media = home.media(of: key.account)
        let composer = Composer(
            key, store: home.store, actions: account, media: media, environment: home.environment)
        composer.links = LinkCards(isOn: { [home] in home.preferences.values.describesLinks })
        return ComposerContext(
            composer: composer, media: media,
            recordings: media.map { VoiceComposer.folder(of: key, in: $0) },
            encryption: encryptionModel(of: key).map { EncryptionButton($0, name: name) },
            showDevices: key.kind == .direct
                ? { [weak self] in
                    self?.showDevices(of: key.address, name: name(), as: key.account, over: self?.window?.window)
                } : nil,
            nicknames: { [weak room] in room?.nicknames ?? [] },
            mayAddressEverybody: room.map { room in { [weak room] in room?.mayAddressEverybody() ?? false } },
            commands: commands(of: key, account),
            sendsWithReturn: { [home] in home.preferences.values.sendsWithReturn },
            spelling: spelling,
            checksSpelling: { [home] in home.preferences.values.checksSpelling }, showToast: windowContext.showToast,
            window: windowContext.window)
    }

    /// The commands of a contact. Nothing is requested from strangers, who would learn that the user is online.
    private func commands(of key: ConversationKey, _ account: ChatAccount) -> CommandSuggestions? {
        guard key.kind == .direct else { return nil }
        return CommandSuggestions(
            CommandModel(key.address, account: account),
            isAllowed: { [home] in
                home.contacts[.init(account: key.account, address: key.address)].map { $0.section != .offline } ?? false
            },
            show: { [weak self] offer in
                guard let self else { return }
                CommandWindow(
                    CommandModel(key.address, account: account), name: self.name(of: key), first: offer,
                    over: self.window?.window
                ).present()
            })
    }

    private func name(of key: ConversationKey) -> String {
        home.conversations.all[key]?.title ?? home.contacts.rows.elements.first { $0.conversation == key }?.name
            ?? key.address.description
    }

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

    // MARK: Rooms

    var roomJoining: RoomJoining {
        RoomJoining(
            account: { [weak self] in self?.home.account($0) },
            ask: { [weak self] in if let self { RoomEntryWindow.show($0, self) } }, showToast: windowContext.showToast)
    }

    /// Asks whom to invite to a new room, if there is anyone.
    func invitePeople(to key: ConversationKey) {
        guard let room = window?.conversation?.room?.model, room.key == key,
            !home.contacts.find("", of: key.account).isEmpty
        else { return }
        RoomInviteWindow(room, self, over: window?.window, showToast: windowContext.showToast).present()
    }

    func roomNotice(_ room: RoomModel) -> RoomNotice { RoomNotice(room, home.accounts, roomJoining) }

    private func roomPart(_ room: RoomModel) -> RoomAccessories {
        RoomAccessories(room, roomNotice(room)) { [weak self] in self.map { RoomWindow(room, $0) } }
    }

    func roomPage(_ room: RoomModel) -> RoomPage {
        let page = RoomPage(
            room, home.conversations, home.accounts, home.avatars, roomJoining,
            media: SharedMediaGroup(sharedMedia(of: room.key)) { [weak room] in room?.title ?? "" },
            encryption: encryptionGroup(
                of: room.key, name: { [weak room] in room?.title ?? "" }, window: { nil }))
        page.showSettings = { [weak self, weak room] in if let self, let room { self.showSettings(of: room, over: $0) }
        }
        return page
    }

    private func showSettings(of room: RoomModel, over parent: Window?) {
        guard let account = home.account(room.key.account) else { return }
        RoomSettingsWindow(
            RoomSettingsModel(room.key, account: account, isOwner: room.rights.isOwner), home.conversations,
            home.avatars, own: account.address, over: parent
        ) { [home] in home.contacts[.init(account: account.id, address: $0)]?.name }
        .present()
    }

    func roomPeopleView(_ room: RoomModel) -> RoomPeopleView {
        RoomPeopleView(room, home.avatars, roomPersonMenu(room)) { [weak self] parent, showToast in
            if let self { RoomInviteWindow(room, self, over: parent, showToast: showToast).present() }
        }
    }

    func roomPersonMenu(_ room: RoomModel) -> RoomPersonMenu {
        let account = room.key.account
        return RoomPersonMenu(
            room, account: { [weak self] in self?.home.account(account) },
            talk: { [weak self] in self?.window?.open($0) },
            showDevices: home.account(account).flatMap { encryption($0) }.map { _ in
                { [weak self] person, parent in
                    guard let self, let address = person.address else { return }
                    self.showDevices(of: address, name: person.nickname, as: account, over: parent)
                }
            })
    }
}

extension ChatHome: AccountActions, OwnPresenceActions, SignInActions {}
