internal import ChatEngine
internal import ChatStore
internal import JSONRPC
internal import Synchronization
internal import UserProfile

/// Reading the events of the log, one after the other or as they come.
final class EventMethods: MethodGroup {
    let context: AutomationContext
    /// The running subscriptions, by the name of their reader.
    let subscriptions = Mutex<[String: EventSubscription]>([:])

    init(context: AutomationContext) { self.context = context }

    private static let readerParameter = AutomationMethod.Parameter(
        "reader", .text(limit: 64), isRequired: true, "the name of the program that reads the events")
    private static let cursorParameter = AutomationMethod.Parameter(
        "cursor", .text(limit: 64), isRequired: true, "the cursor of the last handled event")
    private static let afterParameter = AutomationMethod.Parameter(
        "after", .text(limit: 64),
        "the cursor that the program has stored; without it, the last acknowledged event, or the end of the log for a new reader"
    )
    /// The maximum number of events in a page.
    private static let eventLimit = 256

    var methods: [AutomationMethod] {
        [
            AutomationMethod(
                "events.subscribe",
                "Sends each event as a notification “event”, at most 256 that are not acknowledged at a time.",
                [Self.readerParameter, Self.afterParameter]
            ) { [self] arguments, request throws(JSONRPCError) in
                let (reader, cursor) = try await position(arguments)
                let subscription = EventSubscription(reader, from: cursor, context, request.client)
                let previous = subscriptions.withLock { running in
                    defer { running[reader.name] = subscription }
                    return running[reader.name]
                }
                if let previous, previous.client !== request.client {
                    previous.client.notify("events.ended", ["reader": .string(reader.name), "failure": "replaced"])
                    await previous.client.stop(previous.workName)
                }
                await request.run(subscription.workName) { [self] in
                    await subscription.run()
                    subscriptions.withLock { running in
                        if running[reader.name] === subscription { running[reader.name] = nil }
                    }
                }
                return ["cursor": .text(cursor), "created": .text(reader.created.timestamp)]
            },
            AutomationMethod(
                "events.acknowledge", "Records that an event and all before it are handled.",
                [Self.readerParameter, Self.cursorParameter]
            ) { [self] arguments, request throws(JSONRPCError) in
                let name = arguments.text("reader") ?? ""
                let cursor = try Self.cursor(arguments.text("cursor") ?? "")
                let subscription = subscriptions.withLock { $0[name] }
                if let subscription, subscription.client === request.client, subscription.log == cursor.log {
                    let isSavedNow = request.isAnswered
                    guard await subscription.acknowledge(cursor.position, isSavedNow: isSavedNow) else {
                        throw .invalidParameters("This event was not sent yet")
                    }
                } else {
                    let log = try await read { store throws(StoreError) in try store.eventLog() }
                    guard log?.identity == cursor.log else { throw Self.failure(.unknown, log) }
                    try await write { store throws(StoreError) in
                        try store.acknowledgeEvents(upTo: cursor.position, by: name)
                    }
                }
                return [:]
            },
            AutomationMethod(
                "events.read", "Returns the next events after a cursor, and the cursor after them.",
                [
                    Self.readerParameter, Self.afterParameter,
                    .init("limit", .integer(1...Self.eventLimit), "the maximum number of events, 256 if it is missing"),
                    .init("wait", .integer(0...60), "how many seconds to wait for an event, if there is none"),
                ]
            ) { [self] arguments, _ throws(JSONRPCError) in
                let (reader, cursor) = try await position(arguments)
                let limit = arguments.integer("limit") ?? Self.eventLimit
                let page = try await page(of: reader, after: cursor, limit, seconds: arguments.integer("wait") ?? 0)
                let end = EventCursor(log: cursor.log, position: page.end)
                return [
                    "cursor": .text(end), "more": page.isLast ? .null : true,
                    "events": .array(
                        page.entries.map {
                            [
                                "cursor": .text(EventCursor(log: cursor.log, position: $0.position)),
                                "event": $0.json,
                            ]
                        }),
                ]
            },
            AutomationMethod(
                "events.readers", "Lists the programs that read events, and how many each of them has not acknowledged."
            ) { [self] _, _ throws(JSONRPCError) in
                let (readers, log) = try await read { store throws(StoreError) in
                    (try store.eventReaders(), try store.eventLog())
                }
                return [
                    "readers": .array(
                        readers.map { reader in
                            [
                                "reader": .string(reader.name), "created": .text(reader.created.timestamp),
                                "waiting": .integer(Int((log?.newest ?? 0) - reader.acknowledged)),
                            ]
                        })
                ]
            },
            AutomationMethod(
                "events.unsubscribe", "Ends the subscription; with “forget” also the reader with its position.",
                [Self.readerParameter, .init("forget", .flag, "remove the reader")]
            ) { [self] arguments, request throws(JSONRPCError) in
                let name = arguments.text("reader") ?? ""
                if let running = subscriptions.withLock({ $0[name] }) { await running.client.stop(running.workName) }
                if arguments.flag("forget") {
                    try await write { store throws(StoreError) in try store.removeEventReader(name) }
                }
                return [:]
            },
        ]
    }

    private func page(
        of reader: EventReader, after cursor: EventCursor, _ limit: Int, seconds: Int
    ) async throws(JSONRPCError) -> EventPage {
        let end = ContinuousClock.now + .seconds(seconds)
        let changes = context.store.changes()
        while true {
            let page = try await read { [profile = context.profile] store throws(StoreError) in
                try EventPage(
                    after: cursor.position, limit: limit, bytes: AutomationContext.pageBytes, for: reader, in: profile,
                    store)
            }
            guard page.entries.isEmpty, .now < end, !Task.isCancelled else { return page }
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    var iterator = changes.makeAsyncIterator()
                    _ = await iterator.next()
                }
                group.addTask { try? await Task.sleep(until: end, clock: .continuous) }
                await group.next()
                group.cancelAll()
            }
        }
    }

    /// The reader of a call, which is added if it is new, and the position after which it reads.
    private func position(_ arguments: Arguments) async throws(JSONRPCError) -> (EventReader, EventCursor) {
        let name = arguments.text("reader") ?? ""
        guard !name.isEmpty else { throw .invalidParameters("“reader” is empty") }
        let after = try arguments.text("after").map { text throws(JSONRPCError) in try Self.cursor(text) }
        let known = try await read { store throws(StoreError) in (try store.eventReaders(), try store.eventLog()) }
        var reader = known.0.first { $0.name == name }
        var log = known.1
        if reader == nil {
            let added = try await write { store throws(StoreError) in
                (try store.addEventReader(name, at: MessageTime.now), try store.eventLog())
            }
            reader = added.0
            log = added.1
        }
        guard let reader, let log else { throw .internalError }
        let cursor = after ?? EventCursor(log: log.identity, position: reader.acknowledged)
        try Self.check(cursor, log)
        return (reader, cursor)
    }

    private static func cursor(_ text: String) throws(JSONRPCError) -> EventCursor {
        guard let cursor = EventCursor(text) else { throw .invalidParameters("“\(text.prefix(80))” is no cursor") }
        return cursor
    }

    private static func check(_ cursor: EventCursor, _ log: EventLog) throws(JSONRPCError) {
        do throws(EventLogError) {
            try log.check(cursor)
        } catch {
            throw failure(error, log)
        }
    }

    /// The failure names the cursors with which the program can continue after it has read the history.
    private static func failure(_ error: EventLogError, _ log: EventLog?) -> JSONRPCError {
        let oldest = log.map { EventCursor(log: $0.identity, position: $0.removed) }
        let newest = log.map { EventCursor(log: $0.identity, position: $0.newest) }
        switch error {
        case .unknown:
            return .failure(
                .unknownCursor, "The cursor is not of this event log", ("oldest", .text(oldest)),
                ("newest", .text(newest)))
        case .lost:
            return .failure(
                .eventsLost, "The events after this cursor were removed", ("oldest", .text(oldest)),
                ("newest", .text(newest)))
        }
    }
}
