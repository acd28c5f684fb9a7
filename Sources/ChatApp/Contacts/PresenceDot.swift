internal import ChatEngine
internal import ChatModel
internal import GTKBinding

/// A picture of somebody with a dot at its edge: full while there, half while away, empty while not.
final class PresenceDot {
    let widget: Widget
    private let dot = Box(.horizontal).css("presence-dot")
    private static let classes: [ContactPresence.Section: String] = [
        .online: "online", .away: "away", .offline: "offline",
    ]

    /// - Parameter isLarge: for a picture of a page, not of a list.
    init(on picture: PersonPicture, isLarge: Bool = false) {
        dot.css("large", isLarge)
        dot.align(horizontal: .end, vertical: .end).targetable(false)
        widget = Overlay(picture.widget, dot).align(horizontal: .center, vertical: .center)
    }

    func show(_ section: ContactPresence.Section) {
        for (each, name) in Self.classes { dot.css(name, each == section) }
        dot.tip(Wording.presence(section))
    }
}
