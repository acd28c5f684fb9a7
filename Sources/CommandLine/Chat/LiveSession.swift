internal import MessageFeatures
internal import Roster
internal import Synchronization
internal import XMPPClient
internal import XMPPStanzas

/// The session of an account at work, for what shows only while it lives: who is there, and files that come inside a message.
final class LiveSession: SessionExtension {
    enum Event: Sendable {
        case messages([SessionEvent])
        case contacts([RosterEvent])
    }

    let events: AsyncStream<Event>
    private let continuation: AsyncStream<Event>.Continuation
    private let current = Mutex<Session?>(nil)

    init() {
        (events, continuation) = AsyncStream.makeStream(of: Event.self, bufferingPolicy: .bufferingNewest(Self.limit))
    }

    /// How many batches wait at most; what was said is in the store, and the state of the contacts in the roster.
    private static let limit = 1024

    /// The session, while there is one.
    var session: Session? { current.withLock { $0 } }

    var roster: Roster? { session?[Roster.self] }

    func watch(_ session: Session) -> LiveSession {
        current.withLock { $0 = session }
        return self
    }

    func run(in session: Session) async {
        let contacts = await session[Roster.self]?.events()
        let messages = session.events(.messages)
        await withDiscardingTaskGroup { group in
            if let contacts {
                group.addTask { for await batch in contacts { self.continuation.yield(.contacts(batch)) } }
            }
            for await batch in messages { continuation.yield(.messages(batch)) }
            group.cancelAll()
        }
    }

    func sessionEnded(_ session: Session) async {
        current.withLock { $0 = nil }
    }
}

/// The contact of a session; the store has one of that name, too.
typealias RosterContact = Contact
