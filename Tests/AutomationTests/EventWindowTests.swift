import ChatStore
import Testing

@testable import Automation

@Suite("The window of unacknowledged events")
struct EventWindowTests {
    /// Whether the event was sent.
    private func acknowledge(_ position: Int64, in window: inout EventWindow) -> Bool { window.acknowledge(position) }

    @Test("it is limited in number and in bytes, and acknowledgement makes room")
    func limits() {
        var window = EventWindow(from: 10)
        #expect(window.room == EventWindow.countLimit)
        for position in 11...(10 + Int64(EventWindow.countLimit)) { window.send(position, bytes: 100) }
        #expect(window.room == 0)
        // The next ones are sent together, when half of the window is free.
        let half = 10 + Int64(EventWindow.countLimit) / 2
        var isSent = acknowledge(half - 1, in: &window)
        #expect(isSent && window.room == 0)
        isSent = acknowledge(half, in: &window)
        #expect(isSent && window.acknowledged == half && window.room == EventWindow.countLimit / 2)
        // Backwards changes nothing.
        isSent = acknowledge(15, in: &window)
        #expect(isSent && window.acknowledged == half && window.room == EventWindow.countLimit / 2)
        // What was not sent cannot be acknowledged.
        isSent = acknowledge(10_000, in: &window)
        #expect(!isSent && window.acknowledged == half)
        var large = EventWindow(from: 0)
        large.send(1, bytes: EventWindow.byteLimit)
        #expect(large.room == 0 && large.byteRoom == 0)
        isSent = acknowledge(1, in: &large)
        #expect(isSent && large.room == EventWindow.countLimit)
    }

    @Test("the position is stored when the client has handled everything, or many events")
    func saving() {
        var window = EventWindow(from: 0)
        window.send(1, bytes: 1)
        window.send(2, bytes: 1)
        _ = acknowledge(1, in: &window)
        #expect(window.positionToSave == nil)
        _ = acknowledge(2, in: &window)
        #expect(window.positionToSave == 2)
        window.saved(2)
        #expect(window.positionToSave == nil)
        var position: Int64 = 2
        for _ in 0..<4 {
            for _ in 0..<100 {
                position += 1
                window.send(position, bytes: 1)
            }
            _ = acknowledge(position - 1, in: &window)
        }
        #expect(window.positionToSave == position - 1)
    }

    @Test("a cursor is read only as it was written")
    func cursor() {
        let cursor = EventCursor(log: "0af3", position: 1042)
        #expect(cursor.description == "0af3-1042" && EventCursor("0af3-1042") == cursor)
        for text in [
            "", "-", "0af3", "0af3-", "-1", "0af3--1", "0af3-1-2", "0af3-+1", "0af3-1 ", "0af3-99999999999999999999",
            "0af3-１",
        ] {
            #expect(EventCursor(text) == nil, "\(text)")
        }
    }

    @Test("a cursor of another log, of the future, or before what was removed is refused")
    func check() {
        let log = EventLog(identity: "a", removed: 10, newest: 20)
        for position: Int64 in [10, 15, 20] {
            #expect(throws: Never.self) { try log.check(EventCursor(log: "a", position: position)) }
        }
        #expect(throws: EventLogError.lost) { try log.check(EventCursor(log: "a", position: 9)) }
        #expect(throws: EventLogError.unknown) { try log.check(EventCursor(log: "a", position: 21)) }
        #expect(throws: EventLogError.unknown) { try log.check(EventCursor(log: "b", position: 15)) }
    }
}
