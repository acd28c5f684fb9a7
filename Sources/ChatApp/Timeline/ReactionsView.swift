internal import ChatModel
internal import GTKBinding
internal import Localization

/// The emoji that people gave to a message, with how many; a click gives or takes back one's own.
final class ReactionsView {
    let root = Box.horizontal(spacing: 4)
    var onToggle: (String) -> Void = { _ in }
    private var shown: [TimelineMessage.ReactionGroup] = []

    /// As many different ones as fit into a narrow window.
    private static let limit = 6

    func show(_ groups: [TimelineMessage.ReactionGroup]) {
        root.isVisible = !groups.isEmpty
        guard groups != shown else { return }
        shown = groups
        root.removeAll()
        for group in groups.prefix(Self.limit) {
            let text = group.count > 1 ? "\(group.emoji) \(group.count)" : group.emoji
            let button = Button(Label(text)).css("reaction").focusOnClick(false)
            button.css("own", group.isOwn)
            button.tip(group.names.joined(separator: ", "))
            button.accessible(label: localized("%@ from %@", group.emoji, group.names.joined(separator: ", ")))
            let emoji = group.emoji
            button.onClick { [weak self] in self?.onToggle(emoji) }
            root.append(button)
        }
        if groups.count > Self.limit {
            let rest = groups.dropFirst(Self.limit)
            root.append(Label("+\(rest.count)").css("dim-label").tip(rest.map(\.emoji).joined(separator: " ")))
        }
    }
}
