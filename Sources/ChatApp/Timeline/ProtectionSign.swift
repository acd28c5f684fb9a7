internal import ChatModel
internal import ChatStore
internal import GTKBinding

/// The symbol beside the time of a message that says how it was protected; with a tooltip.
///
/// The symbols differ in shape, not in colour only.
final class ProtectionSign {
    let widget = Icon(size: 12)
    private(set) var mark: ProtectionMark?
    /// The tooltip.
    private(set) var text: String?

    init() {
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
        widget.show(Self.icon(mark))
        widget.accessible(label: Wording.protection(mark))
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

/// A change of the encryption in a timeline: a symbol and a sentence.
final class NoticeView {
    let root: Widget
    let label = Label().wrap(maximumCharacters: 50).centered()
    private let icon = Icon(size: 16)

    init() {
        // GTK 4.8 gives a wrapping label in a horizontal box its natural width.
        root = Box.vertical(spacing: 2, icon.align(horizontal: .center), label).css("key-notice").align(
            horizontal: .center
        ).margins(horizontal: 24, vertical: 4)
    }

    func show(_ notice: TimelineNotice) {
        label.text = Wording.notice(notice)
        icon.show(Self.icon(notice.kind))
        root.css("warning", notice.kind == .changedKey || notice.kind == .newKey)
        root.accessible(label: label.text)
    }

    private static func icon(_ kind: ProtectionNotice.Kind) -> String {
        switch kind {
        case .began: "changes-prevent-symbolic"
        case .ended: "changes-allow-symbolic"
        case .newKey, .changedKey: "dialog-warning-symbolic"
        }
    }
}
