internal import ChatModel
internal import GTKBinding

/// How the person wants to be seen, as a dot: full, half, with a bar, or empty, so that it can be told without its colour, too.
final class AvailabilityDot {
    let widget: Widget
    private let dot = Box(.horizontal).css("presence-dot", "own")
    private static let classes: [Availability: String] = [
        .available: "online", .away: "away", .doNotDisturb: "busy", .invisible: "offline",
    ]

    init(_ availability: Availability = .available) {
        dot.align(horizontal: .center, vertical: .center)
        widget = dot
        show(availability)
    }

    func show(_ availability: Availability) {
        for (each, name) in Self.classes { dot.css(name, each == availability) }
    }
}
