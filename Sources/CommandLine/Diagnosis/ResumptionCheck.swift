internal import Automation
internal import ChatModel
internal import JSONRPC
internal import Synchronization
internal import TransportLayer
internal import XMPPClient

/// Whether a session survives the loss of its connection (XEP-0198): cuts the connection and waits for a resumption.
struct ResumptionCheck: DiagnosisCheck {
    enum Trial: Sendable, Equatable {
        /// The session was resumed; with the time from the loss to the first stanza.
        case resumed(after: Duration)
        /// A new session started.
        case startedNewSession(after: Duration)
        case failed(Phrase)
    }

    /// Whether stanzas are acknowledged.
    var isManaged: Bool
    /// Whether the server promised to keep the session for resumption.
    var isResumable: Bool
    /// For how long, in seconds, if the server stated it.
    var maximumSeconds: Int?
    var trial: Trial?
    var duration: Duration?

    var step: DiagnosisStep { .resumption }

    var outcome: DiagnosisOutcome {
        switch trial {
        case .resumed: .passed
        case .startedNewSession, nil: .warning
        case .failed: .failed
        }
    }

    var summary: Phrase {
        switch trial {
        case .resumed(let time): Phrase("the connection was cut; the session was resumed after %@", time.text)
        case .startedNewSession(let time): Phrase("the connection was cut; a new session started after %@", time.text)
        case .failed: Phrase("the connection was cut and could not be restored")
        case nil:
            isManaged ? Phrase("the server does not support resuming a session") : Phrase("no stream management")
        }
    }

    var details: [DiagnosisDetail] {
        switch trial {
        case .resumed:
            guard let maximumSeconds else { return [] }
            let time = Phrase.wording { Wording.seconds(maximumSeconds) }
            return [.init(Phrase("the server keeps a lost session for %@", time))]
        case .startedNewSession:
            return [.init(Phrase("The server promised to keep the session, but did not."), .warning)]
        case .failed: return []
        case nil:
            return [
                .init(
                    isManaged
                        ? Phrase("After a lost connection a new session starts; messages in transit are sent again.")
                        : Phrase("Messages in transit when the connection breaks may be lost silently."), .warning)
            ]
        }
    }

    var problem: DiagnosisProblem? {
        guard case .failed(let words) = trial else { return nil }
        return DiagnosisProblem(
            "reconnection-failed", Phrase("After the cut, reconnecting failed. %@", words),
            advice: Phrase("Try again; if the problem persists, the server limits the number of connections."))
    }

    var facts: [(String, JSONValue)] {
        var resumed: Bool?
        var after: Duration?
        switch trial {
        case .resumed(let time): (resumed, after) = (true, time)
        case .startedNewSession(let time): (resumed, after) = (false, time)
        case .failed, nil: break
        }
        return [
            ("acknowledged", .bool(isManaged)), ("resumable", .bool(isResumable)),
            ("maximumSeconds", .count(maximumSeconds)), ("resumed", resumed.map { .bool($0) } ?? .null),
            ("back", .count(after?.wholeMilliseconds)),
        ]
    }

    /// Cuts the connection and waits until there is a session again.
    static func run(in session: Session, _ cutter: LineCutter, _ settings: DiagnosisSettings) async -> ResumptionCheck {
        let agreement = await session.agreement
        var check = ResumptionCheck(
            isManaged: agreement?.isManaged ?? false, isResumable: agreement?.isResumable ?? false,
            maximumSeconds: await session.resumptionState?.maximumSeconds)
        guard check.isResumable else { return check }
        let start = ContinuousClock.now
        let events = session.events(.connection)
        cutter.cut()
        let seconds = Int(settings.timeout.components.seconds) * 2
        check.trial = try? await withDeadline(seconds: seconds) {
            var reason = Phrase.verbatim("")
            for await batch in events {
                for case .connection(let event) in batch {
                    switch event {
                    case .online(_, let isResumed):
                        let time = ContinuousClock.now - start
                        return isResumed ? .resumed(after: time) : .startedNewSession(after: time)
                    case .disconnected(let error, _):
                        reason = error.map { error in .wording { Wording.failure(error, domain: nil) } } ?? reason
                    default: break
                    }
                }
            }
            return Trial.failed(reason)
        } orThrow: {
            CommandError(.connection, "")
        }
        if check.trial == nil { check.trial = .failed(.verbatim("")) }
        check.duration = .now - start
        return check
    }
}

/// Connects sessions to one endpoint that is known to work, and cuts the connection like a broken network.
final class LineCutter: Sendable {
    private let candidate: ConnectionCandidate
    private let address: SocketAddress
    private let current = Mutex<(any Transport)?>(nil)

    init(_ endpoint: TLSCheck.Attempt) {
        candidate = endpoint.candidate
        address = endpoint.address
    }

    var factory: TransportFactory {
        TransportFactory { [self] target throws(TransportError) in
            let transport = try await Connector().connect(
                to: .host(address.address, port: address.port, security: candidate.security), tls: target.tls
            ).transport
            current.withLock { $0 = transport }
            return transport
        }
    }

    /// Sends nothing more, not even the end of the stream.
    func cut() {
        current.withLock { $0 }?.abort()
    }
}
