internal import XMLStreaming
internal import XMPPStanzas

extension SessionLog {
    /// `nil` for what is told elsewhere or not worth a line.
    static func line(of event: SessionEvent) -> (Level, String)? {
        switch event {
        case .connection(let step): line(of: step)
        case .sendingFailed(let token, let error): (.failures, "\(words(token.stanza)) failed: \(error.sentence)")
        case .unreadable(let element, let error): (.failures, "cannot read \(words(element)) for its \(error.element)")
        case .skipped(let element):
            (.failures, "skipped \(words(element.startTag)) of \(element.byteCount) bytes: \(element.reason)")
        case .refused(let count, let archive, let reason):
            (.failures, "refused \(count) messages in an archive at \(archive.domain): \(reason)")
        case .filtered(let stanza, let direction): (.steps, "dropped \(direction) \(words(stanza))")
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
        case .authenticationFailed(let error): (.failures, "the login failed: \(error.sentence)")
        case .streamError(let error): (.failures, "the server ended the stream: \(error.condition)")
        case .disconnected(let error?, let pause?):
            (.failures, "disconnected: \(error.sentence) Next attempt in \(pause).")
        case .disconnected(nil, .some): (.steps, "disconnected")
        // No further attempt: the end of the session tells it.
        case .disconnected(_, nil): nil
        case .extensionFailed(let name, let error):
            (.failures, "\(name) failed" + ((error as? ClientError).map { ": \($0.sentence)" } ?? ""))
        }
    }

    static func words(_ stanza: AnyStanza) -> String { words(XMLElement(stanza)) }

    /// Kind, type, identifier and what is in it: `message chat 17 [body, {urn:xmpp:receipts}request]`.
    private static func words(_ element: XMLElement) -> String {
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
