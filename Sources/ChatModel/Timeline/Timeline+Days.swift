internal import ChatStore
internal import Foundation

extension Timeline {
    /// The days of a month on which something was said, as numbers from 1 on, in the person's calendar and time zone.
    public func days(ofMonth month: Int, year: Int) async -> Set<Int> {
        let starts = starts(ofMonth: month, year: year)
        guard let first = starts.first, let end = starts.last else { return [] }
        let found = try? await store.read { [key] store throws(StoreError) -> Set<Int> in
            guard let conversation = try store.conversation(key) else { return [] }
            var days: Set<Int> = []
            var next = first
            // From each day that has a message on: as many steps as there are such days.
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

    /// Shows the first message of a day, or of the next one on which something was said; gives the row to scroll to, or `nil` if the
    /// conversation is empty.
    public func show(day: Int, month: Int, year: Int) async -> TimelineItem.ID? {
        let starts = starts(ofMonth: month, year: year)
        guard starts.indices.contains(day - 1) else { return nil }
        return await show(starts[day - 1])
    }

    /// When each day of a month begins, and when the last one ends.
    private func starts(ofMonth month: Int, year: Int) -> [MessageTime] {
        let calendar = environment.calendar()
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
