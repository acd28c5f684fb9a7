internal import ChatEngine
internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization

/// A device in a list: name, trust, last use, fingerprint, and a menu of decisions. A click compares the fingerprints.
final class DeviceRow {
    let root = ActionRow()
    private(set) var device = EncryptionDevice(device: 0)
    private let icon = Icon(size: 16)
    let menu = MenuButton(icon: "view-more-symbolic").css("flat").align(vertical: .center)
    private(set) var decisions: [DeviceDecision] = []
    let actions = ActionGroup()

    init(_ view: DevicesView) {
        root.prepend(icon)
        root.append(menu)
        root.onActivate { [weak self, weak view] in if let self { view?.compare(self.device) } }
        for decision in DeviceDecision.allCases {
            actions.add(
                Action(decision.rawValue) { [weak self, weak view] in
                    if let self, let view { decision.begin(self.device, view) }
                })
        }
        root.insert(actions, prefix: "device")
    }

    func show(_ device: EncryptionDevice, isOwn: Bool, now: MessageTime) {
        guard device != self.device || decisions.isEmpty else { return }
        self.device = device
        let facts = Wording.facts(device, now: now).joined(separator: " · ")
        let name = Wording.name(device)
        root.show(title: name)
        root.show(subtitle: ([facts] + Self.lines(device)).joined(separator: "\n"))
        root.accessible(label: "\(name), \(facts)")
        root.accessible(description: device.fingerprintGroups.joined(separator: " "))
        // Without a key there is nothing to compare.
        root.isActivatable = device.fingerprint != nil
        icon.show(Self.icon(device))
        icon.css("warning", device.fingerprint != nil && device.trust == .undecided)
        icon.css("dim-label", device.isAnnounced == false || device.isUnused)
        menu.named(localized("Decide about %@", name))
        decisions = DeviceDecision.possible(device, isOwn: isOwn)
        menu.show(Menu(decisions.map { .item($0.title, "device.\($0.rawValue)") }))
        menu.isVisible = !decisions.isEmpty
    }

    private static func lines(_ device: EncryptionDevice) -> [String] {
        device.fingerprint == nil ? [] : [Wording.lines(device.fingerprintGroups, perLine: 4, space: "\u{2002}")]
    }

    /// The symbols differ in shape, not in colour only.
    private static func icon(_ device: EncryptionDevice) -> String {
        switch device.trust {
        case _ where device.fingerprint == nil: "dialog-question-symbolic"
        case .verified: "security-high-symbolic"
        case .trusted: "changes-prevent-symbolic"
        case .undecided: "dialog-question-symbolic"
        case .distrusted: "action-unavailable-symbolic"
        }
    }
}

/// What can be decided about a device.
enum DeviceDecision: String, CaseIterable {
    case compare, trust, distrust, forget, remove

    static func possible(_ device: EncryptionDevice, isOwn: Bool) -> [DeviceDecision] {
        guard !device.isThisDevice else { return [] }
        var decisions: [DeviceDecision] = []
        if device.fingerprint != nil {
            decisions.append(.compare)
            if device.trust == .undecided || device.trust == .distrusted { decisions.append(.trust) }
            if device.trust != .distrusted { decisions.append(.distrust) }
            decisions.append(.forget)
        }
        if isOwn, device.isAnnounced != false { decisions.append(.remove) }
        return decisions
    }

    /// The label in the menu.
    var title: String {
        switch self {
        case .compare: localized("Compare and Verify…")
        case .trust: localized("Trust Without Comparing")
        case .distrust: localized("Do Not Trust")
        case .forget: localized("Forget…")
        case .remove: localized("Remove the Device…")
        }
    }

    func begin(_ device: EncryptionDevice, _ view: DevicesView) {
        switch self {
        case .compare: view.compare(device)
        case .trust: view.setTrust(.trusted, in: device)
        case .distrust: view.setTrust(.distrusted, in: device)
        case .forget: view.forget(device)
        case .remove: view.remove(device)
        }
    }
}

/// The dialog in which two people compare the fingerprints of their devices.
final class KeyComparison {
    let dialog: MessageDialog
    let code = QRCodeView(localized("QR code with the fingerprint of this device"))
    let theirs = Label().css("monospace", "title-4").centered().selectable()
    let ours = Label().css("monospace").centered().selectable()

    /// The height in pixels of both fingerprints and the code; beyond it they scroll. With large text they are higher than many screens
    /// anyway, and the answers, which are below one another then, need room.
    private static var height: Int { ToolkitSettings.hasLargeText ? 400 : 520 }
    /// The width of the explanation in characters. What scrolls asks for its height at its natural width, so a text that is wider than the
    /// dialog would get too few lines.
    private static let width = 28

    init(
        _ device: EncryptionDevice, of name: String, isOwn: Bool, thisDevice: EncryptionDevice?, link: String?
    ) {
        let body =
            isOwn
            ? localized(
                "Look at the fingerprint that your other device shows for itself. It must be the same as this one.")
            : localized(
                "Ask %@ in person or by phone which fingerprint the other program shows for this device. It must be the same as this one.",
                name)
        theirs.text = Wording.lines(device.fingerprintGroups)
        theirs.accessible(label: localized("Fingerprint of %@", Wording.name(device)))
        ours.text = Wording.lines(thisDevice?.fingerprintGroups ?? [])
        ours.accessible(label: localized("Fingerprint of this device"))
        code.show(link)
        let heading = Label(localized("Your device, for a comparison the other way")).wrap(maximumCharacters: 34)
            .centered()
            .css("caption-heading")
        // With large text all of this is higher than many screens, and only the dialog's own text would not scroll.
        let content = Box.vertical(
            spacing: 6, Label(body).wrap(maximumCharacters: Self.width).centered(),
            Label(Wording.name(device)).ellipsize().css("caption-heading"), theirs,
            Separator(.horizontal), heading, ours, code.root)
        if thisDevice?.fingerprint == nil { for part in [heading, ours] { part.isVisible = false } }
        dialog = MessageDialog(
            localized("Compare the fingerprints"), body: "",
            ScrolledWindow(content).growsWithContent(upTo: Self.height))
        dialog.add("cancel", localized("_Not Now")).add("differ", localized("They _Differ"), .destructive)
            .add("match", localized("They _Match"), .suggested).byDefault("cancel").onEscape("cancel")
    }
}
