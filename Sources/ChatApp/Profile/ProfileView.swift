internal import ChatEngine
internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization

/// The profile of an account: its avatar and its name.
final class ProfileView {
    /// The avatar, and the name below it.
    let groups: [PreferencesGroup]

    private let id: AccountID
    private let actions: any AccountActions
    private let window: () -> Window?
    private let picture: AvatarImage
    private let name = EntryRow(localized("Name"))
    private let choose = Button(localized("Choose a _Picture…")).css("pill")
    private let remove = Button(localized("R_emove")).css("pill").hidden()
    private let spinner = Spinner().hidden()
    private var isBusy = false

    init(_ id: AccountID, _ actions: any AccountActions, window: @escaping () -> Window?) {
        self.id = id
        self.actions = actions
        self.window = window
        picture = AvatarImage(actions.avatars, size: 96)
        picture.widget.accessible(label: localized("Your picture"))
        let buttons = FoldingRow(spacing: 12, .center, choose, remove, spinner)
        let top = Box.vertical(spacing: 12, picture.widget.align(horizontal: .center), buttons)
            .margins(start: 0, end: 0, top: 6, bottom: 0)
        groups = [PreferencesGroup("", description: nil, [top]), PreferencesGroup("", description: nil, [name])]
        name.text = actions.accounts.rows[id].flatMap { $0.displayName } ?? ""
        name.tip(localized("What your contacts see beside your address"))
        name.showsApplyButton(true)
        name.onApply { [weak self] in
            guard let self else { return }
            Task { [actions = self.actions, id = self.id, text = self.name.text] in
                await actions.settings(of: id)?.setDisplayName(text)
            }
        }
        choose.onClick { [weak self] in self?.chooseFile() }
        remove.onClick { [weak self] in
            self?.change { account throws(OwnProfileFailure) in try await account.profile.removeAvatar() }
        }
        observe(self) { view in view.showPicture() }
    }

    private func showPicture() {
        guard let row = actions.accounts.rows[id] else { return }
        picture.show(name: row.name, hash: row.avatarHash, of: row.address.description)
        showButtons()
    }

    private func showButtons() {
        remove.isVisible = actions.accounts.rows[id]?.avatarHash != nil && !isBusy
        choose.isSensitive = !isBusy
        spinner.isVisible = isBusy
        spinner.isSpinning = isBusy
    }

    private func chooseFile() {
        Task { [weak self] in
            if let path = await PictureChooser.choose(over: self?.window()) { self?.take(path) }
        }
    }

    /// Publishes a picture file as the avatar.
    func take(_ path: String) {
        Task { [weak self] in
            guard let bytes = await PictureChooser.read(path) else {
                return self?.showToast(localized("%@ cannot be read.", path)) ?? ()
            }
            self?.change { account throws(OwnProfileFailure) in try await account.profile.publishAvatar(bytes) }
        }
    }

    private func change(_ body: @escaping @Sendable (ChatAccount) async throws(OwnProfileFailure) -> Void) {
        guard !isBusy, let account = actions.account(id) else { return }
        isBusy = true
        showButtons()
        Task { [weak self] in
            do throws(OwnProfileFailure) {
                try await body(account)
            } catch {
                self?.showToast(Wording.failure(error))
            }
            self?.isBusy = false
            self?.showButtons()
        }
    }

    private func showToast(_ message: String) {
        if let window = window() as? PreferencesWindow { window.show(Toast(message)) }
    }
}
