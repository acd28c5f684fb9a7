import ChatEngine
import ChatModel
import ChatStore
import GroupChat
import Testing

@Suite("Wording")
struct WordingTests {
    @Test(
        "a size has a unit that people read, and no more digits than they want",
        arguments: [
            (-1, "0 B"), (0, "0 B"), (999, "999 B"), (1000, "1 kB"), (1440, "1.4 kB"), (12_345, "12 kB"),
            (999_999, "1 MB"), (4_000_000, "4 MB"), (1_500_000_000_000_000, "1500 TB"),
        ])
    func sizes(_ count: Int, _ text: String) {
        #expect(Wording.size(count) == text)
    }

    @Test(
        "a duration reads as a player shows it",
        arguments: [(-5, "0:00"), (0, "0:00"), (6_600, "0:07"), (65_000, "1:05"), (3_765_000, "1:02:45")])
    func lengths(_ milliseconds: Int, _ text: String) {
        #expect(Wording.length(.milliseconds(milliseconds)) == text)
    }

    @Test("what a server says counts only where nothing is known of its condition")
    func reasons() {
        func words(_ condition: String, _ text: String?) -> String {
            Wording.failure(FailureReason(.refused, condition: condition, text: text))
        }
        #expect(words("forbidden", "Go away") == "it was not allowed")
        #expect(words("not-today", "Go away") == "Go away")
        #expect(words("not-today", nil) == "the server gave the reason “not-today”")
    }

    @Test("who was removed from a room reads by whom, and why")
    func absence() throws {
        let kicked = RoomDeparture(.kicked, actorNickname: "Tybalt", reason: "Peace!")
        let absence = try #require(RoomAbsence(kicked))
        #expect(Wording.absence(absence) == "Tybalt has removed you from the room. “Peace!”")
        #expect(RoomAbsence(RoomDeparture(.left)) == nil)
    }
}
