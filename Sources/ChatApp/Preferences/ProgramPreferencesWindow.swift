internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization
internal import UserProfile

/// The preferences window: accounts, notifications, privacy and appearance.
final class ProgramPreferencesWindow {
    let window: PreferencesWindow

    private let home: ChatHome
    private let autostart = Autostart(DesktopProgram.id)
    private let accounts: AccountsView
    private(set) var general: PreferencesPage?
    let data: DataPage
    private(set) var account: AccountView?
    /// Show the preferences in the rows, which others change too: another program, or a key of the main window.
    private var updates: [(PreferenceValues) -> Void] = []
    /// There is at most one, held by its window.
    private static weak var open: ProgramPreferencesWindow?

    private init(_ home: ChatHome, over parent: Window?) {
        self.home = home
        window = PreferencesWindow(localized("Preferences"), over: parent)
        data = DataPage(home.accounts, Self.transfer(home))
        weak var view: ProgramPreferencesWindow?
        accounts = AccountsView(home) { SignInWindow.add(home, over: view?.window) }
        window.setDefaultSize(width: 620, height: 640)
        window.add(accounts.page)
        let general = makeGeneral()
        window.add(general)
        self.general = general
        observe(self) { view in
            let values = view.home.preferences.values
            for update in view.updates { update(values) }
        }
        window.add(data.page)
        data.window = { [weak self] in self?.window }
        data.showToast = { [weak self] in self?.window.show(Toast($0)) }
        window.onKey(.bubble) { [weak self] key in
            guard key.key == .escape, let self else { return false }
            self.leave()
            return true
        }
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

    /// Goes back from the page of an account, else closes the window.
    private func leave() { if let account { account.onClose() } else { window.close() } }

    // MARK: Preferences page

    private func makeGeneral() -> PreferencesPage {
        func row(
            _ title: String, _ subtitle: String? = nil, _ path: WritableKeyPath<PreferenceValues, Bool>,
            isForContacts: Bool = false
        ) -> SwitchRow {
            let row = SwitchRow(title, subtitle: subtitle)
            let toggling = row.onToggle { [weak home] isOn in
                guard let home else { return }
                home.preferences.values[keyPath: path] = isOn
                if isForContacts { Task { await home.applyPreferences() } }
            }
            updates.append { values in
                row.control.withoutHearing(toggling) { row.isActive = values[keyPath: path] }
            }
            return row
        }
        let scheme = ComboRow(
            localized("Appearance"), choices: [localized("Follow system"), localized("Light"), localized("Dark")])
        let schemes = PreferenceValues.ColourScheme.allCases
        let choosingScheme = scheme.onSelect { [weak home] index in
            if schemes.indices.contains(index) { home?.preferences.values.colourScheme = schemes[index] }
        }
        updates.append { values in
            scheme.withoutHearing(choosingScheme) {
                scheme.selected = schemes.firstIndex(of: values.colourScheme) ?? 0
            }
        }
        let zooms = PreferenceValues.zooms
        let zoom = ComboRow(localized("Text size"), choices: zooms.map { "\(Int(($0 * 100).rounded())) %" })
        let choosingZoom = zoom.onSelect { [weak home] index in
            if zooms.indices.contains(index) { home?.preferences.values.zoom = zooms[index] }
        }
        updates.append { values in
            zoom.withoutHearing(choosingZoom) { zoom.selected = zooms.firstIndex(of: values.zoom) ?? 2 }
        }
        let away = makeAway()
        let start = SwitchRow(
            localized("Start when you log in"), subtitle: localized("Without a window, to receive messages"))
        let autostart = autostart
        let toggling = start.onToggle { [weak self] isOn in
            Task {
                if await autostart.turn(isOn) { return }
                self?.window.show(Toast(localized("%@ cannot be written.", autostart.path)))
            }
        }
        Task {
            let isOn = await autostart.isOn()
            start.control.withoutHearing(toggling) { start.isActive = isOn }
        }
        return PreferencesPage(
            localized("General"), icon: "preferences-system-symbolic",
            [
                PreferencesGroup(
                    localized("Notifications"),
                    description: localized("No notifications while you are in Do Not Disturb."),
                    [
                        row(localized("Notify about new messages"), nil, \.showsNotifications),
                        row(
                            localized("Show message text"),
                            localized("Message text appears in notifications, even on the lock screen"),
                            \.showsTextInNotifications),
                        row(localized("Play a sound"), nil, \.playsSound),
                    ]),
                PreferencesGroup(
                    localized("Privacy"), description: nil,
                    [
                        row(
                            localized("Send read receipts"), nil, \.tellsReceipts,
                            isForContacts: true),
                        row(localized("Send typing notifications"), nil, \.tellsTyping, isForContacts: true), away,
                    ]),
                PreferencesGroup(
                    localized("Program"), description: localized("The language is that of your system."),
                    [
                        scheme, zoom,
                        row(
                            localized("Describe links"),
                            localized("The page of a link that you write is opened from this computer"),
                            \.describesLinks),
                        row(
                            localized("Check spelling"), localized("Misspelled words are underlined"), \.checksSpelling),
                        row(
                            localized("Enter sends the message"),
                            localized("Otherwise Ctrl+Enter does, and Enter begins a new line"), \.sendsWithReturn),
                        row(
                            localized("Keep running in the background"),
                            localized("You receive messages while the window is closed"), \.runsInBackground),
                        start,
                    ]),
            ])
    }
}

extension ProgramPreferencesWindow {
    /// After how many minutes the user counts as away.
    private static let idleMinutes = [0, 5, 10, 15, 30, 60]

    private func makeAway() -> ComboRow {
        // The terminal chat takes any number.
        let minutes = Set(Self.idleMinutes + [home.preferences.values.minutesUntilAway]).sorted()
        let row = ComboRow(
            localized("Show me as away"), subtitle: localized("When I have done nothing for this time"),
            choices: minutes.map {
                $0 == 0 ? localized("Never") : localized("%@ minute", plural: "%@ minutes", count: $0)
            })
        let choosing = row.onSelect { [weak home] index in
            if minutes.indices.contains(index) { home?.preferences.values.minutesUntilAway = minutes[index] }
        }
        updates.append { values in
            row.withoutHearing(choosing) {
                row.selected = minutes.lastIndex { $0 <= values.minutesUntilAway } ?? 0
            }
        }
        return row
    }

    /// Copies from and into the store and the files of the accounts of the program.
    private static func transfer(_ home: ChatHome) -> DataTransfer {
        let store = home.store
        return DataTransfer(
            export: { [weak home] path, withFiles, report in
                let home = home
                let folder: (@Sendable (Account) async -> String?)?
                if withFiles { folder = { await home?.media(of: $0.id)?.path } } else { folder = nil }
                do throws(HistoryCopy.Failure) {
                    let count = try await HistoryCopy(store).export(to: path, filesFrom: folder, progress: report)
                    return withFiles
                        ? localized("Written to %@; pictures and files: %@.", path, count)
                        : localized("Written to %@.", path)
                } catch {
                    return sentence(error)
                }
            },
            take: { [weak home] path, report in
                let home = home
                do throws(HistoryCopy.Failure) {
                    return try await HistoryCopy(store)
                        .take(path, into: { await home?.media(of: $0.id) }, progress: report).sentence
                } catch {
                    return sentence(error)
                }
            },
            size: { [weak home] in await home?.settings(of: $0)?.mediaSize() })
    }

    private static func sentence(_ failure: HistoryCopy.Failure) -> String {
        switch failure {
        case .sentence(let sentence): sentence
        case .store(let error): Wording.failure(error)
        case .cancelled: localized("Cancelled.")
        }
    }
}
