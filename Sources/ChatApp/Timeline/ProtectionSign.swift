internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization

/// The symbol beside the time of a message that says how it was protected; with a tooltip.
///
/// The symbols differ in shape, not in colour only. An open lock of this size looks like a closed one, so that clear
/// text is marked with words as well.
final class ProtectionSign {
    let widget: Widget
    let label = Label().ellipsize()
    private let icon = Icon(size: 12)
    private(set) var mark: ProtectionMark?
    /// The tooltip.
    private(set) var text: String?

    init() {
        widget = Box.horizontal(spacing: 3, icon, label)
        widget.isVisible = false
        widget.tip(whenAsked: { [weak self] in self?.text })
    }

    func show(_ message: TimelineMessage) {
        text = Wording.protection(of: message)
        let mark = message.mark
        guard mark != self.mark else { return }
        self.mark = mark
        widget.isVisible = mark != nil
        guard let mark else { return }
        label.isVisible = mark == .clear
        label.text = Wording.protection(mark)
        icon.show(Self.icon(mark))
        icon.accessible(label: label.text)
    }

    private static func icon(_ mark: ProtectionMark) -> String {
        switch mark {
        case .encrypted: "changes-prevent-symbolic"
        case .partly: "dialog-warning-symbolic"
        case .verified: "security-high-symbolic"
        case .untrusted: "dialog-warning-symbolic"
        case .clear: "changes-allow-symbolic"
        case .notOpened: "dialog-question-symbolic"
        }
    }
}

/// A change of the encryption in a timeline, or an answer of the contact: a symbol and a sentence.
final class NoticeView {
    let root: Widget
    let label = Label().wrap(maximumCharacters: 50).centered()
    /// Opens the devices, where the user can decide about the key.
    let devices = Button(localized("_Devices and Keys…")).css("flat").focusOnClick(false).align(horizontal: .center)
    private let icon = Icon(size: 16)
    private let hasDevices: Bool
    private var notice: TimelineNotice?

    /// - Parameter showDevices: `nil` for an account without encryption.
    init(_ showDevices: ((TimelineNotice) -> Void)?) {
        // GTK 4.8 gives a wrapping label in a horizontal box its natural width.
        root = Box.vertical(spacing: 2, icon.align(horizontal: .center), label, devices).css("key-notice").align(
            horizontal: .center
        ).margins(horizontal: 24, vertical: 4)
        hasDevices = showDevices != nil
        devices.onClick { [weak self] in
            if let notice = self?.notice { showDevices?(notice) }
        }
    }

    func show(_ notice: TimelineNotice) {
        self.notice = notice
        label.text = Wording.notice(notice)
        icon.show(Self.icon(notice.kind))
        let isDecision = notice.kind == .changedKey || notice.kind == .newKey
        for part in [icon, label] as [Widget] { part.css("warning", isDecision) }
        devices.isVisible = (isDecision || notice.kind == .newDevice) && hasDevices && notice.address != nil
        root.accessible(label: label.text)
    }

    private static func icon(_ kind: ConversationNotice.Kind) -> String {
        switch kind {
        case .began: "changes-prevent-symbolic"
        case .ended: "changes-allow-symbolic"
        case .newDevice: "dialog-information-symbolic"
        case .newKey, .changedKey, .optOut: "dialog-warning-symbolic"
        case .contactAccepted: "emblem-ok-symbolic"
        case .contactDeclined, .contactEnded: "action-unavailable-symbolic"
        }
    }
}
