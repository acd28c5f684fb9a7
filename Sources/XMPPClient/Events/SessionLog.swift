internal import XMLStreaming
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
            write(.failures, "the session is over: \(error.message)")
        } else if level >= .steps {
            write(.steps, "the session is over")
        }
    }

    /// Tells of each stanza, and lets it pass.
    private struct Passage: StanzaInterceptor {
        let write: @Sendable (Level, String) -> Void

        func willReceive(_ stanza: AnyStanza, in session: Session) async -> Interception {
            write(.stanzas, "received " + SessionLog.summary(stanza))
            return .pass(stanza)
        }

        func willSend(_ stanza: AnyStanza, in session: Session) async -> Interception {
            write(.stanzas, "sends " + SessionLog.summary(stanza))
            return .pass(stanza)
        }
    }
}

extension SessionLog {
    /// `nil` for what is told elsewhere or not worth a line.
    static func line(of event: SessionEvent) -> (Level, String)? {
        switch event {
        case .connection(let step): line(of: step)
        case .sendingFailed(let token, let error): (.failures, "\(summary(token.stanza)) failed: \(error.message)")
        case .unreadable(let element, let error):
            (.failures, "cannot read \(summary(element)) for its \(error.element)")
        case .skipped(let element):
            (.failures, "skipped \(summary(element.startTag)) of \(element.byteCount) bytes: \(element.reason)")
        case .refused(let count, let archive, let reason):
            (.failures, "refused \(count) messages in an archive at \(archive.domain): \(reason)")
        case .filtered(let stanza, let direction): (.steps, "dropped \(direction) \(summary(stanza))")
        case .message, .presence, .iq, .element, .sent, .acknowledged, .presenceChanged, .stateChanged: nil
        }
    }

    private static func line(of step: ConnectionEvent) -> (Level, String)? {
        switch step {
        case .willConnect: (.steps, "connecting")
        case .connected: (.steps, "connected")
        case .negotiating: (.steps, "opening the stream")
        case .securing: (.steps, "encrypting")
        case .secured(let tls): (.steps, "encrypted with \(tls.version.rawValue)")
        case .opened: (.steps, "the stream is open")
        case .readyToRegister: (.steps, "ready to register")
        case .authenticating(let mechanism): (.steps, "logging in with \(mechanism)")
        case .authenticated: (.steps, "logged in")
        case .resuming: (.steps, "resuming the session")
        case .binding: (.steps, "binding a resource")
        case .resourceInUse: (.steps, "the resource is in use")
        case .bound: (.steps, "bound")
        case .resumed: (.steps, "resumed")
        case .addressChanged: (.steps, "the own address is another one")
        case .online(_, let isResumed): (.steps, isResumed ? "online again" : "online")
        case .closeRequested: (.steps, "signing off")
        case .closingSent: (.steps, "closing the stream")
        case .timedOut: (.failures, "the login took too long")
        case .authenticationFailed(let error): (.failures, "the login failed: \(error.message)")
        case .streamError(let error): (.failures, "the server ended the stream: \(error.condition)")
        case .disconnected(let error?, let pause?):
            (.failures, "disconnected: \(error.message) Next attempt in \(pause).")
        case .disconnected(nil, .some): (.steps, "disconnected")
        // No further attempt: the end of the session tells it.
        case .disconnected(_, nil): nil
        case .extensionFailed(let name, let error):
            (.failures, "\(name) failed" + ((error as? ClientError).map { ": \($0.message)" } ?? ""))
        }
    }

    static func summary(_ stanza: AnyStanza) -> String { summary(XMLElement(stanza)) }

    /// Kind, type, identifier and what is in it: `message chat 17 [body, {urn:xmpp:receipts}request]`.
    private static func summary(_ element: XMLElement) -> String {
        let inside = element.children.prefix(maximumNames).map { child in
            // What belongs to the stanza itself needs no namespace.
            child.name.namespace == element.name.namespace ? child.name.local : child.name.description
        }
        let head = [element.name.local, element["type"], element["id"]].compactMap(\.self)
        return (head + ["[\(inside.joined(separator: ", "))]"]).joined(separator: " ")
    }

    /// One line whatever a peer has sent, and not too long a one: a peer cannot forge lines of the log.
    static func oneLine(_ text: String) -> String {
        let scalars = text.unicodeScalars.prefix(maximumLength).map { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: Unicode.Scalar(0x20 as UInt8)
            default: scalar
            }
        }
        return String(String.UnicodeScalarView(scalars))
    }

    /// A stanza that a person has caused has fewer children.
    private static let maximumNames = 12
    /// Enough for a sentence of a server and a stanza with its names.
    private static let maximumLength = 500
}
