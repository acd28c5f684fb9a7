internal import ChatStore
internal import JSONRPC
internal import Synchronization
internal import UserProfile
internal import Waiting

/// Sends the events of the log to one client, as they come, and no faster than it acknowledges them.
final class EventSubscription: Sendable {
    let reader: EventReader
    let client: any ProfileRequestClient
    /// The identity of the log.
    let log: String
    private let context: AutomationContext
    private let window: Mutex<EventWindow>
    private let hasRoom = Signal()

    init(
        _ reader: EventReader, from cursor: EventCursor, _ context: AutomationContext,
        _ client: any ProfileRequestClient
    ) {
        self.reader = reader
        self.client = client
        self.context = context
        log = cursor.log
        window = Mutex(EventWindow(from: cursor.position))
    }

    /// The name under which it runs for its client.
    var workName: String { Self.workName(of: reader.name) }

    static func workName(of reader: String) -> String { "events " + reader }

    /// What it has sent and the client has not acknowledged.
    var unacknowledged: (count: Int, bytes: Int) {
        window.withLock { (EventWindow.countLimit - $0.freeCount, EventWindow.byteLimit - $0.byteRoom) }
    }

    /// Sends until the task is cancelled, the store is closed, or the events were removed before they were read.
    func run() async {
        var changes = context.store.changes().makeAsyncIterator()
        while !Task.isCancelled {
            let (room, bytes, end) = window.withLock { ($0.room, $0.byteRoom, $0.end) }
            guard room > 0 else {
                await hasRoom.wait()
                continue
            }
            await client.waitForRoom()
            let (reader, profile, log) = (reader, context.profile, log)
            let page: EventPage?
            do throws(StoreError) {
                page = try await context.store.read { store throws(StoreError) -> EventPage? in
                    let cursor = EventCursor(log: log, position: end)
                    guard let now = try store.eventLog(), (try? now.check(cursor)) != nil else { return nil }
                    return try EventPage(after: end, limit: room, bytes: bytes, for: reader, in: profile, store)
                }
            } catch {
                break
            }
            guard let page else {
                client.notify("events.ended", ["reader": .string(reader.name), "failure": "events-lost"])
                break
            }
            for entry in page.entries {
                let json = JSONValue([
                    ("reader", .string(reader.name)),
                    ("cursor", .text(EventCursor(log: log, position: entry.position))),
                    ("event", entry.json),
                ])
                window.withLock { $0.send(entry.position, bytes: json.description.utf8.count) }
                client.notify("event", json)
            }
            window.withLock { $0.skip(to: page.end) }
            if page.isLast, await changes.next() == nil { break }
        }
        await save(window.withLock { $0.acknowledged })
    }

    /// - Parameter isSavedNow: whether it returns when the position is stored; otherwise that may wait.
    /// - Returns: `false` if nothing was sent up to this position.
    func acknowledge(_ position: Int64, isSavedNow: Bool) async -> Bool {
        let (isSent, toSave) = window.withLock { window -> (Bool, Int64?) in
            guard window.acknowledge(position) else { return (false, nil) }
            return (true, isSavedNow ? window.acknowledged : window.positionToSave)
        }
        guard isSent else { return false }
        hasRoom.send()
        if let toSave { await save(toSave) }
        return true
    }

    private func save(_ position: Int64) async {
        guard window.withLock({ $0.saved < position }) else { return }
        let name = reader.name
        // If it cannot be stored, a client without a cursor gets the last events again, as after a crash.
        let saved: ()? = try? await context.store.write { store throws(StoreError) in
            try store.acknowledgeEvents(upTo: position, by: name)
        }
        if saved != nil { window.withLock { $0.saved(position) } }
    }
}
