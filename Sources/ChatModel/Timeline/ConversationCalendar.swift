public import ChatStore
internal import Foundation

/// The days of a conversation that have messages, in the user's calendar and time zone.
public struct ConversationCalendar: Sendable {
    private let key: ConversationKey
    private let store: any LocalStore
    private let calendar: Calendar

    init(_ key: ConversationKey, _ store: any LocalStore, _ calendar: Calendar) {
        self.key = key
        self.store = store
        self.calendar = calendar
    }

    /// The days of a month that have messages, as numbers from 1.
    public func days(ofMonth month: Int, year: Int) async -> Set<Int> {
        let starts = starts(ofMonth: month, year: year)
        guard let first = starts.first, let end = starts.last else { return [] }
        let found = try? await store.read { [key] store throws(StoreError) -> Set<Int> in
            guard let conversation = try store.conversation(key) else { return [] }
            var days: Set<Int> = []
            var next = first
            // Jumps from one day with messages to the next, so there are as many steps as such days.
            while let message = try store.timeline(of: conversation, .after(.start(of: next)), limit: 1).first,
                message.position.time < end,
                let day = starts.lastIndex(where: { $0 <= message.position.time }), day + 1 < starts.count
            {
                days.insert(day + 1)
                next = starts[day + 1]
            }
            return days
        }
        return found ?? []
    }

    /// The beginning of a day; `nil` if the month does not have it.
    public func start(ofDay day: Int, month: Int, year: Int) -> MessageTime? {
        let starts = starts(ofMonth: month, year: year)
        return starts.dropLast().indices.contains(day - 1) ? starts[day - 1] : nil
    }

    /// The start of each day of a month, and the end of the last one.
    private func starts(ofMonth month: Int, year: Int) -> [MessageTime] {
        let begin = DateComponents(calendar: calendar, timeZone: calendar.timeZone, year: year, month: month, day: 1)
        guard let first = calendar.date(from: begin), let days = calendar.range(of: .day, in: .month, for: first) else {
            return []
        }
        return (0...days.count).compactMap { number in
            calendar.date(byAdding: .day, value: number, to: first).map {
                MessageTime(calendar.startOfDay(for: $0))
            }
        }
    }
}
