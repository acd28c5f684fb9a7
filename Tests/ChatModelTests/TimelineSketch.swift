import ChatFixtures
import ChatModel
import ChatStore
import Foundation

extension ModelFixture {
    func environment(zone: String = "UTC", now: Int64 = 1_000_000) -> ModelEnvironment {
        let reports = reports
        return ModelEnvironment(
            now: { Self.time(now) },
            calendar: {
                var calendar = Calendar(identifier: .gregorian)
                calendar.timeZone = TimeZone(identifier: zone) ?? .gmt
                return calendar
            },
            report: { reports.add($0) })
    }

    /// A timeline of the fixture's conversation.
    @MainActor
    func timeline(
        of conversation: ConversationKey? = nil, actions: (any ConversationActions)? = nil, zone: String = "UTC",
        pageSize: Int = 50
    ) -> Timeline {
        Timeline(
            conversation ?? key, store: store, actions: actions, environment: environment(zone: zone),
            pageSize: pageSize)
    }
}

extension Timeline {
    /// The rows in short: texts of messages, and separators.
    var sketch: [String] {
        items.elements.map { item in
            switch item {
            case .history: "…"
            case .day(let day): "\(day.year)-\(day.month)-\(day.day)"
            case .gap: "gap"
            case .notice(let notice): "notice \(notice.kind.rawValue)"
            case .unread(let count): "unread \(count)"
            case .message(let message): message.text.body
            }
        }
    }
}
