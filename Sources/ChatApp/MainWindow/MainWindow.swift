internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization

/// The main window: the conversation list on one side and the open conversation on the other; a narrow window shows one
/// of them.
final class MainWindow {
    let window: ApplicationWindow
    /// Called when the user closed the window. The program may go on.
    var onClosed: () -> Void = {}

    private let context: AppContext
    let conversations: ConversationListView
    /// The conversation list or the contact list.
    let sidebar = Stack(crossfades: true)
    private(set) var contacts: ContactsView?
    let requests: RequestBar
    private let pane: ConversationPane
    let leaflet: Leaflet
    private let toasts: ToastOverlay
    private let stack = Stack(crossfades: true)
    let notice: ConnectionNotice
    let invitations: RoomInvitationBar
    /// Fills the window until the first account is signed in.
    private var signIn: SignInFlow?
    private let presence: PresenceButton
    let welcomes: WelcomePlaces

    /// The widths of the panes in pixels: the list has the first one if there is space for both.
    static let (listWidth, minimumListWidth, minimumConversationWidth) = (310, 290, 360)

    var openKey: ConversationKey? { pane.key }
    var conversation: ConversationView? { pane.view }

    init(_ context: AppContext, _ application: Application) {
        self.context = context
        window = ApplicationWindow(application, localized("Hongyan"))
        context.windowState.apply(to: window)
        context.windowState.follow(window)
        window.minimumSize(width: 360, height: 400)
        conversations = context.conversationListView(menu: MainMenu.menu)
        notice = context.connectionNotice()
        invitations = context.rooms.invitationBar()
        presence = PresenceButton(context.home)
        welcomes = WelcomePlaces(conversations) { context.welcomeView() }
        let nothing = Box.vertical(HeaderBar(title: Label()), welcomes.besideList)
        pane = ConversationPane(
            otherwise: nothing, minimumWidth: Self.minimumConversationWidth, makeView: context.conversationView)
        requests = context.requestBar()
        sidebar.add(conversations.root, name: "conversations")
        let list = Pane(
            Box.vertical(sidebar.expand(.vertical), notice.root), width: Self.listWidth,
            minimum: Self.minimumListWidth)
        // Its content expands horizontally, which would make the list take half of the window.
        list.expand(.horizontal, when: false)
        leaflet = Leaflet(list, pane.root)
        stack.add(Box.vertical(leaflet.expand(.vertical), requests.root, invitations.root), name: "chat")
        stack.add(
            Box.vertical(HeaderBar(), Spinner().minimumSize(width: 32, height: 32).expand(.vertical)), name: "starting")
        toasts = ToastOverlay(stack).css("over-composer")
        window.show(toasts)

        let people = Button(icon: "system-users-symbolic").named(localized("Contacts")).action("win.contacts")
        conversations.header.prepend(people)
        conversations.header.bar.append(presence.widget)
        conversations.header.bar.showsWindowButtons(end: false)
        conversations.onOpen = { [weak self] in self?.open($0) }
        conversations.onLook = { [weak self] in self?.pane.lookSoon(at: $0) }
        conversations.onTab = { [weak self] in self?.leaveList() }
        conversations.onStack = { [weak self] in self?.placeWelcome() }
        // In a narrow window the conversation would hide the list.
        pane.mayLook = { [weak self] in self?.leaflet.isFolded == false }
        pane.onShow = { [weak self] in self?.shown($0) }
        pane.onChange = { [weak self] in self?.paneChanged() }
        window.on("notify::focus-widget") { [weak self] in self?.pane.focusMoved() }
        conversations.onOpenMessage = { [weak self] in self?.open($0, at: $1) }
        // What is typed in the list is written in the open conversation.
        sidebar.onTyping { [weak self] _ in self?.leaflet.isFolded == true ? nil : self?.conversation?.typingTarget }
        leaflet.onFold { [weak self] in self?.folded($0) }
        leaflet.onShownPane { [weak self] in self?.paneChanged() }
        window.onActive { [weak self] isActive in self?.activeChanged(isActive) }
        window.onCloseRequest { [weak self] in
            self?.closed()
            return false
        }
        addActions()
        observe(self) { window in window.showPhase() }
        observe(self) { window in window.showUnread() }
        for sentence in context.takePendingToasts() { showToast(sentence) }
    }

    private func addActions() {
        window.add(Action("shortcuts") { [weak self] in ShortcutsWindow.show(over: self?.window) })
        window.add(
            Action("join-room") { [weak self] in if let context = self?.context { RoomEntryWindow.show(context) } })
        window.add(Action("new") { [weak self] in self?.context.beginConversation() })
        window.add(Action("share") { [weak self] in self?.context.shareAddress() })
        window.add(Action("zoom-in") { [weak self] in self?.context.appearance.zoom(by: 1) })
        window.add(Action("zoom-out") { [weak self] in self?.context.appearance.zoom(by: -1) })
        window.add(Action("zoom-reset") { [weak self] in self?.context.appearance.zoom(by: 0) })
        window.add(Action("next-unread") { [weak self] in self?.conversations.openNextUnread() })
        window.add(Action("room") { [weak self] in self?.conversation?.room?.open() })
        window.add(Action("search") { [weak self] in self?.showList(andSearch: true) })
        window.add(Action("contacts") { [weak self] in self?.toggleContacts() })
        window.add(Action("add-contact") { [weak self] in self?.context.addContact() })
        window.add(Action("next") { [weak self] in self?.conversations.openNeighbour(1) })
        window.add(Action("previous") { [weak self] in self?.conversations.openNeighbour(-1) })
        window.add(Action("down") { [weak self] in self?.moveOrGo(1) })
        window.add(Action("up") { [weak self] in self?.moveOrGo(-1) })
        window.add(Action("back") { [weak self] in self?.showList() })
        window.add(Action("newest") { [weak self] in self?.conversation?.timeline.position.showNewest() })
        window.add(Action("unread") { [weak self] in self?.conversation?.timeline.position.showUnread() })
        window.add(Action("find") { [weak self] in self?.conversation?.find() })
        window.add(Action("date") { [weak self] in self?.conversation?.chooseDay() })
        window.add(Action("close") { [weak self] in self?.window.close() })
    }

    func present() { window.present() }

    func showToast(_ sentence: String) { toasts.show(sentence) }

    /// Shows what was done, with a button that undoes it as long as that is possible.
    func showUndo(_ sentence: String, _ undo: @escaping () -> Void) -> Toast {
        let toast = Toast(
            sentence, seconds: Int(PendingDeletions.delay / .seconds(1)), button: localized("Undo"), undo)
        toasts.show(toast)
        return toast
    }

    /// Whether the user is looking at this conversation.
    func isInFront(_ key: ConversationKey) -> Bool {
        key == openKey && window.isActive && (conversation?.isInFront ?? false)
    }

    /// Opens an invitation in the sign-in pages; `false` when an account is signed in, and the caller has to ask in a
    /// window.
    func open(_ invitation: AccountInvitation) -> Bool {
        guard let signIn else { return false }
        signIn.open(invitation)
        return true
    }

    // MARK: Content

    private func showPhase() {
        switch context.home.phase {
        case .starting: stack.shown = "starting"
        case .ready:
            stack.shown = "chat"
            restoreConversation()
            placeWelcome()
            if let signIn {
                signIn.cancelWork()
                stack.remove(signIn.root)
            }
            signIn = nil
        case .empty:
            if signIn == nil {
                let flow = SignInFlow(context.home, isFirst: true)
                flow.window = { [weak self] in self?.window }
                stack.add(flow.root, name: "sign-in")
                signIn = flow
            }
            stack.shown = "sign-in"
        }
    }

    /// Opens the conversation that was open when the window was last closed.
    private func restoreConversation() {
        guard openKey == nil, let key = context.windowState.storedConversation(among: context.home.accounts) else {
            return
        }
        pane.open(key)
        if !leaflet.isFolded { conversation?.focus() }
    }

    private func placeWelcome() {
        if stack.shown == "chat", openKey == nil { welcomes.show(isNarrow: leaflet.isFolded) }
    }

    private func showUnread() {
        let count = context.home.conversations.unreadCount
        window.title = count > 0 ? localized("Hongyan (%@)", count) : localized("Hongyan")
    }

    /// Opens a conversation to write in it.
    func open(_ key: ConversationKey) {
        closeContacts()
        leaflet.showsSecond = true
        pane.open(key)
        conversation?.focus()
    }

    private func shown(_ view: ConversationView) {
        view.show(isNarrow: leaflet.isFolded)
        view.onBack = { [weak self] in self?.showList() }
        let key = view.key
        context.windowState.conversation = key
        Task { [list = context.home.conversations] in try? await list.begin(key) }
    }

    /// Moves the pinned conversation that has the focus in the list, else opens a neighbour of the open one.
    private func moveOrGo(_ step: Int) {
        guard let row = conversations.focusedRow, row.isPinned else { return conversations.openNeighbour(step) }
        let list = context.home.conversations
        context.windowContext.attempt { () async throws(StoreError) in _ = try await list.movePinned(row.id, by: step) }
    }

    /// The focus goes on from the list to the conversation, or around if there is none.
    private func leaveList() {
        if !leaflet.isFolded, pane.root.focusInside() { return }
        conversations.header.bar.focusInside()
    }

    /// Opens a conversation at a message.
    func open(_ key: ConversationKey, at message: MessageID) {
        open(key)
        conversation?.timeline.position.jump(to: message)
    }

    func closeConversation() {
        pane.clear()
        context.windowState.conversation = nil
        leaflet.showsSecond = false
        paneChanged()
    }

    // MARK: Contacts

    private func toggleContacts() {
        guard context.home.phase == .ready else { return }
        let isHidden = leaflet.isFolded && leaflet.showsSecond
        if sidebar.shown == "contacts", !isHidden { closeContacts() } else { showContacts() }
    }

    /// Shows the contacts in place of the conversations.
    func showContacts() {
        let view = contacts ?? makeContacts()
        view.header.showsWindowButtons(end: leaflet.isFolded)
        view.clearSearch()
        sidebar.shown = "contacts"
        leaflet.showsSecond = false
        view.focus()
    }

    private func makeContacts() -> ContactsView {
        let view = context.contactsView()
        contacts = view
        sidebar.add(view.root, name: "contacts")
        view.onClose = { [weak self] in self?.closeContacts() }
        view.onOpen = { [weak self] in self?.open($0) }
        return view
    }

    private func closeContacts() { sidebar.shown = "conversations" }

    /// Shows the list when only one pane is visible.
    private func showList(andSearch: Bool = false) {
        if andSearch { closeContacts() }
        leaflet.showsSecond = false
        if andSearch { conversations.startSearch() }
    }

    private func folded(_ isFolded: Bool) {
        conversation?.show(isNarrow: isFolded)
        conversations.header.bar.showsWindowButtons(end: isFolded)
        conversations.show(isNarrow: isFolded)
        contacts?.header.showsWindowButtons(end: isFolded)
        requests.show(isNarrow: isFolded)
        // A window that becomes narrow without an open conversation shows the list.
        if isFolded, openKey == nil { leaflet.showsSecond = false }
        paneChanged()
    }

    /// A conversation that is hidden by the list does not mark messages as read.
    private func paneChanged() {
        placeWelcome()
        conversation?.isInFront = window.isActive && !pane.isLooking && (!leaflet.isFolded || leaflet.showsSecond)
        if leaflet.isFolded, !leaflet.showsSecond {
            conversations.show(open: nil)
        } else {
            conversations.show(open: openKey)
        }
    }

    private func activeChanged(_ isActive: Bool) {
        paneChanged()
        Task { [context] in await context.home.setActive(isActive) }
    }

    private func closed() {
        end()
        onClosed()
    }

    private func end() {
        context.windowState.note(window)
        pane.close()
    }

    func close(permanently: Bool) {
        end()
        if permanently { onClosed = {} }
        window.destroy()
    }
}
