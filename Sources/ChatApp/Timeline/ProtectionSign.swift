internal import ChatModel
internal import GTKBinding

/// The symbol beside the time of a message that says how it was protected; with a tooltip.
///
/// The symbols differ in shape, not in colour only.
final class ProtectionSign {
    let widget = Icon(size: 12)
    private(set) var mark: ProtectionMark?

    init() {
        widget.isVisible = false
        widget.tip(whenAsked: { [weak self] in self?.mark.map { Wording.protection($0) } })
    }

    func show(_ mark: ProtectionMark?) {
        guard mark != self.mark else { return }
        self.mark = mark
        widget.isVisible = mark != nil
        guard let mark else { return }
        widget.show(Self.icon(mark))
        widget.accessible(label: Wording.protection(mark))
    }

    private static func icon(_ mark: ProtectionMark) -> String {
        switch mark {
        case .encrypted: "channel-secure-symbolic"
        case .verified: "security-high-symbolic"
        case .untrusted: "dialog-warning-symbolic"
        case .clear: "channel-insecure-symbolic"
        case .notOpened: "dialog-question-symbolic"
        }
    }
}
