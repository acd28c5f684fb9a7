internal import Synchronization
internal import TransportLayer
internal import XMPPClient

/// Whether a session survives the loss of its connection (XEP-0198): the connection is cut, and the session goes on.
struct ResumptionHop: DiagnosisHop {
    enum Trial: Sendable, Equatable {
        /// The session goes on; the time from the loss to the first stanza is given.
        case resumed(after: Duration)
        /// A new session began.
        case beganAnew(after: Duration)
        case failed(String)
    }

    /// Whether stanzas are acknowledged.
    var isManaged: Bool
    /// Whether the server promised to keep the session.
    var isResumable: Bool
    /// For how long, seconds, where it said so.
    var maximumSeconds: Int?
    var trial: Trial?
    var duration: Duration?

    var place: DiagnosisPlace { .resumption }

    var outcome: DiagnosisOutcome {
        switch trial {
        case .resumed: .passed
        case .beganAnew, nil: .warning
        case .failed: .failed
        }
    }

    var summary: Phrase {
        switch trial {
        case .resumed(let time): Phrase("the connection was cut; %@ later the session went on", time.words)
        case .beganAnew(let time): Phrase("the connection was cut; %@ later a new session began", time.words)
        case .failed: Phrase("the connection was cut and did not come back")
        case nil:
            isManaged ? Phrase("the server keeps no session for later") : Phrase("no stream management")
        }
    }

    var details: [DiagnosisDetail] {
        switch trial {
        case .resumed:
            return maximumSeconds.map { [.init(Phrase("the server keeps a lost session for %@ s", $0))] } ?? []
        case .beganAnew:
            return [.init(Phrase("The server promised to keep the session and did not."), .warning)]
        case .failed: return []
        case nil:
            return [
                .init(
                    isManaged
                        ? Phrase("After a lost connection a new session begins; what was on its way is sent again.")
                        : Phrase("What is on its way when the connection breaks may be lost without a word."), .warning)
            ]
        }
    }

    var problem: DiagnosisProblem? {
        guard case .failed(let words) = trial else { return nil }
        return DiagnosisProblem(
            "reconnection-failed", Phrase("After the cut there was no second connection. %@", words),
            advice: Phrase("Try again; if it stays, the server limits how often one may connect."))
    }

    var facts: [(String, JSONValue)] {
        var resumed: Bool?
        var after: Duration?
        switch trial {
        case .resumed(let time): (resumed, after) = (true, time)
        case .beganAnew(let time): (resumed, after) = (false, time)
        case .failed, nil: break
        }
        return [
            ("acknowledged", .bool(isManaged)), ("resumable", .bool(isResumable)),
            ("maximumSeconds", .count(maximumSeconds)), ("resumed", resumed.map { .bool($0) } ?? .null),
            ("back", .count(after?.wholeMilliseconds)),
        ]
    }

    /// Cuts the connection and waits until the session is back, one way or the other.
    static func look(in session: Session, _ cutter: LineCutter, _ settings: DiagnosisSettings) async -> ResumptionHop {
        let agreement = await session.agreement
        var hop = ResumptionHop(
            isManaged: agreement?.isManaged ?? false, isResumable: agreement?.isResumable ?? false,
            maximumSeconds: await session.resumptionState?.maximumSeconds)
        guard hop.isResumable else { return hop }
        let start = ContinuousClock.now
        let events = session.events(.connection)
        cutter.cut()
        let seconds = Int(settings.patience.components.seconds) * 2
        hop.trial = try? await withDeadline(seconds: seconds) {
            var reason = ""
            for await batch in events {
                for case .connection(let event) in batch {
                    switch event {
                    case .online(_, let isResumed):
                        let time = ContinuousClock.now - start
                        return isResumed ? .resumed(after: time) : .beganAnew(after: time)
                    case .disconnected(let error, _): reason = error?.description ?? reason
                    default: break
                    }
                }
            }
            return Trial.failed(reason)
        } orThrow: {
            CommandError(.connection, "")
        }
        if hop.trial == nil { hop.trial = .failed("") }
        hop.duration = .now - start
        return hop
    }
}

/// Connects sessions to one place that is known to work, and cuts the connection as a broken network would.
final class LineCutter: Sendable {
    private let candidate: ConnectionCandidate
    private let address: SocketAddress
    private let current = Mutex<(any Transport)?>(nil)

    init(_ place: TLSHop.Attempt) {
        candidate = place.candidate
        address = place.address
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

    /// Nothing is said any more, not even goodbye.
    func cut() {
        current.withLock { $0 }?.abort()
    }
}
