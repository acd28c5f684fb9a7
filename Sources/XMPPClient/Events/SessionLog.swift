internal import XMLStreaming
import XMPPStanzas

/// Describes the events of a session as lines of text, for diagnosis; the program decides where the lines go.
///
///     configuration.add { SessionLog($0, .stanzas) { level, line in print("\(level): \(line)") } }
///
/// A line contains no password, no token, no address of a person and no text of a user. It contains the name of a step,
/// the kind, identifier and element names of a stanza, and the message of an error (``ClientError``), which may include
/// the name of the server and its error text. To log more, write a ``StanzaInterceptor``. At lower levels stanzas are
/// not inspected.
///
/// The closure is called on the thread of the session, and stanzas wait until it returns, so defer slow work.
public struct SessionLog: SessionExtension {
    /// The amount of detail; each level includes the previous ones.
    public enum Level: Int, Sendable, Comparable, CaseIterable {
        /// Failures.
        case failures
        /// The steps of each connection.
        case steps
        /// Each stanza, in both directions.
        case stanzas

        public static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
    }

    private let level: Level
    private let write: @Sendable (Level, String) -> Void

    /// - Parameter session: the argument of the factory of the extension; events are logged from the first step on.
    public init(
        _ session: Session, _ level: Level = .steps, write: @escaping @Sendable (_ level: Level, _ line: String) -> Void
    ) {
        self.level = level
        let write: @Sendable (Level, String) -> Void = { write($0, Self.oneLine($1)) }
        self.write = write
        session.observers.add { event in
            guard let (lineLevel, line) = Self.line(of: event), lineLevel <= level else { return }
            write(lineLevel, line)
        }
    }

    public var interceptors: [any StanzaInterceptor] { level >= .stanzas ? [Passage(write: write)] : [] }

    public func sessionEnded(_ session: Session) async {
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
