import XMPPStanzas

/// Tells what happens in a session as lines of text, for diagnosis; where they go is the program's choice.
///
///     configuration.add { SessionLog($0, .stanzas) { level, line in print("\(level): \(line)") } }
///
/// A line has no password, no token, no address of a person and nothing that a person has written: of a step it has
/// the name, of a stanza the kind, the identifier and the names of what is in it, of an error the sentence
/// (``ClientError``), in which the name of the server and its own words can stand. Who wants to see more writes a
/// ``StanzaInterceptor``. At lower levels stanzas are not looked at.
///
/// Lines come from whichever thread the session runs on. Stanzas wait for theirs, so what takes long is better handed
/// on.
public struct SessionLog: SessionExtension {
    /// How much is told; each has what is before it, too.
    public enum Level: Int, Sendable, Comparable, CaseIterable {
        /// What went wrong.
        case failures
        /// The steps of each connection.
        case steps
        /// Each stanza on its way, in both directions.
        case stanzas

        public static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
    }

    private let level: Level
    private let events: SessionEvents
    private let write: @Sendable (Level, String) -> Void

    /// - Parameter session: what the factory of the extension gets: what happens is told from the first step on.
    public init(
        _ session: Session, _ level: Level = .steps, write: @escaping @Sendable (_ level: Level, _ line: String) -> Void
    ) {
        self.level = level
        self.write = { write($0, Self.oneLine($1)) }
        events = session.events([.connection, .sending, .elements, .filtered])
    }

    public var interceptors: [any StanzaInterceptor] { level >= .stanzas ? [Passage(write: write)] : [] }

    public func run(in session: Session) async {
        for await batch in events { tell(batch) }
    }

    private func tell(_ batch: [SessionEvent]) {
        for event in batch {
            guard let (level, line) = Self.line(of: event), level <= self.level else { continue }
            write(level, line)
        }
    }

    public func sessionEnded(_ session: Session) async {
        // What was behind the end: its own task is over by now.
        tell(events.observation.buffer.takeWaiting())
        if let error = await session.failure {
            write(.failures, "the session is over: \(error.sentence)")
        } else if level >= .steps {
            write(.steps, "the session is over")
        }
    }

    /// Tells of each stanza, and lets it pass.
    private struct Passage: StanzaInterceptor {
        let write: @Sendable (Level, String) -> Void

        func willReceive(_ stanza: AnyStanza, in session: Session) async -> Interception {
            write(.stanzas, "received " + SessionLog.words(stanza))
            return .pass(stanza)
        }

        func willSend(_ stanza: AnyStanza, in session: Session) async -> Interception {
            write(.stanzas, "sends " + SessionLog.words(stanza))
            return .pass(stanza)
        }
    }
}
