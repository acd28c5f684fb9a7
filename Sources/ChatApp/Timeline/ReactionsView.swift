internal import ChatModel
internal import GTKBinding
internal import Localization

/// The reactions to a message with their counts; a click adds or removes the user's own.
final class ReactionsView {
    let root = Box.vertical(spacing: 4)
    var onToggle: (String) -> Void = { _ in }
    private var shown: [TimelineMessage.ReactionGroup] = []

    private(set) var buttons: [Button] = []

    /// The number of different emoji that fit side by side into a narrow window.
    private static let limit = 12
    private static let lineLimit = 4

    /// - Parameter side: the side of the conversation that the message is on.
    func show(_ groups: [TimelineMessage.ReactionGroup], _ side: Alignment) {
        root.isVisible = !groups.isEmpty
        guard groups != shown else { return }
        shown = groups
        root.removeAll()
        buttons = []
        var lines: [Box] = []
        func append(_ widget: Widget, _ index: Int) {
            if index.isMultiple(of: Self.lineLimit) { lines.append(Box.horizontal(spacing: 4)) }
            lines.last?.append(widget)
        }
        for group in groups.prefix(Self.limit) {
            let text = group.count > 1 ? "\(group.emoji) \(group.count)" : group.emoji
            let button = Button(Label(text)).css("reaction").focusOnClick(false)
            button.css("own", group.isOwn)
            button.tip(group.names.joined(separator: localized(", ")))
            button.accessible(
                label: localized("%@ from %@", group.emoji, group.names.joined(separator: localized(", "))))
            let emoji = group.emoji
            button.onClick { [weak self] in self?.onToggle(emoji) }
            append(button, buttons.count)
            buttons.append(button)
        }
        if groups.count > Self.limit {
            let rest = groups.dropFirst(Self.limit)
            lines.last?.append(Label("+\(rest.count)").css("dim-label").tip(rest.map(\.emoji).joined(separator: " ")))
        }
        for line in lines { root.append(line.align(horizontal: side)) }
    }
}
