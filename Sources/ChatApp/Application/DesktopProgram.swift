internal import ChatModel
internal import ChatStore
internal import Foundation
internal import GTKBinding
internal import Localization
internal import UserProfile
internal import XMPPAddress

/// The desktop program: one instance per person, its window, its actions, and what goes on while no window is open.
public final class DesktopProgram {
    /// By this the desktop knows it: the names of its desktop file and icon, and its address on the session bus.
    public static let id = "im.hongyan.Hongyan"

    let application: Application
    private let profile = Profile()
    private var store: SQLiteStore?
    private(set) var context: AppContext?
    private(set) var window: MainWindow?
    private var notifier: Notifier?
    private var notifications: DesktopNotifications?
    private var badge: LauncherBadge?
    private var startsHidden = false
    /// What was opened before the accounts were there.
    private var waitingAddresses: [String] = []

    /// - Parameter isUnique: `false` lets several run beside each other, each with a profile of its own; for tests.
    public init(isUnique: Bool = true) {
        application = Application(Self.id, isUnique: isUnique)
    }

    /// Runs until the person ends it; gives the exit status.
    ///
    /// - Parameter arguments: the name of the program; `--help` and `--version` to say how it is called and which release it is, and
    ///   end; `--hidden` to begin without a window; addresses to open.
    public func run(_ arguments: [String]) -> Int32 {
        if !Self.helpOptions.isDisjoint(with: arguments.dropFirst()) {
            print(Self.help)
            return 0
        }
        if arguments.dropFirst().contains("--version") {
            print("hongyan-desktop \(Release.version)")
            return 0
        }
        startsHidden = arguments.dropFirst().contains("--hidden")
        ToolkitSettings.useProgramName(localized("Hongyan"), id: Self.id)
        Graphics.useProcessorWithoutCard()
        application.onStartup { [weak self] in self?.startUp() }
        application.onActivate { [weak self] in self?.activate() }
        application.onOpen { [weak self] in self?.open($0) }
        let report = TurnReport()
        defer { report?.write() }
        return application.run(arguments.filter { $0 != "--hidden" })
    }

    private func startUp() {
        Graphics.forgetChoice()
        StyleSheet.add(Style.rules)
        ProgramIcon.addFolders()
        ToolkitSettings.useIcon(Self.id)
        addActions()
        // Something is done without a window: reading the store, and saying goodbye at the end.
        application.hold()
        Task { await openProfile() }
    }

    private func openProfile() async {
        do throws(ProfileFailure) {
            let store = try await profile.open(for: .writing)
            self.store = store
            let home = ChatHome(
                store: store, keeper: ProfileAccounts(profile: profile), preferences: await profile.preferences())
            let context = AppContext(home: home, program: self)
            self.context = context
            context.followStyle()
            if let salvage = store.report.salvage { context.say(salvage.words(at: profile.storePath)) }
            if startsHidden { await home.setActive(false) } else { showWindow() }
            startNotifying(home)
            await home.start()
            for address in waitingAddresses { open(address, context) }
            waitingAddresses = []
        } catch {
            await tell(error)
            application.quit()
        }
    }

    /// There is nothing that could be shown: says why, and ends.
    private func tell(_ failure: ProfileFailure) async {
        let parent = ApplicationWindow(application, localized("Hongyan"))
        _ = await MessageDialog(localized("Hongyan cannot be started"), body: failure.message)
            .add("close", localized("Close")).ask(over: parent)
        parent.destroy()
    }

    private func activate() {
        // The first time nothing is open yet; the window comes with the store.
        if context != nil { showWindow() }
    }

    private func open(_ addresses: [String]) {
        guard let context, context.home.phase != .starting else {
            waitingAddresses += addresses
            return
        }
        showWindow()
        for address in addresses { open(address, context) }
    }

    private func startNotifying(_ home: ChatHome) {
        let notifications = application.bus.map {
            DesktopNotifications(notificationServer($0), otherwise: application)
        }
        self.notifications = notifications
        let notifier = Notifier(
            home, sink: notifications ?? application,
            isLooking: { [weak self] in self?.window?.window.isActive ?? false },
            isInFront: { [weak self] in self?.window?.isInFront($0) ?? false })
        self.notifier = notifier
        for action in notifier.actions(reply: { [weak self] in self?.openConversation(number: $0) }) {
            application.add(action)
        }
        notifier.say = { [weak self] in self?.context?.say($0) }
        badge = application.bus.map { LauncherBadge($0, desktopEntry: Self.id) }
        observe(notifier) { [weak self] _ in self?.badge?.show(home.conversations.unreadCount) }
    }

    private func notificationServer(_ bus: MessageBus) -> NotificationServer {
        let server = NotificationServer(bus, program: localized("Hongyan"), desktopEntry: Self.id)
        server.onAction = { [weak self] action in
            if let action { self?.application.activate(action) } else { self?.showWindow() }
        }
        server.onReply = { [weak self] in self?.notifier?.answer($0, with: $1) }
        return server
    }

    /// Brings the window up; makes it where it was closed.
    func showWindow() {
        guard let context else { return }
        if let window { return window.present() }
        let window = MainWindow(context, application)
        self.window = window
        context.window = window
        window.onClosed = { [weak self] in self?.windowClosed() }
        window.present()
    }

    private func windowClosed() {
        window = nil
        guard let context else { return }
        Task { await context.home.setActive(false) }
        if !context.home.preferences.values.runsInBackground { quit() }
    }

    /// Says goodbye on all accounts and ends the program.
    package func quit() {
        window?.close(forGood: true)
        window = nil
        notifier?.end()
        notifier = nil
        badge?.show(0)
        badge = nil
        let (context, store, notifications) = (context, store, notifications)
        self.context = nil
        Task { [application] in
            await notifications?.end()
            await context?.end()
            await store?.close()
            application.quit()
        }
    }
}

extension PreferenceValues.ColourScheme {
    var scheme: StyleManager.Scheme {
        switch self {
        case .system: .system
        case .light: .light
        case .dark: .dark
        }
    }
}
