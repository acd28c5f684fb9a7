internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization

/// The preferences window: accounts, notifications, privacy and appearance.
final class ProgramPreferencesWindow {
    let window: PreferencesWindow

    private let home: ChatHome
    private let accounts: AccountsView
    private(set) var general: PreferencesPage?
    private(set) var account: AccountView?
    /// There is at most one, held by its window.
    private static weak var open: ProgramPreferencesWindow?

    private init(_ home: ChatHome, over parent: Window?) {
        self.home = home
        window = PreferencesWindow(localized("Preferences"), over: parent)
        weak var view: ProgramPreferencesWindow?
        accounts = AccountsView(home) { SignInWindow.add(home, over: view?.window) }
        window.setDefaultSize(width: 620, height: 640)
        window.add(accounts.page)
        let general = makeGeneral()
        window.add(general)
        self.general = general
        view = self
        accounts.onOpen = { [weak self] in self?.show($0) }
        // Closed by the user, or destroyed together with its parent window; the owner releases it a moment later.
        window.on("unrealize") { ProgramPreferencesWindow.open = nil }
    }

    /// Shows the window, and in it the page of `account`.
    @discardableResult
    static func show(_ home: ChatHome, over parent: Window?, account: AccountID? = nil) -> ProgramPreferencesWindow {
        let view = open ?? ProgramPreferencesWindow(home, over: parent)
        if open == nil { view.window.retain(view) }
        open = view
        view.window.present()
        if let account { view.show(account) }
        return view
    }

    func show(_ id: AccountID) {
        let view = AccountView(
            id, home, window: { [weak self] in self?.window },
            signInAgain: { [weak self, home] in SignInWindow.signInAgain(id, home, over: self?.window) })
        view.onClose = { [weak self] in
            self?.window.closeSubpage()
            self?.account = nil
        }
        account = view
        window.open(subpage: view.root)
    }

    // MARK: Preferences page

    private func makeGeneral() -> PreferencesPage {
        let values = home.preferences.values
        func row(
            _ title: String, _ subtitle: String? = nil, _ path: WritableKeyPath<PreferenceValues, Bool>,
            isForContacts: Bool = false
        ) -> SwitchRow {
            let row = SwitchRow(title, subtitle: subtitle)
            row.isActive = values[keyPath: path]
            row.onToggle { [weak home] isOn in
                guard let home else { return }
                home.preferences.values[keyPath: path] = isOn
                if isForContacts { Task { await home.applyPreferences() } }
            }
            return row
        }
        let scheme = ComboRow(
            localized("Appearance"), choices: [localized("Follow system"), localized("Light"), localized("Dark")])
        let schemes = PreferenceValues.ColourScheme.allCases
        scheme.selected = schemes.firstIndex(of: values.colourScheme) ?? 0
        scheme.onSelect { [weak home] index in
            if schemes.indices.contains(index) { home?.preferences.values.colourScheme = schemes[index] }
        }
        return PreferencesPage(
            localized("General"), icon: "preferences-system-symbolic",
            [
                PreferencesGroup(
                    localized("Notifications"),
                    description: localized("While you are shown as “Do not disturb” there are none."),
                    [
                        row(localized("Notify of new messages"), nil, \.showsNotifications),
                        row(
                            localized("Show the message text"), localized("Even if others can see your screen"),
                            \.showsTextInNotifications),
                    ]),
                PreferencesGroup(
                    localized("Contacts can see"), description: nil,
                    [
                        row(
                            localized("That a message was delivered and read"), nil, \.tellsReceipts,
                            isForContacts: true),
                        row(localized("That you are typing"), nil, \.tellsTyping, isForContacts: true),
                    ]),
                PreferencesGroup(
                    localized("Program"), description: localized("The language is that of your system."),
                    [
                        scheme,
                        row(
                            localized("Describe links"),
                            localized("The page of a link that you write is opened from this computer"),
                            \.describesLinks),
                        row(
                            localized("Check spelling"), localized("Misspelled words are underlined"), \.checksSpelling),
                        row(
                            localized("Keep running when the window is closed"),
                            localized("Messages arrive, and you are notified"), \.runsInBackground),
                    ]),
            ])
    }
}
