internal import ChatEngine
internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization

/// The devices of an account with their keys, and what can be decided about them.
final class DevicesView {
    let root: Widget
    var window: () -> Window? = { nil }
    var showToast: (String) -> Void = { _ in }

    let model: DeviceListModel
    private let name: String
    private let now: () -> MessageTime
    private let list: PreferencesGroup
    private let own = PreferencesGroup(localized("This Device"))
    private let fingerprint = Label().css("monospace").centered().selectable()
    let code = QRCodeView(localized("QR code with the fingerprint of this device"))
    private let copy = Button(localized("_Copy the Link")).css("pill").align(horizontal: .center)
    let announce = ActionRow(
        localized("Announce this device again"),
        subtitle: localized("If others do not encrypt for this device although they should"))
    let unused = SwitchRow(
        localized("Leave out unused devices"),
        subtitle: localized(
            "Nothing is encrypted for devices, yours and those of others, that were not used for a month"))
    let link = EntryRow(localized("Paste a verification link (xmpp:…)"))
    private(set) var rows: [DeviceRow] = []
    private var following: Task<Void, Never>?

    /// - Parameter name: of the person whose devices these are.
    init(_ model: DeviceListModel, name: String, now: @escaping () -> MessageTime) {
        self.model = model
        self.name = name
        self.now = now
        list = PreferencesGroup(
            model.isOwn ? localized("Your other devices") : localized("Devices of %@", name),
            description: model.isOwn
                ? localized("Messages are encrypted for them as well. Remove those that you no longer have.")
                : localized(
                    "New keys are trusted until you have verified one. Compare the fingerprints in person or by phone: only then is it certain that nobody reads along."
                ))
        let page = PreferencesPage()
        let card = Box.vertical(spacing: 12, code.root, fingerprint, copy).css("card", "contact-card")
        own.add(card)
        if model.isOwn { page.add(own) }
        page.add(list)
        page.add(PreferencesGroup("", description: nil, model.isOwn ? [link, unused, announce] : [link]))
        root = page
        link.showsApplyButton(true)
        link.onApply { [weak self] in if let self { self.paste(self.link.text) } }
        copy.onClick { [weak self] in self?.copyLink() }
        announce.append(Icon("view-refresh-symbolic"))
        announce.onActivate { [weak self] in
            guard let self else { return }
            self.model.announceAgain()
            self.showToast(localized("This device is announced again as soon as the account is online."))
        }
        unused.onToggle { [model] isOn in Task { await model.setExcludesUnused(isOn) } }
        observe(self) { view in view.show() }
        following = Task { await model.run() }
    }

    isolated deinit { following?.cancel() }

    func close() {
        following?.cancel()
        following = nil
    }

    private func show() {
        fingerprint.text = Wording.lines(model.thisDevice?.fingerprintGroups ?? [])
        fingerprint.accessible(label: localized("Fingerprint of this device"))
        code.show(model.codeLink)
        copy.isVisible = model.link != nil
        own.isVisible = model.thisDevice?.fingerprint != nil
        let devices = model.devices.filter { !$0.isThisDevice }
        if devices.map(\.id) != rows.map(\.device.id) {
            for row in rows { list.remove(row.root) }
            rows = devices.map { _ in DeviceRow(self) }
            for row in rows { list.add(row.root) }
            // The window was shown before there were rows, and the focus went to the field below them.
            if link.containsFocus, link.text.isEmpty { rows.first?.root.grabFocus() }
        }
        for (row, device) in zip(rows, devices) { row.show(device, isOwn: model.isOwn, now: now()) }
        list.isVisible = !devices.isEmpty || !model.isOwn
        if model.isKnown, devices.isEmpty, !model.isOwn {
            list.show(description: localized("%@ has no device that can decrypt, or none is known yet.", name))
        }
        list.isSensitive = !model.isWorking
        unused.isActive = model.excludesUnused
        if let failure = model.failure {
            model.clearFailure()
            showToast(failure)
        }
    }

    private func copyLink() {
        guard let link = model.link else { return }
        Clipboard.copy(link)
        showToast(localized("The link with your fingerprint is copied."))
    }

    // MARK: Decisions

    func setTrust(_ trust: DeviceTrust, in device: EncryptionDevice) {
        Task { [model] in await model.setTrust(trust, in: device) }
    }

    /// Shows both fingerprints for a comparison.
    @discardableResult
    func compare(_ device: EncryptionDevice) -> KeyComparison? {
        guard device.fingerprint != nil else { return nil }
        let comparison = KeyComparison(
            device, of: name, isOwn: model.isOwn, thisDevice: model.thisDevice, link: model.codeLink)
        comparison.dialog.present(over: window()) { [weak self] answer in
            switch answer {
            case "match": self?.setTrust(.verified, in: device)
            case "differ": self?.setTrust(.distrusted, in: device)
            default: break
            }
        }
        return comparison
    }

    /// Forgets a key after a confirmation.
    @discardableResult
    func forget(_ device: EncryptionDevice) -> MessageDialog {
        let dialog = MessageDialog(
            localized("Forget the key of %@?", Wording.name(device)),
            body: localized("Your decision about it is forgotten, too. If it is used again, it is a new key."))
        dialog.add("cancel", localized("_Cancel")).add("forget", localized("_Forget"), .destructive)
            .byDefault("cancel").onEscape("cancel")
        dialog.present(over: window()) { [model] answer in
            if answer == "forget" { Task { await model.forget(device) } }
        }
        return dialog
    }

    /// Removes one of our own devices after a confirmation.
    @discardableResult
    func remove(_ device: EncryptionDevice) -> MessageDialog {
        let dialog = MessageDialog(
            localized("Remove %@ from your devices?", Wording.name(device)),
            body: localized(
                "Nobody encrypts for it any more. A program that still uses it can announce it again; to keep someone out, change your password as well."
            ))
        dialog.add("cancel", localized("_Cancel")).add("remove", localized("_Remove"), .destructive)
            .byDefault("cancel").onEscape("cancel")
        dialog.present(over: window()) { [model] answer in
            if answer == "remove" { Task { await model.remove(device) } }
        }
        return dialog
    }

    /// Asks whether to verify the keys of a pasted link; `nil` if it is not one of this account.
    @discardableResult
    func paste(_ text: String) -> MessageDialog? {
        guard let request = VerificationRequest(text), request.account == model.address else {
            link.isWrong(true)
            showToast(localized("This is not a verification link of %@.", model.address))
            return nil
        }
        link.isWrong(false)
        return confirm(request)
    }

    /// Verifies the keys of a link after a confirmation.
    @discardableResult
    func confirm(_ request: VerificationRequest) -> MessageDialog {
        let dialog = MessageDialog(
            localized("Verify the keys of %@?", request.account),
            body: localized(
                "Do this only if you got the link from %@ in person, or in another way that nobody else can change.",
                name))
        dialog.add("cancel", localized("_Cancel")).add("verify", localized("_Verify"), .suggested)
            .byDefault("cancel").onEscape("cancel")
        dialog.present(over: window()) { [weak self, model] answer in
            guard answer == "verify" else { return }
            Task {
                guard let sentence = await model.verify(request) else { return }
                self?.link.text = ""
                self?.showToast(sentence)
            }
        }
        return dialog
    }
}

/// The window with the devices of an account. Each account has at most one.
final class DevicesWindow {
    let window: Window
    let view: DevicesView
    private let toasts: ToastOverlay

    private init(_ model: DeviceListModel, _ name: String, _ environment: ModelEnvironment, over parent: Window?) {
        view = DevicesView(model, name: name) { environment.now() }
        toasts = ToastOverlay(view.root)
        let title = model.isOwn ? localized("Your Keys") : localized("Devices and Keys")
        window = Window(
            title, width: 460, height: 720, over: parent,
            Box.vertical(HeaderBar(title: WindowTitle(title, model.address.description)), toasts.expand(.vertical)))
        window.minimumSize(width: 340, height: 360)
        window.closesOnEscape()
        view.window = { [weak self] in self?.window }
        view.showToast = { [weak self] in self?.toasts.show($0) }
        window.on("unrealize") { [weak self] in self?.view.close() }
    }

    @discardableResult
    static func show(
        _ model: DeviceListModel, name: String, _ environment: ModelEnvironment, over parent: Window?
    ) -> DevicesWindow {
        let window = DevicesWindow(model, name, environment, over: parent)
        window.window.retain(window)
        window.window.present()
        return window
    }
}
