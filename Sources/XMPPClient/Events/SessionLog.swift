internal import XMLStreaming
import XMPPStanzas

/// Describes the events of a session as lines of text, for diagnosis; the program decides where the lines go.
///
///     configuration.add { SessionLog($0, .stanzas) { level, line in print("\(level): \(line)") } }
///
/// A line contains no password and no token. Below the level ``Level/wire`` it contains no address of a person and no text
/// of a user either, but the name of a step, the kind, identifier and element names of a stanza, and the message of an error
/// (``ClientError``), which may include the name of the server and its error text. At the level ``Level/wire`` there is a line
/// for each element that is sent (`C: `) or received (`S: `), as it is written on the connection. In it `…` stands in place of
/// secrets: logins, tokens, passwords, registrations, private fields of forms, addresses for uploads.
///
/// `session.add { SessionLog($0, .wire) { … } }` opens a console of a session that runs, and
/// `session.remove(SessionLog.self)` closes it.
///
/// The closure is called on the thread of the session, and stanzas wait until it returns, so defer slow work. At lower levels
/// stanzas are not inspected.
public struct SessionLog: SessionExtension {
    /// The amount of detail; each level includes the previous ones.
    public enum Level: Int, Sendable, Comparable, CaseIterable {
        /// Failures.
        case failures
        /// The steps of each connection.
        case steps
        /// Each stanza, in both directions.
        case stanzas
        /// The XML of the connection, with the texts of users and without secrets.
        case wire

        public static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }

        /// The level with this name: `failures`, `steps`, `stanzas` or `wire`; `nil` for another name.
        public init?(name: String) {
            guard let level = Self.allCases.first(where: { String(describing: $0) == name }) else { return nil }
            self = level
        }
    }

    private let level: Level
    private let write: @Sendable (Level, String) -> Void
    private let sink: Int
    private let wireSink: Int?

    /// - Parameter session: the argument of the factory of the extension; events are logged from the first step on.
    public init(
        _ session: Session, _ level: Level = .steps, write: @escaping @Sendable (_ level: Level, _ line: String) -> Void
    ) {
        self.level = level
        let output = write
        let write: @Sendable (Level, String) -> Void = { output($0, Self.oneLine($1)) }
        self.write = write
        sink = session.observers.add { event in
            guard let (lineLevel, line) = Self.line(of: event), lineLevel <= level else { return }
            write(lineLevel, line)
        }
        guard level >= .wire else {
            wireSink = nil
            return
        }
        let lines = WireLines()
        wireSink = session.observers.wire.add { event in
            for line in lines.lines(of: event) { output(.wire, line) }
        }
    }

    public var interceptors: [any StanzaInterceptor] { level >= .stanzas ? [Passage(write: write)] : [] }

    public func sessionEnded(_ session: Session) async {
        session.observers.remove(sink: sink)
        if let wireSink { session.observers.wire.remove(wireSink) }
        guard await session.isOver else {
            if level >= .steps { write(.steps, "the log ends") }
            return
        }
        if let error = await session.failure {
            write(.failures, "the session is over: \(error.message)")
        } else if level >= .steps {
            write(.steps, "the session is over")
        }
    }

    /// Logs each stanza without changing it.
    private struct Passage: StanzaInterceptor {
        let write: @Sendable (Level, String) -> Void

        nonisolated(nonsending) func willReceive(_ stanza: AnyStanza, in session: Session) async -> Interception {
            write(.stanzas, "received " + SessionLog.summary(stanza))
            return .pass(stanza)
        }

        nonisolated(nonsending) func willSend(_ stanza: AnyStanza, in session: Session) async -> Interception {
            write(.stanzas, "sends " + SessionLog.summary(stanza))
            return .pass(stanza)
        }
    }
}

extension SessionLog {
    /// `nil` for events that are logged elsewhere or not at all.
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
        case .extensionAdded(let instance): (.steps, "added \(type(of: instance))")
        case .extensionRemoved(let instance): (.steps, "removed \(type(of: instance))")
        case .elementSent(let element): (.stanzas, "sent \(summary(element))")
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
        case .addressChanged: (.steps, "our address has changed")
        case .online(_, let isResumed): (.steps, isResumed ? "online again" : "online")
        case .closeRequested: (.steps, "signing off")
        case .closingSent: (.steps, "closing the stream")
        case .timedOut: (.failures, "the login took too long")
        case .authenticationFailed(let error): (.failures, "the login failed: \(error.message)")
        case .streamError(let error): (.failures, "the server ended the stream: \(error.condition)")
        case .readingPaused(let observers):
            (
                .failures,
                "nothing is read, because observers do not read their events: \(observers.joined(separator: ", "))"
            )
        case .readingResumed: (.steps, "reading again")
        case .disconnected(let error?, let pause?):
            (.failures, "disconnected: \(error.message) Next attempt in \(pause).")
        case .disconnected(nil, .some): (.steps, "disconnected")
        // There is no further attempt: the end of the session is logged.
        case .disconnected(_, nil): nil
        case .extensionFailed(let name, let error):
            (.failures, "\(name) failed" + ((error as? ClientError).map { ": \($0.message)" } ?? ""))
        }
    }

    static func summary(_ stanza: AnyStanza) -> String { summary(XMLElement(stanza)) }

    /// Kind, type, identifier and children: `message chat 17 [body, {urn:xmpp:receipts}request]`.
    private static func summary(_ element: XMLElement) -> String {
        let inside = element.children.prefix(maximumNames).map { child in
            // Children in the namespace of the stanza are written without it.
            child.name.namespace == element.name.namespace ? child.name.local : child.name.description
        }
        let head = [element.name.local, element["type"], element["id"]].compactMap(\.self)
        return (head + ["[\(inside.joined(separator: ", "))]"]).joined(separator: " ")
    }

    /// Reduces a text to a single line of limited length, so that a peer cannot forge lines of the log.
    static func oneLine(_ text: String) -> String {
        let scalars = text.unicodeScalars.prefix(maximumLength).map { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: Unicode.Scalar(0x20 as UInt8)
            default: scalar
            }
        }
        return String(String.UnicodeScalarView(scalars))
    }

    /// The maximum number of child names in a line; stanzas of people have fewer.
    private static let maximumNames = 12
    /// The maximum length of a line: enough for an error text of a server and a stanza with its child names.
    private static let maximumLength = 500
}
