import Foundation
import Testing

@testable import ChatModel

@Suite("The days until now")
struct RecentDaysTests {
    // Berlin changes its clocks at night, São Paulo (until 2019) and Beirut did so at midnight, where a day begins at one o'clock.
    @Test("they are those of the calendar", arguments: ["UTC", "Europe/Berlin", "America/Sao_Paulo", "Asia/Beirut"])
    func calendar(_ zone: String) throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(identifier: zone))
        let reader = calendar
        var universal = Calendar(identifier: .gregorian)
        universal.timeZone = .gmt
        let counter = universal
        // The number of a day: what its date is where no clock changes.
        func number(_ date: Date) throws -> Int {
            let day = counter.date(from: reader.dateComponents([.year, .month, .day], from: date))
            return Int(try #require(day).timeIntervalSince1970) / 86_400
        }
        var now = Date(timeIntervalSince1970: 1_514_764_800)
        for step in 0..<400 {
            now += 86_400 + Double(step % 24) * 3_600
            let days = RecentDays.around(now, calendar)
            for hours in stride(from: -9 * 24, through: 30, by: 5) {
                let date = now + Double(hours) * 3_600
                let distance = try number(now) - number(date)
                #expect(days.today.contains(date) == (distance == 0))
                #expect(days.yesterday.contains(date) == (distance == 1))
                #expect(days.week.contains(date) == (2..<7).contains(distance))
                #expect(days.year.contains(date) == calendar.isDate(date, equalTo: now, toGranularity: .year))
            }
        }
    }
}
