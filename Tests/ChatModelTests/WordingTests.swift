import ChatEngine
import ChatModel
import ChatStore
import Foundation
import GroupChat
import Testing
import XMPPClient

@Suite("Wording")
struct WordingTests {
    @Test(
        "a size has a familiar unit and few digits",
        arguments: [
            (-1, "0\u{A0}B"), (0, "0\u{A0}B"), (999, "999\u{A0}B"), (1000, "1\u{A0}kB"), (1440, "1.4\u{A0}kB"),
            (12_345, "12\u{A0}kB"),
            (999_999, "1\u{A0}MB"), (4_000_000, "4\u{A0}MB"), (1_500_000_000_000_000, "1500\u{A0}TB"),
        ])
    func sizes(_ count: Int, _ text: String) {
        #expect(Wording.size(count) == text)
    }

    @Test("a time of day has a space that fonts have, and no line ends in it")
    func clock() {
        let clock = Wording.clock(MessageTime(millisecondsSince1970: 1_000_000_000_000))
        #expect(clock.hasSuffix("\u{A0}AM") || clock.hasSuffix("\u{A0}PM"))
    }

    @Test(
        "a time in a list is as short as its distance allows",
        arguments: [
            ("2026-03-29 23:59", "11:59\u{A0}PM"), ("2026-03-29 00:00", "12:00\u{A0}AM"),
            ("2026-03-28 23:59", "Yesterday"),
            ("2026-03-28 00:00", "Yesterday"), ("2026-03-27 23:59", "Friday"), ("2026-03-23 00:00", "Monday"),
            ("2026-03-22 23:59", "3/22"), ("2026-01-01 00:00", "1/1"), ("2025-12-31 23:59", "12/31/2025"),
            ("2026-03-30 00:00", "3/30"), ("2027-01-01 00:00", "1/1/2027"),
        ])
    func short(_ moment: String, _ text: String) throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .current
        let reader = DateFormatter()
        reader.calendar = calendar
        reader.locale = Locale(identifier: "en_US_POSIX")
        reader.dateFormat = "yyyy-MM-dd HH:mm"
        let (time, now) = (try #require(reader.date(from: moment)), try #require(reader.date(from: "2026-03-29 12:00")))
        let short = Wording.short(
            MessageTime(millisecondsSince1970: Int64(time.timeIntervalSince1970 * 1000)), now: now, calendar: calendar)
        #expect(short == text)
    }

    @Test("a duration is one piece: no line ends before the unit")
    func durations() {
        #expect(Wording.seconds(11) == "11\u{A0}s")
        #expect(Wording.precise(.milliseconds(12)) == "12\u{A0}ms")
        #expect(Wording.precise(.milliseconds(1_440)) == "1.4\u{A0}s")
        let offline = ConnectionState.offline(reason: nil, nextAttempt: nil)
        func brief(_ seconds: Int) -> String { Wording.brief(offline, remaining: .seconds(seconds)) }
        #expect(brief(1) == "Offline. Next attempt now.")
        #expect(brief(11) == "Offline. Next attempt in 11\u{A0}s.")
        #expect(brief(170) == "Offline. Next attempt in 3\u{A0}min.")
    }

    @Test(
        "a duration reads as a player shows it",
        arguments: [(-5, "0:00"), (0, "0:00"), (6_600, "0:07"), (65_000, "1:05"), (3_765_000, "1:02:45")])
    func lengths(_ milliseconds: Int, _ text: String) {
        #expect(Wording.length(.milliseconds(milliseconds)) == text)
    }

    @Test("the server's text counts only for unknown conditions")
    func reasons() {
        func words(_ condition: String, _ text: String?) -> String {
            Wording.failure(FailureReason(.refused, condition: condition, text: text))
        }
        #expect(words("forbidden", "Go away") == "it is not allowed")
        #expect(words("not-today", "Go away") == "Go away")
        #expect(words("not-today", nil) == "the server gave the reason “not-today”")
    }

    @Test("being removed from a room is described with by whom, and why")
    func absence() throws {
        let kicked = RoomDeparture(.kicked, actorNickname: "Tybalt", reason: "Peace!")
        let absence = try #require(RoomAbsence(kicked))
        #expect(Wording.absence(absence) == "Tybalt has removed you from the room. “Peace!”")
        #expect(RoomAbsence(RoomDeparture(.left)) == nil)
    }
}
