internal import ChatEngine
internal import ChatModel
internal import ChatStore
internal import GTKBinding

/// Gives each view its model and closures: the one place that knows which view needs what.
extension AppContext {
    /// The main window.
    var place: WindowPlace {
        WindowPlace(
            window: { [weak self] in self?.window?.window }, toast: { [weak self] in self?.say($0) })
    }

    // MARK: Lists

    func conversationListView(menu: Menu) -> ConversationListView {
        ConversationListView(
            home.conversations, SearchModel(store: home.store, environment: home.environment),
            accounts: home.accounts, avatars: home.avatars, menu: menu,
            rowMenu: { [weak self] in self?.conversationMenu($0) })
    }

    func conversationMenu(_ row: ConversationRow) -> ConversationMenu {
        let key = row.key
        return ConversationMenu(
            row, home.conversations, account: home.account(key.account),
            isRoom: home.rooms.rows[.init(account: key.account, address: key.address)] != nil, place,
            leave: { [weak self] in
                self?.roomJoining.askToLeave(key, title: row.title, over: self?.window?.window)
            },
            willDelete: { [weak self] in
                if self?.window?.openKey == key { self?.window?.closeConversation() }
            })
    }

    func contactsView() -> ContactsView {
        ContactsView(
            home.contacts, home.avatars, wishes: { [weak self] in self?.contactWishes($0) },
            addContact: { [weak self] in self?.addContact($0) })
    }

    // MARK: Bars of the main window

    func connectionNotice() -> ConnectionNotice {
        ConnectionNotice(home.accounts, home.environment) { [home] account in
            Task { await home.connectNow(account) }
        } signIn: { [weak self] account in
            if let self { SignInWindow.repeated(account, self.home, over: self.window?.window) }
        }
    }

    func requestBar() -> RequestBar {
        RequestBar(home.contacts, home.accounts, home.avatars) { [weak self] in self?.contactWishes($0) }
    }

    func roomInvitationBar() -> RoomInvitationBar {
        RoomInvitationBar(home.contacts, home.accounts, roomJoining) { [weak self] in self?.window?.open($0) }
    }

    // MARK: Contacts

    /// `nil` where the account is not at work.
    func contactWishes(_ id: ContactRow.ID) -> ContactWishes? {
        guard let account = home.account(id.account) else { return nil }
        return ContactWishes(
            ContactModel(id, account: account, environment: home.environment), place,
            knownGroups: { [home] in home.contacts.groups(of: id.account) },
            open: { [weak self] in self?.open($0) }, showPage: { [weak self] in self?.showContact($0) })
    }

    func contactView(_ wishes: ContactWishes) -> ContactView {
        let model = wishes.model
        let accounts = home.accounts.rows
        return ContactView(
            wishes, home.avatars,
            media: SharedMediaGroup(sharedMedia(of: model.conversation)) { [weak model] in model?.name ?? "" },
            ownAddress: accounts.elements.count > 1 ? accounts[model.id.account]?.address : nil)
    }

    // MARK: Conversations

    func conversationView(_ key: ConversationKey) -> ConversationView {
        let account = home.account(key.account)
        let room = key.kind == .room ? RoomModel(key, store: home.store, environment: home.environment) : nil
        return ConversationView(
            ConversationParts(
                key: key, account: account,
                timeline: Timeline(
                    key, store: home.store, actions: account, environment: home.environment,
                    pageSize: ConversationView.pageSize, pages: ConversationView.pages),
                finder: ConversationFinder(key, store: home.store, environment: home.environment),
                services: timelineServices(of: key, room), room: room.map { roomPart($0) },
                writing: writingPlace(of: key) { [weak room] in room?.nicknames ?? [] },
                conversations: home.conversations, contacts: home.contacts, accounts: home.accounts,
                prepareDownloads: { [weak self] in await self?.prepareDownloads(of: key.account) },
                showContact: { [weak self] in
                    self?.showContact(ContactRow.ID(account: key.account, address: key.address))
                }))
    }

    private func timelineServices(of key: ConversationKey, _ room: RoomModel?) -> TimelineServices {
        TimelineServices(
            avatars: home.avatars, playback: playback, place: place,
            downloads: { [weak self] in self?.downloads(of: key.account) },
            forward: { [weak self] in if let self { ForwardingWindow($0, self).present() } },
            moderation: room.map { moderation(in: $0) })
    }

    private func moderation(in room: RoomModel) -> TimelineServices.Moderation {
        let key = room.key
        return TimelineServices.Moderation(
            isAllowed: { [weak room] in room?.rights.mayTakeBackOthersMessages ?? false },
            delete: { [weak self] id throws(RoomFailure) in
                try await self?.home.account(key.account)?.rooms.retract(id, in: key.address)
            })
    }

    /// `nil` where the account is not at work.
    private func writingPlace(of key: ConversationKey, nicknames: @escaping () -> [String]) -> WritingPlace? {
        guard let account = home.account(key.account) else { return nil }
        let media = home.media(of: key.account)
        let composer = Composer(
            key, store: home.store, actions: account, media: media, environment: home.environment)
        return WritingPlace(
            composer: composer, media: media,
            recordings: media.map { VoiceComposer.folder(of: key, in: $0) }, nicknames: nicknames,
            say: place.toast, window: place.window)
    }

    func sharedMedia(of key: ConversationKey) -> SharedMediaSource {
        SharedMediaSource(
            key: key, playback: playback, place: place,
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
            ask: { [weak self] in if let self { RoomEntryWindow.show($0, self) } }, say: place.toast)
    }

    func roomNotice(_ room: RoomModel) -> RoomNotice { RoomNotice(room, home.accounts, roomJoining) }

    private func roomPart(_ room: RoomModel) -> RoomPart {
        RoomPart(room, roomNotice(room)) { [weak self] in self.map { RoomWindow(room, $0) } }
    }

    func roomPage(_ room: RoomModel) -> RoomPage {
        RoomPage(
            room, home.conversations, home.accounts, home.avatars, roomJoining,
            media: SharedMediaGroup(sharedMedia(of: room.key)) { [weak room] in room?.title ?? "" })
    }

    func roomPeopleView(_ room: RoomModel) -> RoomPeopleView {
        RoomPeopleView(room, home.avatars, roomPersonMenu(room)) { [weak self] parent, say in
            if let self { RoomInviteWindow(room, self, over: parent, say: say).present() }
        }
    }

    func roomPersonMenu(_ room: RoomModel) -> RoomPersonMenu {
        let account = room.key.account
        return RoomPersonMenu(
            room, account: { [weak self] in self?.home.account(account) },
            talk: { [weak self] in self?.window?.open($0) })
    }
}

extension ChatHome: AccountActions, OwnPresenceActions, SignInActions {}
