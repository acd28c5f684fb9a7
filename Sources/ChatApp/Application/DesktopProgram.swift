internal import Automation
internal import ChatModel
internal import ChatStore
internal import Foundation
internal import GTKBinding
internal import Localization
internal import UserProfile
internal import XMPPAddress

/// The desktop program: one instance per user, with its actions, its window, and the work that continues while no
/// window is open.
public final class DesktopProgram {
    /// The identifier on the desktop: the name of the desktop file and the icon, and the name on the session bus.
    public static let id = "im.hongyan.Hongyan"

    let application: Application
    private let profile = Profile()
    private var store: SQLiteStore?
    /// Lets scripts send through the accounts that are online here.
    private var socket: ProfileSocket?
    private(set) var context: AppContext?
    private(set) var window: MainWindow?
    private var notifier: Notifier?
    private var notifications: DesktopNotifications?
    private var badge: LauncherBadge?
    private var away: AwayWatch?
    private var startsHidden = false
    /// Where the connections are logged.
    private var log: LogFile?
    /// Addresses to open as soon as the accounts are loaded.
    private var waitingAddresses: [String] = []

    /// - Parameter isUnique: `false` allows several instances, each with its own profile; for tests.
    public init(isUnique: Bool = true) {
        application = Application(Self.id, isUnique: isUnique)
    }

    /// Runs until the user quits, and returns the exit status.
    ///
    /// - Parameter arguments: the program's name, then `--help` or `--version` to print it and exit, `--hidden` to
    ///   start without a window, `--log FILE` and `--log-level LEVEL` to log the connections, or addresses to open.
    public func run(_ arguments: [String]) -> Int32 {
        let options: DesktopOptions
        do throws(LogFileError) {
            options = try DesktopOptions(arguments)
        } catch {
            FileHandle.standardError.write(Data("hongyan-desktop: \(error.message)\n".utf8))
            return Self.usageStatus
        }
        if let text = options.text {
            print(text)
            return 0
        }
        startsHidden = options.startsHidden
        log = options.log
        ToolkitSettings.useProgramName(localized("Hongyan"), id: Self.id)
        Graphics.useProcessorWithoutCard()
        application.onStartup { [weak self] in self?.startUp() }
        application.onActivate { [weak self] in self?.activate() }
        application.onOpen { [weak self] in self?.open($0) }
        let report = MainLoopReport()
        defer { report?.write() }
        return application.run(options.arguments)
    }

    /// The exit status for options that cannot be used.
    private static let usageStatus: Int32 = 2

    private func startUp() {
        Graphics.forgetChoice()
        Style.use()
        ProgramIcon.addFolders()
        ToolkitSettings.useIcon(Self.id)
        addActions()
        // The program also works without a window: while it reads the store, and while it disconnects at the end.
        application.hold()
        Task { await openProfile() }
    }

    private func openProfile() async {
        do throws(ProfileFailure) {
            let store = try await profile.open(for: .writing)
            self.store = store
            let home = ChatHome(
                store: store, accountStorage: ProfileAccounts(profile: profile),
                preferences: await profile.preferences())
            if let log { home.prepare = { log.attach(to: &$0) } }
            let context = AppContext(home: home, program: self)
            use(context)
            context.appearance.follow()
            if let salvage = store.report.salvage { context.showToast(salvage.message(at: profile.storePath)) }
            if startsHidden { await home.setActive(false) } else { showWindow() }
            startNotifying(home)
            away = AwayWatch(home, bus: application.bus)
            await home.start()
            let account = { @Sendable [weak home] (address: JID) in await home?.account(at: address) }
            let automation = AutomationService(profile, store) { [weak home] in await home?.chatAccounts ?? [] }
            socket = ProfileSocket(
                profile, [.send(account), .keys(account)] + automation.methods.map(\.profileMethod))
            for address in waitingAddresses { context.links.open(address) }
            waitingAddresses = []
            SpareMemory.returnSoon()
        } catch {
            await show(error)
            application.quit()
        }
    }

    /// Sets what the windows of the program show.
    func use(_ context: AppContext) { self.context = context }

    /// Shows why the profile could not be opened, and quits.
    private func show(_ failure: ProfileFailure) async {
        let parent = ApplicationWindow(application, localized("Hongyan"))
        _ = await MessageDialog(localized("Hongyan cannot be started"), body: failure.message)
            .add("close", localized("Close")).ask(over: parent)
        parent.destroy()
    }

    private func activate() {
        // At the first activation the store is not open yet; the window is created when it is.
        if context != nil { showWindow() }
    }

    private func open(_ addresses: [String]) {
        guard let context, context.home.phase != .starting else {
            waitingAddresses += addresses
            return
        }
        showWindow()
        for address in addresses { context.links.open(address) }
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
        notifier.showToast = { [weak self] in self?.context?.showToast($0) }
        badge = application.bus.map { LauncherBadge($0, desktopEntry: Self.id) }
        observe(notifier) { [weak self] _ in self?.badge?.show(home.conversations.unreadCount) }
    }

    private func notificationServer(_ bus: MessageBus) -> NotificationServer {
        let server = NotificationServer(bus, program: localized("Hongyan"), desktopEntry: Self.id)
        server.onAction = { [weak self] action in
            if let action { self?.application.activate(action) } else { self?.showWindow() }
        }
        server.onReply = { [weak self] in self?.notifier?.reply(to: $0, with: $1) }
        return server
    }

    /// Raises the window, or creates it if it was closed.
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
        SpareMemory.returnSoon()
        if context.home.preferences.values.runsInBackground { notifier?.tellOfBackground() } else { quit() }
    }

    /// Disconnects all accounts and quits.
    package func quit() {
        window?.close(permanently: true)
        window = nil
        notifier?.end()
        notifier = nil
        badge?.show(0)
        badge = nil
        away?.end()
        away = nil
        let (context, store, notifications) = (context, store, notifications)
        self.context = nil
        socket?.close()
        socket = nil
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

/// The program's icon. It is also found when the program runs from its build folder or from a prefix that the desktop
/// does not search.
enum ProgramIcon {
    /// Adds the folders with the icon to the icon theme. Needs a display.
    static func addFolders() {
        guard let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") else { return }
        for folder in folders(besides: program) { ToolkitSettings.addIconFolder(folder) }
    }

    /// `Scripts/build` puts the icons beside the program, `Scripts/install` into the shared folder.
    static func folders(besides program: String) -> [String] {
        let folder = (program as NSString).deletingLastPathComponent
        return ["\(folder)/icons", "\((folder as NSString).deletingLastPathComponent)/share/icons"]
    }

    /// The name of the icon for large sizes; a generic chat icon when ours is not installed.
    static var name: String {
        ToolkitSettings.hasIcon(DesktopProgram.id) ? DesktopProgram.id : "user-available-symbolic"
    }
}
