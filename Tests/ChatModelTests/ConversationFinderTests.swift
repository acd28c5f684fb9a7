import ChatFixtures
import ChatStore
import Foundation
import Testing

@testable import ChatModel

@MainActor
@Suite("Finding in a conversation")
struct ConversationFinderTests {
    @Test(
        "the newest match first, then older ones beyond the first page, and back; not those of other conversations"
    )
    func matches() async throws {
        let fixture = try await ModelFixture()
        for number in 0..<70 {
            let body = number.isMultiple(of: 2) ? "a rose, number \(number)" : "a thorn"
            try await fixture.receive(body, id: "m\(number)", at: Int64(number))
        }
        let nurse = try fixture.key("nurse@capulet.example")
        try await fixture.receive("a rose elsewhere", id: "n", at: 100, in: nurse)
        let messages = try await fixture.all()
        let roses = messages.filter { $0.text.body.contains("rose") }.map(\.id)
        let finder = ConversationFinder(fixture.key, store: fixture.store)
        #expect(await finder.find("ROSE") == roses.last)
        #expect(finder.position == 0 && finder.hasMore)
        #expect(finder.showNewer() == nil)
        var found = [try #require(finder.current)]
        while let next = await finder.showOlder() { found.append(next) }
        #expect(found == roses.reversed())
        #expect(finder.position == 34 && finder.count == 35 && !finder.hasMore)
        #expect(finder.showNewer() == roses[1])

        #expect(await finder.find("violet") == nil)
        #expect(finder.position == nil && finder.count == 0)
        #expect(await finder.find("") == nil)
        #expect(await finder.find("thorn") == messages.last { $0.text.body.contains("thorn") }?.id)
    }

    @Test("a missing conversation has no matches")
    func nothing() async throws {
        let fixture = try await ModelFixture()
        let finder = ConversationFinder(fixture.key, store: fixture.store)
        #expect(await finder.find("rose") == nil)
        #expect(await finder.showOlder() == nil && finder.showNewer() == nil)
    }

    @Test("the days of a month with messages, in the user's time zone")
    func days() async throws {
        let fixture = try await ModelFixture()
        // The fixture counts from 2026-11-01T12:00:00Z.
        let day: Int64 = 86_400
        let moments: [Int64] = [-day, 0, 3_600, 11 * 3_600 + 1_800, 4 * day, 29 * day, 31 * day]
        for (number, seconds) in moments.enumerated() {
            try await fixture.receive("\(number)", id: "m\(number)", at: seconds)
        }
        func days(_ zone: String, _ month: Int) async -> Set<Int> {
            let timeline = Timeline(fixture.key, store: fixture.store, environment: fixture.environment(zone: zone))
            await timeline.open()
            return await timeline.calendar.days(ofMonth: month, year: 2026)
        }
        #expect(await days("UTC", 11) == [1, 5, 30])
        // Half past eleven at night is the next morning further east.
        #expect(await days("Asia/Shanghai", 11) == [1, 2, 5, 30])
        #expect(await days("UTC", 12) == [2])
        #expect(await days("UTC", 10) == [31])
        #expect(await days("UTC", 9).isEmpty)
        #expect(await days("UTC", 13).isEmpty)
    }

    @Test("jumping to a day shows its first message; after the last day, the last message")
    func jump() async throws {
        let fixture = try await ModelFixture()
        // Six messages each day for two hundred days.
        try await fixture.fill(0..<1200, every: 4 * 3600)
        let timeline = Timeline(fixture.key, store: fixture.store, environment: fixture.environment())
        await timeline.open()
        let item = await timeline.show(day: 25, month: 12, year: 2026)
        let messages = try await fixture.all()
        let christmas = messages.first { $0.time >= ModelFixture.time((53 * 24 + 12) * 3600) }
        #expect(item == christmas.map { .message($0.id) })
        #expect(timeline.items.index(of: try #require(item)) != nil)
        #expect(!timeline.isAtNewest)
        #expect(await timeline.show(day: 1, month: 1, year: 2030) == messages.last.map { .message($0.id) })
        #expect(await timeline.show(day: 31, month: 2, year: 2027) == nil)
    }

    @Test("words are highlighted regardless of case, accents and width")
    func marks() {
        #expect(SearchMarks.ranges(of: "rose ro", in: "A Rose, rosé, prose") == [2..<6, 8..<12, 15..<19])
        #expect(SearchMarks.ranges(of: "玫瑰", in: "一朵玫瑰") == [2..<4])
        #expect(SearchMarks.ranges(of: " ", in: "A Rose").isEmpty)
        #expect(SearchMarks.ranges(of: "longer than it", in: "a").isEmpty)
    }
}
