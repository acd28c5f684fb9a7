internal import ChatEngine
internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization

/// The lock beside the input field: whether the next message will be encrypted.
///
/// Its popover says for whom it will not be readable and why, and has the choice for this conversation.
final class EncryptionButton {
    let button = MenuButton(icon: EncryptionButton.icon(.unknown)).css("flat", "circular")
    let model: EncryptionModel
    /// `nil` before the popover was opened for the first time.
    private(set) var content: EncryptionPopover?
    /// Opens the devices of the other side; `nil` if there are none to show.
    var onDevices: (() -> Void)?
    var showToast: (String) -> Void = { _ in }
    /// Called when its popover was closed.
    var onClosed: () -> Void = {}

    private let name: () -> String
    private var following: Task<Void, Never>?

    /// - Parameter name: of the contact or the room.
    init(_ model: EncryptionModel, name: @escaping () -> String) {
        self.model = model
        self.name = name
        button.opensUpwards()
        button.show(whenOpened: { [weak self] in
            guard let self else { return Popover() }
            let content = EncryptionPopover(self.model, name: self.name)
            content.onDevices = { [weak self] in self?.showDevices() }
            content.showToast = { [weak self] in self?.showToast($0) }
            content.devices.isVisible = self.onDevices != nil && self.model.isAvailable
            self.content = content
            content.popover.onClose { [weak self] in MainLoop.schedule(.idle) { self?.onClosed() } }
            return content.popover
        })
        observe(self) { view in view.show() }
        following = Task { [model] in await model.run() }
    }

    isolated deinit { following?.cancel() }

    /// Stops following the conversation.
    func close() {
        following?.cancel()
        following = nil
    }

    /// Opens the popover, which says why a message cannot be sent.
    func open() { button.open() }

    private func showDevices() {
        button.close()
        onDevices?()
    }

    private func show() {
        button.show(icon: Self.icon(model.sign))
        button.named(Wording.sign(model.sign))
        button.css("warning", model.sign == .refused || model.sign == .partly)
    }

    static func icon(_ sign: EncryptionModel.Sign) -> String {
        switch sign {
        case .encrypted: "changes-prevent-symbolic"
        case .clear: "changes-allow-symbolic"
        case .partly, .refused: "dialog-warning-symbolic"
        case .unknown: "dialog-question-symbolic"
        }
    }
}

/// The content of the popover of an ``EncryptionButton``.
final class EncryptionPopover {
    let popover: Popover
    let devices = Button(localized("_Devices and Keys…")).css("flat").wrap()
    var onDevices: () -> Void = {}
    var showToast: (String) -> Void = { _ in }

    private let model: EncryptionModel
    private let name: () -> String
    let title = Label().wrap(maximumCharacters: 34).textAlignment(0).css("heading")
    let explanation = Label().wrap(maximumCharacters: 40).textAlignment(0)
    private let unreadable = Box.vertical(spacing: 6)
    private let scroller: ScrolledWindow
    private var shown: [ProtectionError.Recipient] = []
    /// Who will not be able to read, and why.
    private(set) var lines: [(who: Label, why: Label)] = []
    let choices: PolicyChoice

    /// The height in pixels of some six devices; more of them scroll.
    private static let height = 200
    /// The height in pixels of all of it with text of twice the size; on lower screens it scrolls.
    private static let maximum = 900

    init(_ model: EncryptionModel, name: @escaping () -> String) {
        self.model = model
        self.name = name
        choices = PolicyChoice()
        scroller = ScrolledWindow(unreadable).isAsWideAsContent().growsWithContent(upTo: Self.height, showsBar: true)
        unreadable.accessible(label: localized("Not readable for"))
        let content = Box.vertical(spacing: 10, title, explanation, scroller, choices.root, devices).margins(
            horizontal: 12, vertical: 10
        ).minimumSize(width: 240)
        popover = Popover(fitting: content, upTo: Self.maximum)
        popover.accessible(label: localized("Encryption"))
        choices.onChoice = { [weak self] in self?.choose($0) }
        devices.onClick { [weak self] in self?.onDevices() }
        observe(self) { view in view.show() }
    }

    private func show() {
        title.text = Wording.sign(model.sign)
        explanation.text = Wording.forecast(model.forecast, with: name(), in: model.key.kind)
        let now = model.forecast?.unreadable ?? []
        if now != shown {
            shown = now
            unreadable.removeAll()
            lines = now.map { line($0) }
            for (who, why) in lines { unreadable.append(Box.vertical(who, why)) }
        }
        scroller.isVisible = !now.isEmpty
        choices.root.isVisible = model.isAvailable
        choices.show(model.choice)
    }

    private func line(_ recipient: ProtectionError.Recipient) -> (who: Label, why: Label) {
        let device = recipient.device.map { " · " + Wording.device(named: $0) } ?? ""
        let who = Label(Wording.owner(of: recipient, name: name(), in: model.key) + device).ellipsize(inMiddle: true)
            .textAlignment(0)
        let why = Label(Wording.unreadable(recipient.code)).wrap(maximumCharacters: 40).textAlignment(0)
            .css("caption", "dim-label")
        return (who, why)
    }

    private func choose(_ policy: EncryptionPolicy?) {
        Task { [model, showToast] in
            await model.setPolicy(policy)
            guard let failure = model.failure else { return }
            model.clearFailure()
            showToast(failure)
        }
    }
}

/// The choice of a conversation among the policies, or to follow the account.
final class PolicyChoice {
    let root: Box
    var onChoice: (EncryptionPolicy?) -> Void = { _ in }
    private(set) var buttons: [(policy: EncryptionPolicy?, button: CheckButton)] = []
    private var connections: [Object.Connection] = []

    static let policies: [EncryptionPolicy?] = [nil, .always, .whenPossible, .never]

    init() {
        root = Box.vertical(spacing: 2, Label(localized("Encrypt messages")).textAlignment(0).css("caption-heading"))
        root.accessible(label: localized("Encrypt messages"))
        var first: CheckButton?
        for policy in Self.policies {
            let button = CheckButton(Self.title(policy), inGroupOf: first)
            first = first ?? button
            buttons.append((policy, button))
            root.append(button)
        }
        connections = buttons.map { policy, button in
            button.onToggle { [weak self] isOn in if isOn { self?.onChoice(policy) } }
        }
    }

    static func title(_ policy: EncryptionPolicy?) -> String {
        policy.map { Wording.policy($0) } ?? localized("As the account does")
    }

    func show(_ policy: EncryptionPolicy?) {
        // The others of the group become inactive.
        for (index, entry) in buttons.enumerated() where entry.policy == policy && !entry.button.isActive {
            entry.button.withoutHearing(connections[index]) { entry.button.isActive = true }
        }
    }
}
